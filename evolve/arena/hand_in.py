"""Agents for a contest: which to hand in, with its clock, and a short match of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.calibration.ratings import strongest
from evolve.agents.names import parse_name, with_clock
from evolve.engine.board.rules import Rules, rule_set
from evolve.errors import AgentError, EvolveError
from evolve.fitness.executor import Threads, processors
from evolve.runs.loading import load_agent
from evolve.runs.run import Run, list_all
from evolve.runs.run_types import champion_of
from evolve.runs.summary import summary_of

MATCH_GAMES: Final = 4
_MATCH_TIMES: Final = 4.0
"""Seconds of the short match, about, in those of a move: as many as the check takes."""
_MATCH_SECONDS: Final = (10.0, 20.0)
"""The match ends after that many: at least, at most. With 5 s a move, all is under a minute."""
_MATCH_MOVE: Final = (0.02, 0.2)
"""Least and most seconds for a move in the short match."""
_MOVES: Final = 60
"""Moves of both sides in a game, about."""


def strongest_agent(rules: Rules) -> str:
    """The strongest agent of the package; the reference table where none is rated."""
    best = strongest(rules)
    return rule_set(rules).reference if best is None else best[0]


def writable(agent: Agent) -> StoredAgent:
    """The agent; AgentError where no Python file can hold it."""
    if not agent.kind:
        raise AgentError(f"{agent.name} cannot be written as a Python file")
    return cast("StoredAgent", agent)


def contest_agent(
    source: str, seconds: float, rules: Rules | None, ask: Callable[[], Rules]
) -> StoredAgent:
    """Load an agent with the clock of a contest; rules: None for its own, or those of `ask`."""
    agent = load_agent(source)
    if agent.kind and "time" in agent.settings:
        agent = load_agent(with_clock(source, seconds))
    agent = writable(agent)
    return agent.with_rules(rules or agent.rules or ask())


def newest_run(folder: Path, rules: Rules | None) -> Path | None:
    """The finished run in a folder whose champion is the newest and can be handed in.

    rules: those that it must play by; None takes a run of any rules.
    """
    runs = list_all(folder, lambda path, error: None) if folder.is_dir() else []
    champions = {run.path: champion_of(run.path) for run in runs if run.form == "run"}
    dated = [(file.stat().st_mtime, path) for path, file in champions.items() if file is not None]
    for _, path in sorted(dated, reverse=True):
        with suppress(EvolveError, OSError):  # damaged, or nothing that a file can hold
            facts = summary_of(Run(path))
            if facts["state"] == "done" and rules in (None, facts["rules"]):
                writable(load_agent(path)).python_source()
                return path
    return None


@dataclass(frozen=True)
class ShortMatch:
    """A match of a hand-in with the strongest reference agent that `source` is not itself.

    Both have the same seconds for a move, few of them. It ends after MATCH_GAMES, or by the time
    that follows from the contest's `seconds` for a move.
    """

    file: Path
    source: str
    rules: Rules
    seconds: float

    @property
    def opponent(self) -> str:
        best = strongest_agent(self.rules)
        return f"champion-{self.rules}" if parse_name(self.source).base == best else best

    @property
    def move(self) -> float:
        """Seconds for a move."""
        least, most = _MATCH_MOVE
        # A third is for what is not thought.
        share = 2 / 3 * self._budget * self._threads / (MATCH_GAMES * _MOVES)
        return round(min(max(least, share), most), 2)

    def play(self, advance: Callable[[int], None]) -> dict[str, Any]:
        """Play, and return the opponent, the seconds for a move and the counts of games."""
        from evolve.arena.match import Match, StoppedError  # kernels, which a check does not need
        from evolve.fitness.openings import Part, listed_openings

        names = f"python:{self.file}", self.opponent
        a, b = (load_agent(f"{name}?time={self.move}") for name in names)
        openings = listed_openings(
            MATCH_GAMES // 2, Part.MATCH, self.rules, np.random.default_rng(0)
        )
        match = Match(a, b, openings, self.rules, executor=Threads(self._threads))
        deadline = time.monotonic() + self.most
        with suppress(StoppedError):
            match.play(advance, stop=lambda: time.monotonic() > deadline)
        ends = ("wins", "draws", "losses")
        counts = {end: getattr(match.result, end) if match.played else 0 for end in ends}
        return {"opponent": names[1], "seconds": self.move, "games": match.played, **counts}

    @property
    def usual(self) -> float:
        """Seconds of its thinking, which ends well before `most`."""
        return self.move * MATCH_GAMES * _MOVES / self._threads

    @property
    def most(self) -> float:
        """Seconds after which it ends."""
        return max(self._budget, _MATCH_SECONDS[0])

    @property
    def _threads(self) -> int:
        return min(MATCH_GAMES, processors())

    @property
    def _budget(self) -> float:
        return min(_MATCH_TIMES * self.seconds, _MATCH_SECONDS[1])
