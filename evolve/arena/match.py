"""A match between two agents of any kind: both colours on every opening."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.arena.sprt import PAIR_SCORES, Sprt
from evolve.engine.board import Board
from evolve.engine.results import (
    FAILED_BLACK,
    FAILED_WHITE,
    REASON,
    RESULT_COLUMNS,
)
from evolve.engine.rules import MAX_PLIES, NO_MOVE, Rules
from evolve.errors import AgentError, EngineError, EvolveError
from evolve.fitness.executor import ONE_THREAD, Executor, Threads
from evolve.fitness.games import (
    Games,
    GamesDone,
    GamesTask,
    TaskMaker,
    check_played,
    parts_of,
    play_task,
    played_by_kernels,
    winner_of,
)
from evolve.fitness.openings import Openings
from evolve.fitness.playing import LiveGame
from evolve.fitness.roundrobin import all_pairs, pair_scores, schedule
from evolve.fitness.statistics import Estimate, in_elo, score_of_pairs, superiority

_WIDE_ROUND: Final = 128
_TEST_ROUND: Final = 16
"""Pairs per round: the first for agents asked for many moves at once, the second under a test,
which must not depend on the executor."""
_QUICK_GAME: Final = 0.02
"""Seconds per game below which games are played in batches: a task of joblib costs 0.3 ms."""

Watch = Callable[[int, LiveGame], None]
"""Called with a game's number and the game, at its first choice and after every move."""
_Pairs = Generator[Sequence[int], None, None]
"""Numbers of pairs, in the order in which they finish."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match, from A's side.

    score: with its interval, over pairs of games; score_black, score_white: A's score with
    each colour; mean_discs: A's discs − B's at the end, per game; pentanomial: how many pairs of
    games gave A 0, ½, 1, 1½ and 2 points, without repeated pairs; superiority: likelihood that A
    is stronger; failures_a, failures_b: games lost because the program failed.
    """

    games: int
    wins: int
    draws: int
    losses: int
    score: Estimate
    score_black: float
    score_white: float
    mean_discs: float
    pentanomial: tuple[int, ...]
    superiority: float
    failures_a: int
    failures_b: int

    @property
    def elo(self) -> Estimate:
        """The score in Elo; infinite if all games were won or lost."""
        return in_elo(self.score)

    @property
    def played(self) -> int:
        """Games that both sides played to the end."""
        return self.games - self.failures_a - self.failures_b


class StoppedError(EvolveError):
    """Raised when a match is stopped on request; the match keeps its finished pairs."""

    def __init__(self) -> None:
        super().__init__("the match was stopped")


