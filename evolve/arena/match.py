"""A match between two agents of any kind: both colours on every opening, until a test decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evolve.agents.agent import Agent
from evolve.arena.sprt import Sprt
from evolve.engine.board.board import Board
from evolve.engine.board.rules import FAILED_BLACK, FAILED_WHITE, REASON, Rules
from evolve.errors import AgentError, EngineError, EvolveError
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.fitness.games import Games, GamesDone
from evolve.fitness.openings import Openings
from evolve.fitness.playing import Series
from evolve.fitness.roundrobin import all_pairs, pair_scores, schedule
from evolve.fitness.statistics import (
    Estimate,
    Floats,
    finite,
    in_elo,
    score_of_pairs,
    stated,
    superiority,
)

_DRAWS: Final = 1 << 24
"""Draws of random agents for each seed of a match that may grow: more than it ever has games."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match, from A's side.

    wins, draws, losses: A's games; observed: the score with its interval, over pairs of games, also
    of few; score_black, score_white: A's score with each colour; mean_discs: A's discs − B's at the
    end, per game; pentanomial: how many pairs of games gave A 0, ½, 1, 1½ and 2 points, without
    repeated pairs; superiority: likelihood that A is stronger, NaN for fewer than 5 of these pairs;
    failures_a, failures_b: games lost because the program failed.
    """

    games: int
    wins: int
    draws: int
    losses: int
    observed: Estimate
    score_black: float
    score_white: float
    mean_discs: float
    pentanomial: tuple[int, ...]
    superiority: float
    failures_a: int
    failures_b: int

    @property
    def score(self) -> Estimate:
        """The score with its interval; NaN for the interval of fewer than 5 pairs of games."""
        return stated(self.observed, sum(self.pentanomial))

    @property
    def elo(self) -> Estimate:
        """The score in Elo; infinite if all games were won or lost, no interval if too few."""
        return stated(in_elo(self.observed), sum(self.pentanomial))

    @property
    def played(self) -> int:
        """Games that both sides played to the end."""
        return self.games - self.failures_a - self.failures_b

    @property
    def document(self) -> dict[str, Any]:
        """The result as in documents: None for infinite values, and what too few games tell."""
        counts = {name: value for name, value in vars(self).items() if name != "observed"}
        score, elo = self.score.columns("score"), self.elo.columns("elo")
        sure = finite(self.superiority)
        return {**counts, **score, **elo, "superiority": sure, "played": self.played}


class StoppedError(EvolveError):
    """Raised when a match is stopped on request; the match keeps its finished pairs."""


@dataclass
class Match:
    """Play A against B, two games on every opening, A black in the first.

    Raises AgentError if an opening starts from a board that cannot be passed to one of them. names:
    those in tables, by default the agents' own.

    Random agents draw from `seed` and the number of the game, so results repeat for any executor.
    With `sprt` the match plays in rounds and ends after the round that decides the test. A program
    that fails loses the game: `failed` is called at once with the number of the game, the name of
    the player and the reason, and `games` has it too. `games` has the games of all finished
    pairs, also after an interruption; a pair is the two games on an opening. If it `grows`, a
    match of more games begins with the games of this one.
    """

    a: Agent
    b: Agent
    openings: Openings
    rules: Rules
    _: KW_ONLY
    names: tuple[str, ...] = ()
    seed: int = 0
    executor: Executor = ONE_THREAD
    sprt: Sprt | None = None
    failed: Callable[[int, str, str], None] = lambda game, name, why: None
    grows: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)
    """Further settings, without spaces, that are part of its identity in files."""

    def __post_init__(self) -> None:
        elsewhere = [n for n, start in enumerate(self.openings.starts, 1) if start != Board.start()]
        for player in (self.a, self.b):
            if elsewhere and player.needs_moves:
                raise AgentError(
                    f"opening {elsewhere[0]} begins elsewhere than at the usual start, and "
                    f"{player.name} can be told games from there only; take another protocol, such "
                    "as nboard:, or openings"
                )
        self.names = self.names or (self.a.name, self.b.name)
        self.players = [self.a.with_rules(self.rules), self.b.with_rules(self.rules)]
        self.repeatable = all(player.repeats for player in self.players)
        if self.sprt and self.repeatable:  # a repeated game adds no information to a test
            self.openings = self.openings.distinct()
        numbers = np.arange(len(self.openings), dtype=np.int64).reshape(1, -1)
        self.pairings = schedule(all_pairs(2), numbers)
        self._series = Series(
            self.players,
            self.pairings,
            self.openings,
            self.rules,
            seed=self.seed,
            executor=self.executor,
            draws=_DRAWS if self.grows else None,
        )
        self._finished = np.zeros(len(self.openings), np.bool_)

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """The numbers of the games played so far, as rows of `pairings`."""
        return np.flatnonzero(np.repeat(self._finished, 2))

    @property
    def games(self) -> Games:
        """The games played so far; raises AgentError if there are none."""
        return self._games_of(self.numbers)

    @property
    def played(self) -> int:
        return 2 * int(self._finished.sum())

    @property
    def result(self) -> MatchResult:
        return _summarize(self.games, repeatable=self.repeatable)

    @property
    def document(self) -> dict[str, Any]:
        """The result so far and the test, as in documents."""
        result = self.result
        if self.sprt is None:
            return result.document
        test = self.sprt.document(result.pentanomial, len(self.pairings) - result.games)
        return {**result.document, "sprt": test}

    def table(self) -> pa.Table:
        """Return the games played so far as rows of the games table."""
        return self.games.table(0, "match", self.names, self.rules, self.openings)

    def recall(self, games: Games, numbers: Sequence[int]) -> None:
        """Load games of this match that were played before; incomplete pairs are not counted."""
        series = self._series
        series.moves[numbers], series.results[numbers] = games.moves, games.results
        series.failures.update({numbers[game]: why for game, why in games.failures.items()})
        played = np.zeros(len(self.pairings), np.bool_)
        played[numbers] = True
        self._finished |= played.reshape(-1, 2).all(axis=1)

    def play(
        self,
        progress: GamesDone | None = None,
        save: Callable[[], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> MatchResult:
        """Play the remaining games; `save` is called whenever pairs finish.

        `stop` is called then, and between the moves of games that are played side by side: if it
        returns true, StoppedError ends the match. Raises EngineError if a program cannot be used
        or every game was lost by failures.
        """

        def check_stop() -> None:
            if stop is not None and stop():
                raise StoppedError("the match was stopped")

        count = len(self.openings)
        size = Sprt.ROUND if self.sprt else count
        for start in range(0, count, size):
            end = min(start + size, count)
            left = [pair for pair in range(start, end) if not self._finished[pair]]
            if left:
                self._play_round(left, progress, save, check_stop)
            if self.sprt is not None:
                result = _summarize(self._games_of(np.arange(2 * end)), self.repeatable)
                if self.sprt.verdict(result.pentanomial) != "undecided":
                    break
        self.check_played()
        return self.result

    def check_played(self) -> None:
        """Raise EngineError if every game so far was lost by a failure: there is no result."""
        if self.result.played:
            return
        parts = [
            f"{player.name} failed, the first time {why}"
            for number, player in enumerate(self.players)
            if (why := self.first_failure(number)) is not None
        ]
        raise EngineError(f"all {self.played} games were lost by failures: {'; '.join(parts)}")

    def first_failure(self, player: int) -> str | None:
        """Return how the program of A (0) or B (1) first failed; None if it did not."""
        failures = map(self._failure, sorted(self._series.failures))
        return next((why for failed, why in failures if failed == player), None)

    def _failure(self, game: int) -> tuple[int, str]:
        side, _, reason = self._series.failures[game].partition(": ")
        return int(self.pairings[game, 0 if side == "black" else 1]), f"as {side}: {reason}"

    def _games_of(self, numbers: npt.NDArray[np.int64]) -> Games:
        if not len(numbers):
            raise AgentError("no game was finished")
        return self._series.games(numbers)

    def _play_round(
        self,
        pairs: Sequence[int],
        progress: GamesDone | None,
        save: Callable[[], None] | None,
        check_stop: Callable[[], None],
    ) -> None:
        numbers = np.array([game for pair in pairs for game in (2 * pair, 2 * pair + 1)])
        playing = self._series.play(numbers, in_pairs=True, check_stop=check_stop)
        with closing(playing) as parts:
            for finished in parts:
                self._finished[finished[::2] // 2] = True
                for game in finished.tolist():
                    if game in self._series.failures:
                        player, why = self._failure(game)
                        self.failed(game, self.names[player], why)
                if progress is not None:
                    progress(len(finished))
                if save is not None:
                    save()
                check_stop()


PlayMatch = Callable[[Match, GamesDone | None], object]
"""Plays a match to its end, such as `Match.play`."""


def fresh_pairs(games: Games, repeatable: bool) -> Floats:
    """Return A's score in each pair of games; of `repeatable` ones only in the first of its kind.

    Agents are repeatable that are neither random nor play by the clock: a second pair of the same
    games adds no information.
    """
    scores = pair_scores(games)
    if not repeatable:
        return scores
    pairs = games.moves.reshape(len(games) // 2, -1)
    _, first = np.unique(pairs, axis=0, return_index=True)
    return scores[np.sort(first)]


def _summarize(games: Games, repeatable: bool) -> MatchResult:
    """Compute the result of a match from its games; player 0 is A; see `fresh_pairs`."""
    a_is_black = games.pairings[:, 0] == 0
    points = np.where(a_is_black, games.winner, -games.winner)
    scores = (points + 1.0) / 2.0
    discs = np.where(a_is_black, games.disc_difference, -games.disc_difference)
    pairs, fresh = pair_scores(games), fresh_pairs(games, repeatable)
    black_failed = np.isin(games.results[:, REASON], FAILED_BLACK)
    white_failed = np.isin(games.results[:, REASON], FAILED_WHITE)
    return MatchResult(
        games=len(games),
        wins=int((points > 0).sum()),
        draws=int((points == 0).sum()),
        losses=int((points < 0).sum()),
        observed=score_of_pairs(fresh)._replace(value=float(pairs.mean()), n=len(games)),
        score_black=float(scores[a_is_black].mean()),
        score_white=float(scores[~a_is_black].mean()),
        mean_discs=float(discs.mean()),
        pentanomial=tuple(np.bincount((4 * fresh).astype(int), minlength=5).tolist()),
        superiority=superiority(fresh),
        failures_a=int(np.where(a_is_black, black_failed, white_failed).sum()),
        failures_b=int(np.where(a_is_black, white_failed, black_failed).sum()),
    )
