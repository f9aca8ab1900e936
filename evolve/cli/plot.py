"""`evolve plot`."""

from __future__ import annotations

from pathlib import Path

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import output_path
from evolve.cli.terminal import say
from evolve.errors import AgentError
from evolve.tables.kinds import imported


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
    weights as boards, phase by phase.

    \b
    Examples:
      evolve plot runs/reversed-001 -o progress.png
      evolve plot best.json -o boards.png
    """
    from evolve.agents.loading import as_alphabeta, load_agent
    from evolve.plots.agent import plot_agent
    from evolve.tables.run import Run

    if Path(source).is_dir():
        run = Run(source)
        imported(run.kind.draw)(run, output)
    else:
        agent = load_agent(source)
        if not agent.describe().boards:
            raise AgentError(f"{source} has no weights of squares to draw; alpha-beta agents have")
        plot_agent(as_alphabeta(agent, source), output)
    say(f"{source} → {output}")
