"""`evolve plot`: runs, studies and agents as pictures, and the data behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import evolve
from evolve.cli.options import complete_agents, output_named, output_option
from evolve.cli.output import write_in_style
from evolve.cli.terminal import print_text

_HELP = """Draw SOURCES: a run, an agent, or several runs and studies over one another.

Of a run: its rating by generation, and the champion's weights as boards. Of a training: its
strength and the loss. Of a sweep: the trials' scores, what matters, and the scores by each of the
parameters that matter most. Of an alpha-beta agent: its weights as boards, phase by phase; of
patterns: what a disc is worth on each square. Of studies, and of several runs: the mean curve of
each setting over its seeds with a band, and the result of each seed. The band is the 95 % interval
of the mean from 5 seeds on, and goes from the lowest seed to the highest below.

With --metric, --x or --style paper, runs and studies are one chart. Ratings have the rungs of the
ladder as named lines.

\b
Examples:
  evolve plot runs/reversed-001 -o progress.png
  evolve plot best.json -o boards.png
  evolve plot runs/study-001 -o figure.pdf --style paper --size 8.5x6cm
  evolve plot runs/a runs/b -o past.svg --metric past_score --x games --csv past.csv
"""


@click.command(name="plot", help=_HELP)
@click.argument("sources", nargs=-1, required=True, shell_complete=complete_agents)
@output_option("PNG, SVG or PDF to write.")
@click.option(
    "--metric",
    metavar="NAME",
    help="What is drawn: a number of the run's first table, such as past_score; by default the "
    "rating of an evolution, the strength of a training, the best score of a sweep.",
)
@click.option(
    "--x",
    type=click.Choice(("generations", "games", "seconds")),
    help="What it is drawn over; trainings have checks and sweeps trials for generations. By "
    "default generations, trials, and games of a training.",
)
@click.option(
    "--size",
    metavar="WIDTHxHEIGHT",
    help="Of the picture, in inches, or with the unit cm, mm or px: 9x6cm.",
)
@click.option(
    "--style",
    type=click.Choice(("screen", "paper")),
    default="screen",
    show_default=True,
    help="paper: one chart for print, with small type, without a title.",
)
@click.option("--title", metavar="TEXT", help="Instead of the usual one; '' leaves it out.")
@click.option(
    "--csv",
    "data",
    callback=output_named(".csv"),
    metavar="FILE",
    help="Write the data of the picture to a table.",
)
def plot_command(
    sources: tuple[str, ...],
    output: Path | None,
    metric: str | None,
    x: str | None,
    size: str | None,
    style: str,
    title: str | None,
    data: Path | None,
) -> None:
    """See _HELP."""
    if output is None and data is None:
        raise click.UsageError("name a picture, -o FILE.png, or a table, --csv FILE.csv")
    if output is None and (size is not None or title is not None or style != "screen"):
        raise click.UsageError("--size, --style and --title are of a picture: name it, -o FILE.png")
    from evolve.plots.call import caption_of_plot, data_of, open_source

    course: dict[str, Any] = {"metric": metric, "x": x}
    things = [open_source(source) for source in sources]
    if output is not None:
        evolve.plot(*things, output=output, size=size, style=style, title=title, **course)
        print_text(f"{' '.join(sources)} → {output}")
        caption = caption_of_plot(*things, **course) if style == "paper" else ""
        if caption:
            print_text(caption)
    if data is not None:
        write_in_style(data_of(*things, **course), "csv", data)
        print_text(f"its data → {data}")
