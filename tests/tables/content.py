"""The content of a run's tables as one hash, and as something to compare."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import evolve


def tables_hash(folder: Path) -> str:
    """Hash of every table of a run but for columns of times."""
    return _digest(folder).hexdigest()[:16]


def content_hash(folder: Path) -> str:
    """The same, and of its champion."""
    digest = _digest(folder)
    champion = json.loads((folder / "champion.json").read_text())
    for name in ("run", "evolve"):  # its folder and the version, which say nothing of the run
        champion["provenance"].pop(name)
    digest.update(json.dumps(champion).encode())
    return digest.hexdigest()[:16]


def _digest(folder: Path) -> hashlib._Hash:
    run = evolve.load_run(folder)
    digest = hashlib.sha256()
    for frame in (run.individuals, run.games, run.generations):
        kept = frame[[column for column in frame if not str(column).endswith("seconds")]]
        digest.update(kept.to_json(orient="records", double_precision=15).encode())
    return digest
