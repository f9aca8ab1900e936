"""`evolve export`."""

from __future__ import annotations

from pathlib import Path

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import output_path
from evolve.cli.terminal import say
from evolve.engine.rules import DEFAULT_RULES
from evolve.errors import AgentError, OptionsError


@click.command(name="export")
@click.argument("source", shell_complete=complete_agents)
@click.option(
    "--individual", metavar="ID", help="An individual of the run in place of its champion."
)
@click.option(
    "--to",
    "target",
    type=click.Choice(["agent", "python"]),
    default="agent",
    show_default=True,
    help="An agent file, or one stand-alone Python file that needs numpy alone.",
)
@click.option(
    "--numba",
    is_flag=True,
    help="Let the Python file compile its search in the background where numba is installed: "
    "deeper under a clock, for 150 to 250 MB of memory.",
)
@click.option("-o", "--output", required=True, callback=output_path, help="File to write.")
def export_command(
    source: str, individual: str | None, target: str, numba: bool, output: Path
) -> None:
    """Write the agent of SOURCE (a run, an agent file, a reference agent) to a file.

    The Python file follows the SUSTech CS303 convention (class AI with go and candidate_list).

    \b
    Examples:
      evolve export runs/reversed-001 -o best.json
      evolve export runs/reversed-001 --individual 12-40 -o other.json
      evolve export best.json --to python -o agent.py
    """
    from evolve.agents.alphabeta import AlphaBetaAgent
    from evolve.agents.files import Stored
    from evolve.agents.loading import load_agent
    from evolve.evolution.ancestry import individual_agent
    from evolve.standalone.render import render, render_network
    from evolve.tables.atomic import write_text

    if numba and target != "python":
        raise OptionsError("--numba goes with --to python")
    agent = load_agent(source) if individual is None else individual_agent(source, individual)
    if not isinstance(agent, Stored):
        raise AgentError(f"{source} has nothing to export: no agent file could hold it")
    if target == "agent":
        agent.save(output)
    elif not isinstance(agent, AlphaBetaAgent):
        if numba:
            raise OptionsError("--numba is for alpha-beta agents")
        write_text(output, render_network(agent))
    else:
        rules = agent.rules or DEFAULT_RULES
        write_text(output, render(agent.parameters, rules, agent.name, agent.provenance, numba))
    say(f"{agent.name} → {output}")
