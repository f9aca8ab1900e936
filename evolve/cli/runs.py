"""`evolve runs`: the runs of a folder, and the facts shown of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evolve.cli.options import json_option
from evolve.cli.terminal import cell, out, print_json, print_rows, say
from evolve.errors import EvolveError
from evolve.runs.run_types import RUN_TYPES

if TYPE_CHECKING:
    from evolve.files.folder import FolderPath
    from evolve.runs.run import Run

_LIST: Final = ("run", "command", "rules", "state", "date", "done", "elo")
"""Columns for people; `done` and `elo` are put together from columns of the JSON."""
_MORE: Final = ("preset", "seed", "champion")
"""Further columns, for which a narrow terminal has no room."""
_ROOM: Final = 130
"""Least width of a terminal, in characters, that holds all of them."""

COLUMNS_HELP: Final = """

\b
state  running (a process writes to it), stopped, or done
date   when it last grew
done   generations (games of a training, trials of a sweep, runs of a study) of
       those asked for
elo    of the champion on the ladder with its 95 % interval, from games after
       those that chose it; "score" and a number where a training or a sweep
       has a score against its panel instead
"""


@click.command(
    name="runs",
    help="List the runs and studies in FOLDER (runs by default)."
    + COLUMNS_HELP
    + "\n\b\nExample:\n  evolve runs\n",
)
@click.argument("folder", default="runs")
@json_option
def runs_command(folder: str, as_json: bool) -> None:
    """See above."""
    from evolve.runs.run import Study, list_all
    from evolve.runs.summary import facts_of, study_facts

    rows: list[dict[str, Any]] = []

    def refuse(path: Path, error: EvolveError) -> None:
        rows.append({"run": str(path), "state": str(error)})

    # Before the first run there is no folder for them.
    there = folder != "runs" or Path(folder).exists()
    found = list_all(folder, refuse) if there else []
    for run in found:
        try:
            facts = study_facts(run) if isinstance(run, Study) else facts_of(run)
            rows.append({"run": str(run.path), **facts})
        except (EvolveError, OSError) as error:
            rows.append({"run": str(run.path), "state": str(error)})
    rows.sort(key=lambda row: str(row["run"]))
    if as_json:
        print_json(rows)
    elif rows:
        columns = (*_LIST, *_MORE) if out().width >= _ROOM else _LIST
        print_rows(columns, [shown_row(row, columns) for row in rows])
    else:
        say(f"no runs in {folder}; start one with: evolve run")


def shown_row(facts: Mapping[str, Any], columns: Sequence[str]) -> list[Any]:
    """The facts of a run in these columns, `done` and `elo` put together for people."""
    shown = {**facts, "done": done_of(facts), "elo": strength_of(facts)}
    return [shown.get(key) for key in columns]


def done_of(facts: Mapping[str, Any]) -> str | None:
    """A run's progress as done/target, or done alone without a target; None if unknown."""
    command = facts.get("command")
    if "runs" in facts:
        return f"{facts['runs']}/{facts['target']}"
    unit = next((kind.unit for kind in RUN_TYPES if command in kind.commands), None)
    if unit is None:
        return None
    target = facts.get("target")
    return str(facts[unit]) if target is None else f"{facts[unit]}/{target}"


def strength_of(facts: Mapping[str, Any]) -> str | None:
    """A champion's Elo with its interval, or else its score, marked as such; None if neither."""
    elo, low, high = (facts.get(key) for key in ("elo", "elo_low", "elo_high"))
    if elo is not None:
        whole = low is not None and high is not None
        return f"{elo:.0f} [{low:.0f}, {high:.0f}]" if whole else f"{elo:.0f}"
    score, low, high = (facts.get(key) for key in ("score", "score_low", "score_high"))
    if score is None:
        return None
    if low is None or high is None:
        return f"score {score:.3f}"
    return f"score {score:.3f} [{low:.3f}, {high:.3f}]"


def champion_told(run: Run, champion: FolderPath) -> str:
    """How good a run's champion is, for people who look at that run alone.

    It is the champion's Elo, its share of the play-off, or its score and against which panel.
    """
    from evolve.agents.agent_file import read_header
    from evolve.runs.summary import facts_of, share_in_playoff

    found, facts, told = read_header(champion).provenance, facts_of(run), []
    if facts.get("elo") is not None:
        games = f" in {found['elo_games']} games" if "elo_games" in found else ""
        told.append(f"Elo {strength_of(facts)} on the ladder{games}")
    share, against = share_in_playoff(run), cell(found.get("against"))
    if share.get("playoff_share") is not None:
        value, low, high = map(cell, share.values())
        told.append(f"play-off share {value} [{low}, {high}] in {cell(found.get('games'))} games")
    elif run.kind.rated and against.startswith("play-off"):
        told.append("the only candidate of its play-off")
    elif found.get("games") == 0:
        told.append(f"against {against}")
    else:
        word = "score so far" if run.kind.rated else "score"
        error = f" ± {cell(found['error'])}" if "error" in found else ""
        told.append(f"{word} {cell(found.get('score'))}{error} against {against}")
    return ", ".join(told)
