"""What lists say of a run: how far it is, and how good its champion. No kernel is loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from evolve.agents.files import read_header
from evolve.files.folder import FolderPath
from evolve.tables.folder import is_locked
from evolve.tables.kinds import Facts, champion_of, imported
from evolve.tables.layout import CONFIG_FILE
from evolve.tables.run import Run


def facts_of(run: Run, running: bool | None = None) -> dict[str, Any]:
    """The facts of a run in such lists. running: whether it is written to, if that is known."""
    kind = run.kind
    facts: Facts = imported(kind.facts)(run)
    running = is_locked(run.path) if running is None else running
    state = "running" if running else "done" if facts.complete else "stopped"
    champion = champion_of(run.path)
    agent = None if champion is None else read_header(champion)
    score = _score(agent.provenance if agent is not None and facts.crowned else {})
    return {
        "command": run.command,
        **{key: run.config.get(key) for key in ("rules", "preset", "seed")},
        "state": state,
        "date": _date([run.path / CONFIG_FILE, facts.last, champion]),
        kind.unit: facts.done,
        "target": facts.target,
        **dict.fromkeys(facts.figures),
        **score,
        **facts.figures,  # a kind without champions has a score of its own here
        "champion": None if agent is None else agent.name,
    }


def _date(files: Sequence[FolderPath | None]) -> str:
    """When the last of some files was written, in local time."""
    times = [path.stat().st_mtime for path in files if path is not None and path.exists()]
    return datetime.fromtimestamp(max(times)).isoformat(" ", "minutes")


def _score(provenance: Mapping[str, Any]) -> dict[str, float | None]:
    """A champion's score with its interval, as far as its file tells them; none without games."""
    if provenance.get("games") == 0:  # older files have one
        provenance = {}

    def number(key: str) -> float | None:
        value = provenance.get(key)
        if isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
        return None

    score, low, high = (number(key) for key in ("score", "score_low", "score_high"))
    error = number("score_error")
    error = number("error") if error is None else error
    if score is not None and (low is None or high is None):
        low = high = None
        if error is not None:
            low, high = max(0.0, score - 1.96 * error), min(1.0, score + 1.96 * error)
    return {"score": score, "score_low": low, "score_high": high}
