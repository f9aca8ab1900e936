"""The example that comes with evolve: a small evolution with a game of its champion.

It is one compressed archive in the package, made by `python -m benchmarks.example`. It comes into a
folder of runs only when a client asks for that, and is a run like any other from then on.
"""

from __future__ import annotations

import io
import tarfile
from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

from evolve.files.atomic import write_bytes
from evolve.files.changes import make_folder, move, remove_tree
from evolve.parsing import parse_json
from evolve.service.downloads import Downloads
from evolve.service.folders import Folders

NAME: Final = "example"
ARCHIVE: Final = "example.tar.xz"
ABOUT: Final = "about.json"
"""The file of the archive that is not of the run: what lists show of it, and a game."""


@cache
def _members() -> dict[str, bytes]:
    """The files of the archive by their paths in the run's folder."""
    packed = io.BytesIO((files("evolve.service") / ARCHIVE).read_bytes())
    members = {}
    with tarfile.open(fileobj=packed) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                members[member.name] = content.read()
    return members


@cache
def about_example() -> dict[str, Any]:
    """What lists show of the example, `run`, and a game of its champion, `game`."""
    return cast("dict[str, Any]", parse_json(_members()[ABOUT]))


def unpack(folders: Folders, downloads: Downloads) -> None:
    """Make the example a run of the folder, in one step; where there is a run of its name, not."""
    if folders.has_run(NAME):
        return
    folder = downloads.new("")
    try:
        for name, content in _members().items():
            if name != ABOUT:
                make_folder((folder / name).parent, parents=True, exist_ok=True)
                write_bytes(folder / name, content)
        move(folder, folders.run(NAME))
    except BaseException:
        remove_tree(folder, ignore_errors=True)
        raise
