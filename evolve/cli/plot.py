"""`evolve plot`."""

from __future__ import annotations

from pathlib import Path

import click

import evolve
from evolve.cli.completion import complete_agents
from evolve.cli.options import output_path
from evolve.cli.terminal import say


@click.command(name="plot")
@click.argument("sources", nargs=-1, required=True, shell_complete=complete_agents)
@click.option(
    "-o", "--output", required=True, callback=output_path, help="PNG, SVG or PDF to write."
)
def plot_command(sources: tuple[str, ...], output: Path) -> None:
    """Draw SOURCES: a run, an agent, or studies and runs together.

    Of a run: scores by generation, and the champion's weights as boards. Of a training: scores
    against the panel, or Elo on the ladder, and the loss. Of a sweep: the trials' scores, what
    matters, and the scores by each of the parameters that matter most. Of an alpha-beta agent: its
    weights as boards, phase by phase; of patterns: what a disc is worth on each square, and how
    that of a corner, an edge, an X or a C square changes in the game. Of studies, and of several
    runs: the mean curve of each setting over its seeds with its 95 % band, and what each seed came
    to.

    \b
    Examples:
      evolve plot runs/reversed-001 -o progress.png
      evolve plot best.json -o boards.png
      evolve plot runs/study-001 -o study.png
    """
    evolve.plot(*sources, output=output)
    say(f"{' '.join(sources)} → {output}")
