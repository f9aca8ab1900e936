"""Play games between agents of any kind: whole games by the kernels, or move by move."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.engine.board import rules as game_rules
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import PASS, Rules
from evolve.engine.search.context import table_bits_for
from evolve.errors import EngineError, ResignedError
from evolve.fitness.executor import ONE_THREAD, Executor, Threads
from evolve.fitness.games import (
    Games,
    GamesDone,
    GamesTask,
    agent_rows,
    empty_rows,
    parts_of,
    play_task,
    played_by_kernels,
)
from evolve.fitness.openings import Openings


class _LiveGame:
    """A running game between two agents, given by their numbers.

    It plays its opening and passes by itself; then `to_move` must choose a move on `board`, until
    the game is `over`. `failure` is how a program failed, None if none did.
    """

    def __init__(
        self,
        players: dict[int, Agent],
        black: int,
        white: int,
        start: Board,
        opening: list[int],
        rules: Rules,
    ) -> None:
        self.board = start
        self.over = False
        self.failure: str | None = None
        self._reason: int | None = None
        self._nodes = {"black": 0, "white": 0}
        self._players = players
        self._numbers: dict[Side, int] = {"black": black, "white": white}
        self._book = [square for square in opening if square >= 0]
        self._moves: list[int] = []
        self._rules: Rules = rules
        self._advance()

    @property
    def to_move(self) -> int:
        """The number of the agent to move."""
        return self._numbers[self.board.side]

    def choose(self) -> None:
        """Let the agent to move choose and play; a program that fails loses the game."""
        black = self.board.side == "black"
        try:
            square, nodes = self._players[self.to_move].choose_counted(self.board)
        except ResignedError:
            self._reason = game_rules.RESIGNED_BLACK if black else game_rules.RESIGNED_WHITE
        except EngineError as error:
            self.failure = f"{self.board.side}: {error}"
            self._reason = game_rules.FAILED_BLACK if black else game_rules.FAILED_WHITE
        else:
            self.play(square, nodes)
        self.over = self.over or self._reason is not None

    def play(self, square: int, nodes: int) -> None:
        """Play a move of the agent to move; nodes: how many it searched."""
        self._nodes[self.board.side] += nodes
        self.board = self.board.play(square)
        self._moves.append(square)
        self._advance()

    def write(self, moves: npt.NDArray[np.int8], result: npt.NDArray[np.int64]) -> None:
        """Fill the game's rows of moves and of results."""
        moves[: len(self._moves)] = self._moves
        if self._reason is None:
            result[game_rules.OUTCOME] = np.sign(self.board.score_of("black", self._rules))
        else:
            result[game_rules.REASON] = self._reason
        result[game_rules.DISCS_BLACK] = self.board.discs("black")
        result[game_rules.DISCS_WHITE] = self.board.discs("white")
        result[game_rules.PLIES] = len(self._moves)
        result[game_rules.NODES_BLACK] = self._nodes["black"]
        result[game_rules.NODES_WHITE] = self._nodes["white"]

    def _advance(self) -> None:
        while not self.board.is_over():
            if not self.board.legal_moves():
                self.board = self.board.pass_move()
                self._moves.append(PASS)
            elif self._book:
                square = self._book.pop(0)
                self.board = self.board.play(square)
                self._moves.append(square)
            else:
                return
        self.over = True


_Numbers = npt.NDArray[np.int64]
"""Numbers of games."""


