"""Folders that no other user of the machine can change."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

_MOST_LINKS = 40


def private_folder(path: Path) -> Path:
    """The folder at `path` without links, for this user alone; it is made where it is missing.

    Raises PermissionError where other users could put files into it, or replace it by another
    folder. So every folder on the way must belong to this user or to root. None of them may be
    writable to others, except those with the sticky bit, such as /tmp. Raises OSError where it
    cannot be made. On Windows nothing is checked: it keeps other users out of a user's folders.
    """
    path = path.absolute()
    if not hasattr(os, "geteuid"):
        path.mkdir(parents=True, exist_ok=True)
        return path
    folder = Path(path.anchor)
    ahead = [*reversed(path.parts[1:])]
    links = 0
    while ahead:
        part = ahead.pop()
        if part == "..":
            folder = folder.parent
            continue
        child = folder / part
        state = _state(child)
        _check(child, state, last=not ahead)
        if not stat.S_ISLNK(state.st_mode):
            folder = child
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = Path(os.readlink(child))
        folder = Path(target.anchor) if target.is_absolute() else folder
        ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return folder


def check_private(path: Path) -> None:
    """Raise PermissionError where another user owns a file, or may write to it."""
    if hasattr(os, "geteuid"):
        _check(path, os.lstat(path), last=True)


def _state(path: Path) -> os.stat_result:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):  # another process made it first
            os.mkdir(path, 0o700)
        return os.lstat(path)


def _check(path: Path, state: os.stat_result, *, last: bool) -> None:
    if state.st_uid not in (0, os.geteuid()):
        raise PermissionError(errno.EPERM, f"{path} belongs to another user", str(path))
    if stat.S_ISLNK(state.st_mode):
        return  # a link's mode means nothing; in a checked folder only its owner can change it
    # In a sticky folder other users can add files, but not remove those of others.
    if stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX and not last:
        return
    group = state.st_mode & stat.S_IWGRP and not _is_own_group(state.st_gid)
    if group or state.st_mode & stat.S_IWOTH:
        raise PermissionError(errno.EPERM, f"other users can write to {path}", str(path))


def _is_own_group(number: int) -> bool:
    """Whether a group is the private one of this user.

    Most Linux systems make one for each user: their umask of 002 makes every folder writable to it.
    """
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    alone = set(group.gr_mem) <= {user.pw_name}
    return alone and number == user.pw_gid and group.gr_name == user.pw_name
