"""Judges: how strong an agent is against fixed opponents, a panel or the rungs of a ladder."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.match import Match
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
_RATING_PANELS: Final = 4
"""Games of a champion's rating, in units of one panel: 4 times as many games halve the width of the
interval."""
RATING: Final = "ladder"
"""Name of the stage that rates a champion."""
RATING_SECONDS: Final = 60.0
"""Longest rating of a champion, or a tenth of the training where that is longer."""
_USUAL: Final = 24
"""Openings in a panel's games with each rung from which on ratings with a limit grow no more."""
_FEWEST: Final = 2  # openings with each rung in the shortest round: enough for an interval


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
        self, agent: Agent, executor: Executor = ONE_THREAD, progress: GamesDone | None = None
    ) -> Judgement:
        """Return the agent's mean score, 0 without opponents, and those against each of them."""
        matches = (self.match(agent, n, executor) for n in range(self.opponents))
        return self.judgement([match.play(progress).observed for match in matches])

    def match(self, agent: Agent, number: int, executor: Executor = ONE_THREAD) -> Match:
        """Return the agent's match against one of the panel."""
        other, names = self.agents[number], (agent.name, self.names[number])
        return Match(agent, other, self.openings, self.rules, names=names, executor=executor)

    def judgement(self, scores: Sequence[Estimate]) -> Judgement:
        """Return what the scores against each of the panel come to."""
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


class _LadderRung(NamedTuple):
    agent: AlphaBetaAgent
    elo: float


class Ladder:
    """Opponents of known Elo, the weakest first; none under rules that have no ladder.

    games, seed: for the openings of `judge`, of which the same seed gives the same.
    """

    def __init__(self, rules: Rules, games: int = 2, seed: int = 0) -> None:
        self.rules: Rules = rules
        self.rungs = [
            _LadderRung(load_alphabeta(name).with_rules(rules), float(elo))
            for name, elo in rule_set(rules).ladder.items()
        ]
        self._games, self.seed = games, seed

    @cached_property
    def openings(self) -> Openings:
        """The openings of `judge`."""
        return _openings(self._games, self.rules, self.seed)

    def nearest(self, elo: float) -> list[_LadderRung]:
        """Return the rungs nearest in Elo, weakest first: their games are most informative."""
        near = sorted(self.rungs, key=lambda rung: abs(rung.elo - elo))[:RUNGS]
        return sorted(near, key=lambda rung: rung.elo)

    def score(self, elo: float) -> float:
        """Return the mean score against the whole ladder that a rating predicts."""
        return float(np.mean([score_of_elo(elo - rung.elo) for rung in self.rungs]))

    @property
    def opponents(self) -> int:
        """How many rungs an agent plays."""
        return min(RUNGS, len(self.rungs))

    def rate(
        self,
        agent: Agent,
        elo: float,
        openings: Openings,
        *,
        shared: bool = False,
        **how: Any,
    ) -> tuple[Estimate, list[_LadderRung], Games]:
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
            **how,
        )
        return rate_one(np.array([rung.elo for rung in rungs]), scores), rungs, games

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
            # It may be 200 Elo weaker than its rungs: games against nearer ones tell more.
            if guess - elo.value < 200.0 or rungs == self.nearest(elo.value):
                break
            guess = elo.value
        score, low, high = map(self.score, elo[:3])
        error = Estimate(score, low, high, elo.n).error
        return Judgement(score, error, "the ladder", elo=elo)


