"""`evolve export`."""

from __future__ import annotations

from pathlib import Path

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import output_path
from evolve.cli.terminal import say
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
    help="Let the Python file of an alpha-beta agent or of patterns compile its search in the "
    "background where numba is installed: deeper under a clock, for 150 to 250 MB of memory.",
)
@click.option("-o", "--output", required=True, callback=output_path, help="File to write.")
def export_command(
    source: str, individual: str | None, target: str, numba: bool, output: Path
) -> None:
    """Write the agent of SOURCE (a run, an agent file, a reference agent) to a file.

    The Python file follows the SUSTech CS303 convention (class AI with go and candidate_list).
    With a time for a move, as in 'best.json?time=4.5', that of an alpha-beta agent or of patterns
    searches as deep as the clock allows: that is the one to hand in.

    \b
    Examples:
      evolve export runs/reversed-001 -o best.json
      evolve export runs/reversed-001 --individual 12-40 -o other.json
      evolve export best.json --to python -o agent.py
      evolve export 'best.json?time=4.5' --to python -o agent.py
    """
    from evolve.agents.agent import StoredAgent
    from evolve.agents.loading import load_agent
    from evolve.evolution.ancestry import individual_agent
    from evolve.files.atomic import write_text

    if numba and target != "python":
        raise OptionsError("--numba goes with --to python")
    found = load_agent(source) if individual is None else individual_agent(source, individual)
    if target == "agent":
        found.stored().save(output)
    elif isinstance(found, StoredAgent):
        write_text(output, found.python_source(numba))
    else:
        raise AgentError(f"{found.name} cannot be written as a Python file")
    say(f"{found.name} → {output}")
