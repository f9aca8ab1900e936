"""What to hand in to a contest: the proposed file, and a stronger agent, if there is one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.agents.names import parse_name, with_clock
from evolve.engine.board.rules import DEFAULT_RULES
from evolve.errors import AgentError

if TYPE_CHECKING:
    from evolve.agents.agent import Agent, StoredAgent


def has_clock(agent: Agent) -> bool:
    """Whether the agent can play by the clock."""
    return "time" in agent.settings


def by_the_clock(source: str | Path, output: str | Path, *words: str, force: bool = False) -> str:
    """The command that writes a file to hand in, which plays by the clock."""
    told = ["evolve", "export", with_clock(str(source)), *words, "-o", str(output)]
    return shlex.join([*told, "--force"] if force else told)


def proposed(agent: StoredAgent, folder: Path) -> str:
    """The command that writes the hand-in of a run's champion.

    Where no Python file can hold the agent, it writes the agent file. The hand-in plays by the
    clock where its kind can: at its own depths it is much weaker.
    """
    try:
        agent.python_source()
    except AgentError:
        ending = "npz" if agent.arrays else "json"
        return shlex.join(["evolve", "export", str(folder), "-o", f"best.{ending}"])
    if has_clock(agent):
        return by_the_clock(folder, "agent.py")
    return shlex.join(["evolve", "export", str(folder), "-o", "agent.py"])


def stronger_start(source: str, agent: Agent) -> str | None:
    """A line that names the strongest agent of the package, if `source` is a weaker run.

    None where `source` is no run, or its Elo on the ladder is unknown or not lower. It plays no
    game.
    """
    from evolve.agents.reference import STRONGEST
    from evolve.runs.run import Run
    from evolve.runs.summary import facts_of

    strongest = STRONGEST.get(agent.rules or DEFAULT_RULES)
    named = parse_name(source)
    if strongest is None or named.individual is not None or not named.path.is_dir():
        return None
    run = Run(named.path)
    facts = facts_of(run)
    elo = facts.get("elo")
    if elo is None and run.config.get("panel") == "ladder":
        elo = facts.get("panel_elo")  # of the last generation's best
    name, most = strongest
    if not isinstance(elo, int | float) or not elo < most:
        return None
    return (
        f"{name} is stronger, {most} Elo on the ladder against {elo:.0f} of this run: "
        + by_the_clock(name, "patterns.py")
    )
