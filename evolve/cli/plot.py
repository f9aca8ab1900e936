"""`evolve plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import output_path
from evolve.cli.terminal import say
from evolve.errors import AgentError
from evolve.tables.kinds import imported

_OF_KIND: Final = {
    "alphabeta": "evolve.plots.agent:plot_agent",
    "patterns": "evolve.plots.patterns:plot_patterns",
}
"""What draws the agents of a kind."""


@click.command(name="plot")
@click.argument("source", shell_complete=complete_agents)
@click.option(
    "-o", "--output", required=True, callback=output_path, help="PNG, SVG or PDF to write."
)
def plot_command(source: str, output: Path) -> None:
    """Draw SOURCE, a run or an agent.

    Of a run: scores by generation, and the champion's weights as boards. Of a training: scores
    against the panel, or Elo on the ladder, and the loss. Of a sweep: the trials' scores, what
    matters, and the scores by each of the parameters that matter most. Of an alpha-beta agent: its
    weights as boards, phase by phase; of patterns: what a disc is worth on each square, and how
    that of a corner, an edge, an X or a C square changes in the game.

    \b
    Examples:
      evolve plot runs/reversed-001 -o progress.png
      evolve plot best.json -o boards.png
    """
    from evolve.agents.loading import load_agent
    from evolve.tables.run import Run

    if Path(source).is_dir():
        run = Run(source)
        imported(run.kind.draw)(run, output)
    else:
        agent = load_agent(source)
        draw = _OF_KIND.get(getattr(agent, "kind", ""))
        if draw is None:
            raise AgentError(
                f"{source} has no weights to draw; agents of kind {', '.join(_OF_KIND)} have"
            )
        imported(draw)(agent, output)
    say(f"{source} → {output}")
