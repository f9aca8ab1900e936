"""`evolve compare`: runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evolve.cli.completion import complete_runs
from evolve.cli.options import json_option
from evolve.cli.runs import COLUMNS_HELP, done_of, interval_of
from evolve.cli.terminal import json_text, print_rows
from evolve.tables.kinds import RUN_KINDS, imported

if TYPE_CHECKING:
    from evolve.tables.run import Run


@click.command(
    name="compare",
    help="Show RUNS side by side: their results, and the settings in which they differ."
    + COLUMNS_HELP
    + "\n\b\nExample:\n  evolve compare runs/reversed-001 runs/reversed-002\n",
)
@click.argument("runs", nargs=-1, required=True, shell_complete=complete_runs)
@json_option
def compare_command(runs: tuple[str, ...], as_json: bool) -> None:
    """See above."""
    from evolve.agents.facts import facts_of
    from evolve.tables.run import Run

    opened = [Run(path) for path in runs]
    totals = [_totals(run) for run in opened]
    facts = [{**facts_of(run), **more} for run, more in zip(opened, totals, strict=True)]
    settings = [
        {key: value for key, value in run.config.items() if key != "versions"} for run in opened
    ]
    keys = dict.fromkeys(key for one in settings for key in one)
    differing = [
        key for key in keys if any(one.get(key) != settings[0].get(key) for one in settings)
    ]
    heads = [{"done": done_of(fact), "score": interval_of(fact)} for fact in facts]
    for fact, one in zip(facts, settings, strict=True):
        fact.update({key: one.get(key) for key in differing if key not in fact})
    if as_json:
        click.echo(
            json_text([{"run": path, **fact} for path, fact in zip(runs, facts, strict=True)])
        )
        return
    hidden = {"target", "best_score", "score", "score_low", "score_high"}
    hidden |= {kind.unit for kind in RUN_KINDS} - {key for more in totals for key in more}
    columns = [
        {
            **{key: fact.get(key) for key in ("command", "rules", "preset", "seed", "state")},
            "date": fact["date"],
            **head,
            **{key: _flat(value) for key, value in fact.items() if key not in hidden},
        }
        for fact, head in zip(facts, heads, strict=True)
    ]
    names = dict.fromkeys(key for column in columns for key in column)
    print_rows(["", *runs], [[key, *(column.get(key) for column in columns)] for key in names])


def _totals(run: Run) -> dict[str, Any]:
    """A run's totals, where its kind has any."""
    found: dict[str, Any] = {} if run.kind.totals is None else imported(run.kind.totals)(run)
    return found


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={item}" for key, item in value.items())
    return value
