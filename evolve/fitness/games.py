"""Batches of games between agents with a row for the kernels, on threads."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import joblib
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evolve.agents.agent import Agent
from evolve.engine import game as kernels
from evolve.engine.context import table_bits_for
from evolve.engine.entry import new_context
from evolve.engine.results import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_BLACK,
    FAILED_WHITE,
    OUTCOME,
    OVER_BUDGET_BLACK,
    OVER_BUDGET_WHITE,
    REASON,
    RESULT_COLUMNS,
)
from evolve.engine.rules import MAX_PLIES, NO_MOVE, Rules, rule_set
from evolve.fitness.openings import Openings
from evolve.fitness.playing import LiveGame
from evolve.tables.games import games_table

BATCH: Final = 16
"""Games a task: one a task cost 14 % of the time in a prototype."""

GamesDone = Callable[[int], None]
"""Called with the number of games that were finished since the last call."""

BLACK_WINS: Final = 1
WHITE_WINS: Final = -1


@dataclass(frozen=True)
class Games:
    """N finished games.

    pairings [N, 3]: black, white, opening (indices given by the caller); moves [N, MAX_PLIES]:
    squares, 64 for a pass, −1 after the end; results [N, RESULT_COLUMNS]; winner [N]: 1 black,
    0 draw, −1 white, by the rules and by who ran out of nodes or failed; failures: why programs
    failed, by number of the game.
    """

    pairings: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int8]
    results: npt.NDArray[np.int64]
    winner: npt.NDArray[np.int8]
    failures: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pairings)

    @property
    def disc_difference(self) -> npt.NDArray[np.int64]:
        """Black's discs − white's at the end, [N]."""
        return self.results[:, DISCS_BLACK] - self.results[:, DISCS_WHITE]

    def table(
        self,
        generation: int,
        kind: str,
        names: Sequence[str],
        openings: Sequence[str],
        first_game: int = 0,
    ) -> pa.Table:
        """Rows of the games table; `names` of the players, `openings` as text for each game."""
        return games_table(
            generation,
            kind,
            names,
            self.pairings,
            openings,
            self.moves,
            self.results,
            self.winner,
            first_game,
            self.failures,
        )


def winner_of(results: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """Winner of each game: 1 black, 0 draw, −1 white."""
    winner: npt.NDArray[np.int8] = results[:, OUTCOME].astype(np.int8)
    reason = results[:, REASON]
    winner[np.isin(reason, (OVER_BUDGET_BLACK, FAILED_BLACK))] = WHITE_WINS
    winner[np.isin(reason, (OVER_BUDGET_WHITE, FAILED_WHITE))] = BLACK_WINS
    return winner


class _UnwantedError(Exception):
    """The rest of some batches is not wanted."""


def batches(
    count: int, play: Callable[[slice], None], jobs: int, batch: Callable[[], int]
) -> Generator[slice, None, None]:
    """Call `play` for batches of `count` games, on `jobs` threads; each comes when it is done.

    `batch` is asked for the size of each batch shortly before it begins. Whoever stops listening
    ends what has not begun.
    """

    def parts() -> Iterator[slice]:
        start = 0
        while start < count:
            stop = min(start + batch(), count)
            yield slice(start, stop)
            start = stop

    def work(part: slice) -> slice:
        play(part)
        return part

    parallel = joblib.Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
    finished = parallel(joblib.delayed(work)(part) for part in parts())
    try:
        for part in finished:  # noqa: UP028 - `yield from` would close it
            yield part
    except GeneratorExit:
        # Closing joblib's generator would warn of the games that end with it, as if unwanted.
        with contextlib.suppress(_UnwantedError):
            finished.throw(_UnwantedError())
        raise


def in_batches(
    count: int,
    play: Callable[[slice], None],
    jobs: int,
    progress: GamesDone | None,
    batch: int = BATCH,
) -> None:
    """Call `play` for every `batch` of `count` games, on `jobs` threads.

    What `progress` raises ends it when the batches in hand are done.
    """
    with contextlib.closing(batches(count, play, jobs, lambda: batch)) as parts:
        for part in parts:
            if progress is not None:
                progress(part.stop - part.start)


def agent_rows(agents: Sequence[Agent]) -> npt.NDArray[np.int64]:
    """The agents, all of which have a row, as one array for the kernels: padded to the longest."""
    rows = [agent.row for agent in agents if agent.row is not None]
    assert len(rows) == len(agents), "an agent that plays a move at a time"
    padded = np.zeros((len(rows), max(row.size for row in rows)), np.int64)
    for place, row in zip(padded, rows, strict=True):
        place[: row.size] = row
    return padded


def player_of(
    agents: Sequence[Agent],
    pairings: npt.NDArray[np.int32],
    openings: Openings,
    rules: Rules,
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
    *,
    move_budget: int = 0,
    largest_endgame: int | None = None,
) -> Callable[[slice], None]:
    """What plays a part of the games of `pairings` into those rows of `moves` and `results`."""
    rows = agent_rows(agents)
    if largest_endgame is None:
        table_bits = max(agent.table_bits for agent in agents)
    else:
        table_bits = table_bits_for(largest_endgame)

    def play(part: slice) -> None:
        kernels.play_games(
            rows,
            pairings[part],
            openings.moves,
            new_context(rule_set(rules).code, move_budget, table_bits),
            moves[part],
            results[part],
        )

    return play


def _player_by_moves(
    agents: Sequence[Agent],
    pairings: npt.NDArray[np.int32],
    openings: Openings,
    rules: Rules,
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
) -> Callable[[slice], None]:
    """The same for agents of any kind, a move at a time; each game has its number as its seed."""

    def play(part: slice) -> None:
        for number in range(len(pairings))[part]:
            black, white, opening = pairings[number].tolist()
            players = {
                black: agents[black].for_game(2 * number),
                white: agents[white].for_game(2 * number + 1),
            }
            game = LiveGame(players, black, white, openings.moves[opening].tolist(), rules)
            while not game.over:
                game.choose()
            game.write(moves[number], results[number])

    return play


def play_games(
    agents: Sequence[Agent],
    pairings: npt.NDArray[np.int32],
    openings: Openings,
    rules: Rules,
    *,
    move_budget: int = 0,
    largest_endgame: int | None = None,
    jobs: int = 1,
    progress: GamesDone | None = None,
) -> Games:
    """Play the games of `pairings` [N, 3] (black, white, opening) on `jobs` threads.

    Results do not depend on `jobs`. `move_budget` is in nodes a move, 0 for no limit.
    `largest_endgame` sizes the table, which node counts depend on; by default the agents do.
    """
    moves = np.full((len(pairings), MAX_PLIES), NO_MOVE, np.int8)
    results = np.zeros((len(pairings), RESULT_COLUMNS), np.int64)
    if all(agent.row is not None for agent in agents):
        play = player_of(
            agents,
            pairings,
            openings,
            rules,
            moves,
            results,
            move_budget=move_budget,
            largest_endgame=largest_endgame,
        )
        in_batches(len(pairings), play, jobs, progress)
    else:
        bound = [agent.within(move_budget) for agent in agents]
        play = _player_by_moves(bound, pairings, openings, rules, moves, results)
        in_batches(len(pairings), play, jobs, progress, batch=1)
    return Games(pairings, moves, results, winner_of(results))
