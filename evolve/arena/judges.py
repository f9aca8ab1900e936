"""Judges: how strong an agent is against fixed opponents, a panel or the rungs of a ladder."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.match import Match, PlayMatch
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules, rule_set
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.fitness.games import Games, GamesDone
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import pair_scores, schedule
from evolve.fitness.statistics import Estimate, Floats, rate_one, score_of_elo
from evolve.population.randomness import Use, generator
from evolve.runs.loading import load_agent, load_alphabeta
from evolve.runs.progress import Observer

RUNGS: Final = 4
"""Rungs of the ladder that an agent plays."""
_FAR: Final = 200.0
"""Elo by which an agent may be weaker than its rungs before it plays nearer ones.

Games against nearer rungs give more information.
"""
RATING_PANELS: Final = 4
"""Games of a champion's rating, in units of one panel: 4 times as many games halve the width of the
interval."""
RATING: Final = "ladder"
"""Name of the stage that rates a champion."""
RATING_SECONDS: Final = 60.0
"""Longest rating of a champion, or a tenth of the training where that is longer."""
_SEARCH: Final = 0.3
"""Share of the time in which the nearest rungs must be found."""
_USUAL: Final = 24
"""Openings in a panel's games with each rung from which on ratings with a limit grow no more."""
_FEWEST: Final = 2
"""Openings with each rung in the shortest round: enough for an interval."""
_MOVES: Final = 30
"""Moves of an agent in a game."""
_A_GAME: Final = 0.015
"""Seconds of a game with the ladder, about."""
_PLIES: Final = 8
"""Random moves in the openings of a rating."""


@dataclass(frozen=True)
class Judgement:
    """How strong an agent is against fixed opponents.

    score: against all of them, 0 to 1, with its standard error. against: the opponents in words.
    scores: against each member of a panel. elo: on a ladder.
    """

    score: float
    error: float
    against: str
    scores: tuple[Estimate, ...] = ()
    elo: Estimate | None = None


class Panel:
    """Fixed agents on fixed openings; the same seed gives the same openings."""

    def __init__(self, names: Sequence[str], games: int, rules: Rules, seed: int) -> None:
        self.names = tuple(names)
        self.rules: Rules = rules
        self.agents = [load_agent(name) for name in names]
        self.openings = _openings(games, rules, seed)

    @property
    def opponents(self) -> int:
        """How many agents play all openings."""
        return len(self.agents)

    def judge(
        self,
        agent: Agent,
        executor: Executor = ONE_THREAD,
        progress: GamesDone | None = None,
        *,
        openings: Openings | None = None,
        play: PlayMatch = Match.play,
    ) -> Judgement:
        """Return the agent's mean score, 0 without opponents, and those against each panel agent.

        openings: a part of the panel's, by default all; play: how to play each match.
        """
        scores = []
        for name, other in zip(self.names, self.agents, strict=True):
            names = agent.name, name
            openings = openings or self.openings
            match = Match(agent, other, openings, self.rules, names=names, executor=executor)
            play(match, progress)
            scores.append(match.result.observed)
        count = max(1, len(scores))
        return Judgement(
            sum(score.value for score in scores) / count,
            math.sqrt(sum(score.error**2 for score in scores)) / count,
            ", ".join(self.names),
            tuple(scores),
        )

    def against(
        self, agent: Agent, other: Agent, executor: Executor, progress: GamesDone | None = None
    ) -> float:
        """Return the agent's score against one that is not in the panel."""
        match = Match(agent, other, self.openings, self.rules, executor=executor)
        return match.play(progress).score.value


@dataclass(frozen=True)
class Rung:
    """One opponent with its Elo."""

    agent: AlphaBetaAgent
    elo: float


