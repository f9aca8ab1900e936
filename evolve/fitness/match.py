"""A match between two agents of any kind: both colours on every opening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.protocol import Agent
from evolve.engine import game as kernels
from evolve.engine.board import Board, Rules, Side
from evolve.errors import AgentError, EngineError
from evolve.fitness.games import Games, Progress, in_batches, joined, play_games, winner_of
from evolve.fitness.openings import Openings
from evolve.fitness.ratings import Score, score_of_pairs, superiority
from evolve.fitness.roundrobin import schedule
from evolve.fitness.sprt import PAIR_SCORES, Sprt

_ROUND: Final = 1024
_SLOW_ROUND: Final = 8
_TEST_ROUND: Final = 32
"""Games a round: of agents that are all kernels, of others for each job, under a test. The last
must not depend on the number of jobs, for a test must not."""


@dataclass(frozen=True)
class MatchResult:
    """A match as A sees it.

    score: with its interval, over pairs of games; score_black, score_white: A's score with
    either colour; mean_discs: A's discs − B's at the end, a game; pentanomial: how many pairs of
    games brought A 0, ½, 1, 1½ and 2 points, pairs played over again left out; superiority:
    likelihood that A is the stronger; failures_a, failures_b: games lost because the program
    failed.
    """

    games: int
    wins: int
    draws: int
    losses: int
    score: Score
    score_black: float
    score_white: float
    mean_discs: float
    pentanomial: tuple[int, ...]
    superiority: float
    failures_a: int
    failures_b: int


def common_rules(agents: Sequence[Agent], asked: Rules | None = None) -> Rules:
    """The rules that all agents play by; those asked for come first, `standard` last.

    Raises AgentError when agents differ and nothing was asked for.
    """
    if asked is not None:
        return asked
    found: dict[Rules, str] = {}
    for agent in agents:
        if agent.rules is not None:
            found.setdefault(agent.rules, agent.name)
    if len(found) > 1:
        parts = " and ".join(f"{name} plays {rules}" for rules, name in found.items())
        raise AgentError(f"{parts}: agents of different rules; choose with --rules")
    return next(iter(found), "standard")


class Match:
    """A against B, two games on every opening, A black in the first, played round by round.

    Agents that draw at random draw from `seed` and the number of the game, so results repeat
    for any `jobs`. With `sprt` it ends after the round in which the test is decided. A program
    that fails loses the game, and `games` says why. `games` are those played so far: after an
    interruption all those of whole rounds are there.
    """

    def __init__(
        self,
        a: Agent,
        b: Agent,
        openings: Openings,
        rules: Rules,
        *,
        seed: int = 0,
        jobs: int = 1,
        sprt: Sprt | None = None,
    ) -> None:
        self.players = [a.with_rules(rules), b.with_rules(rules)]
        self.kernels_only = all(isinstance(player, AlphaBetaAgent) for player in self.players)
        self.repeatable = all(map(repeats, self.players))
        # A test learns nothing from a game that it has seen.
        self.openings = openings.distinct() if sprt and self.repeatable else openings
        self.rules: Rules = rules
        self.seed = seed
        self.jobs = jobs
        self.sprt = sprt
        numbers = np.arange(len(self.openings), dtype=np.int64).reshape(1, -1)
        self.pairings = schedule(2, numbers)
        self._parts: list[Games] = []

    @property
    def games(self) -> Games:
        """The games played so far; AgentError when there is none."""
        if not self._parts:
            raise AgentError("no game was finished")
        return joined(self._parts)

    @property
    def played(self) -> int:
        """How many games were played."""
        return sum(map(len, self._parts))

    @property
    def result(self) -> MatchResult:
        """What A reached so far."""
        return summarize(self.games, repeatable=self.repeatable)

    def play(self, progress: Progress | None = None) -> MatchResult:
        """Play what is left."""
        play_round = self._play_kernels if self.kernels_only else self._play_one_by_one
        size = (
            _TEST_ROUND if self.sprt else _ROUND if self.kernels_only else _SLOW_ROUND * self.jobs
        )
        for start in range(self.played, len(self.pairings), size):
            self._parts.append(play_round(slice(start, start + size), progress))
            if self.sprt and self.sprt.verdict(self.result.pentanomial) != "undecided":
                break
        return self.result

    def _play_kernels(self, part: slice, progress: Progress | None) -> Games:
        agents = [player for player in self.players if isinstance(player, AlphaBetaAgent)]
        return play_games(
            agents,
            self.pairings[part],
            self.openings,
            self.rules,
            jobs=self.jobs,
            progress=progress,
        )

    def _play_one_by_one(self, part: slice, progress: Progress | None) -> Games:
        """Games between agents that are not all kernels, a move at a time."""
        pairings = self.pairings[part]
        moves = np.full((len(pairings), kernels.MAX_PLIES), kernels.NO_MOVE, np.int8)
        results = np.zeros((len(pairings), kernels.RESULT_COLUMNS), np.int64)
        failures: dict[int, str] = {}

        def play(batch: slice) -> None:
            for game in range(batch.start, batch.stop):
                black, white, opening = pairings[game].tolist()
                number = 2 * (self.seed * len(self.pairings) + part.start + game)
                pair: dict[Side, Agent] = {
                    "black": self.players[black].for_game(number),
                    "white": self.players[white].for_game(number + 1),
                }
                book = self.openings.moves[opening].tolist()
                failure = _play_game(pair, book, moves[game], results[game])
                if failure:
                    failures[game] = failure

        in_batches(len(pairings), play, self.jobs, progress, batch=2)
        winner = winner_of(results, self.rules)
        return Games(pairings, moves, results, winner, dict(sorted(failures.items())))


def repeats(agent: Agent) -> bool:
    """Whether an agent plays the same moves whenever it meets the same positions."""
    if isinstance(agent, MctsAgent):
        return agent.network is not None and agent.seconds is None and not agent.reuse
    return isinstance(agent, AlphaBetaAgent | DqnAgent)


def play_match(
    a: Agent,
    b: Agent,
    openings: Openings,
    rules: Rules,
    *,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[MatchResult, Games]:
    """A whole match, and its games."""
    match = Match(a, b, openings, rules, seed=seed, jobs=jobs)
    return match.play(progress), match.games


def summarize(games: Games, repeatable: bool) -> MatchResult:
    """The result of a match from its games, player 0 being A.

    `repeatable` says that the agents neither draw at random nor play by the clock, so that a pair
    of games on an opening they have played says nothing new.
    """
    a_is_black = games.pairings[:, 0] == 0
    points = np.where(a_is_black, games.winner, -games.winner)
    scores = (points + 1.0) / 2.0
    discs = np.where(a_is_black, games.disc_difference, -games.disc_difference)
    pairs = scores.reshape(-1, 2).mean(axis=1)
    fresh = pairs[_fresh_pairs(games)] if repeatable else pairs
    black_failed = np.isin(games.results[:, kernels.REASON], kernels.FAILED_BLACK)
    white_failed = np.isin(games.results[:, kernels.REASON], kernels.FAILED_WHITE)
    return MatchResult(
        games=len(games),
        wins=int((points > 0).sum()),
        draws=int((points == 0).sum()),
        losses=int((points < 0).sum()),
        score=replace(score_of_pairs(fresh), score=float(pairs.mean()), games=len(games)),
        score_black=float(scores[a_is_black].mean()),
        score_white=float(scores[~a_is_black].mean()),
        mean_discs=float(discs.mean()),
        pentanomial=tuple(int((fresh == score).sum()) for score in PAIR_SCORES),
        superiority=superiority(fresh),
        failures_a=int(np.where(a_is_black, black_failed, white_failed).sum()),
        failures_b=int(np.where(a_is_black, white_failed, black_failed).sum()),
    )


def _fresh_pairs(games: Games) -> npt.NDArray[np.int64]:
    """Numbers of the pairs that do not only repeat an earlier one."""
    pairs = games.moves.reshape(len(games) // 2, -1)
    _, first = np.unique(pairs, axis=0, return_index=True)
    return np.sort(first)


def _play_game(
    players: dict[Side, Agent], opening: list[int], moves: np.ndarray, result: np.ndarray
) -> str | None:
    """One game into a row of moves and of results; how a program failed, if one did."""
    board, plies = Board.start(), 0
    book = [square for square in opening if square >= 0]
    failure = None
    while not board.is_over():
        if not board.legal_moves():
            moves[plies] = kernels.PASS
            board = board.pass_move()
        else:
            try:
                square = book.pop(0) if book else players[board.side].choose(board)
            except EngineError as error:
                black = board.side == "black"
                result[kernels.REASON] = kernels.FAILED_BLACK if black else kernels.FAILED_WHITE
                failure = f"{board.side}: {error}"
                break
            moves[plies] = square
            board = board.play(square)
        plies += 1
    result[kernels.DISCS_BLACK] = board.discs("black")
    result[kernels.DISCS_WHITE] = board.discs("white")
    result[kernels.PLIES] = plies
    return failure
