"""`evolve show`: the tables of a run, or an agent."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from evolve.cli.completion import complete_agents
from evolve.cli.frames import FORMATS, style_of, write_frame
from evolve.cli.options import output_path
from evolve.cli.progress import (
    LEGEND,
    NOT_SHOWN,
    SHOWN,
    RunDisplay,
    columns_shown,
    generations_table,
)
from evolve.cli.terminal import cell, out, print_rows, say
from evolve.errors import RunError
from evolve.tables.layout import CONFIG_FILE, TABLES_OF, champion_of

if TYPE_CHECKING:
    import pandas as pd

    from evolve.agents.protocol import Agent
    from evolve.tables.run import Run

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_PARAMETERS: Final = 6
"""Parameters of a sweep shown in a table for people: those that matter most."""
_NARROW: Final = 28
"""Characters of a cell shown in a table for people; CSV and JSON have all."""


class _Generation(click.ParamType["int | str"]):
    """A generation's number, or all of them."""

    name = "number|all"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> int | str:
        """A whole number from 0, or `all`."""
        if value == "all" or isinstance(value, int):
            return cast("int | str", value)
        if not _NUMBER.fullmatch(value):
            self.fail(f"{value!r} is no generation: a number from 0, or all", parameter, context)
        return int(value)


_SHOW_HELP: Final = """Show a table of a run, or an agent as boards of weights.

\b
Examples:
  evolve show runs/reversed-001
  evolve show runs/reversed-001 --table individuals --generation 20 --top 5
  evolve show runs/reversed-001 --table games -o games.csv
  evolve show runs/reversed-001/champion.json
  evolve show swh

\b
Columns of generations:
""" + "\n".join(f"  {name:<16}{meaning}" for name, meaning in {**SHOWN, **NOT_SHOWN}.items())


@click.command(name="show", help=_SHOW_HELP)
@click.argument("source", shell_complete=complete_agents)
@click.option(
    "--table",
    type=click.Choice([name for names in TABLES_OF.values() for name in names]),
    help="Table of a run; generations by default, metrics of a training, trials of a sweep.",
)
@click.option(
    "--generation", type=_Generation(), help="Of this generation alone; all: of every one."
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    help="The best so many rows only, best first; of individuals those of the last generation, "
    "unless --generation says otherwise.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    help="table is for people, the others have every column; by the end of the name of -o, and "
    "table otherwise.",
)
@click.option(
    "-o",
    "--output",
    callback=output_path,
    help="File to write to: .csv, .json, .parquet, or .txt for a table.",
)
def show_command(
    source: str,
    table: str | None,
    generation: int | str | None,
    top: int | None,
    style: str | None,
    output: Path | None,
) -> None:
    """See _SHOW_HELP."""
    from evolve.agents.loading import load_agent
    from evolve.tables.run import Run

    path = Path(source)
    if not path.is_dir():
        if any(value is not None for value in (table, generation, top)):
            raise click.UsageError(
                f"{source} is an agent; --table, --generation and --top are of runs"
            )
        _show_agent(source, load_agent(source), style, output)
        return
    style = style_of(style, output)
    run = Run(path)
    name = table or run.tables[0]
    if name not in run.tables:
        raise RunError(
            f"{path} is of `evolve {run.command}` and has no {name}; it has "
            + ", ".join(run.tables)
        )
    if top is not None and name == "individuals" and generation is None and run.generation_count:
        generation = run.generation_count - 1
    frame = _table(run, name, None if generation == "all" else cast("int | None", generation))
    if top is not None:
        if name == "games":
            raise click.UsageError("--top: games have no order of the best; use --generation")
        frame = _best(frame, name).head(top)
    if style == "table" and output is None:
        _print_frame(run, name, frame)
    else:
        write_frame(frame, style, output)


def _table(run: Run, name: str, generation: int | None) -> pd.DataFrame:
    if generation is not None:
        run.check_generation(generation)
        if name in ("individuals", "games"):
            individuals, games = run.generation(generation)
            return individuals if name == "individuals" else games
    frame: pd.DataFrame = getattr(run, name)
    if generation is not None and "generation" in frame:
        frame = frame[frame["generation"] == generation]
    return frame