@dataclass
class Series:
    """The games of `pairings` [N, 3] (black, white, opening), to be played part by part.

    `moves` and `results` have the rows of games that are played, `failures` how programs failed, by
    number of the game. Random agents draw from `seed` and the number of the game, so results do not
    depend on the executor; `draws` is how many such numbers a seed has, by default as many as
    there are games. Games with agents that play move by move stay on its threads of this
    machine. `move_budget` and `largest_endgame` are for the kernels, see `play_games`.
    """

    agents: Sequence[Agent]
    pairings: npt.NDArray[np.int32]
    openings: Openings
    rules: Rules
    seed: int = 0
    move_budget: int = 0
    largest_endgame: int | None = None
    executor: Executor = ONE_THREAD
    draws: int | None = None

    def __post_init__(self) -> None:
        self.moves, self.results = empty_rows(len(self.pairings))
        self.failures: dict[int, str] = {}

    def games(self, numbers: _Numbers) -> Games:
        failures = {
            row: self.failures[number]
            for row, number in enumerate(numbers.tolist())
            if number in self.failures
        }
        return Games(self.pairings[numbers], self.moves[numbers], self.results[numbers], failures)

    def play(
        self,
        numbers: _Numbers,
        *,
        in_pairs: bool = False,
        check_stop: Callable[[], None] = lambda: None,
    ) -> Generator[_Numbers, None, None]:
        """Play games; yield the numbers of each part as it finishes.

        in_pairs: whether every two of the numbers belong together; then parts are whole pairs, and
        slow games come pair by pair, so that finished pairs are saved soon. check_stop: called
        between the moves of games that are played side by side; what it raises ends them.
        """
        stop = threading.Event()
        try:
            for agent in self.agents:
                agent.prepare()
            if played_by_kernels(self.agents, self.openings):
                yield from self._by_kernels(numbers, in_pairs)
            elif any(agent.together for agent in self.agents):
                yield from self._side_by_side(numbers, check_stop)
            else:
                yield from self._one_by_one(numbers, in_pairs, stop)
        except BaseException:
            # Otherwise threads that wait for a program continue and start more games.
            stop.set()
            for agent in self.agents:
                agent.interrupt()
            raise

    def _by_kernels(self, numbers: _Numbers, in_pairs: bool) -> Iterator[_Numbers]:
        bits = max(agent.table_bits for agent in self.agents)
        if self.largest_endgame is not None:
            bits = table_bits_for(self.largest_endgame)
        every = GamesTask(
            agent_rows(self.agents),
            self.pairings,
            self.openings.moves,
            self.rules,
            self.move_budget,
            bits,
        )
        parts: list[slice] = []
        seconds = math.inf

        def tasks() -> Iterator[GamesTask]:
            start = 0
            while start < len(numbers):
                step = self.executor.games(len(numbers), seconds)
                if in_pairs and seconds >= 0.02:  # a task of joblib costs 0.3 ms
                    step = 2
                parts.append(slice(start, min(start + step, len(numbers))))
                start = parts[-1].stop
                yield every.part(numbers[parts[-1]])

        with closing(self.executor.run(play_task, tasks())) as answers:
            for number, (moves, results, took) in answers:
                finished = numbers[parts[number]]
                seconds = took / len(finished)
                self.moves[finished], self.results[finished] = moves, results
                yield finished

    def _one_by_one(
        self, numbers: _Numbers, in_pairs: bool, stop: threading.Event
    ) -> Iterator[_Numbers]:
        """Play games move by move, on each thread one after another."""

        def play(part: slice) -> None:
            for number in numbers[part].tolist():
                game = self._start(number)
                while not game.over:
                    game.choose()
                    if stop.is_set():
                        return
                self._finish(number, game)

        parts = parts_of(len(numbers), 2 if in_pairs else 1)
        with closing(Threads(self.executor.threads).run(play, parts)) as finished:
            for number, _ in finished:
                yield numbers[parts[number]]

    def _side_by_side(
        self, numbers: _Numbers, check_stop: Callable[[], None]
    ) -> Iterator[_Numbers]:
        """Play 256 games at once, so that an agent chooses moves for many boards per call."""
        for part in parts_of(len(numbers), 256):
            games = {number: self._start(number) for number in numbers[part].tolist()}
            while not all(game.over for game in games.values()):
                check_stop()
                for number, agent in enumerate(self.agents):
                    _choose(
                        agent, [g for g in games.values() if not g.over and g.to_move == number]
                    )
            for number, game in games.items():
                self._finish(number, game)
            yield numbers[part]

    def _start(self, number: int) -> _LiveGame:
        black, white, opening = self.pairings[number].tolist()
        draw = 2 * (self.seed * (self.draws or len(self.pairings)) + number)
        players = {
            black: self.agents[black].for_game(draw),
            white: self.agents[white].for_game(draw + 1),
        }
        return _LiveGame(players, black, white, *self.openings.begin(opening), self.rules)

    def _finish(self, number: int, game: _LiveGame) -> None:
        game.write(self.moves[number], self.results[number])
        if game.failure is not None:
            self.failures[number] = game.failure


def _choose(agent: Agent, games: Sequence[_LiveGame]) -> None:
    """Let an agent choose and play its moves in `games`, where it is to move."""
    if not agent.together:
        for game in games:
            game.choose()
        return
    chosen = agent.choose_all([game.board for game in games])
    for game, (square, nodes) in zip(games, chosen, strict=True):
        game.play(square, nodes)


def play_games(
    agents: Sequence[Agent],
    pairings: npt.NDArray[np.int32],
    openings: Openings,
    rules: Rules,
    *,
    move_budget: int = 0,
    largest_endgame: int | None = None,
    executor: Executor = ONE_THREAD,
    progress: GamesDone | None = None,
) -> Games:
    """Play the games of `pairings` [N, 3] (black, white, opening).

    Results do not depend on the executor. `move_budget` is in nodes per move, 0 for no limit.
    `largest_endgame` sets the table size, which affects node counts; by default the agents set it.
    """
    series = Series(
        agents,
        pairings,
        openings,
        rules,
        move_budget=move_budget,
        largest_endgame=largest_endgame,
        executor=executor,
    )
    numbers = np.arange(len(pairings))
    with closing(series.play(numbers)) as parts:
        for finished in parts:
            if progress is not None:
                progress(len(finished))
    return series.games(numbers)
