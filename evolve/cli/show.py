"""`evolve show`, `lineage` and `report`: a run or an agent as tables, ancestry, pages to send."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import evolve
from evolve.agents.registry import parse_name
from evolve.cli.drawing import print_agent
from evolve.cli.options import (
    complete_agents,
    complete_runs,
    input_path,
    json_option,
    output_named,
    output_option,
)
from evolve.cli.output import (
    print_final,
    print_frame,
    print_generations,
    print_trials,
    style_of,
    write_in_style,
)
from evolve.cli.runs import describe_champion, shown_row, strengths, tuned_lines
from evolve.cli.terminal import loading, print_rows, print_text
from evolve.files.atomic import write_text
from evolve.runs.run_type import RunTable
from evolve.runs.run_types import RUN_TYPES, champion_of
from evolve.tables.paths import CONFIG_FILE, PICTURES
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    import pandas as pd

    from evolve.agents.agent import Agent
    from evolve.evolution.lineage import Lineage


_SHOW_HELP: Final = """Show a table of a run or a study, or an agent as boards of weights.

An agent's file may be standard input, -.

\b
Examples:
  evolve show runs/reversed-001
  evolve show runs/reversed-001 --table individuals --generation 20 --top 5
  evolve show runs/reversed-001 --table games -o games.csv
  evolve show runs/reversed-001 --json
  evolve show runs/study-001 --table generations -o generations.csv
  evolve show runs/reversed-001/champion.json
  evolve show swh

