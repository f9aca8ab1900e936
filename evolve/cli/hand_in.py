"""Hand-ins for a contest: files of agents, a stronger agent, and the test of a file."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.names import parse_name, with_clock
from evolve.agents.ratings import strongest
from evolve.cli.terminal import bar, complain, duration, err, print_json, say
from evolve.engine.board.rules import DEFAULT_RULES
from evolve.errors import AgentError
from evolve.files.atomic import write_text
from evolve.programs.examination import ALLOWED, GAMES, SoFar, examine, moves_of
from evolve.programs.external import rules_in_source
from evolve.runs.loading import agree_on, load_agent, with_settings
from evolve.runs.run import Run
from evolve.runs.summary import facts_of
from evolve.terminal_text import count_of

_VERDICTS: Final = {True: "ok", False: "WRONG", None: "?"}


def export(source: str, individual: str | None, output: Path, *, python: bool, numba: bool) -> None:
    """Write the agent of a source to a file, say how it plays, and name what is stronger."""
    agent = _loaded(source, individual)
    if not python:
        stored = agent.stored()
        stored.save(output)
        say(f"{agent.name} → {output}")
        say(f"it plays {stored.play}; settings of play follow its name, see evolve match --help")
        return
    if not isinstance(agent, StoredAgent):
        raise AgentError(f"{agent.name} cannot be written as a Python file")
    write_text(output, agent.python_source(numba))
    say(f"{agent.name} → {output}")
    say(f"it plays {agent.play}")
    if _has_clock(agent) and agent.limit.seconds is None:
        words = ["--individual", individual] * (individual is not None) + ["--numba"] * numba
        say(
            "it does not use the time of a contest; by the clock it is stronger: "
            + _by_the_clock(source, output, *map(str, words), force=True)
        )
    if individual is None:
        better = _stronger_start(source, agent)
        if better is not None:
            say(better)
    say(f"next: evolve check {output}")


def _loaded(source: str, individual: str | None) -> Agent:
    """Load the agent of a source, or an individual of that run, with the settings in its name."""
    if individual is None:
        return load_agent(source)
    from evolve.evolution.generation import individual_agent  # not above: it loads DEAP

    named = parse_name(source)
    agent = individual_agent(named.path, individual)
    return agent if named.query is None else with_settings(agent, source)


def _has_clock(agent: Agent) -> bool:
    """Whether the agent can play by the clock."""
    return "time" in agent.settings


def _by_the_clock(source: str | Path, output: str | Path, *words: str, force: bool = False) -> str:
    """The command that writes a file to hand in, which plays by the clock."""
    command = ["evolve", "export", with_clock(str(source)), *words, "-o", str(output)]
    return shlex.join([*command, "--force"] if force else command)


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
    if _has_clock(agent):
        return _by_the_clock(folder, "agent.py")
    return shlex.join(["evolve", "export", str(folder), "-o", "agent.py"])


def _stronger_start(source: str, agent: Agent) -> str | None:
    """A line that names the strongest agent of the package, if `source` is a weaker run.

    None where `source` is no run, or its Elo on the ladder is unknown or not lower. It plays no
    game.
    """
    best = strongest(agent.rules or DEFAULT_RULES)
    named = parse_name(source)
    if best is None or named.individual is not None or not named.path.is_dir():
        return None
    run = Run(named.path)
    facts = facts_of(run)
    elo = facts.get("elo")
    if elo is None and run.config.get("panel") == "ladder":
        elo = facts.get("panel_elo")  # of the last generation's best
    name, rating = best
    if not isinstance(elo, int | float) or not elo < rating.elo:
        return None
    return (
        f"{name} is stronger, {rating.elo} Elo on the ladder against {elo:.0f} of this run: "
        + _by_the_clock(name, "patterns.py")
    )


def check(
    file: Path, games: int | None, allow: tuple[str, ...], as_json: bool, **options: Any
) -> int:
    """Test a Python file, and print what was tested; return the exit code.

    games: None for the usual number; options: of `examine`.
    """
    games = GAMES if games is None else games
    agreed = agree_on([], rules_in_source(file))
    with _progress_of(file, str(agreed), games, options["seconds"], as_json) as progress:
        findings = examine(
            file, **options, games=games, allowed=(*ALLOWED, *allow), progress=progress
        )
    good = all(one.good is not False for one in findings)
    if as_json:
        rows = [{"name": one.name, "good": one.good, "text": one.text} for one in findings]
        print_json({"file": str(file), "good": good, "findings": rows})
    else:
        for one in findings:
            say(f"{one.name:<8} {_VERDICTS[one.good]:<6} {one.text}")
    return 0 if good else 1


@contextmanager
def _progress_of(
    file: Path, rules: str, games: int, seconds: float, quiet: bool
) -> Iterator[Callable[[SoFar], None] | None]:
    """Say how long the check will take, and then how far it is, on standard error.

    Progress is a bar on a terminal, a line a game elsewhere.
    """
    if quiet:
        yield None
        return
    moves = moves_of(games)
    what = f"{count_of(games, 'game')}, some {moves} moves" if games else f"{moves} positions"
    shorter = f"; --quick takes some {duration(moves_of(0) * seconds)}" if games else ""
    complain(
        f"{file}, {rules}: {what} of {seconds:g} s at most: {duration(moves * seconds)} if it uses "
        f"all its time{shorter}"
    )
    if err().is_terminal:
        with bar() as bars:
            task = bars.add_task("starting", total=moves)

            def move(now: SoFar) -> None:
                about = f"slowest {now.slowest:.2f} s"
                ends = time.monotonic() + now.left
                bars.update(
                    task, description=about, completed=now.asked, total=now.about, ends=ends
                )

            yield move
        return
    before: list[SoFar] = []

    def line(now: SoFar) -> None:
        if before and now.game > before[0].game:
            last = before[0]
            complain(
                f"game {last.game + 1} of {games}: slowest move {last.slowest:.2f} s, about "
                f"{duration(last.left)} left"
            )
        before[:] = [now]

    yield line
