"""Writing a file so that at any moment the old or the new one is there, whole."""

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
    """Give a file to write to; it takes the place of `path` when all went well.

    The data is on the disk before the rename is, and the rename before this returns. The folder
    must exist. A link is followed, as `-o FILE` means it, but for a path inside a folder, where it
    is a LinkError; a pipe or a device is written to, but for one inside. OSError passes through
    under the name of `path`, and nothing is left behind. A `private` file stays for this user's
    eyes alone.
    """
    target = path if isinstance(path, FolderPath) else Path(os.path.realpath(path))
    special = target.exists() and not target.is_file()
    if special and isinstance(path, FolderPath):
        raise RunError(f"{path} is not a file, and one is to be written there: remove it")
    folder = Path(tempfile.gettempdir()) if special else target.parent
    # Named before it is made, as mkstemp would not: whenever a signal comes, it is removed.
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
        if not private:  # it has been so far; give it the mode any new file would have
            with reached(temporary) as (handle, name):
                os.chmod(name, 0o666 & ~_umask(), dir_fd=handle)
        move(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):  # what went wrong first is reported
            remove(temporary, missing_ok=True)
        # A full disk is reported without a name, or under the temporary one.
        if (
            isinstance(error, OSError)
            and error.errno is not None
            and error.filename in (None, str(temporary))
            and not isinstance(error, BrokenPipeError)
        ):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def remove_half_written(folder: FolderPath) -> None:
    """Remove the temporary files that a killed writer left; what else has such a name, a link or a
    folder, is nobody's."""
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
