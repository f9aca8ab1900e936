"""Random openings, in parts that never share a position.

An opening is a short sequence of random moves after which a search sees neither side far ahead. A
shallow search is enough for games to learn from. Matches take openings from a list that comes with
evolve, of which a deep search says that they are worth two discs at most: when one side is ahead
from the start, it wins both games of a pair, and the pair says nothing about the agents.
A hash of the position's canonical form under the eight symmetries assigns it to one part
(training, panel, playoff, match), for any seed. So agents are never judged on openings from
training, nor on mirror images of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from evolve.agents.reference import table_agent
from evolve.engine.board.bits import canonical
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, Rules, rule_set
from evolve.engine.games.game import new_context
from evolve.engine.games.opening import MATCH_SLOT, SLOTS, draw_openings, mark_balanced
from evolve.errors import SettingsError
from evolve.records.positions import start_text
from evolve.records.record import GameRecord, with_passes
from evolve.tables.games import move_texts


class Part(Enum):
    """Parts of the space of openings, each with its slots out of eight (`games.opening`)."""

    TRAINING = range(5)
    PANEL = range(5, 6)
    PLAYOFF = range(6, 7)
    MATCH = range(MATCH_SLOT, SLOTS)


@dataclass(frozen=True)
class Openings:
    """A set of openings.

    moves: squares [N, plies] as int8, −1 after the last; starts: the start boards [N], empty if all
    start from the standard position.
    """

    moves: npt.NDArray[np.int8]
    starts: tuple[Board, ...] = ()

    def __len__(self) -> int:
        return len(self.moves)

    def select(self, numbers: npt.NDArray[np.intp]) -> Openings:
        """Return the openings of these numbers."""
        starts = tuple(self.starts[number] for number in numbers) if self.starts else ()
        return Openings(self.moves[numbers], starts)

    def first(self, count: int) -> Openings:
        """Return the first `count` openings, repeating from the first if there are fewer."""
        return self.select(np.arange(count) % len(self))

    def distinct(self) -> Openings:
        """Return each opening once, in order."""
        seen: dict[object, int] = {}
        for number in range(len(self)):
            start, squares = self.begin(number)
            seen.setdefault((start, *squares), number)
        return self.select(np.array(list(seen.values())))

    def begin(self, number: int) -> tuple[Board, list[int]]:
        """Return the start board of an opening and its squares, −1 after the last."""
        start = self.starts[number] if self.starts else Board.start()
        return start, self.moves[number].tolist()

    def texts(self) -> list[str]:
        """Return the moves of each opening as text, `` for a position without moves."""
        return cast("list[str]", move_texts(self.moves).to_pylist())


START_POSITION: Final = Openings(np.full((1, 1), -1, np.int8))
"""Only the standard start position, as published."""


def balanced_openings(
    count: int, part: Part, rules: Rules, rng: np.random.Generator, plies: int = 8
) -> Openings:
    """Draw `count` openings of `plies` ≥ 1 random moves that a search finds balanced.

    No two are the same position or mirror images. There are few short openings: if fewer than
    `count` are found, they repeat, shuffled each time. Raises SettingsError if none is found.
    """
    code, judge = rule_set(rules).code, table_agent(rule_set(rules).judge)
    found: npt.NDArray[np.int8] = np.zeros((0, plies), np.int8)
    seen: npt.NDArray[np.uint64] = np.zeros((0, 2), np.uint64)
    # Three draws in five are balanced; allow also for the part's share and for duplicates.
    batch = 64 + int(count * 8 / len(part.value) * 2)
    memory = new_context(code, table_bits=1)
    idle = 0
    while len(found) < count and idle < 3:
        moves = np.full((batch, plies), -1, np.int8)
        positions = np.zeros((batch, 2), np.uint64)
        slot = np.zeros(batch, np.int8)
        draw_openings(rng.random((batch, plies)), moves, positions, slot)
        images = canonical(positions)
        in_part = (positions[:, 0] != 0) & (slot >= part.value.start) & (slot < part.value.stop)
        together = np.concatenate([seen, images[in_part]])
        _, first = np.unique(together, axis=0, return_index=True)
        fresh = np.flatnonzero(in_part)[np.sort(first[first >= len(seen)]) - len(seen)]
        # Search last, because it takes most of the time: only new positions of this part, and no
        # more than needed, which is seen after each of 16 parts.
        before = len(found)
        for candidates in np.array_split(fresh, 16):
            if len(found) >= count:
                break
            balanced = np.zeros(len(candidates), np.bool_)
            # Depths 3 and 5 agree on nine in ten openings. They are balanced up to 20 hundredths of
            # a disc-like unit: a corner is 100.
            mark_balanced(positions[candidates], judge.cells, 5, 20, memory, balanced)
            even = candidates[balanced]
            found = np.concatenate([found, moves[even]])
            seen = np.concatenate([seen, images[even]])
        idle = idle + 1 if len(found) == before else 0
    if len(found) == 0:
        raise SettingsError(
            f"no balanced opening of {plies} plies was found for {rules}; use more plies"
        )
    rounds = [rng.permutation(len(found)) for _ in range(-(-count // len(found)))]
    chosen = np.arange(count) if len(found) >= count else np.concatenate(rounds)[:count]
    return Openings(found[chosen])


LISTS: Final = Path(__file__).parent / "balanced"
"""Folder of the lists, one for each rules; `benchmarks/openings.py` makes them."""


@cache
def _opening_list(rules: Rules, part: Part) -> Openings | None:
    """The balanced openings of a part, those of fewest moves first; None for rules without any."""
    path = LISTS / f"{rules}.npz"
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as arrays:
        return Openings(arrays["moves"][np.isin(arrays["slots"], part.value)])


def listed_openings(count: int, part: Part, rules: Rules, rng: np.random.Generator) -> Openings:
    """Draw `count` openings from the list of a part; rules without a list have random ones.

    Those of 8 moves come first, then those of 10; only where all are used up do they repeat.
    """
    found = _opening_list(rules, part)
    if found is None:
        return balanced_openings(count, part, rules, rng)
    plies = (found.moves >= 0).sum(axis=1)
    short, every = int((plies == plies.min()).sum()), len(found)
    order: list[npt.NDArray[np.intp]] = []
    while sum(map(len, order)) < count:
        order += [rng.permutation(short), short + rng.permutation(every - short)]
    return found.select(np.concatenate(order)[:count])


def openings_of_games(games: Iterable[GameRecord], plies: int | None = None) -> Openings:
    """Take the first `plies` moves of each game, from its start board, as openings without repeats.

    With None, take all moves; of a finished game with a non-standard start, take only its start
    board. A pass does not count as a move. Raises SettingsError if an opening ends its game, or if
    there is no opening.
    """
    found: dict[tuple[Board, tuple[int, ...]], None] = {}
    for number, game in enumerate(games, 1):
        wanted = plies
        if plies is None and game.ending == "end" and game.start != Board.start():
            wanted = 0
        squares = tuple(square for square in game.moves if square != PASS)[:wanted]
        if wanted is not None and len(squares) < wanted:
            continue
        if with_passes(game.start, squares)[1].is_over():
            raise SettingsError(
                f"opening {number} ends the game; --opening-plies takes fewer moves of each game"
            )
        found[game.start, squares] = None
    if not found:
        raise SettingsError(f"no game has {plies} moves to take an opening from")
    moves = np.full((len(found), max(1, *(len(squares) for _, squares in found), 1)), -1, np.int8)
    for row, (_, squares) in zip(moves, found, strict=True):
        row[: len(squares)] = squares
    starts = tuple(start for start, _ in found)
    return Openings(moves, starts if any(map(start_text, starts)) else ())
