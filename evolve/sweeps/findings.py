"""What a sweep has found: its winner beside the defaults, and how to use it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evolve.config.base import option_words
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.search.evaluation import CLASS_NAMES
from evolve.errors import EvolveError
from evolve.runs.life_cycle import stored_settings
from evolve.runs.run import Run
from evolve.runs.run_types import tuned_line
from evolve.sweeps.final import DEFAULTS
from evolve.sweeps.plan import Plan, SettingsPlan, plan_of
from evolve.sweeps.scatter import winner_in
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.trials import read_trials, whole_final


def winner_of(folder: Path) -> dict[str, Any]:
    """The winner of a sweep's final, before that its best trial, as JSON.

    trial, score: its number and score, None before a trial is complete. chosen: whether a final has
    chosen it. settings: each with its value, its default and its range, None where unknown. lines:
    what is to be copied, each with what it is.
    """
    run = Run(folder)
    table = read_trials(folder)
    rows = [] if table is None else table.to_pylist()
    final, best = whole_final(folder), winner_in(rows, folder)
    if best is None:
        return {"trial": None, "score": None, "chosen": False, "settings": [], "lines": []}
    plan = _plan(run)
    defaults: dict[str, Any] = next((row for row in rows if row["origin"] == DEFAULTS), {})
    return {
        "trial": best["number"],
        "score": best["score"],
        "chosen": final is not None and best["number"] == final.winner,
        "settings": [] if plan is None else _settings(plan, best, defaults),
        "lines": _lines(run, plan, best),
    }


def _plan(run: Run) -> Plan | None:
    """The plan of a sweep; None where it cannot be made any more: a program may be gone."""
    try:
        plan = plan_of(stored_settings(run.kind, run.command, run.path / CONFIG_FILE))
        assert plan.space
    except (EvolveError, OSError):
        return None
    return plan


def _settings(
    plan: Plan, best: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[dict[str, Any]]:
    return [
        {
            "name": parameter.name,
            **_titled(parameter.name, plan.space.names),
            "about": parameter.about,
            "value": best.get(parameter.name),
            "default": defaults.get(parameter.name),
            "low": None if parameter.kind == "choice" else parameter.low,
            "high": None if parameter.kind == "choice" else parameter.high,
            "log": parameter.log,
        }
        for parameter in plan.space.parameters
    ]


def _titled(name: str, names: Sequence[str]) -> dict[str, Any]:
    """A setting in words, and the phase of the game that it is of; None for all of it."""
    stem, dot, number = name.rpartition(".")
    if not dot or not number.isdecimal():
        return {"title": name.replace("_", " ").capitalize(), "phase": None}
    title, count = stem.replace("_", " ").capitalize(), len(CLASS_NAMES)
    if any(name.startswith(f"{stem}.") and int(name.rpartition(".")[2]) >= count for name in names):
        phase, square = divmod(int(number), count)
        return {"title": f"{title} {CLASS_NAMES[square]}", "phase": phase}
    return {"title": title, "phase": int(number)}


def _lines(run: Run, plan: Plan | None, best: Mapping[str, Any]) -> list[dict[str, str]]:
    """Command lines that use the settings, beside those that use a champion."""
    tuned = tuned_line(run.path)
    lines = [{"about": "Against another program or agent", "line": tuned}] if tuned else []
    command = SWEEP_TARGETS[run.kind.word(run.command)].command
    if command is not None and isinstance(plan, SettingsPlan) and not plan.makes_agents:
        words = ["evolve", *command.split(), *option_words(_options(plan, best), type(plan.base))]
        lines.insert(0, {"about": "Longer, with these settings", "line": shlex.join(words)})
    return lines


def _options(plan: SettingsPlan, best: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a trial that differ from the command's own defaults."""
    values = {name: best[name] for name in plan.space.names if best.get(name) is not None}
    made = json.loads(plan.settings(values, plan.sweep.seed).model_dump_json())
    defaults = json.loads(type(plan.base)(rules=plan.sweep.rules).model_dump_json())
    names = {*plan.space.names, *plan.sweep.fix, plan.composed}
    changed = {name: made[name] for name in made if name in names and made[name] != defaults[name]}
    return {"rules": plan.sweep.rules, **changed}
