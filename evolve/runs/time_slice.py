"""A part of a run that is done elsewhere: its folder's files go there, and new ones come back."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

Files = Mapping[str, bytes]
"""Contents by their paths in a run's folder."""

_SLICE: Final = 10.0
"""Seconds of a slice; this and a step are the most that a worker's death loses. Starting one costs
0.1 s; with a minute Ctrl-C took 40 s."""
_NAME: Final = re.compile(r"([a-z]+/)?[a-z]+(-[0-9]{1,9})?\.(toml|json|parquet|npz)")


def seconds_for(size: int) -> float:
    """Return about how long a slice should last that goes on from so many bytes."""
    # A slice lasts long enough for what it goes on from to travel and be written at this pace.
    return max(_SLICE, size / 4e6)


def contents(folder: Path, files: Sequence[Path]) -> dict[str, bytes]:
    """Return the contents of those files that exist."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.exists()
    }


@contextmanager
def scratch_folder(name: str, files: Files, parts: Sequence[str]) -> Iterator[Path]:
    """Lay a run's files out in a folder of that name, which is removed afterwards.

    parts: folders in it. Raises ValueError for a name that no file of a run has, as in the state of
    a trial in a folder from elsewhere.
    """
    with tempfile.TemporaryDirectory(prefix="evolve-") as scratch:
        folder = Path(scratch, name)
        folder.mkdir()
        for part in parts:
            (folder / part).mkdir()
        for file, data in files.items():
            if not _NAME.fullmatch(file):
                raise ValueError(f"{file!r} is not a file of a run")
            (folder / file).write_bytes(data)
        yield folder
