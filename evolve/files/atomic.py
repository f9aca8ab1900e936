"""Write a file so that at any moment either the whole old file or the whole new one exists.

`Tail` reads the new lines of a file that a command writes with `--progress`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from evolve.files.changes import move, point, remove
from evolve.parsing import parse_json

TEMPORARY_PREFIX = ".writing-"


def is_standard(path: Path) -> bool:
    """Whether a path is standard output: `-`, or `-.csv` and the like."""
    return path.name.partition(".")[0] == "-" and path.parent == Path()


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to; it replaces `path` when no error occurs.

    The data is on the disk before the rename, and the rename is on the disk before this returns.
    The folder must exist. A link is replaced, not followed; a pipe or a device is an error, and
    standard output is written to. An OSError names `path`, and no temporary file stays behind. A
    `private` file is readable by this user alone.
    """
    standard = is_standard(path)
    if not standard and path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    folder = Path(tempfile.gettempdir()) if standard else path.parent
    # The name is chosen here, not by mkstemp: a signal may come at any time, and the file is still
    # removed.
    temporary = folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{path.suffix}"
    try:
        mode = 0o600 if private or standard else 0o666
        with open(temporary, "xb", opener=partial(os.open, mode=mode)) as file:
            yield cast(BinaryIO, file)
            file.flush()
            point("write", temporary)
            os.fsync(file.fileno())
        if standard:
            with temporary.open("rb") as source, open(1, "wb", closefd=False) as sink:
                shutil.copyfileobj(source, sink)
            remove(temporary)
            return
        move(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # report the first error
            remove(temporary, missing_ok=True)
        # For a full disk, the OSError has no name, or the temporary one.
        if (
            isinstance(error, OSError)
            and error.errno is not None
            and error.filename in (None, str(temporary))
            and not isinstance(error, BrokenPipeError)
        ):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def remove_half_written(folder: Path) -> None:
    """Remove the temporary files that a killed writer left.

    Links and folders with such a name stay: evolve does not make them.
    """
    for path in folder.glob(f"{TEMPORARY_PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISREG(path.lstat().st_mode):
                remove(path, missing_ok=True)


def write_bytes(path: Path, content: bytes, *, private: bool = False) -> None:
    """Replace the file `path` in one step: see `replacing`."""
    with replacing(path, private=private) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Replace the text file `path` (UTF-8) in one step."""
    write_bytes(path, text.encode())


class Tail:
    """The end of a file that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._rest = b""

    def read(self, most: int = -1) -> Iterator[dict[str, Any]]:
        """Complete new lines, of at most so many bytes.

        Lines that are not events are skipped; so is a missing file.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(self._position)
                content = file.read(most)
        except OSError:
            return
        self._position += len(content)
        *lines, self._rest = (self._rest + content).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):
                event = parse_json(line)
                if isinstance(event, dict) and isinstance(event.get("event"), str):
                    yield event
