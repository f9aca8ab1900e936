"""What to hand in to a contest: the file that is proposed, and who would be a stronger start."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.agents.registry import with_clock
from evolve.engine.rules import DEFAULT_RULES
from evolve.errors import AgentError

if TYPE_CHECKING:
    from evolve.agents.agent import Agent, StoredAgent


def has_clock(agent: Agent) -> bool:
    """Whether it can go by the clock."""
    return "time" in agent.settings


def by_the_clock(source: str | Path, output: str | Path, *words: str, force: bool = False) -> str:
    """The command that writes the file to hand in."""
    told = ["evolve", "export", with_clock(str(source)), *words, "-o", str(output)]
    return shlex.join([*told, "--force"] if force else told)


def proposed(agent: StoredAgent, folder: Path) -> str:
    """The command that writes the hand-in of a run's champion, or its agent file where no Python
    file can hold it.

    It goes by the clock where its kind can: to its own depths it is weaker by far.
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
    """A line that names the strongest agent of the package, where `source` is a run whose place on
    the ladder is known and lower; no game is played for it."""
    from evolve.agents.reference import STRONGEST
    from evolve.agents.run_summary import facts_of
    from evolve.tables.run import Run

    strongest = STRONGEST.get(agent.rules or DEFAULT_RULES)
    place = source if Path(source).is_dir() else source.partition("?")[0]
    if strongest is None or not Path(place).is_dir():
        return None
    run = Run(place)
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
