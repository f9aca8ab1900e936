"""`evolve lineage`: where an individual of a run comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import evolve
from evolve.cli.completion import complete_runs
from evolve.cli.options import output_path
from evolve.cli.output import format_option, print_frame, style_of, write_in_style
from evolve.cli.terminal import say
from evolve.runs.run_types import champion_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    import pandas as pd

    from evolve.evolution.lineage import Lineage

_TABLES = ("ancestors", "genes", "operators")
_SHOWN = 12
"""Rows of a table that the summary shows."""
_PICTURES = (".png", ".svg", ".pdf")


@click.command(name="lineage")
@click.argument("run", shell_complete=complete_runs)
@click.argument("individual", required=False)
@click.option(
    "--table",
    type=click.Choice(_TABLES),
    help="One table alone, whole: the ancestors, where each gene came from, or how the operators "
    "fared.",
)
@format_option
@click.option(
    "-o",
    "--output",
    callback=output_path,
    help="File to write to: a picture (.png, .svg, .pdf), or the table as .csv, .json, .parquet.",
)
def lineage_command(
    run: str, individual: str | None, table: str | None, style: str | None, output: Path | None
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
    from evolve.evolution.lineage import Lineage

    opened = evolve.Run(run)
    lineage = Lineage(opened)
    name = individual or _champion(opened, lineage)
    if output is not None and output.suffix.lower() in _PICTURES:
        if table is not None or style is not None:
            raise click.UsageError(f"-o {output} is a picture; leave out --table and --format")
        from evolve.plots.run import plot_lineage

        plot_lineage(lineage, name, output)
        say(f"{run}, {name} → {output}")
        return
    if table is None and output is None and style is None:
        _summarize(lineage, name)
        return
    frame = _frame(lineage, name, table or _TABLES[0])
    write_in_style(frame, style_of(style, output), output, _print_rounded)


def _champion(run: evolve.Run, lineage: Lineage) -> str:
    """The champion's individual; if it has none, the best of the last generation."""
    from evolve.agents.agent_file import read_header

    path = champion_of(run.path)
    name = None if path is None else read_header(path).provenance.get("individual")
    return str(name) if name in lineage.births else lineage.best()


def _frame(lineage: Lineage, name: str, table: str) -> pd.DataFrame:
    if table == "operators":
        return lineage.operators()
    return lineage.genes(name) if table == "genes" else lineage.ancestors(name)


def _summarize(lineage: Lineage, name: str) -> None:
    from evolve.evolution.lineage import totals

    ancestors = lineage.ancestors(name)
    first = int(ancestors["born"].min())
    say(
        f"{name} has {count_of(len(ancestors) - 1, 'ancestor')}, back to generation {first}; "
        "numbers of its genes by where they came from:"
    )
    _print_rounded(ancestors.head(_SHOWN))
    if len(ancestors) > _SHOWN:
        say(f"{_SHOWN} of {len(ancestors)}; --table ancestors shows all, -o lineage.png draws them")
    genes = lineage.genes(name)
    say(f"its {len(genes)} numbers arose in:")
    keys = ["from", "origin", "born"]
    counts = genes.groupby(keys).size().reset_index(name="numbers")
    counts = counts.sort_values("numbers", ascending=False, kind="stable").head(_SHOWN)
    print_frame(counts.rename(columns={"from": "individual"}))
    say("offspring that lived on, by operator:")
    _print_rounded(totals(lineage.operators()))


def _print_rounded(frame: pd.DataFrame) -> None:
    """Print a table with shares of three digits, and without values that are unknown."""
    print_frame(frame.round(3).astype(object).where(frame.notna(), None))
