"""Every change of files in people's folders happens here, or in `atomic`, which is built on this.

One place, so that a test can watch, fail or end the work before any change. No change goes through
a link in place of its file. `tests/files` looks for changes that bypass this module.

A link in a run's folder would let its maker choose which files of the user are read, shown,
overwritten or removed. So when a folder is opened, the names that evolve reads are checked for
links, pipes and devices. The folder itself may be a link: its user named it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal

from evolve.errors import LinkError

Change = Literal["make", "write", "rename", "sync", "append", "cut", "remove"]
"""What is about to happen.

make: a folder, or a file that grows, is made. write: a file, complete under a temporary name, is
synced to the disk. rename: a file takes another name. sync: wait until the disk has the names in a
folder. append: a piece is appended. cut: a torn end is cut off. remove: a file or an empty folder
is removed.
"""
_PAUSES: Final = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds between tries to rename on Windows, which refuses while someone reads the old file."""
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_is_junction: Final[Callable[[Path], bool]] = getattr(os.path, "isjunction", os.path.islink)
"""Whether a path is a link of Windows to a folder; Python 3.11 does not tell."""
_BYTES: Final = getattr(os, "O_BINARY", 0)
"""Windows would write two bytes for the end of a line."""
Hook = Callable[[Change, Path, bytes], None]

hook: Hook | None = None
"""Called before every change, for tests: with the kind of change, the path, and the appended bytes.

None except in tests: then a change costs one look at this name.
"""


def point(change: Change, path: Path, piece: bytes = b"") -> None:
    """Announce a change. If the hook raises, the change does not happen."""
    if hook is not None:
        hook(change, path, piece)


def refuse_link(path: Path) -> None:
    """Raise LinkError where a path is a link, a pipe or a device; nothing may exist there."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISLNK(mode) or _is_junction(path):
        text = f"is a link to {os.readlink(path)}: put what it names there"
        raise LinkError(errno.ELOOP, text, str(path))
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        text = "is a pipe or a device: only files belong there"
        raise LinkError(errno.EINVAL, text, str(path))


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Raise LinkError where one of these names in a folder, or anything below it, is a link."""
    for name in names:
        refuse_link(folder / name)
        for parent, folders, files in os.walk(folder / name):
            for entry in (*folders, *files):
                refuse_link(Path(parent, entry))


def make_folder(path: Path, *, parents: bool = False, exist_ok: bool = False) -> None:
    """Make a folder, as `Path.mkdir` does."""
    if exist_ok and path.is_dir():
        return
    if parents and not path.parent.is_dir():
        make_folder(path.parent, parents=True, exist_ok=True)
    point("make", path)
    path.mkdir(exist_ok=exist_ok)


def move(source: Path, target: Path) -> None:
    """Rename a file or folder to `target` in one step; this replaces a file or link of that name.

    The rename is on the disk when this returns.
    """
    point("rename", target)
    for pause in (*_PAUSES, None):
        try:
            os.replace(source, target)
            break
        except PermissionError:
            if sys.platform != "win32" or pause is None:
                raise
            time.sleep(pause)
    _sync_folder(target.parent)


def remove(path: Path, *, missing_ok: bool = False) -> None:
    """Remove a file, or a link itself."""
    if missing_ok and not os.path.lexists(path):
        return
    point("remove", path)
    path.unlink(missing_ok=missing_ok)


def remove_folder(path: Path) -> None:
    """Remove an empty folder."""
    point("remove", path)
    path.rmdir()


def remove_tree(path: Path, *, ignore_errors: bool = False) -> None:
    """Remove a folder and everything in it, in order of name; links are not followed.

    With `ignore_errors`, entries that cannot be removed stay, and so do their folders.
    """
    forgiven = contextlib.suppress(OSError) if ignore_errors else contextlib.nullcontext()
    with forgiven:
        refuse_link(path)
        for entry in sorted(path.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                remove_tree(entry, ignore_errors=ignore_errors)
            else:
                with forgiven:
                    remove(entry)
        remove_folder(path)


class Appender:
    """A file that grows by pieces, each in one write. An OSError names the file."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            point("make", path)
        self._path = path
        self._handle = open_to_append(path)

    def append(self, piece: bytes, *, sync: bool = False) -> None:
        """Append a piece; with `sync`, wait until the disk has it."""
        point("append", self._path, piece)
        try:
            left = memoryview(piece)
            while left:
                left = left[os.write(self._handle, left) :]
            if sync:
                os.fsync(self._handle)
        except OSError as error:  # for a full disk it has no name
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def close(self) -> None:
        os.close(self._handle)


def open_to_append(path: Path) -> int:
    """A handle that appends to a file, made if it is missing; OSError where it is a link."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_LINK | _BYTES, 0o666)


def append(path: Path, piece: bytes, *, sync: bool = False) -> None:
    """Append a piece to a file; make the file if it is missing. See `Appender`."""
    with contextlib.closing(Appender(path)) as file:
        file.append(piece, sync=sync)


def cut(path: Path, length: int) -> None:
    """Cut a file off after `length` bytes."""
    point("cut", path)
    handle = os.open(path, os.O_WRONLY | _NO_LINK | _BYTES)
    try:
        os.ftruncate(handle, length)
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder.

    Otherwise a power cut may undo a rename, or swap the order of two. Does nothing on Windows and
    some network disks, which have no such operation.
    """
    point("sync", folder)
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # the folder may be writable but not readable
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
