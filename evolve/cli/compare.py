"""`evolve compare`: runs side by side, and settings over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import evolve
from evolve.cli.completion import complete_runs
from evolve.cli.options import jobs_option, json_option, output_path
from evolve.cli.output import style_of, write_in_style
from evolve.cli.runs import COLUMNS_HELP, done_of, strength_of
from evolve.cli.terminal import NOTHING, counting, print_json, print_rows, say
from evolve.errors import OptionsError
from evolve.runs.run_types import RUN_TYPES

if TYPE_CHECKING:
    import pandas as pd

    from evolve.studies.comparison import Group

_HELP = f"""Show RUNS side by side: their results, and the settings in which they differ.
{COLUMNS_HELP}
Of studies (evolve run --seeds, evolve study) the settings are compared over their seeds: means with
Student's 95 % intervals, and the differences of each two of the same rules, seed by seed, with p
values corrected for their number after Holm. So are runs that differ in their seeds alone, as one
setting, below the table of each run; others are settings with one seed. The figure is the
champion's Elo of an evolution, that or the best score of a training, and the winner's score against
the defaults of a sweep, or --figure. With --games the champions of
each two settings meet as well, seed by seed.

\b
Examples:
  evolve compare runs/reversed-001 runs/reversed-002
  evolve compare runs/study-001 --games 100 -o study.csv
  evolve compare runs/blend runs/uniform --figure best_panel_score
"""


@click.command(name="compare", help=_HELP)
@click.argument("runs", nargs=-1, required=True, shell_complete=complete_runs)
@click.option(
    "--figure", metavar="NAME", help="What is compared over seeds: any number that --json has."
)
@click.option(
    "--games",
    type=click.IntRange(min=2),
    help="Let the champions of each two settings meet in so many games, seed by seed.",
)
@click.option(
    "-o", "--output", callback=output_path, help="File for the table: .csv, .json or .parquet."
)
@jobs_option
@json_option
def compare_command(
    runs: tuple[str, ...],
    figure: str | None,
    games: int | None,
    output: Path | None,
    jobs: int,
    as_json: bool,
) -> None:
    """See above."""
    style = "json" if as_json and output is None else style_of(None, output)
    sources = [evolve.load_run(path) for path in runs]
    plain = [one for one in sources if isinstance(one, evolve.Run)]
    plainly = len(plain) == len(sources)
    shown = style == "table" and output is None
    if len(sources) == 1 and plainly and figure is None and games is None:
        _side_by_side(runs, plain, style, output)
        return
    import pandas as pd  # not above: showing one run needs none of it

    from evolve.studies.comparison import compared, groups_of, met, over_seeds

    groups, matches = None, 0
    if not plainly or figure is not None or games is not None:
        groups = groups_of(sources)
        frame: pd.DataFrame | None = compared(groups, figure)
        matches = _announced(groups, games, quiet=style == "json" and output is None)
    else:
        frame = over_seeds(plain)
    if plainly and (shown or frame is None):
        _side_by_side(runs, plain, style, output)
    if frame is None:
        return
    if groups is not None and games is not None:
        with counting("games", matches * (games + games % 2)) as advance:
            found = met(groups, games, jobs, advance)
        frame = pd.concat([frame, found], ignore_index=True)
    write_in_style(frame, style, output, print_compared)


def _announced(groups: Sequence[Group], games: int | None, quiet: bool) -> int:
    """Print how many matches champions play, unless `quiet`, and return the number.

    OptionsError if games are asked for and no two champions meet.
    """
    from evolve.studies.comparison import meetings

    if games is None:
        return 0
    found = meetings(groups)
    if not found:
        raise OptionsError(
            f"games: {games}: champions meet those of another setting with the same rules and "
            "seed, and there are none; evolve match RUN RUN lets any two meet"
        )
    matches = sum(found.values())
    if not quiet:
        count = "a match" if matches == 1 else f"{matches} matches"
        say(f"{count} of {games + games % 2} games, {' and '.join(sorted(found))}")
    return matches


def print_compared(frame: pd.DataFrame) -> None:
    """Print a table of settings over seeds for people, figure by figure."""
    for figure, part in frame.groupby("figure", sort=False):
        alone, pairs = part[part["against"].isna()], part[part["against"].notna()]
        if len(alone):
            say(f"{figure}: means over seeds, with Student's 95 % intervals")
            rows = [[row.setting, row.seeds, *_mean(row)] for row in alone.itertuples()]
            print_rows(["setting", "seeds", "mean", "95 %"], rows)
        if len(pairs):
            scores = figure == "head_to_head"
            say(
                "champions in matches, seed by seed: scores of the first"
                if scores
                else f"differences in {figure}, seed by seed"
            )
            rows = [
                [row.setting, row.against, row.seeds, *_mean(row), row.p, row.p_holm]
                for row in pairs.itertuples()
            ]
            head = "score" if scores else "difference"
            print_rows(["setting", "against", "seeds", head, "95 %", "p", "p (Holm)"], rows)


def _mean(row: Any) -> tuple[str, str]:
    """A mean and its interval as text: Elo with one decimal, scores with three."""
    places = 1 if abs(row.mean) >= 10 else 3
    interval = f"[{row.low:.{places}f}, {row.high:.{places}f}]" if row.low == row.low else NOTHING
    return f"{row.mean:.{places}f}", interval


def _side_by_side(
    names: Sequence[str], runs: Sequence[evolve.Run], style: str, output: Path | None
) -> None:
    from evolve.runs.summary import ELO, facts_of

    totals = [run.kind.reading.totals(run) for run in runs]
    facts = [{**facts_of(run), **more} for run, more in zip(runs, totals, strict=True)]
    settings = [
        {key: value for key, value in run.config.items() if key != "versions"} for run in runs
    ]
    keys = dict.fromkeys(key for one in settings for key in one)
    differing = [
        key for key in keys if any(one.get(key) != settings[0].get(key) for one in settings)
    ]
    heads = [{"done": done_of(fact), "elo": strength_of(fact)} for fact in facts]
    for fact, one in zip(facts, settings, strict=True):
        fact.update({key: one.get(key) for key in differing if key not in fact})
    rows = [{"run": name, **fact} for name, fact in zip(names, facts, strict=True)]
    if style == "json" and output is None:
        print_json(rows)
        return
    if output is not None:
        import pandas as pd

        flat = [{key: _flat(value) for key, value in row.items()} for row in rows]
        write_in_style(pd.DataFrame(flat), style, output)
        return
    hidden = {"target", "best_score", "score", "score_low", "score_high", *ELO}
    hidden |= {kind.unit for kind in RUN_TYPES} - {key for more in totals for key in more}
    columns = [
        {
            **{key: fact.get(key) for key in ("command", "rules", "preset", "seed", "state")},
            "date": fact["date"],
            **head,
            **{key: _flat(value) for key, value in fact.items() if key not in hidden},
        }
        for fact, head in zip(facts, heads, strict=True)
    ]
    shown = dict.fromkeys(key for column in columns for key in column)
    print_rows(["", *names], [[key, *(column.get(key) for column in columns)] for key in shown])


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={item}" for key, item in value.items())
    return value