class Ladder:
    """Opponents of known Elo, the weakest first; none under rules that have no ladder.

    games, seed: for the openings of `judge`, of which the same seed gives the same.
    """

    def __init__(self, rules: Rules, games: int = 2, seed: int = 0) -> None:
        self.rules: Rules = rules
        self.rungs = [
            Rung(load_alphabeta(name).with_rules(rules), float(elo))
            for name, elo in rule_set(rules).ladder.items()
        ]
        self._games, self._seed = games, seed

    @cached_property
    def openings(self) -> Openings:
        """The openings of `judge`."""
        return _openings(self._games, self.rules, self._seed)

    def nearest(self, elo: float) -> list[Rung]:
        """Return the rungs nearest in Elo, weakest first: their games are most informative."""
        near = sorted(self.rungs, key=lambda rung: abs(rung.elo - elo))[:RUNGS]
        return sorted(near, key=lambda rung: rung.elo)

    def score(self, elo: float) -> float:
        """Return the mean score against the whole ladder that a rating predicts."""
        return float(np.mean([score_of_elo(elo - rung.elo) for rung in self.rungs]))

    @property
    def played(self) -> int:
        """How many rungs an agent plays."""
        return min(RUNGS, len(self.rungs))

    opponents = played

    def rate(
        self,
        agent: Agent,
        elo: float,
        openings: Openings,
        *,
        shared: bool = False,
        largest_endgame: int | None = None,
        executor: Executor = ONE_THREAD,
        progress: GamesDone | None = None,
    ) -> tuple[Estimate, list[Rung], Games]:
        """Rate an agent by games with the rungs nearest to `elo`; return these, too, as in `meet`.

        openings: an equal part for each rung; if `shared`, all rungs play all of them.
        """
        rungs = self.nearest(elo)
        numbers = np.arange(len(openings))
        scores, games = meet(
            agent,
            [rung.agent for rung in rungs],
            openings,
            np.tile(numbers, (len(rungs), 1)) if shared else numbers.reshape(len(rungs), -1),
            self.rules,
            largest_endgame=largest_endgame,
            executor=executor,
            progress=progress,
        )
        return rate_one(np.array([rung.elo for rung in rungs]), scores), rungs, games

    def rate_champion(
        self,
        agent: Agent,
        each: int,
        observer: Observer,
        *,
        seconds: float = RATING_SECONDS,
        guess: float | None = None,
        largest_endgame: int | None = None,
        executor: Executor = ONE_THREAD,
    ) -> dict[str, Any]:
        """Return a champion's Elo, as its file has it; nothing without a ladder or the time for it.

        Rounds of `each` openings a rung find the rungs nearest to it, starting at the guess or at
        the middle of the ladder; the rating comes from RATING_PANELS times as many separate games.
        Openings come from a generator of the seed that nothing else uses, and from a part that a
        run never plays on. seconds: about the longest that it may take; only slow agents play
        fewer games then, and their Elo depends on the machine.
        """
        begin, rounds, done = time.monotonic(), 0, 0
        limited = math.isfinite(seconds)
        if not self.rungs:
            return {}
        if limited and (slow := self._slow(agent, seconds * executor.slots)):
            observer.note(slow)
            return {}

        def affordable(wanted: int, share: float) -> int:
            """How many openings a rung there is time for, at the pace so far."""
            if not limited:
                return wanted
            taken = time.monotonic() - begin
            most = done * (share * seconds - taken) // (2 * self.played * max(taken, 1e-9))
            return max(_FEWEST, min(wanted, int(most)))

        def rated(near: float, number: int, after: int) -> Estimate:
            nonlocal rounds, done
            total = done + 2 * self.played * (number + after)

            def count(games: int) -> None:
                nonlocal done
                done += games
                observer.stage(RATING, done, total)

            rng = generator(self._seed, Use.RATING_OPENINGS, rounds)
            rounds += 1
            openings = balanced_openings(self.played * number, Part.MATCH, self.rules, rng, _PLIES)
            return self.rate(
                agent,
                near,
                openings,
                largest_endgame=largest_endgame,
                executor=executor,
                progress=count,
            )[0]

        near = self.rungs[len(self.rungs) // 2].elo if guess is None else guess
        number = min(each, _FEWEST) if limited else each  # to see how long games take
        each = min(each, _USUAL) if limited else each
        played: list[list[Rung]] = []
        while (rungs := self.nearest(near)) not in played:
            played.append(rungs)
            near = rated(near, number, RATING_PANELS * each).value
            number = affordable(each, _SEARCH)
        elo = rated(near, affordable(RATING_PANELS * each, 1.0), 0)
        return {**elo.columns("elo"), "elo_games": elo.n}

    def _slow(self, agent: Agent, seconds: float) -> str | None:
        """Why that time is too short for the fewest games of a rating; None where it is not."""
        agent.choose(Board.start())  # may compile
        begin = time.perf_counter()
        agent.choose(Board.start())
        move = time.perf_counter() - begin
        if move * _MOVES * 4 * _FEWEST * self.played < seconds:
            return None
        return (
            f"no Elo: a move of {agent.name} takes {move:.1f} s, too long for games with the "
            "ladder; evolve rate --against plays them"
        )

    def judge(
        self, agent: Agent, executor: Executor = ONE_THREAD, progress: GamesDone | None = None
    ) -> Judgement:
        """Return the agent's Elo, and the mean score that this predicts against all rungs.

        It is searched from the top: if the Elo is far from the rungs that the agent played, it
        plays nearer ones.
        """
        guess = self.rungs[-1].elo
        while True:
            elo, rungs, _ = self.rate(
                agent, guess, self.openings, shared=True, executor=executor, progress=progress
            )
            if guess - elo.value < _FAR or rungs == self.nearest(elo.value):
                break
            guess = elo.value
        score, low, high = map(self.score, elo[:3])
        error = Estimate(score, low, high, elo.n).error
        return Judgement(score, error, "the ladder", elo=elo)


def rating_games(rules: Rules, each: int) -> int:
    """About how many games the rating of a champion takes, see `Ladder.rate_champion`."""
    return 2 * (RATING_PANELS + 2) * each * min(RUNGS, len(rule_set(rules).ladder))


def rating_seconds(rules: Rules, each: int, threads: int) -> float:
    """How long a rating with the usual limit takes, about, before the first of its games."""
    return min(RATING_SECONDS, _A_GAME * rating_games(rules, min(each, _USUAL)) / threads)


def meet(
    player: Agent,
    opponents: Sequence[Agent],
    openings: Openings,
    numbers: npt.NDArray[np.int64],
    rules: Rules,
    *,
    largest_endgame: int | None = None,
    executor: Executor = ONE_THREAD,
    progress: GamesDone | None = None,
) -> tuple[Floats, Games]:
    """Play both colours against each of R opponents on its openings, without a node budget.

    numbers: opening numbers, [R, N]. Returns the player's score in every pair of games, [R, N],
    and the games, in which the player is number 0.
    """
    pairs = np.array([(0, number) for number in range(1, len(opponents) + 1)])
    games = play_games(
        [player, *opponents],
        schedule(pairs.reshape(-1, 2), numbers),
        openings,
        rules,
        largest_endgame=largest_endgame,
        executor=executor,
        progress=progress,
    )
    return pair_scores(games).reshape(numbers.shape), games


def _openings(games: int, rules: Rules, seed: int) -> Openings:
    rng = np.random.default_rng(seed)
    return balanced_openings((games + 1) // 2, Part.PANEL, rules, rng)
