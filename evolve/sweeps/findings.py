"""What a sweep has found: its winner beside the defaults, and how to use it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from evolve.agents.agent import Agent
from evolve.agents.registry import programs_in
from evolve.config.base import option_words
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.search.evaluation import CLASS_NAMES
from evolve.errors import AgentError, AgentFileError, EvolveError
from evolve.parsing import parse_json, read_document
from evolve.runs.agreements import not_agreed
from evolve.runs.life_cycle import stored_settings
from evolve.runs.run import Run
from evolve.runs.run_types import check_links, tuned_line
from evolve.sweeps.kind import KIND as SWEEPS
from evolve.sweeps.plan import Plan, SettingsPlan, plan_of
from evolve.sweeps.program_plan import ProgramPlan
from evolve.sweeps.scatter import winner_in
from evolve.sweeps.space import Parameter
from evolve.tables.paths import BEST_FILE, CONFIG_FILE
from evolve.tables.trials import DEFAULTS, read_trials, whole_final


def winner_of(folder: Path) -> dict[str, Any]:
    """The winner of a sweep's final, before that its best trial, as JSON.

    trial, score: its number and score, None before a trial is complete. chosen: whether a final has
    chosen it. settings: each with its value, its default and its range, None where unknown. lines:
    what is to be copied, each with what it is.
    """
    run, rows = Run(folder), read_trials(folder).to_pylist()
    best = winner_in(rows, folder)
    if best is None:
        return {"trial": None, "score": None, "chosen": False, "settings": [], "lines": []}
    defaults: dict[str, Any] = next((row for row in rows if row["origin"] == DEFAULTS), {})
    plan, parameters = None, tuple[Parameter, ...]()
    with suppress(EvolveError, OSError):  # it cannot be made any more: a program may be gone
        made = plan_of(stored_settings(run.kind, run.command, run.path / CONFIG_FILE))
        plan, parameters = made, made.space.parameters
    names = [parameter.name for parameter in parameters]
    return {
        "trial": best["number"],
        "score": best["score"],
        "chosen": best["number"] == whole_final(folder).winner,
        "settings": [
            {
                "name": parameter.name,
                **_titled(parameter.name, names),
                "about": parameter.about,
                "value": best.get(parameter.name),
                "default": defaults.get(parameter.name),
                "low": None if parameter.kind == "choice" else parameter.low,
                "high": None if parameter.kind == "choice" else parameter.high,
                "log": parameter.log,
            }
            for parameter in parameters
        ],
        "lines": _lines(run, plan, best),
    }


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
    tuned = tuned_line(run.path)
    lines = [{"about": "Against another program or agent", "line": tuned}] if tuned else []
    if plan is not None and "space" in plan.sweep.OF_OWNER:  # the page's form has no ranges
        begun = ("--config", str(run.path / CONFIG_FILE), "--start-from", str(run.path))
        again = shlex.join(["evolve", *run.command.split(), *begun, "--space", "ranges.toml"])
        lines.append({"about": "From here, with other ranges", "line": again})
    command = SWEEP_TARGETS[run.kind.word(run.command)].command
    if command is not None and isinstance(plan, SettingsPlan):
        # The settings of the trial that differ from the command's own defaults, in four digits.
        values = {name: best[name] for name in plan.space.names if best.get(name) is not None}
        real = {name: value for name, value in values.items() if isinstance(value, float)}
        values |= {name: float(f"{value:.4g}") for name, value in real.items()}
        made = json.loads(plan.settings_of(values, plan.sweep.seed).model_dump_json())
        usual = json.loads(type(plan.base)(rules=plan.sweep.rules).model_dump_json())
        composed = {**plan.compose(plan.parts), **plan.composed(values)}
        names = {*plan.space.names, *plan.sweep.fix, *composed}
        options = {name: made[name] for name in made if name in names and made[name] != usual[name]}
        given = option_words({"rules": plan.sweep.rules, **options}, type(plan.base))
        line = shlex.join(["evolve", *command.split(), *given])
        lines.insert(0, {"about": "Longer, with these settings", "line": line})
    return lines


def tuned_agent(folder: Path) -> Agent:
    """The program of a sweep with its best values, as a player of the sweep's rules.

    AgentError where this user did not start the sweep in that folder.
    """
    check_links(folder)
    settings = stored_settings(SWEEPS, SWEEPS.command("program"), folder / CONFIG_FILE)
    plan = ProgramPlan(settings)
    try:
        stored = parse_json(read_document(folder / BEST_FILE))["parameters"]
        values = {p.name: p.taken(stored[p.name]) for p in plan.space.parameters}
        if None in values.values():
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise AgentFileError(f"{folder / BEST_FILE} has no values of its sweep") from None
    if not_agreed(folder, programs_in(settings)):
        raise AgentError(
            f"{folder} has a program that you did not start there; if you trust it, name it "
            f"instead: {plan.line(values)}"
        )
    return plan.agent(values, "").with_rules(settings.rules)
