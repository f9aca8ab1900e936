"""Writing a file so that at any moment the old or the new one is there, whole."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

TEMPORARY_PREFIX = ".writing-"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; it takes the place of `path` when all went well.

    The data is on the disk before the rename is, and the rename before this returns. The folder
    must exist. A link is followed, as `-o FILE` means it; a pipe or a device is written to. What
    is written inside a run's folder meets no link: who writes there has the folder's lock, and
    nobody gets that where there are links. OSError passes through under the name of `path`, and
    nothing is left behind.
    """
    target = Path(os.path.realpath(path))
    special = target.exists() and not target.is_file()
    folder = Path(tempfile.gettempdir()) if special else target.parent
    # Named before it is made, as mkstemp would not: whenever a signal comes, it is removed.
    temporary = folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{path.suffix}"
    try:
        temporary.touch(mode=0o600, exist_ok=False)
        yield temporary
        if special:
            with temporary.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
            temporary.unlink()
            return
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        # It has been private so far; give it the mode any new file would have.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
        sync_folder(target.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):  # what went wrong first is reported
            temporary.unlink(missing_ok=True)
        # A full disk is reported without a name, or under the temporary one.
        if (
            isinstance(error, OSError)
            and error.errno is not None
            and error.filename in (None, str(temporary))
            and not isinstance(error, BrokenPipeError)
        ):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_text(path: Path, text: str) -> None:
    """Replace the text file `path` (UTF-8) in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder: else a power cut may undo a rename, and with
    it the order of two of them. Windows and some network disks know no such thing."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # one may write to a folder without being allowed to look into it
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
