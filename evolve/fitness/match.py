"""A match between two agents of any kind: both colours on every opening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeGuard

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
_WIDE_ROUND: Final = 256
_SLOW_ROUND: Final = 8
_TEST_ROUND: Final = 32
"""Games a round: of agents that are all kernels, of those that are asked together, of others for
each job, under a test. The last must not depend on the number of jobs, for a test must not."""


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
        play_round, size = self._play_one_by_one, _SLOW_ROUND * self.jobs
        if self.kernels_only:
            play_round, size = self._play_kernels, _ROUND
        elif any(map(asks_together, self.players)):
            play_round, size = self._play_side_by_side, _WIDE_ROUND
        if self.sprt:
            size = _TEST_ROUND
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
        games = self._begun(part)

        def play(batch: slice) -> None:
            for game in games[batch]:
                while not game.over:
                    game.choose()

        in_batches(len(games), play, self.jobs, progress, batch=2)
        return self._ended(part, games)

    def _play_side_by_side(self, part: slice, progress: Progress | None) -> Games:
        """The games all at once, so that an agent is asked for its moves in many together."""
        games = self._begun(part)
        going = [game for game in games if not game.over]
        while going:
            for number, player in enumerate(self.players):
                mine = [game for game in going if not game.over and game.to_move == number]
                if not mine:
                    continue
                if asks_together(player):
                    squares = player.choose_all([game.board for game in mine])
                    for game, square in zip(mine, squares, strict=True):
                        game.play(square)
                else:
                    for game in mine:
                        game.choose()
            still = [game for game in going if not game.over]
            if progress is not None:
                progress(len(going) - len(still))
            going = still
        return self._ended(part, games)

    def _begun(self, part: slice) -> list[_Game]:
        """The games of a round, their openings played."""
        games = []
        for number, pairing in enumerate(self.pairings[part].tolist(), part.start):
            black, white, opening = pairing
            draw = 2 * (self.seed * len(self.pairings) + number)
            pair = {
                black: self.players[black].for_game(draw),
                white: self.players[white].for_game(draw + 1),
            }
            games.append(_Game(pair, black, white, self.openings.moves[opening].tolist()))
        return games

    def _ended(self, part: slice, games: list[_Game]) -> Games:
        """Their record."""
        moves = np.full((len(games), kernels.MAX_PLIES), kernels.NO_MOVE, np.int8)
        results = np.zeros((len(games), kernels.RESULT_COLUMNS), np.int64)
        failures = {}
        for number, game in enumerate(games):
            game.write(moves[number], results[number])
            if game.failure is not None:
                failures[number] = game.failure
        winner = winner_of(results, self.rules)
        return Games(self.pairings[part], moves, results, winner, failures)


def asks_together(agent: Agent) -> TypeGuard[MctsAgent]:
    """Whether an agent is the faster for being asked about many boards at once."""
    return isinstance(agent, MctsAgent) and agent.evaluate is not None


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


class _Game:
    """A game in hand, between the agents of two numbers.

    It plays its opening, and passes, by itself; then `board` is where `to_move` has to choose,
    until it is `over`. `failure` says how a program failed, if one did.
    """

    def __init__(
        self, players: dict[int, Agent], black: int, white: int, opening: list[int]
    ) -> None:
        self.board = Board.start()
        self.over = False
        self.failure: str | None = None
        self._players = players
        self._numbers: dict[Side, int] = {"black": black, "white": white}
        self._book = [square for square in opening if square >= 0]
        self._moves: list[int] = []
        self._go_on()

    @property
    def to_move(self) -> int:
        """The number of the agent whose turn it is."""
        return self._numbers[self.board.side]

    def choose(self) -> None:
        """Let the agent whose turn it is play; where it is a program that fails, it has lost."""
        try:
            self.play(self._players[self.to_move].choose(self.board))
        except EngineError as error:
            self.failure = f"{self.board.side}: {error}"
            self.over = True

    def play(self, square: int) -> None:
        """Play a move of the agent whose turn it is."""
        self.board = self.board.play(square)
        self._moves.append(square)
        self._go_on()

    def write(self, moves: npt.NDArray[np.int8], result: npt.NDArray[np.int64]) -> None:
        """Fill a row of moves and of results."""
        moves[: len(self._moves)] = self._moves
        if self.failure is not None:
            black = self.board.side == "black"
            result[kernels.REASON] = kernels.FAILED_BLACK if black else kernels.FAILED_WHITE
        result[kernels.DISCS_BLACK] = self.board.discs("black")
        result[kernels.DISCS_WHITE] = self.board.discs("white")
        result[kernels.PLIES] = len(self._moves)

    def _go_on(self) -> None:
        while not self.board.is_over():
            if not self.board.legal_moves():
                self.board = self.board.pass_move()
                self._moves.append(kernels.PASS)
            elif self._book:
                square = self._book.pop(0)
                self.board = self.board.play(square)
                self._moves.append(square)
            else:
                return
        self.over = True
