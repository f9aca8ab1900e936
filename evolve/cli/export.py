"""`evolve export`."""

from __future__ import annotations

from pathlib import Path

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import output_path
from evolve.cli.terminal import say
from evolve.errors import OptionsError


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
    help="Let the Python file of an alpha-beta agent or of patterns compile its search in the "
    "background where numba is installed: deeper under a clock, for 150 to 250 MB of memory.",
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
    from evolve.agents.loading import load_agent
    from evolve.evolution.ancestry import individual_agent
    from evolve.tables.atomic import write_text

    if numba and target != "python":
        raise OptionsError("--numba goes with --to python")
    found = load_agent(source) if individual is None else individual_agent(source, individual)
    agent = found.stored()
    if target == "agent":
        agent.save(output)
    else:
        write_text(output, agent.python_source(numba))
    say(f"{agent.name} → {output}")
