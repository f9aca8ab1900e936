"""Who wrote what a folder says is to be started: marks that only this user can have made.

A folder may come from anywhere, and an unpacked archive belongs to whoever unpacked it, so
neither owner nor time of a file says who wrote it. A mark is a hash of what the user agreed to
and of the place of the folder, keyed by a secret that never leaves the user's data folder
(`EVOLVE_DATA_DIR` moves it). It goes with the folder's content, not with its name in some list, so
that runs can be made and thrown away freely. A folder that was moved, or has come back from
someone else, has to be agreed to again: what it names may be looked up beside it.
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

from evolve.engine.private import check_private, private_folder
from evolve.files.atomic import write_bytes, write_text
from evolve.files.folder import FolderPath
from evolve.tables.paths import OWNER_FILE

_KEY: Final = "key"
_BYTES: Final = 32


def data_folder() -> Path:
    """Where evolve keeps what is this user's alone."""
    return Path(os.environ.get("EVOLVE_DATA_DIR") or platformdirs.user_data_dir("evolve"))


def not_agreed(folder: FolderPath, things: Iterable[str]) -> list[str]:
    """Those of some things that this user has not agreed to in this folder."""
    try:
        key = _key(make=False)
        known = set((folder / OWNER_FILE).read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return list(things)
    return [thing for thing in things if key is None or _mark(key, folder, thing) not in known]


def agree(folder: FolderPath, things: Iterable[str]) -> None:
    """Note that this user has agreed to some things in this folder, and to no others.

    OSError where the secret cannot be kept, or others could read it.
    """
    key = _key(make=True)
    assert key is not None
    write_text(folder / OWNER_FILE, "".join(f"{_mark(key, folder, one)}\n" for one in things))


def mark_of(folder: FolderPath, *parts: str) -> str:
    """The mark of this user on a text of several parts, in this folder.

    OSError where the secret cannot be kept, or others could read it.
    """
    key = _key(make=True)
    assert key is not None
    return _mark(key, folder, *parts)


def is_marked(folder: FolderPath, mark: object, *parts: str) -> bool:
    """Whether a mark is that of this user on this text, in this folder."""
    try:
        key = _key(make=False)
    except OSError:
        return False
    if key is None or not isinstance(mark, str):
        return False
    return hmac.compare_digest(_mark(key, folder, *parts).encode(), mark.encode())


def _mark(key: bytes, folder: FolderPath, *parts: str) -> str:
    # The number of parts is in it: what a run names is one, and never passes for a job.
    text = json.dumps([str(folder.resolve()), *parts])
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _key(*, make: bool) -> bytes | None:
    """This user's secret; None where there is none and none is to be made."""
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
