"""Folders that no other user of the machine can change."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def private_folder(path: Path) -> Path:
    """The folder at `path` without links, for this user alone; it is made where it is missing.

    Raises PermissionError where other users could put files into it, or replace it by another
    folder: it and all folders above it must belong to this user or to root, and none of them may be
    writable to others, except those above with the sticky bit, such as /tmp. Raises OSError where
    it cannot be made. On Windows nothing is checked: it keeps other users out of a user's folders.
    """
    for folder in (*reversed(path.absolute().parents), path):
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)
    path = path.resolve()
    if hasattr(os, "geteuid"):
        _check(path)
        for above in path.parents:
            # In a sticky folder other users can add files, but not remove those of others.
            _check(above, sticky=stat.S_ISVTX)
    return path


def check_private(path: Path) -> None:
    """Raise PermissionError where another user owns a file, or may write to it."""
    if hasattr(os, "geteuid"):
        _check(path)


def _check(path: Path, *, sticky: int = 0) -> None:
    state = path.lstat()
    if state.st_uid not in (0, os.geteuid()):
        raise PermissionError(errno.EPERM, f"{path} belongs to another user", str(path))
    group = state.st_mode & stat.S_IWGRP and not _is_own_group(state.st_gid)
    if (group or state.st_mode & stat.S_IWOTH) and not state.st_mode & sticky:
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
