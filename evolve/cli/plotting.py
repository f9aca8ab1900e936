"""`evolve plot`."""

from __future__ import annotations

from pathlib import Path

import click

from evolve.cli.options import output_path
from evolve.cli.terminal import say
from evolve.plots.run import plot_run
from evolve.plots.sweep import plot_sweep
from evolve.plots.training import plot_training
from evolve.tables.run import Run


@click.command(name="plot")
@click.argument("run")
@click.option(
    "-o", "--output", required=True, callback=output_path, help="PNG, SVG or PDF to write."
)
def plot_command(run: str, output: Path) -> None:
    """Draw RUN: scores by generation, and the champion's weights as boards.

    Of a training: scores against the panel, and the loss. Of a sweep: the trials' scores, what
    matters, and the scores by each of the parameters that matter most.

    \b
    Example:
      evolve plot runs/reversed-001 -o progress.png
    """
    opened = Run(run)
    draw = {"train": plot_training, "sweep": plot_sweep}
    draw.get(opened.command.partition(" ")[0], plot_run)(opened, output)
    say(f"{run} → {output}")