def _best(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    by = {
        "individuals": "score",
        "generations": "panel_score",
        "trials": "score",
        "metrics": "score",
    }.get(name)
    if by is None or by not in frame:
        return frame
    return frame.sort_values(by, ascending=False, kind="stable", na_position="last")


def _print_frame(run: Run, name: str, frame: pd.DataFrame) -> None:
    if frame.empty:
        say(f"{run.path} has no {name} yet")
        return
    if name == "generations" and out().is_terminal:
        # On a terminal a generation is one line of 80 columns; elsewhere there is room.
        records = cast("list[dict[str, Any]]", frame.to_dict("records"))
        columns = columns_shown("rating" in frame)
        out().print(generations_table(columns, [RunDisplay.texts(row, columns) for row in records]))
        say(LEGEND)
        _print_champion(run)
        return
    if name == "trials":
        _print_trials(run, frame)
        return
    values = frame.astype(object).to_numpy().tolist()
    rows = [[_narrow(value) for value in row] for row in values]
    print_rows(list(frame.columns), rows)
    if name == "generations":
        say(LEGEND)
    if name in ("generations", "metrics"):
        _print_champion(run)


def _print_trials(run: Run, frame: pd.DataFrame) -> None:
    """The trials with what was varied most to effect, the importances, and the champion."""
    from evolve.tables.trials import TRIALS_COLUMNS

    importances = run.importances
    shares = importances.shares
    parameters = [name for name in frame.columns if name not in TRIALS_COLUMNS.names]
    shown = sorted(parameters, key=lambda name: -shares.get(name, 0.0))[:_PARAMETERS]
    columns = ["number", "state", "score", "score_error", "seconds", *shown]
    values = frame[columns].astype(object).to_numpy().tolist()
    print_rows(columns, [[_narrow(_short(value)) for value in row] for row in values])
    if len(parameters) > len(shown):
        say(f"{len(shown)} of {len(parameters)} parameters; --format csv has all")
    if shares:
        parts = [
            f"{name} {share:.2f} (p {importances.p[name]:.3f})" for name, share in shares.items()
        ]
        say(f"importance for a good score: {', '.join(parts[:_PARAMETERS])}")
        say("p: how often the largest of all is as large by chance")
    else:
        say(importances.reason)
    _print_champion(run)


def _short(value: Any) -> Any:
    """A number with the digits that count; others as they are."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.3g}" if abs(value) < 0.1 else f"{value:.3f}"
    return value


def _print_champion(run: Run) -> None:
    from evolve.agents.files import read_agent

    path = champion_of(run.path)
    if path is not None:
        agent = read_agent(path)
        score, against = (cell(agent.provenance.get(key)) for key in ("score", "against"))
        where = "in a" if run.command == "run" else "against"
        say(f"champion {agent.name}, score {score} {where} {against}: {path}")


def _narrow(value: Any) -> Any:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str) and len(value) > _NARROW:
        return value[: _NARROW - 1] + "…"
    return value


def _show_agent(source: str, agent: Agent, style: str | None, output: Path | None) -> None:
    from evolve.agents.alphabeta import AlphaBetaAgent
    from evolve.agents.files import Stored, agent_document
    from evolve.cli.agents import print_agent, print_network_agent
    from evolve.evolution.ancestry import ancestry
    from evolve.tables.atomic import write_text
    from evolve.tables.run import Run

    if not isinstance(agent, Stored):
        raise RunError(f"{source} has nothing to show: no agent file could hold it")
    style = style_of(style, output)
    if style in ("csv", "parquet"):
        raise click.UsageError(f"an agent is no table for {style}; name the file .json")
    if style == "json":
        text = json.dumps(agent_document(agent), indent=1) + "\n"
        click.echo(text, nl=False) if output is None else write_text(output, text)
        return
    if output is not None:
        raise click.UsageError(
            "an agent goes into a .json file; `evolve plot` draws a picture of it"
        )
    folder = Path(source.partition("?")[0]).parent
    lines = []
    if isinstance(agent, AlphaBetaAgent) and agent.provenance and (folder / CONFIG_FILE).exists():
        run = Run(folder)
        if "individuals" in run.tables and run.generation_count:
            lines = ancestry(run, agent.provenance)
    if isinstance(agent, AlphaBetaAgent):
        print_agent(agent, lines)
    else:
        print_network_agent(agent)
