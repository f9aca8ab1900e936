"""The content of a run's tables as one hash, and as something to compare."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import evolve

PINNED = {
    "individual", "generation", "born", "origin", "parents", "score", "disc_difference", "games",
    *("weights", "mobility", "stability", "x_squares", "c_squares", "potential_mobility"),
    *("depths", "endgame"),
    *("kind", "game", "black", "white", "opening", "moves", "discs_black", "discs_white"),
    *("winner", "plies", "nodes_black", "nodes_white", "reason"),
    *("best", "best_score", "mean_score", "over_budget", "panel_score", "panel_elo"),
    *("panel_elo_low", "panel_elo_high", "rating", "rating_low", "rating_high"),
    *("rise", "rise_low", "rise_high", "rise_since", "past_score"),
}  # fmt: skip
"""Columns that are hashed: those there were when the hashes were pinned. A column more is no
other result."""


def tables_hash(folder: Path) -> str:
    """Hash of the pinned columns of every table of a run, which are all but those of times."""
    return _digest(folder).hexdigest()[:16]


def content_hash(folder: Path) -> str:
    """The same, and of its champion, whose rating is newer than the hashes."""
    digest = _digest(folder)
    champion = json.loads((folder / "champion.json").read_text())
    for name in ("run", "evolve"):  # its folder and the version, which say nothing of the run
        champion["provenance"].pop(name)
    for name in ("elo", "elo_low", "elo_high", "elo_games"):
        champion["provenance"].pop(name, None)
    digest.update(json.dumps(champion).encode())
    return digest.hexdigest()[:16]


def outcome(folder: Path) -> dict[str, Any]:
    """All that a run of any kind comes to, without times, processes and its own folder."""
    run = evolve.load_run(folder)
    found: dict[str, Any] = {}
    for name, frame in dict(run.tables).items():
        gone = [one for one in frame if str(one).endswith("seconds") or one == "worker"]
        found[name] = frame.drop(columns=gone).to_json(orient="records", double_precision=15)
    champion = evolve.load_agent(folder).stored()
    kept = {key: one for key, one in champion.provenance.items() if key != "run"}
    arrays = {name: array.tobytes() for name, array in champion.arrays.items()}
    return {**found, "champion": (champion.name, champion.parameters, arrays, kept)}


def _digest(folder: Path) -> hashlib._Hash:
    run = evolve.load_run(folder)
    digest = hashlib.sha256()
    for frame in (run.individuals, run.games, run.generations):
        kept = frame[[column for column in frame if column in PINNED]]
        digest.update(kept.to_json(orient="records", double_precision=15).encode())
    return digest
