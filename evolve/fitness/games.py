"""Finished games, and the tasks in which kernels play those of agents with a row."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evolve.agents.agent import Agent
from evolve.engine.board import rules as game_rules
from evolve.engine.board.rules import Rules, rule_set
from evolve.engine.games import game as kernels
from evolve.engine.games.game import new_context
from evolve.fitness.executor import BATCH, Threads
from evolve.fitness.openings import Openings
from evolve.records.positions import start_text
from evolve.tables.columns import array_of, repeated
from evolve.tables.games import (
    FAILED,
    GAMES_COLUMNS,
    REASONS,
    RULES,
    START,
    WINNERS,
    move_texts,
    results_by_name,
)

GamesDone = Callable[[int], None]
"""Called with the number of games finished since the last call."""


def counted(total: int, progress: Callable[[int, int], None]) -> GamesDone:
    """Return a GamesDone that reports the number of games so far, and the total."""
    done = 0

    def count(games: int) -> None:
        nonlocal done
        done += games
        progress(done, total)

    return count


@dataclass(frozen=True)
class Games:
    """N finished games.

    pairings [N, 3]: black, white, opening (indices given by the caller); moves [N, MAX_PLIES]:
    squares, 64 for a pass, −1 after the end; results [N, RESULT_COLUMNS]; failures: why programs
    failed, by number of the game.
    """

    pairings: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int8]
    results: npt.NDArray[np.int64]
    failures: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pairings)

    @cached_property
    def winner(self) -> npt.NDArray[np.int8]:
        """The winner of each game, [N]: 1 black, 0 draw, −1 white.

        It is decided by the rules, or by which side ran out of nodes, failed or resigned.
        """
        winner: npt.NDArray[np.int8] = self.results[:, game_rules.OUTCOME].astype(np.int8)
        reason = self.results[:, game_rules.REASON]
        black = game_rules.OVER_BUDGET_BLACK, game_rules.FAILED_BLACK, game_rules.RESIGNED_BLACK
        white = game_rules.OVER_BUDGET_WHITE, game_rules.FAILED_WHITE, game_rules.RESIGNED_WHITE
        winner[np.isin(reason, black)] = -1
        winner[np.isin(reason, white)] = 1
        return winner

    @property
    def disc_difference(self) -> npt.NDArray[np.int64]:
        """Black's discs − white's at the end, [N]."""
        return self.results[:, game_rules.DISCS_BLACK] - self.results[:, game_rules.DISCS_WHITE]

    def table(
        self,
        generation: int,
        kind: str,
        names: Sequence[str],
        rules: Rules,
        openings: Openings,
        first_game: int = 0,
    ) -> pa.Table:
        """Return rows of the games table; pairings index the players' `names` and `openings`."""
        count, (black, white, opening) = len(self), self.pairings.T
        starts = [start_text(board) for board in openings.starts] or [None] * len(openings)
        reasons = _texts_at(REASONS, self.results[:, game_rules.REASON])
        if self.failures:
            texts = reasons.to_pylist()
            for number, why in self.failures.items():
                texts[number] = FAILED + why
            reasons = texts
        return GAMES_COLUMNS.table(
            {
                "generation": repeated(generation, count, pa.int32()),
                "kind": repeated(kind, count, pa.string()),
                "game": np.arange(first_game, first_game + count, dtype=np.int32),
                "black": _texts_at(names, black),
                "white": _texts_at(names, white),
                "opening": _texts_at(openings.texts(), opening),
                "moves": move_texts(self.moves),
                **results_by_name(self.results),
                "winner": _texts_at(WINNERS, self.winner + 1),
                "reason": reasons,
                RULES: repeated(rules, count, pa.string()),
                START: _texts_at(starts, opening),
            }
        )


def _texts_at(texts: Sequence[str | None], numbers: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """For each number, the text at that index: 0.02 s for a generation of 512, 0.2 s as lists."""
    return array_of(texts, pa.string()).take(array_of(numbers.astype(np.int64), pa.int64()))


def in_batches(
    count: int,
    play: Callable[[slice], None],
    jobs: int,
    progress: GamesDone = lambda games: None,
    stop: Callable[[], bool] = lambda: False,
    batch: int = BATCH,
) -> int:
    """Call `play` for every `batch` of `count` games, on `jobs` threads, until `stop` says so.

    Returns the number of games played. If `play` or `progress` raises, the call ends after the
    running batches: none still works on what the caller reads then. Only an interruption does not
    wait for them.
    """
    played: list[int] = []
    failed: list[Exception] = []

    def attempt(function: Callable[[Any], None], argument: object) -> None:
        try:
            if not failed and not stop():  # joblib hands out some parts ahead
                function(argument)
        except Exception as error:
            failed.append(error)

    def work(part: slice) -> None:
        played.append(part.stop - part.start)
        play(part)

    parts = parts_of(count, batch)
    wanted = takewhile(lambda _: not failed, parts)
    with closing(Threads(jobs).run(partial(attempt, work), wanted)) as done:
        for number, _ in done:
            attempt(progress, parts[number].stop - parts[number].start)
    if failed:
        raise failed[0]
    return sum(played)


def parts_of(count: int, size: int) -> list[slice]:
    """Split `count` games into slices of `size`."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def agent_rows(agents: Sequence[Agent]) -> npt.NDArray[np.int64]:
    """Stack the agents' rows into one array for the kernels, padded to the longest row."""
    rows = [agent.row for agent in agents if agent.row is not None]
    assert len(rows) == len(agents), "an agent that plays a move at a time"
    padded = np.zeros((len(rows), max(row.size for row in rows)), np.int64)
    for cells, row in zip(padded, rows, strict=True):
        cells[: row.size] = row
    return padded


def played_by_kernels(agents: Sequence[Agent], openings: Openings) -> bool:
    """Whether kernels can play complete games: all agents have rows, and the start is standard."""
    return not openings.starts and all(agent.row is not None for agent in agents)


@dataclass(frozen=True)
class GamesTask:
    """Complete games for the kernels, with all they need and nothing else, to run anywhere.

    rows [A, L]: the agents' rows; pairings [N, 3]: black and white, as indices into rows, and
    opening, as an index into openings [O, P]; rules, move_budget, table_bits: for the searches.
    """

    rows: npt.NDArray[np.int64]
    pairings: npt.NDArray[np.int32]
    openings: npt.NDArray[np.int8]
    rules: Rules
    move_budget: int
    table_bits: int

    def part(self, numbers: npt.NDArray[np.int64]) -> GamesTask:
        pairings = self.pairings[numbers]
        players, indices = np.unique(pairings[:, :2], return_inverse=True)
        openings, opening = np.unique(pairings[:, 2], return_inverse=True)
        renamed = np.column_stack([indices.reshape(-1, 2), opening]).astype(np.int32)
        return replace(
            self, rows=self.rows[players], pairings=renamed, openings=self.openings[openings]
        )


def play_task(task: GamesTask) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64], float]:
    """Play the games of a task; return moves and results as in `Games`, and the seconds it took."""
    begin = time.perf_counter()
    moves, results = empty_rows(len(task.pairings))
    context = new_context(rule_set(task.rules).code, task.move_budget, task.table_bits)
    kernels.play_games(
        kernels.choice_address(), task.rows, task.pairings, task.openings, context, moves, results
    )
    return moves, results, time.perf_counter() - begin


def empty_rows(count: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """Return empty moves and results for games before they are played."""
    moves = np.full((count, game_rules.MAX_PLIES), game_rules.NO_MOVE, np.int8)
    return moves, np.zeros((count, game_rules.RESULT_COLUMNS), np.int64)