\b
Columns of generations:
"""


class _ShowCommand(click.Command):
    def format_help_text(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        from evolve.tables.individuals import GENERATIONS_COLUMNS  # not above: it loads pyarrow

        rows = (f"  {column.name:<16}{column.text}" for column in GENERATIONS_COLUMNS)
        self.help = _SHOW_HELP + "\n".join(rows)
        super().format_help_text(context, formatter)


@click.command(name="show", cls=_ShowCommand, help=_SHOW_HELP)
@click.argument("source", shell_complete=complete_agents, callback=input_path)
@click.option(
    "--table",
    type=click.Choice(
        list(dict.fromkeys(table.name for kind in RUN_TYPES for table in kind.tables))
    ),
    help="Table of a run; by default "
    + ", ".join(f"{kind.tables[0].name} of {kind.noun}" for kind in RUN_TYPES)
    + ".",
)
@click.option("--generation", type=click.IntRange(0, 10**9), help="Of this generation alone.")
@click.option(
    "--top",
    type=click.IntRange(1, 10**9),
    help="The best so many rows only, best first; of individuals those of the last generation, "
    "unless --generation says otherwise.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(("table", "csv", "json", "parquet")),
    help="table is for people, the others have every column; by default what the name after -o "
    "ends in, or table.",
)
@output_option("File to write to: .csv, .json, .parquet, or .txt for a table.")
@json_option
def show_command(
    source: str,
    table: str | None,
    generation: int | None,
    top: int | None,
    style: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """See _SHOW_HELP."""
    if as_json:
        if style not in (None, "json"):
            raise click.UsageError(f"--json and --format {style} contradict each other")
        style = "json"
    path = Path(source)
    if not os.path.isdir(path):  # a program's command may be longer than names are
        agent = evolve.load_agent(source)
        if any(value is not None for value in (table, generation, top)):
            raise click.UsageError(
                f"{source} is an agent, and has no tables: --table, --generation and --top are of "
                "runs"
            )
        _show_agent(source, agent, style, output)
        return

    style = style_of(style, output)
    run = evolve.load_run(path)
    if run.form == "study" and table is None:
        if generation is not None or top is not None:
            raise click.UsageError("--generation and --top are for tables: add --table")
        _show_members(run, style, output)
        return
    name = table or run.tables[0]
    shown = run.kind.table(name)
    of_last = top is not None and generation is None and shown is not None and shown.generations
    if of_last and run.form == "run" and run.generation_count:
        generation = run.generation_count - 1
    frame = run.table(name, generation)
    assert shown is not None  # or there would be no such table
    if top is not None:
        frame = _best(frame, shown).head(top)
    if run.form == "run" and style == "table":
        unused_of = run.kind.reading.tables[name].unused
        unused = () if unused_of is None else unused_of(run)
        # A run without rows has no columns.
        empty = [column for column in unused if column in frame and frame[column].isna().all()]
        frame = frame.drop(columns=empty)
    write_in_style(frame, style, output, partial(_print_table, run, shown))


def _show_members(study: evolve.Study, style: str, output: Path | None) -> None:
    from evolve.runs.summary import row_of

    rows = [row_of(study, member) for member in study.design.members]
    names = ("setting", "seed", "state", "date", "done", *strengths(rows))

    def show(_: pd.DataFrame) -> None:
        print_rows(names, [shown_row(row, names) for row in rows], spare=("date",))

    write_in_style(rows, style, output, show)


def _best(frame: pd.DataFrame, table: RunTable) -> pd.DataFrame:
    if table.best is None:
        raise click.UsageError(f"--top: {table.name} have no order of the best")
    if table.best not in frame:
        return frame
    ranked = frame.sort_values(table.best, ascending=False, kind="stable", na_position="last")
    if "state" not in ranked:
        return ranked
    # Trials that ended early, and steps of SPSA, have a score of their own kind.
    return ranked.sort_values("state", key=lambda state: state.ne("COMPLETE"), kind="stable")


_PRINTED: Final = {
    "generations": print_generations,
    "trials": print_trials,
    "retest": print_trials,
    "final": print_final,
}
"""Functions that print a table for people; a general one prints the others."""


def _print_table(run: evolve.Run | evolve.Study, table: RunTable, frame: pd.DataFrame) -> None:
    from evolve.agents.agent_file import read_header

    if frame.empty:
        print_text(f"{run.path} has no {table.name} yet")
    elif run.form == "run" and table.name in _PRINTED:
        _PRINTED[table.name](run, frame)
    else:
        print_frame(frame)
    if run.form == "study":
        return
    if table.name == "trials":
        for line in tuned_lines(run):
            print_text(line)
    path = champion_of(run.path) if table.name == run.tables[0] and not frame.empty else None
    if path is not None:
        header = read_header(path)
        print_text(f"champion {header.name}, {describe_champion(run, header.provenance)}: {path}")


def _show_agent(source: str, agent: Agent, style: str | None, output: Path | None) -> None:
    from evolve.evolution.tables import ancestry

    style = style_of(style, output)
    if style in ("csv", "parquet"):
        raise click.UsageError(f"an agent is not a table for {style}; name the file .json")
    if style == "json":
        text = json.dumps(agent.stored().document, indent=1) + "\n"
        click.echo(text, nl=False) if output is None else write_text(output, text)
        return
    if output is not None:
        raise click.UsageError(
            "an agent goes into a .json file; `evolve plot` draws a picture of it"
        )
    path = parse_name(source).path
    folder = path if os.path.isdir(path) else path.parent
    provenance = getattr(agent, "provenance", {})
    lines = []
    config = folder / CONFIG_FILE
    # The file may be in any folder, and links there are the user's own: they make no run.
    if provenance and config.is_file() and not config.is_symlink():
        run = evolve.Run(folder)
        if "individuals" in run.tables and run.generation_count:
            lines = ancestry(run, provenance)
    print_agent(agent, provenance, lines)


@click.command(name="lineage")
@click.argument("run", shell_complete=complete_runs)
@click.argument("individual", required=False)
@click.option(
    "--table",
    type=click.Choice(("ancestors", "genes", "operators")),
    help="One table alone, whole: the ancestors, where each gene came from, or how the operators "
    "fared.",
)
@output_option(
    "File to write to: a picture (.png, .svg, .pdf), or the table as .csv, .json, .parquet."
)
def lineage_command(
    run: str, individual: str | None, table: str | None, output: Path | None
) -> None:
    """Show the ancestors of INDIVIDUAL of RUN, its champion if not given, where its genes came
    from, and how many of each operator's offspring survived.

    \b
    Examples:
      evolve lineage runs/reversed-001
      evolve lineage runs/reversed-001 12-40 --table genes
      evolve lineage runs/reversed-001 -o lineage.png
      evolve lineage runs/reversed-001 --table operators -o operators.csv
    """
    from evolve.evolution.lineage import Lineage, totals

    opened = evolve.Run(run)
    lineage = Lineage(opened)
    name = individual or _champion(opened, lineage)
    if output is not None and output.suffix.lower() in PICTURES:
        if table is not None:
            raise click.UsageError(f"-o {output} is a picture; leave out --table")
        from evolve.plots.lineage import plot_lineage

        plot_lineage(lineage, name).save(output)
        print_text(f"{run}, {name} → {output}")
        return
    if table is None and output is None:
        _summarize(lineage, name, totals(lineage.operators()))
        return
    if table == "operators":
        frame = lineage.operators()
    else:
        frame = lineage.genes(name) if table == "genes" else lineage.ancestors(name)
    write_in_style(frame, style_of(None, output), output, _print_rounded)


def _champion(run: evolve.Run, lineage: Lineage) -> str:
    """The champion's individual; if it has none, the best of the last generation."""
    from evolve.agents.agent_file import read_header

    path = champion_of(run.path)
    name = None if path is None else read_header(path).provenance.get("individual")
    return str(name) if name in lineage.births else lineage.best()


