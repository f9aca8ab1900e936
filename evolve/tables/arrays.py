"""Named arrays in one .npz file, written and read without pickle."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.tables.atomic import replacing

Arrays = Mapping[str, npt.NDArray[Any]]


def write_arrays(path: Path, arrays: Arrays, packed: bool = True) -> None:
    """Write an archive in one step; it is the same for the same arrays, whenever it is written."""
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), method)


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays of an archive; OSError, or an error of many kinds when it is damaged."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
