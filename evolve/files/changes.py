"""Every change of files in people's folders happens here, or in `atomic`, which is built on this.

One place, so that a test can watch, fail or end the work before any change. Inside a folder of
runs, changes go through a handle of that folder and follow no link: see `folder`. `tests/files`
looks for changes that bypass this module.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from evolve.files.folder import FolderPath, open_handle, reached

Change = Literal["make", "write", "rename", "sync", "append", "cut", "remove"]
"""What is about to happen.

make: a folder, or a file that grows, is made. write: a file, complete under a temporary name, is
synced to the disk. rename: a file takes another name. sync: wait until the disk has the names in a
folder. append: a piece is appended. cut: a torn end is cut off. remove: a file or an empty folder
is removed.
"""
_PAUSES: Final = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds between tries to rename on Windows, which refuses while someone reads the old file."""
Hook = Callable[[Change, Path, bytes], None]

hook: Hook | None = None
"""Called before every change, for tests: with the kind of change, the path, and the appended bytes.

None except in tests: then a change costs one look at this name.
"""


def point(change: Change, path: Path, piece: bytes = b"") -> None:
    """Announce a change. If the hook raises, the change does not happen."""
    if hook is not None:
        hook(change, path, piece)


def make_folder(path: Path, *, parents: bool = False, exist_ok: bool = False) -> None:
    """Make a folder, as `Path.mkdir` does."""
    if exist_ok and path.is_dir():
        return
    if parents and not path.parent.is_dir():
        make_folder(path.parent, parents=True, exist_ok=True)
    point("make", path)
    with reached(path) as (handle, name):
        try:
            os.mkdir(name, dir_fd=handle)
        except FileExistsError:
            if not (exist_ok and path.is_dir()):
                raise


def move(source: Path, target: Path) -> None:
    """Rename a file or folder to `target` in one step; this replaces a file of that name.

    The rename is on the disk when this returns. Raises LinkError where `source` or `target` is a
    link inside a run's folder.
    """
    for path in (source, target):
        if isinstance(path, FolderPath):
            path.exists()
    point("rename", target)
    with reached(source) as (handle, name), reached(target) as (other, new):
        for pause in (*_PAUSES, None):
            try:
                os.replace(name, new, src_dir_fd=handle, dst_dir_fd=other)
                break
            except PermissionError:
                if sys.platform != "win32" or pause is None:
                    raise
                time.sleep(pause)
    sync_folder(target.parent)


def remove(path: Path, *, missing_ok: bool = False) -> None:
    """Remove a file, or a link itself."""
    if missing_ok:
        try:
            path.lstat()
        except FileNotFoundError:
            return
    point("remove", path)
    with contextlib.suppress(*[FileNotFoundError] * missing_ok), reached(path) as (handle, name):
        os.unlink(name, dir_fd=handle)


def remove_folder(path: Path) -> None:
    """Remove an empty folder."""
    point("remove", path)
    with reached(path) as (handle, name):
        os.rmdir(name, dir_fd=handle)


def remove_tree(path: Path, *, ignore_errors: bool = False) -> None:
    """Remove a folder and everything in it, in order of name; links are not followed.

    With `ignore_errors`, entries that cannot be removed stay, and so do their folders.
    """
    forgiven = contextlib.suppress(OSError) if ignore_errors else contextlib.nullcontext()

    def fail(error: OSError) -> None:
        if not ignore_errors:
            raise error

    with forgiven:
        if isinstance(path, FolderPath):
            path.exists()  # a link in its place is an error, not an empty folder
        for place, folders, files, handle in _from_the_leaves(path, fail):
            for name in sorted([*folders, *files]):
                with forgiven:
                    _remove_entry(place / name, handle, name in folders)
        remove_folder(path)


def _remove_entry(entry: Path, handle: int | None, is_folder: bool) -> None:
    """Remove an entry of an open folder, or by its path where the system has no such handles."""
    point("remove", entry)
    name = entry if handle is None else entry.name
    if is_folder and not entry.is_symlink():
        os.rmdir(name, dir_fd=handle)
    else:
        os.unlink(name, dir_fd=handle)


def _from_the_leaves(
    path: Path, fail: Callable[[OSError], None]
) -> Iterator[tuple[Path, list[str], list[str], int | None]]:
    """All folders in `path` with their entries, and an open handle where the system has one.

    If someone replaces a folder by a link meanwhile, the handle does not follow it.
    """
    with reached(path) as (start, top):
        if hasattr(os, "fwalk"):
            for place, folders, files, handle in os.fwalk(
                top, topdown=False, onerror=fail, dir_fd=start
            ):
                yield path / os.path.relpath(place, top), folders, files, handle
            return
        for place, folders, files in os.walk(top, topdown=False, onerror=fail):
            yield path / os.path.relpath(place, top), folders, files, None


class Appender:
    """A file that grows by pieces, each in one write. An OSError names the file."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            point("make", path)
        self._path = path
        self._file = path.open("ab", buffering=0)

    def append(self, piece: bytes, *, sync: bool = False) -> None:
        """Append a piece; with `sync`, wait until the disk has it."""
        point("append", self._path, piece)
        try:
            left = memoryview(piece)
            while left:
                count = self._file.write(left)
                if count is None:  # a full pipe, opened without waiting
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
                left = left[count:]
            if sync:
                os.fsync(self._file.fileno())
        except OSError as error:  # for a full disk it has no name
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def append(path: Path, piece: bytes, *, sync: bool = False) -> None:
    """Append a piece to a file; make the file if it is missing. See `Appender`."""
    with contextlib.closing(Appender(path)) as file:
        file.append(piece, sync=sync)


def cut(path: Path, length: int) -> None:
    """Cut a file off after `length` bytes."""
    point("cut", path)
    handle = open_handle(path, os.O_WRONLY)
    try:
        os.ftruncate(handle, length)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder.

    Otherwise a power cut may undo a rename, or swap the order of two. Does nothing on Windows and
    some network disks, which have no such operation.
    """
    point("sync", folder)
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        handle = open_handle(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # the folder may be writable but not readable
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(handle)


_NO_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)