def _summarize(lineage: Lineage, name: str, operators: pd.DataFrame) -> None:
    ancestors = lineage.ancestors(name)
    first = int(ancestors["born"].min())
    print_text(
        f"{lineage.words(name)} has {count_of(len(ancestors) - 1, 'ancestor')}, back to generation "
        f"{first}; numbers of its genes by where they came from:"
    )
    _print_rounded(ancestors.head(12))
    if len(ancestors) > 12:
        print_text(
            f"12 of {len(ancestors)}; --table ancestors shows all, -o lineage.png draws them"
        )
    genes = lineage.genes(name)
    print_text(f"its {len(genes)} numbers arose in:")
    keys = ["from", "origin", "born"]
    counts = genes.groupby(keys).size().reset_index(name="numbers")
    counts = counts.sort_values("numbers", ascending=False, kind="stable").head(12)
    print_frame(counts.rename(columns={"from": "individual"}))
    print_text("offspring that survived, by operator:")
    _print_rounded(operators)


def _print_rounded(frame: pd.DataFrame) -> None:
    from evolve.tables.columns import without_nan  # loads pyarrow, as the table has before

    print_frame(without_nan(frame.round(3)))


@click.command(name="report")
@click.argument(
    "sources", metavar="RUN...|FILE", nargs=-1, required=True, shell_complete=complete_runs
)
@output_option("The file to write.", callback=output_named(".html"), required=True)
def report_command(sources: tuple[str, ...], output: Path) -> None:
    """Write RUN, a run, a training, a sweep or a study, as one page to send: its strength, its
    picture, its best game to click through, its tables, and how to repeat it. Several are compared:
    their strengths, curves, and settings in which they differ. Of a FILE of games,
    in any format that evolve convert reads, it has the result of the match; of a single game what
    each position is worth, and which moves lost discs. The page needs no other file, no network and
    no script.

    \b
    Examples:
      evolve report runs/reversed-001 -o report.html
      evolve report runs/reversed-001 runs/study-001 -o both.html
      evolve report games.parquet -o match.html
      evolve report mine.ggf -o game.html
    """
    with loading():
        from evolve.cli.report import page_of, page_of_games

    path = Path(sources[0])
    if len(sources) == 1 and path.is_file() and path.suffix != ".toml":
        page = page_of_games(path)
    else:
        page = page_of(*map(evolve.load_run, sources))
    write_text(output, page)
    print_text(f"{' '.join(sources)} → {output}")
