"""No link, pipe or device in a folder that may come from elsewhere.

A link in a run's folder would let its maker choose which files of the user are read, shown,
overwritten or removed. So when a folder is opened, the names that evolve reads are checked. The
folder itself may be a link: its user named it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evolve.errors import LinkError

_JUNCTION: Final = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)


def refuse_link(path: Path) -> None:
    """Raise LinkError where a path is a link, a pipe or a device; nothing may exist there."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    junction = _JUNCTION is not None and getattr(status, "st_reparse_tag", 0) == _JUNCTION
    if stat.S_ISLNK(status.st_mode) or junction:
        target = os.readlink(path)
        raise LinkError(errno.ELOOP, f"is a link to {target}: put what it names there", str(path))
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        text = "is a pipe or a device: only files belong there"
        raise LinkError(errno.EINVAL, text, str(path))


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Raise LinkError where one of these names in a folder, or anything below it, is a link."""
    for name in names:
        refuse_link(folder / name)
        if (folder / name).is_dir():
            _refuse_links_below(folder / name)


def _refuse_links_below(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _refuse_links_below(folder / entry.name)
            elif not entry.is_file(follow_symlinks=False):
                refuse_link(folder / entry.name)
