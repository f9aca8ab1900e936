"""Write a file so that at any moment either the whole old file or the whole new one exists."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from evolve.errors import RunError
from evolve.files.changes import move, point, remove
from evolve.files.folder import FolderPath, open_handle, reached

TEMPORARY_PREFIX = ".writing-"


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to; it replaces `path` when no error occurs.

    The data is on the disk before the rename, and the rename is on the disk before this returns.
    The folder must exist. Outside a run's folder, a link is followed, as `-o FILE` means it, and a
    pipe or a device is written to. For a FolderPath inside its base, a link is a LinkError and a
    pipe or a device is a RunError. An OSError names `path`, and no temporary file stays behind.
    A `private` file is readable by this user alone.
    """
    target = path if isinstance(path, FolderPath) else Path(os.path.realpath(path))
    special = target.exists() and not target.is_file()
    if special and isinstance(path, FolderPath):
        raise RunError(f"{path} is not a file, and one is to be written there: remove it")
    folder = Path(tempfile.gettempdir()) if special else target.parent
    # The name is chosen here, not by mkstemp: a signal may come at any time, and the file is still
    # removed.
    temporary = folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{path.suffix}"
    try:
        with open(temporary, "xb", opener=lambda _, flags: _privately(temporary, flags)) as file:
            yield cast(BinaryIO, file)
            file.flush()
            point("write", temporary)
            os.fsync(file.fileno())
        if special:
            with temporary.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
            remove(temporary)
            return
        if not private:  # so far it is private; give it the mode of any new file
            with reached(temporary) as (handle, name):
                os.chmod(name, 0o666 & ~_umask(), dir_fd=handle)
        move(temporary, target)
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


def remove_half_written(folder: FolderPath) -> None:
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


def _privately(path: Path, flags: int) -> int:
    return open_handle(path, flags, 0o600)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
