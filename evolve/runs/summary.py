"""A run in a row for lists: its progress, and its champion's strength. It loads no kernel.

The strength is one number: the champion's Elo on the ladder, in runs that play it; else its score
against the panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError

from evolve.agents.agent_file import read_header
from evolve.config.toml import merged
from evolve.errors import EvolveError, RunError
from evolve.parsing import faults, finite_number
from evolve.runs.run import Run, Study
from evolve.runs.run_folder import is_locked
from evolve.runs.run_type import RunProgress
from evolve.runs.run_types import champion_of
from evolve.runs.study_spec import Member
from evolve.tables.paths import CONFIG_FILE

ELO: Final = ("elo", "elo_low", "elo_high")
"""The champion's Elo on the ladder and its 95 % interval: the names in its file and in lists."""


def summary_of(
    run: Run, running: bool | None = None, progress: RunProgress | None = None
) -> dict[str, Any]:
    """A run in a row for lists.

    running: whether a process writes to the run; progress: what its kind says; None looks it up.
    """
    kind = run.kind
    progress = kind.reading.progress(run) if progress is None else progress
    running = is_locked(run.path) if running is None else running
    state = "running" if running else "done" if progress.complete else "stopped"
    champion = champion_of(run.path)
    agent = None if champion is None else read_header(champion)
    provenance = agent.provenance if agent is not None and progress.crowned else {}
    files = (run.path / CONFIG_FILE, progress.last, champion)
    times = [path.stat().st_mtime for path in files if path is not None and path.exists()]
    return {
        "command": run.command,
        **{key: run.config.get(key) for key in ("rules", "preset", "seed")},
        "state": state,
        "date": datetime.fromtimestamp(max(times)).isoformat(" ", "minutes"),
        kind.unit: progress.done,
        "target": progress.target,
        **dict.fromkeys(progress.metrics),
        **{key: finite_number(provenance.get(key)) for key in ELO},
        **({} if kind.rated else _score(provenance)),
        **progress.metrics,  # metrics that the champion's file does not have
        "champion": None if agent is None else agent.name,
    }


def share_in_playoff(run: Run) -> dict[str, float | None]:
    """The champion's score in the play-off, with its interval; None where it had no games.

    The opponents are the run's own candidates, so this number does not compare runs.
    """
    provenance: Mapping[str, Any] = {}
    champion = champion_of(run.path) if run.kind.rated else None
    if champion is not None and run.kind.reading.progress(run).crowned:
        provenance = read_header(champion).provenance
    score = _score(provenance)
    return {f"playoff_share{key.removeprefix('score')}": value for key, value in score.items()}


def _score(provenance: Mapping[str, Any]) -> dict[str, float | None]:
    """A champion's score with its interval, as far as its file has them; None without games."""
    names = ("score", "score_low", "score_high", "error")
    score, low, high, error = (finite_number(provenance.get(name)) for name in names)
    if score is not None and low is None and error is not None:
        low, high = max(0.0, score - 1.96 * error), min(1.0, score + 1.96 * error)
    return {"score": score, "score_low": low, "score_high": high}


_ALWAYS: Final = ("rules", "seed")
"""Settings that every kind of run has."""
_MOST: Final = 5
"""Most wrong values that a message names."""


def differing_in(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The settings in which runs differ, each with its value in every run."""
    keys = dict.fromkeys(key for config in configs for key in config if key != "versions")
    rows = {key: [config.get(key) for config in configs] for key in keys}
    return {key: row for key, row in rows.items() if any(value != row[0] for value in row)}


def check_config(run: Run) -> None:
    """Raise RunError where config.toml is damaged: missing, empty, or with a value of a wrong type.

    Unknown settings and contradictions, such as from another version, are no damage: the tables of
    such a run are still valid. `evolve resume` checks more.
    """
    file, config, kind = run.path / CONFIG_FILE, run.config, run.kind
    missing = [name for name in _ALWAYS if name not in config]
    if missing:
        raise RunError(f"{file} is damaged: it has no {', '.join(missing)}")
    model = kind.commands[run.command].model()
    given = {key: value for key, value in config.items() if key not in ("command", "versions")}
    if "kind" in model.model_fields:
        given["kind"] = kind.word(run.command)
    presets = kind.commands[run.command].all_presets()
    try:
        model.model_validate(merged(presets, {}, given))
    except ValidationError as error:
        unknown = {detail["loc"] for detail in error.errors() if "extra" in detail["type"]}
        wrong = [fault.text for fault in faults(error) if fault.keys and fault.keys not in unknown]
        if wrong:
            raise RunError(f"{file} is damaged: {'; '.join(wrong[:_MOST])}") from error


def row_of(study: Study, member: Member) -> dict[str, Any]:
    """Return a run of a study as a row: its settings, its state and its champion's rating."""
    folder = study.folder_of(member)
    head = {"setting": member.setting.name, **member.setting.varied, "seed": member.seed}
    if not (folder / CONFIG_FILE).exists():
        return {**head, "run": str(folder), "state": "not begun"}
    try:
        summary = summary_of(Run(folder))
    except (EvolveError, OSError) as error:
        return {**head, "run": str(folder), "state": str(error)}
    return {**head, "run": str(folder), **{key: summary[key] for key in summary if key not in head}}


def study_summary(study: Study) -> dict[str, Any]:
    """Return a study in a row for lists of runs; done and target count runs."""
    design = study.design
    rows = [row_of(study, member) for member in design.members]
    done = sum(row["state"] == "done" for row in rows)
    state = "running" if is_locked(study.path) else "done" if done == len(rows) else "stopped"
    dates = [row["date"] for row in rows if "date" in row]
    resolved = design.each_resolved()
    common = {key: {getattr(s, key, None) for s in resolved} for key in ("rules", "preset")}
    return {
        "command": f"study of {design.command}",
        **{key: found.pop() if len(found) == 1 else None for key, found in common.items()},
        "state": state,
        "date": max(dates, default=None),
        "runs": done,
        "target": len(rows),
    }