class Match:
    """Play A against B, two games on every opening, A black in the first.

    Raises AgentError if an opening starts from a board that cannot be passed to one of them.

    Random agents draw from `seed` and the number of the game, so results repeat for any executor.
    With `sprt` the match plays in rounds and ends after the round that decides the test. A program
    that fails loses the game: `failed` is called at once with the numbers of the game and the
    player (0 is A) and the reason, and `games` has it too. `games` has the games of all finished
    pairs, also after an interruption; a pair is the two games on an opening. With `watch` games
    are played one after another, move by move: the same games, but slower.
    """

    def __init__(
        self,
        a: Agent,
        b: Agent,
        openings: Openings,
        rules: Rules,
        *,
        seed: int = 0,
        executor: Executor = ONE_THREAD,
        sprt: Sprt | None = None,
        failed: Callable[[int, int, str], None] | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._watch = watch
        _check_starts((a, b), openings)
        self.players = [a.with_rules(rules), b.with_rules(rules)]
        self.repeatable = all(player.repeats for player in self.players)
        # A repeated game adds no information to a test.
        self.openings = openings.distinct() if sprt and self.repeatable else openings
        self.rules: Rules = rules
        self.seed = seed
        self.executor = executor
        self._threads = executor.threads
        self.sprt = sprt
        numbers = np.arange(len(self.openings), dtype=np.int64).reshape(1, -1)
        self.pairings = schedule(all_pairs(2), numbers)
        self._failed = failed
        self._moves = np.full((len(self.pairings), MAX_PLIES), NO_MOVE, np.int8)
        self._results = np.zeros((len(self.pairings), RESULT_COLUMNS), np.int64)
        self._failures: dict[int, str] = {}
        self._finished = np.zeros(len(self.openings), np.bool_)
        self._stop = threading.Event()
        self._wish: Callable[[], bool] | None = None

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
        """The number of games played so far."""
        return 2 * int(self._finished.sum())

    @property
    def result(self) -> MatchResult:
        """A's result so far."""
        return summarize(self.games, repeatable=self.repeatable)

    def recall(self, games: Games, numbers: Sequence[int]) -> None:
        """Load games of this match that were played before; incomplete pairs are not counted."""
        self._moves[numbers] = games.moves
        self._results[numbers] = games.results
        self._failures.update({numbers[game]: why for game, why in games.failures.items()})
        there = np.zeros(len(self.pairings), np.bool_)
        there[numbers] = True
        self._finished |= there.reshape(-1, 2).all(axis=1)

    def play(
        self,
        progress: GamesDone | None = None,
        kept: Callable[[], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> MatchResult:
        """Play the remaining games; `kept` is called whenever pairs finish.

        `stop` is called then, and between the moves of games that are played side by side: if it
        returns true, StoppedError ends the match. Raises EngineError if a program cannot be used
        or every game was lost by failures.
        """
        self._wish = stop
        play = self._play_one_by_one
        if self._watch is not None:
            self._threads = 1  # one game at a time
        elif played_by_kernels(self.players, self.openings):
            play = self._play_kernels
        elif any(player.together for player in self.players):
            play = self._play_side_by_side
        count = len(self.openings)
        size = _TEST_ROUND if self.sprt else count
        for start in range(0, count, size):
            end = min(start + size, count)
            left = [pair for pair in range(start, end) if not self._finished[pair]]
            if left:
                self._play_round(left, play, progress, kept)
            if self._decided(end):
                break
        self.check_played()
        return self.result

    def check_played(self) -> None:
        """Raise EngineError if every game so far was lost by a failure: there is no result."""
        if self.result.played == 0:
            raise EngineError(self._how_all_failed())

    def first_failure(self, player: int) -> str | None:
        """Return how the program of A (0) or B (1) first failed; None if it did not."""
        for game in sorted(self._failures):
            side, _, reason = self._failures[game].partition(": ")
            if self.pairings[game, 0 if side == "black" else 1] == player:
                return f"as {side}: {reason}"
        return None

    def _how_all_failed(self) -> str:
        found = [(player.name, self.first_failure(n)) for n, player in enumerate(self.players)]
        parts = [f"{name} failed, the first time {why}" for name, why in found if why is not None]
        return f"all {self.played} games were lost by failures: {'; '.join(parts)}"

    def _decided(self, pairs: int) -> bool:
        """Whether the first `pairs` pairs, all finished, decide the test."""
        if self.sprt is None:
            return False
        result = summarize(self._games_of(np.arange(2 * pairs)), self.repeatable)
        return self.sprt.verdict(result.pentanomial) != "undecided"

    def _games_of(self, numbers: npt.NDArray[np.int64]) -> Games:
        if not len(numbers):
            raise AgentError("no game was finished")
        results = self._results[numbers]
        failures = {
            row: self._failures[number]
            for row, number in enumerate(numbers.tolist())
            if number in self._failures
        }
        return Games(
            self.pairings[numbers],
            self._moves[numbers],
            results,
            winner_of(results),
            failures,
        )

    def _play_round(
        self,
        pairs: Sequence[int],
        play: Callable[[Sequence[int]], _Pairs],
        progress: GamesDone | None,
        kept: Callable[[], None] | None,
    ) -> None:
        """Play pairs; `play` yields their numbers as they finish."""
        self._stop = threading.Event()
        try:
            for player in self.players:
                player.prepare()
            with closing(play(pairs)) as parts:
                for finished in parts:
                    self._finished[finished] = True
                    if self._failed is not None:
                        self._tell_failures(finished, self._failed)
                    if progress is not None:
                        progress(2 * len(finished))
                    if kept is not None:
                        kept()
                    self._end_if_wished()
        except BaseException:
            # Otherwise threads that wait for a program continue and start more games.
            self._stop.set()
            for player in self.players:
                player.interrupt()
            raise

    def _end_if_wished(self) -> None:
        if self._wish is not None and self._wish():
            raise StoppedError

    def _tell_failures(self, pairs: Sequence[int], failed: Callable[[int, int, str], None]) -> None:
        for number in (game for pair in pairs for game in (2 * pair, 2 * pair + 1)):
            if number in self._failures:
                side, _, reason = self._failures[number].partition(": ")
                player = int(self.pairings[number, 0 if side == "black" else 1])
                failed(number, player, f"as {side}: {reason}")

    def _play_kernels(self, pairs: Sequence[int]) -> _Pairs:
        numbers = np.array([game for pair in pairs for game in (2 * pair, 2 * pair + 1)])
        maker = TaskMaker(self.players, self.openings, self.rules)
        parts: list[slice] = []
        seconds = math.inf

        def tasks() -> Iterator[GamesTask]:
            """Yield tasks; slow games come pair by pair, so that finished pairs are saved soon."""
            start = 0
            while start < len(numbers):
                size = self.executor.games(len(numbers)) if seconds < _QUICK_GAME else 2
                parts.append(slice(start, min(start + size, len(numbers))))
                start = parts[-1].stop
                yield maker.task(self.pairings[numbers[parts[-1]]])

        with closing(self.executor.run(play_task, tasks(), check_played)) as answers:
            for number, played in answers:
                part = parts[number]
                seconds = played.seconds / (part.stop - part.start)
                self._moves[numbers[part]] = played.moves
                self._results[numbers[part]] = played.results
                yield pairs[part.start // 2 : part.stop // 2]

    def _play_one_by_one(self, pairs: Sequence[int]) -> _Pairs:
        """Play games move by move, if not all agents run in the kernels."""
        stop = self._stop

        def play(part: slice) -> None:
            for pair in pairs[part]:
                for number in (2 * pair, 2 * pair + 1):
                    game = self._begun(number)
                    if self._watch is not None:
                        self._watch(number, game)
                    while not game.over:
                        game.choose()
                        if self._watch is not None:
                            self._watch(number, game)
                        if stop.is_set():
                            return
                    self._end(number, game)

        parts = parts_of(len(pairs), 1)
        with closing(Threads(self._threads).run(play, parts)) as finished:
            for number, _ in finished:
                yield pairs[parts[number]]

    def _play_side_by_side(self, pairs: Sequence[int]) -> _Pairs:
        """Play many games at once, so that an agent chooses moves for many boards per call."""
        for start in range(0, len(pairs), _WIDE_ROUND):
            part = pairs[start : start + _WIDE_ROUND]
            games = {n: self._begun(n) for pair in part for n in (2 * pair, 2 * pair + 1)}
            while not all(game.over for game in games.values()):
                self._end_if_wished()
                for number, player in enumerate(self.players):
                    mine = [g for g in games.values() if not g.over and g.to_move == number]
                    self._choose(player, mine)
            for number, game in games.items():
                self._end(number, game)
            yield part

    @staticmethod
    def _choose(player: Agent, games: Sequence[LiveGame]) -> None:
        """Let an agent choose and play its moves in `games`, where it is to move."""
        if not player.together:
            for game in games:
                game.choose()
            return
        chosen = player.choose_all([game.board for game in games])
        for game, (square, nodes) in zip(games, chosen, strict=True):
            game.play(square, nodes)

    def _begun(self, number: int) -> LiveGame:
        """Start a game and play its opening."""
        black, white, opening = self.pairings[number].tolist()
        draw = 2 * (self.seed * len(self.pairings) + number)
        pair = {
            black: self.players[black].for_game(draw),
            white: self.players[white].for_game(draw + 1),
        }
        return LiveGame(pair, black, white, *self.openings.begin(opening), self.rules)

    def _end(self, number: int, game: LiveGame) -> None:
        """Record a finished game."""
        game.write(self._moves[number], self._results[number])
        if game.failure is not None:
            self._failures[number] = game.failure


def _check_starts(players: Sequence[Agent], openings: Openings) -> None:
    """Raise AgentError if a player cannot start from the board of an opening."""
    for number, start in enumerate(openings.starts, 1):
        name = next((player.name for player in players if player.needs_moves), None)
        if name is not None and start != Board.start():
            raise AgentError(
                f"opening {number} begins elsewhere than at the usual start, and {name} can be "
                "told games from there only; take another protocol, such as nboard:, or openings"
            )


def play_match(
    a: Agent,
    b: Agent,
    openings: Openings,
    rules: Rules,
    *,
    seed: int = 0,
    executor: Executor = ONE_THREAD,
    progress: GamesDone | None = None,
) -> tuple[MatchResult, Games]:
    """Play a complete match; return its result and games."""
    match = Match(a, b, openings, rules, seed=seed, executor=executor)
    return match.play(progress), match.games


def summarize(games: Games, repeatable: bool) -> MatchResult:
    """Compute the result of a match from its games; player 0 is A.

    `repeatable`: the agents are neither random nor play by the clock, so a second pair of games on
    the same opening adds no information.
    """
    a_is_black = games.pairings[:, 0] == 0
    points = np.where(a_is_black, games.winner, -games.winner)
    scores = (points + 1.0) / 2.0
    discs = np.where(a_is_black, games.disc_difference, -games.disc_difference)
    pairs = pair_scores(games)
    fresh = pairs[_fresh_pairs(games)] if repeatable else pairs
    black_failed = np.isin(games.results[:, REASON], FAILED_BLACK)
    white_failed = np.isin(games.results[:, REASON], FAILED_WHITE)
    return MatchResult(
        games=len(games),
        wins=int((points > 0).sum()),
        draws=int((points == 0).sum()),
        losses=int((points < 0).sum()),
        score=score_of_pairs(fresh)._replace(value=float(pairs.mean()), n=len(games)),
        score_black=float(scores[a_is_black].mean()),
        score_white=float(scores[~a_is_black].mean()),
        mean_discs=float(discs.mean()),
        pentanomial=tuple(int((fresh == score).sum()) for score in PAIR_SCORES),
        superiority=superiority(fresh),
        failures_a=int(np.where(a_is_black, black_failed, white_failed).sum()),
        failures_b=int(np.where(a_is_black, white_failed, black_failed).sum()),
    )


def _fresh_pairs(games: Games) -> npt.NDArray[np.int64]:
    """Return the numbers of the pairs that do not repeat an earlier one."""
    pairs = games.moves.reshape(len(games) // 2, -1)
    _, first = np.unique(pairs, axis=0, return_index=True)
    return np.sort(first)
