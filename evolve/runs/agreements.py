"""What this user agreed to in a folder: to start the programs of a run, or to start a job.

A folder may come from anywhere, and neither owner nor time of its files shows who wrote them. So a
list in the user's data folder (`EVOLVE_DATA_DIR` moves it) has a file for each folder: its path, a
random nonce that is in the folder too, and what the user agreed to. A path alone would trust any
folder that comes to be there; one that was moved or copied needs a new agreement.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import platformdirs

from evolve.engine.compiled.private import check_private, private_folder
from evolve.files.atomic import write_bytes, write_text
from evolve.files.changes import remove
from evolve.parsing import parse_json
from evolve.tables.paths import OWNER_FILE


def data_folder() -> Path:
    """The folder for data that only this user may read."""
    return Path(os.environ.get("EVOLVE_DATA_DIR") or platformdirs.user_data_dir("evolve"))


def not_agreed(folder: Path, things: Iterable[str]) -> list[str]:
    """Those of `things` to which this user has not agreed in this folder."""
    known = _entry(folder)["things"] if nonce_of(folder) is not None else ()
    return [thing for thing in things if thing not in known]


def nonce_of(folder: Path) -> str | None:
    """The random text of a folder in which this user agreed to something; None in any other."""
    try:
        nonce = str(_entry(folder)["nonce"])
        return nonce if (folder / OWNER_FILE).read_text(encoding="ascii") == nonce else None
    except (OSError, ValueError):
        return None


def agree(folder: Path, things: Iterable[str]) -> str:
    """Record that this user agrees to these things in this folder, and to no others.

    Return the folder's random text. OSError where that cannot be recorded, or others could write
    it.
    """
    file, nonce = _file(folder), secrets.token_hex(16)
    private_folder(file.parent)
    write_text(folder / OWNER_FILE, nonce)
    entry = {"path": str(folder.resolve()), "nonce": nonce, "things": [*things]}
    write_bytes(file, json.dumps(entry).encode(), private=True)
    return nonce


def disagree(folder: Path) -> None:
    """Remove what was recorded of this folder."""
    remove(_file(folder), missing_ok=True)
    remove(folder / OWNER_FILE, missing_ok=True)


def _entry(folder: Path) -> Any:
    """What the list has on a folder; OSError where it has nothing, or others could write it."""
    file = _file(folder)
    check_private(file)
    private_folder(file.parent)
    return parse_json(file.read_bytes())


def _file(folder: Path) -> Path:
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
    return data_folder() / "agreed" / f"{name}.json"
