"""Named arrays in one .npz file, written and read without pickle."""

from __future__ import annotations

import io
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.files.atomic import replacing

_LARGEST_HEADER: Final = 1 << 20
Arrays = Mapping[str, npt.NDArray[Any]]


def write_arrays(path: Path, arrays: Arrays, packed: bool = True) -> None:
    """Write an archive in one step; it is the same for the same arrays, whenever it is written."""
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), method)


def read_arrays(
    path: Path, largest: int | None = None, header: str | None = None, *, whole: bool = True
) -> dict[str, npt.NDArray[Any]]:
    """All arrays of an archive; OSError, or ValueError where it is damaged.

    Nothing is unpacked beyond `largest` bytes; without a number, beyond the size of the file
    itself, which suits an archive that is not packed. Nor is anything where there is no array
    `header`, or one of more than 1 MiB. With `whole` false that one alone is read.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            most = os.fstat(file.fileno()).st_size if largest is None else largest
            members = archive.infolist()
            if sum(member.file_size for member in members) > most:
                raise ValueError(f"it would unpack to more than {most} bytes")
            sizes = {member.filename: member.file_size for member in members}
            if header is not None and f"{header}.npy" not in sizes:
                raise ValueError(f"it holds no {header}")
            if header is not None and sizes[f"{header}.npy"] > _LARGEST_HEADER:
                raise ValueError(f"its {header} is too large")
            # Whole members, so that the checksum of each is looked at.
            return {
                member.filename.removesuffix(".npy"): _array(archive.read(member))
                for member in members
                if whole or member.filename == f"{header}.npy"
            }
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(str(error) or "it is cut off") from error
    except (NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        # A way of packing that is not known, a password, a name that is not text.
        raise ValueError(str(error)) from error


def _array(data: bytes) -> npt.NDArray[Any]:
    """An array of the .npy format; ValueError where `data` is not all of one.

    numpy's own reader makes room for whatever shape the header claims before it reads on.
    """
    stream = io.BytesIO(data)
    try:
        shape, fortran, dtype = _HEADERS[np.lib.format.read_magic(stream)](stream)
    except Exception as error:  # numpy lets through what Python's own parser raises: all kinds
        raise ValueError("the header of an array cannot be read") from error
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    start = stream.tell()
    if len(data) - start != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array is larger or smaller than it says")
    try:
        array = (
            np.frombuffer(data, dtype, offset=start) if len(data) > start else np.empty(0, dtype)
        )
        return array.reshape(shape, order="F" if fortran else "C").copy()
    except OverflowError as error:  # a side of more than 2^63, beside one of 0
        raise ValueError("an array has no shape that could be") from error


_HEADERS: Final[dict[tuple[int, int], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
