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
    """Write an archive in one step; the same arrays always give the same bytes."""
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

    Unpacks at most `largest` bytes; without a number, at most the size of the file itself, which
    suits an archive that is not packed. If `header` is given, ValueError where that array is
    missing or over 1 MiB. With `whole` false, only the `header` array is read.
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
            # Read whole members, so that zipfile verifies the checksum of each.
            return {
                member.filename.removesuffix(".npy"): _array(archive.read(member))
                for member in members
                if whole or member.filename == f"{header}.npy"
            }
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(str(error) or "it is cut off") from error
    except (NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        # An unknown compression, a password, a name that is not text.
        raise ValueError(str(error)) from error


def _array(data: bytes) -> npt.NDArray[Any]:
    """An array from .npy bytes; ValueError where `data` is not exactly one array.

    numpy's own reader allocates the shape that the header claims before it reads on.
    """
    stream = io.BytesIO(data)
    try:
        shape, fortran, dtype = _HEADERS[np.lib.format.read_magic(stream)](stream)
    except Exception as error:  # numpy passes on any error of Python's parser
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
    except OverflowError as error:  # a side over 2^63 and one of 0
        raise ValueError("an array has no shape that could be") from error


_HEADERS: Final[dict[tuple[int, int], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
