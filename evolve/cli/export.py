"""`evolve export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evolve.cli.completion import complete_agents
from evolve.cli.hand_in import by_the_clock, has_clock, stronger_start
from evolve.cli.options import force_option, new_file
from evolve.cli.terminal import say
from evolve.errors import AgentError, OptionsError
from evolve.files.atomic import write_text

if TYPE_CHECKING:
    from evolve.agents.agent import Agent

_TARGETS: Final = {".py": "python", ".json": "agent", ".npz": "agent"}
"""The target that each ending of a file name stands for."""


@click.command(name="export")
@click.argument("source", shell_complete=complete_agents)
@click.option(
    "--individual", metavar="ID", help="An individual of the run in place of its champion."
)
@click.option(
    "--to",
    "target",
    type=click.Choice(["agent", "python"]),
    help="An agent file, or one stand-alone Python file that needs numpy alone; by default what "
    "the ending of the file says: .json or .npz, or .py.",
)
@click.option(
    "--numba",
    is_flag=True,
    help="Let the Python file of an alpha-beta agent or of patterns compile its search in the "
    "background where numba is installed: deeper under a clock, for 150 to 250 MB of memory.",
)
@force_option
@click.option("-o", "--output", required=True, callback=new_file, help="File to write.")
def export_command(
    source: str, individual: str | None, target: str | None, numba: bool, force: bool, output: Path
) -> None:
    """Write the agent of SOURCE (a run, an agent file, a reference agent) to a file.

    The Python file follows the SUSTech CS303 convention (class AI with go and candidate_list).
    With a time for a move, as in 'best.json?time=4.5', that of an alpha-beta agent, of patterns or
    of a tree search goes as deep as the clock allows: that is the one to hand in. Without one it
    plays the moves of the agent in evolve.

    \b
    Examples:
      evolve export runs/reversed-001 -o best.json
      evolve export runs/reversed-001 --individual 12-40 -o other.json
      evolve export 'runs/reversed-001?time=4.5' -o agent.py
      evolve export best.json -o same-moves.py
    """
    from evolve.agents.agent import StoredAgent

    ending = output.suffix.lower()
    said = _TARGETS.get(ending)
    if target is not None and said not in (None, target):
        raise OptionsError(
            f"--to {target} contradicts the ending of {output}: {ending} is for {said}"
        )
    target = target or said or "agent"
    if numba and target != "python":
        raise OptionsError(f"--numba goes with Python files, and {output} is to be an agent file")
    found = _loaded(source, individual)
    if target == "agent":
        stored = found.stored()
        stored.save(output)
        say(f"{found.name} → {output}")
        say(f"it plays {stored.play}; settings of play follow its name, see evolve match --help")
        return
    if not isinstance(found, StoredAgent):
        raise AgentError(f"{found.name} cannot be written as a Python file")
    write_text(output, found.python_source(numba))
    say(f"{found.name} → {output}")
    say(f"it plays {found.play}")
    if has_clock(found) and found.limit.seconds is None:
        words = ["--individual", individual] * (individual is not None) + ["--numba"] * numba
        say(
            "it does not use the time of a contest; by the clock it is stronger: "
            + by_the_clock(source, output, *map(str, words), force=True)
        )
    if individual is None:
        better = stronger_start(source, found)
        if better is not None:
            say(better)
    say(f"next: evolve check {output}")


def _loaded(source: str, individual: str | None) -> Agent:
    """Load the agent of a source, or an individual of that run, with the settings in its name."""
    from evolve.agents.names import parse_name
    from evolve.runs.loading import load_agent, with_settings

    if individual is None:
        return load_agent(source)
    from evolve.evolution.generation import individual_agent  # imported here: it loads DEAP

    named = parse_name(source)
    found = individual_agent(named.path, individual)
    return found if named.query is None else with_settings(found, source)
