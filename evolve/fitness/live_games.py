"""Games that agents play move by move, and the tasks of them, which run here or on a worker."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.agents.reference import reference_agent
from evolve.engine.board import rules as game_rules
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import PASS, Rules
from evolve.errors import EngineError, EvolveError, ResignedError
from evolve.fitness.games import GamesTask, agent_rows, empty_rows, play_task
from evolve.fitness.openings import START_POSITION
from evolve.programs.kept import Answers, kept_program, note, unwanted

_ALIKE: Final = 0.05  # difference of speed below which times stay as they are


class LiveGame:
    """A running game between two agents, given by their numbers.

    It plays its opening and passes by itself; then `to_move` must choose a move on `board`, until
    the game is `over`. `failure` is how a program failed, None if none did.
    """

    def __init__(
        self, start: GameStart, agents: Mapping[int, Agent] | Sequence[Agent], rules: Rules
    ) -> None:
        self.board = start.start
        self.over = False
        self.failure: str | None = None
        self._reason: int | None = None
        self._nodes = {"black": 0, "white": 0}
        self._numbers: dict[Side, int] = {"black": start.black, "white": start.white}
        self._players = {
            side: agents[number].for_game(start.draw + (side == "white"))
            for side, number in self._numbers.items()
        }
        self._book = [square for square in start.opening if square >= 0]
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
            square, nodes = self._players[self.board.side].choose_counted(self.board)
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


class GameStart(NamedTuple):
    """A game to be played: its players by number, what random ones draw from, how it begins."""

    black: int
    white: int
    draw: int
    start: Board
    opening: list[int]


@dataclass(frozen=True)
class LiveTask:
    """Games to be played move by move, with all they need, to run anywhere.

    agents: the players by number; those that are sent may be parcels. answers: how those that are
    programs answer on the machine of the caller; speed: how fast that is (`games_a_second`), where
    an agent has a limit of time.
    """

    agents: Mapping[int, Any]
    games: list[GameStart]
    rules: Rules
    answers: Mapping[int, Answers] = field(default_factory=dict)
    speed: float | None = None


@cache
def games_a_second() -> float:
    """The speed of one core of this machine, in games of a fixed search, measured once."""
    agent = reference_agent("swh").with_settings({"depth": 7}, "swh")
    rows, pairing = agent_rows([agent, agent]), np.array([[0, 1, 0]], np.int32)
    task = GamesTask(rows, pairing, START_POSITION.moves, "standard", 0, agent.table_bits)
    play_task(task)  # touches the table's memory
    # It takes some 20 ms; the shortest of five differs by 2 % from one measurement to the next.
    return 1.0 / min(play_task(task)[2] for _ in range(5))


def _here(task: LiveTask) -> Mapping[int, Agent]:
    """The players of a task, with the times that are fair on this machine."""
    pace = 1.0 if task.speed is None else task.speed / games_a_second()
    if abs(pace - 1.0) < _ALIKE:
        return task.agents
    note(f"times are {pace:.2f} times as long there, as it is {1 / pace:.2f} times as fast")
    return {number: agent.paced(pace) for number, agent in task.agents.items()}


class Parcel:
    """An agent that may weigh much, as it is sent; a worker makes the agent of it once."""

    def __init__(self, agent: Agent) -> None:
        self._content = zlib.compress(pickle.dumps(agent), 1)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (self._content,)


@lru_cache(maxsize=8)
def _unpacked(content: bytes) -> Agent:
    return cast("Agent", pickle.loads(zlib.decompress(content)))


def play_live(
    task: LiveTask, is_stopped: Callable[[], bool] = unwanted
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64], dict[int, str]]:
    """Play the games of a task one after another; return moves, results, failures as in `Games`.

    is_stopped: asked before each move; by default whether a worker's client no longer waits.
    """
    moves, results = empty_rows(len(task.games))
    failures: dict[int, str] = {}
    with ExitStack() as stack:
        agents = {
            number: stack.enter_context(kept_program(agent, task.answers.get(number)))
            for number, agent in _here(task).items()
        }
        for row, start in enumerate(task.games):
            game = LiveGame(start, agents, task.rules)
            while not game.over:
                if is_stopped():  # first: a program might start only to be ended
                    raise EvolveError("the games were stopped")
                game.choose()
            game.write(moves[row], results[row])
            if game.failure is not None:
                failures[row] = game.failure
    return moves, results, failures
