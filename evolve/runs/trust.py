"""Whether this user agreed to start what a folder names: marks that only this user can make.

A folder may come from anywhere, and an unpacked archive belongs to the user who unpacked it, so
neither owner nor time of a file shows who wrote it. A mark is a hash of what the user agreed to and
of the folder's place, with a secret key that never leaves the user's data folder
(`EVOLVE_DATA_DIR` moves it). The marks are inside the folder, not in a list of folders, so that
runs can be made and deleted freely. A folder that was moved, or was somewhere else in between,
needs a new agreement: the programs that it names may be looked up beside it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import platformdirs

from evolve.engine.compiled.private import check_private, private_folder
from evolve.files.atomic import write_bytes, write_text
from evolve.files.folder import FolderPath
from evolve.tables.paths import OWNER_FILE

_KEY: Final = "key"
_BYTES: Final = 32


def data_folder() -> Path:
    """The folder for data that only this user may read."""
    return Path(os.environ.get("EVOLVE_DATA_DIR") or platformdirs.user_data_dir("evolve"))


def not_agreed(folder: FolderPath, things: Iterable[str]) -> list[str]:
    """Those of `things` to which this user has not agreed in this folder."""
    try:
        key = _key(make=False)
        known = set((folder / OWNER_FILE).read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return list(things)
    return [thing for thing in things if key is None or _mark(key, folder, thing) not in known]


def agree(folder: FolderPath, things: Iterable[str]) -> None:
    """Record that this user agrees to these things in this folder, and to no others.

    OSError where the secret cannot be stored, or others could read it.
    """
    key = _key(make=True)
    assert key is not None
    write_text(folder / OWNER_FILE, "".join(f"{_mark(key, folder, one)}\n" for one in things))


def mark_of(folder: FolderPath, *parts: str) -> str:
    """This user's mark on a text of several parts, in this folder.

    OSError where the secret cannot be stored, or others could read it.
    """
    key = _key(make=True)
    assert key is not None
    return _mark(key, folder, *parts)


def is_marked(folder: FolderPath, mark: object, *parts: str) -> bool:
    """Whether `mark` is this user's mark on this text, in this folder."""
    try:
        key = _key(make=False)
    except OSError:
        return False
    if key is None or not isinstance(mark, str):
        return False
    return hmac.compare_digest(_mark(key, folder, *parts).encode(), mark.encode())


def _mark(key: bytes, folder: FolderPath, *parts: str) -> str:
    # The list includes the number of parts: what a run names has one, and never passes for a job.
    text = json.dumps([str(folder.resolve()), *parts])
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _key(*, make: bool) -> bytes | None:
    """This user's secret; None where it is missing and `make` is false."""
    root = data_folder()
    if not make and not (root / _KEY).exists():
        return None
    place = private_folder(root) / _KEY
    if place.exists():
        check_private(place)
        key = place.read_bytes()
        if len(key) == _BYTES:
            return key
    key = secrets.token_bytes(_BYTES)
    write_bytes(place, key, private=True)
    return key