@dataclass
class ChampionRating:
    """Rates a champion, as its file has it; nothing without a ladder or the time for it.

    Rounds of openings find the rungs nearest to it; the rating comes from _RATING_PANELS times as
    many separate games. Openings come from a generator of the ladder's seed that nothing else uses,
    and from a part that a run never plays on. seconds: about the longest that it may take; only
    slow agents play fewer games then, and their Elo depends on the machine.
    """

    ladder: Ladder
    agent: Agent
    observer: Observer
    _: KW_ONLY
    seconds: float = RATING_SECONDS
    largest_endgame: int | None = None
    executor: Executor = ONE_THREAD

    def __post_init__(self) -> None:
        self._rounds = self._games = 0
        self._begin = time.monotonic()

    def play(self, each: int, guess: float | None = None) -> dict[str, Any]:
        """Return its Elo, or {}. A round has `each` openings a rung, from a guess or the middle."""
        number, limited = each, math.isfinite(self.seconds)
        if not self.ladder.rungs or (limited and not self._is_quick()):
            return {}
        if limited:
            number, each = min(each, _FEWEST), min(each, _USUAL)  # few, to see how long games take
        if guess is None:
            guess = self.ladder.rungs[len(self.ladder.rungs) // 2].elo
        tried: list[list[_LadderRung]] = []
        while (rungs := self.ladder.nearest(guess)) not in tried:
            tried.append(rungs)
            guess = self._rate(guess, number, _RATING_PANELS * each).value
            number = self._affordable(each, 0.3)  # the share of the time for finding its rungs
        elo = self._rate(guess, self._affordable(_RATING_PANELS * each, 1.0), 0)
        return {**elo.columns("elo"), "elo_games": elo.n}

    def _rate(self, guess: float, each: int, later: int) -> Estimate:
        """Play a round of `each` openings a rung; later: how many come after it, about."""
        ladder = self.ladder
        rng = generator(ladder.seed, Use.RATING_OPENINGS, self._rounds)
        self._rounds += 1
        total = self._games + 2 * ladder.opponents * (each + later)

        def count(games: int) -> None:
            self._games += games
            self.observer.stage(RATING, self._games, total)

        elo, _, _ = ladder.rate(
            self.agent,
            guess,
            balanced_openings(ladder.opponents * each, Part.MATCH, ladder.rules, rng),
            largest_endgame=self.largest_endgame,
            executor=self.executor,
            progress=count,
        )
        return elo

    def _affordable(self, wanted: int, share: float) -> int:
        """How many openings a rung there is time for, at the pace so far."""
        if not math.isfinite(self.seconds):
            return wanted
        passed = time.monotonic() - self._begin
        games = self._games * (share * self.seconds - passed) / max(passed, 1e-9)
        return max(_FEWEST, min(wanted, int(games / (2 * self.ladder.opponents))))

    def _is_quick(self) -> bool:
        """Whether there is time for the fewest games, of 30 moves each; else note that."""
        self.agent.choose(Board.start())  # may compile
        begin = time.perf_counter()
        self.agent.choose(Board.start())
        move = time.perf_counter() - begin
        fewest = 30 * move * 4 * _FEWEST * self.ladder.opponents
        if fewest < self.seconds * self.executor.slots:
            return True
        self.observer.note(
            f"no Elo: a move of {self.agent.name} takes {move:.1f} s, too long for games with the "
            "ladder; evolve rate --against plays them"
        )
        return False


def rating_games(rules: Rules, each: int) -> int:
    """About how many games the rating of a champion takes, see `ChampionRating`."""
    return 2 * (_RATING_PANELS + 2) * each * min(RUNGS, len(rule_set(rules).ladder))


def rating_seconds(rules: Rules, each: int, threads: int) -> float:
    """How long a rating with the usual limit takes, about, before the first of its games."""
    seconds = 0.015 * rating_games(rules, min(each, _USUAL))  # that many a game, about
    return min(RATING_SECONDS, seconds / threads)


def meet(
    player: Agent,
    opponents: Sequence[Agent],
    openings: Openings,
    numbers: npt.NDArray[np.int64],
    rules: Rules,
    **how: Any,
) -> tuple[Floats, Games]:
    """Play both colours against each of R opponents on its openings.

    numbers: opening numbers, [R, N]; how: see `play_games`. Returns the player's score in every
    pair of games, [R, N], and the games, in which the player is number 0.
    """
    pairs = np.array([(0, number) for number in range(1, len(opponents) + 1)])
    pairings = schedule(pairs.reshape(-1, 2), numbers)
    games = play_games([player, *opponents], pairings, openings, rules, **how)
    return pair_scores(games).reshape(numbers.shape), games


def _openings(games: int, rules: Rules, seed: int) -> Openings:
    rng = np.random.default_rng(seed)
    return balanced_openings((games + 1) // 2, Part.PANEL, rules, rng)
