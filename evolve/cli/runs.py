"""`evolve runs`: the runs of a folder, and what is said of a run among others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evolve.cli.options import json_option
from evolve.cli.terminal import json_text, out, print_rows, say
from evolve.errors import EvolveError
from evolve.tables.layout import (
    CONFIG_FILE,
    FINAL_FILE,
    champion_of,
    generation_file,
    playoff_file,
)

if TYPE_CHECKING:
    import pandas as pd

    from evolve.tables.run import Run

_LIST: Final = ("run", "command", "rules", "state", "date", "done", "score")
"""Columns for people; `done` and `score` are put together from those that JSON has."""
_MORE: Final = ("preset", "seed", "champion")
"""Those for which a narrow terminal has no room."""
_ROOM: Final = 130
"""Columns of a terminal that hold all of them."""

COLUMNS_HELP: Final = """

\b
state  running (a process writes to it), stopped, or done
date   when it last grew
done   generations (games of a training, trials of a sweep) of those asked for
score  of the champion with its 95 % interval: in the play-off; of a training or
       a sweep against its panel
"""


@click.command(
    name="runs",
    help="List the runs in FOLDER (runs by default)."
    + COLUMNS_HELP
    + "\n\b\nExample:\n  evolve runs\n",
)
@click.argument("folder", default="runs")
@json_option
def runs_command(folder: str, as_json: bool) -> None:
    """See above."""
    from evolve.tables.run import list_runs

    rows: list[dict[str, Any]] = []
    # Before the first run there is no folder for them.
    found = [] if folder == "runs" and not Path(folder).exists() else list_runs(folder)
    for run in found:
        try:
            rows.append({"run": str(run.path), **facts_of(run)})
        except (EvolveError, OSError) as error:
            rows.append({"run": str(run.path), "state": str(error)})
    if as_json:
        click.echo(json_text(rows))
    elif rows:
        columns = (*_LIST, *_MORE) if out().width >= _ROOM else _LIST
        print_rows(columns, [_row(row, columns) for row in rows])
    else:
        say(f"no runs in {folder}; start one with: evolve run")


def _row(facts: Mapping[str, Any], columns: Sequence[str]) -> list[Any]:
    shown = {**facts, "done": done_of(facts), "score": interval_of(facts)}
    return [shown.get(key) for key in columns]


def done_of(facts: Mapping[str, Any]) -> str | None:
    """How far a run has come, of how far it is to."""
    unit = next((unit for unit in ("generations", "games", "trials") if unit in facts), None)
    if unit is None:
        return None
    target = facts.get("target")
    return str(facts[unit]) if target is None else f"{facts[unit]}/{target}"


def interval_of(facts: Mapping[str, Any]) -> str | None:
    """A champion's score with its interval."""
    score, low, high = (facts.get(key) for key in ("score", "score_low", "score_high"))
    if score is None:
        return None
    return f"{score:.3f}" if low is None else f"{score:.3f} [{low:.3f}, {high:.3f}]"


def facts_of(run: Run) -> dict[str, Any]:
    """What is said of a run among others."""
    from evolve.agents.loading import read_agent
    from evolve.tables.folder import is_locked

    kind = run.command.partition(" ")[0]
    own, done = {"train": _training_facts, "sweep": _sweep_facts}.get(kind, _run_facts)(run)
    state = "running" if is_locked(run.path) else "done" if done else "stopped"
    champion = champion_of(run.path)
    agent = None if champion is None else read_agent(champion)
    crowned = agent is not None and (kind != "run" or playoff_file(run.path).exists())
    return {
        "command": run.command,
        **{key: run.config.get(key) for key in ("rules", "preset", "seed")},
        "state": state,
        "date": _date(run),
        **own,
        **(_score(agent.provenance) if agent is not None and crowned else _score({})),
        "champion": None if agent is None else agent.name,
    }


def _date(run: Run) -> str:
    """When the run last grew, in local time."""
    count = run.generation_count
    last = generation_file(run.path, count - 1) if count else run.path / CONFIG_FILE
    files = [run.path / CONFIG_FILE, last, champion_of(run.path)]
    times = [path.stat().st_mtime for path in files if path is not None and path.exists()]
    return datetime.fromtimestamp(max(times)).isoformat(" ", "minutes")


def _score(provenance: Mapping[str, Any]) -> dict[str, float | None]:
    """A champion's score with its interval, as far as its file tells them."""

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
            low, high = score - 1.96 * error, score + 1.96 * error
    return {"score": score, "score_low": low, "score_high": high}


def _run_facts(run: Run) -> tuple[dict[str, Any], bool]:
    """What only an evolution has, and whether it is done."""
    count = run.generation_count
    row = run.metadata(count - 1)[0] if count else {}
    facts: dict[str, Any] = {"generations": count, "target": run.config.get("generations")}
    facts.update({key: row.get(key) for key in ("best_score", "panel_score", "panel_elo")})
    return facts, playoff_file(run.path).exists()


def _training_facts(run: Run) -> tuple[dict[str, Any], bool]:
    """The same of a training, as of its last check."""
    metrics, config = run.metrics, run.config
    last: dict[Any, Any] = metrics.to_dict("records")[-1] if len(metrics) else {}
    ends = (("games", "games"), ("budget", "cpu_seconds"))
    done = any(
        isinstance(config.get(end), (int, float)) and last.get(column, 0) >= config[end]
        for end, column in ends
    )
    patience = config.get("patience")
    if isinstance(patience, int) and len(metrics):
        # A check that is no better than the best before it is one of those that are waited.
        done = done or len(metrics) - 1 - int(metrics["score"].argmax()) >= patience
    facts = {
        "games": last.get("games", 0),
        "target": config.get("games"),
        "panel_score": last.get("score"),
    }
    return facts, done


def _sweep_facts(run: Run) -> tuple[dict[str, Any], bool]:
    """The same of a sweep; trials are those that are finished."""
    from evolve.tables.trials import FINISHED

    trials, target = run.trials, run.config.get("trials")
    finished = int(trials["state"].isin(FINISHED).sum())
    done = isinstance(target, int) and finished >= target and (run.path / FINAL_FILE).exists()
    return {"trials": finished, "target": target, "best_score": _best_score(trials)}, done


def _best_score(trials: pd.DataFrame) -> float | None:
    complete = trials[trials["state"] == "COMPLETE"]
    return float(complete["score"].max()) if len(complete) else None
