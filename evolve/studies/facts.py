"""Facts about a study and its runs, for lists."""

from __future__ import annotations

from typing import Any

from evolve.errors import EvolveError
from evolve.runs.folder import is_locked
from evolve.runs.run import Run
from evolve.runs.study import Study
from evolve.runs.study_spec import Member
from evolve.runs.summary import facts_of
from evolve.tables.paths import CONFIG_FILE


def row_of(study: Study, member: Member) -> dict[str, Any]:
    """Return a run of a study as a row: its settings, its state and its champion's rating."""
    folder = study.folder_of(member)
    head = {"setting": member.setting.name, **member.setting.varied, "seed": member.seed}
    if not (folder / CONFIG_FILE).exists():
        return {**head, "run": str(folder), "state": "not begun"}
    try:
        facts = facts_of(Run(folder))
    except (EvolveError, OSError) as error:
        return {**head, "run": str(folder), "state": str(error)}
    return {**head, "run": str(folder), **{key: facts[key] for key in facts if key not in head}}


def _in_common(study: Study) -> dict[str, Any]:
    """Return rules and preset, where all settings of the study share them."""
    settings = study.design.settings_of_runs
    found = [study.design.resolved(Member(one, study.design.seeds[0])) for one in settings]
    values = {key: {getattr(one, key, None) for one in found} for key in ("rules", "preset")}
    return {key: one.pop() if len(one) == 1 else None for key, one in values.items()}


def study_facts(study: Study) -> dict[str, Any]:
    """Return a study's facts for lists of runs; done and target count runs."""
    rows = [row_of(study, member) for member in study.members]
    done = sum(row["state"] == "done" for row in rows)
    state = "running" if is_locked(study.path) else "done" if done == len(rows) else "stopped"
    dates = [row["date"] for row in rows if "date" in row]
    return {
        "command": f"study of {study.design.command}",
        **_in_common(study),
        "state": state,
        "date": max(dates, default=None),
        "runs": done,
        "target": len(rows),
    }
