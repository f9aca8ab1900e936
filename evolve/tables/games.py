"""The games table: one row for each game, with every move."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    NODES_BLACK,
    NODES_WHITE,
    PASS,
    PLIES,
    REASON,
)
from evolve.engine.board.squares import square_name
from evolve.tables.columns import Column, Columns, array_of, repeated, scalar_of
from evolve.tables.individuals import ISLAND

WINNERS: Final = ("white", "draw", "black")
REASONS: Final = (
    "end",
    "over budget: black",
    "over budget: white",
    "failed: black",
    "failed: white",
    "agreed",
)
AGREED: Final = len(REASONS) - 1
"""Index of the reason of a game that ended because both sides' values named the same winner."""
RULES: Final = "rules"
"""The column with the rules of each game, which decide who won."""
START: Final = "start"
"""The column with the starting board, as OBF, of each game that has an unusual one."""
FAILED: Final = "failed: "
"""Start of the reason when a program failed: `failed: black: no move in time`."""

Texts: TypeAlias = pa.Array | Sequence[str | None]

_PASSED: Final = b"@@"
"""Stands for a pass while the texts of all moves have one length."""
_LETTERS: Final = np.array(
    [list(f"{square_name(square)} ".encode()) for square in range(PASS)] + [list(_PASSED + b" ")],
    np.uint8,
)


def move_texts(moves: npt.NDArray[np.int8]) -> pa.Array:
    """Rows of moves [N, M], each up to its first −1, as text with spaces between: `f5 d6 pass c3`.

    Arrow's own `take` and `binary_join` took 0.25 s for a generation of 512.
    """
    played = np.minimum.accumulate(moves >= 0, axis=1)
    counts = np.count_nonzero(played, axis=1)
    letters = _LETTERS[moves[played]].ravel()
    kept = np.ones(len(letters), np.bool_)
    kept[3 * np.cumsum(counts)[counts > 0] - 1] = False  # the space after a game's last move
    text = letters[kept].tobytes().replace(_PASSED, square_name(PASS).encode())
    passes = np.count_nonzero((moves == PASS) & played, axis=1)
    longer = len(square_name(PASS)) - len(_PASSED)
    ends = np.zeros(len(moves) + 1, np.int64)
    np.cumsum(3 * counts - (counts > 0) + longer * passes, out=ends[1:])
    if ends[-1] > np.iinfo(np.int32).max:
        raise OverflowError(f"{len(moves)} games are too many for one table")
    return pa.StringArray.from_buffers(
        len(moves), pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(text)
    )


@dataclass(frozen=True)
class GameRows:
    """N games, the source of the games table.

    [N]: numbers; black, white: names of the players; openings, moves: texts; winner: `black`,
    `white` or `draw`; reasons: texts or None; rules: the rules that decided the winner; starts:
    boards as OBF, None for the usual start. Without `starts`, all games begin there.
    results [N, RESULT_COLUMNS]: as kernels fill them. Texts may be Arrow arrays: the tables of a
    generation of 512 take 0.02 s with them, 0.2 s with lists.
    """

    generation: int
    kind: str
    numbers: npt.NDArray[np.int32] | Sequence[int]
    black: Texts
    white: Texts
    openings: Texts
    moves: Texts
    results: npt.NDArray[np.int64]
    winner: Texts
    reasons: Texts
    rules: Texts
    starts: Texts | None = None

    def __len__(self) -> int:
        return len(self.numbers)


def _result(column: int, kind: type[np.integer[Any]]) -> Callable[[GameRows], Any]:
    return lambda games: games.results[:, column].astype(kind)


def _starts(games: GameRows) -> Texts:
    return pa.nulls(len(games), pa.string()) if games.starts is None else games.starts


GAMES_COLUMNS: Final = Columns(
    (
        Column(
            "generation",
            pa.int32(),
            lambda games: repeated(games.generation, len(games), pa.int32()),
        ),
        Column("kind", pa.string(), lambda games: repeated(games.kind, len(games), pa.string())),
        Column("game", pa.int32(), lambda games: games.numbers),
        Column("black", pa.string(), lambda games: games.black),
        Column("white", pa.string(), lambda games: games.white),
        Column("opening", pa.string(), lambda games: games.openings),
        Column("moves", pa.string(), lambda games: games.moves),
        Column("discs_black", pa.int32(), _result(DISCS_BLACK, np.int32)),
        Column("discs_white", pa.int32(), _result(DISCS_WHITE, np.int32)),
        Column("winner", pa.string(), lambda games: games.winner),
        Column("plies", pa.int32(), _result(PLIES, np.int32)),
        Column("nodes_black", pa.int64(), _result(NODES_BLACK, np.int64)),
        Column("nodes_white", pa.int64(), _result(NODES_WHITE, np.int64)),
        Column("reason", pa.string(), lambda games: games.reasons),
        Column(RULES, pa.string(), lambda games: games.rules, before=None),
        Column(START, pa.string(), _starts, before=None),
    )
)
"""The columns, each made from `GameRows`."""


def with_island(games: pa.Table, islands: npt.ArrayLike | None) -> pa.Table:
    """The table with the island of each game; None for games between islands."""
    kind = pa.int32()
    if islands is None:
        return games.append_column(ISLAND, pa.nulls(len(games), kind))
    return games.append_column(ISLAND, array_of(np.asarray(islands, np.int32), kind))


def with_rules(games: pa.Table, rules: str | None) -> pa.Table:
    """A games table with `rules` for games without their own: tables up to version 0.2."""
    place = games.schema.get_field_index(RULES)
    if rules is None or games.column(place).null_count == 0:
        return games
    said = pc.fill_null(games.column(place), scalar_of(rules))
    return games.set_column(place, games.schema.field(place), said)


def games_table(
    generation: int,
    kind: str,
    names: Sequence[str],
    rules: str,
    pairings: npt.NDArray[np.int32],
    openings: Sequence[str],
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
    winner: npt.NDArray[np.int8],
    first_game: int = 0,
    failures: Mapping[int, str] | None = None,
    starts: Sequence[str | None] | None = None,
) -> pa.Table:
    """A table of games, one row each.

    Columns 0 and 1 of `pairings` index `names`, the players; column 2 indexes `openings`, the
    texts, and `starts`, the boards where they are not the usual one. `failures`: reasons by row,
    for games that ended because a program failed.
    """
    reasons = _texts(REASONS, results[:, REASON])
    if failures:
        texts = reasons.to_pylist()
        for row, why in failures.items():
            texts[row] = FAILED + why
        reasons = array_of(texts, pa.string())
    return GAMES_COLUMNS.table(
        GameRows(
            generation,
            kind,
            numbers=np.arange(first_game, first_game + len(pairings), dtype=np.int32),
            black=_texts(names, pairings[:, 0]),
            white=_texts(names, pairings[:, 1]),
            openings=_texts(openings, pairings[:, 2]),
            moves=move_texts(moves),
            results=results,
            winner=_texts(WINNERS, winner + 1),
            reasons=reasons,
            rules=repeated(rules, len(pairings), pa.string()),
            starts=None if starts is None else _texts(starts, pairings[:, 2]),
        )
    )


def _texts(texts: Sequence[str | None], numbers: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """For each number, the text at that index."""
    return array_of(texts, pa.string()).take(array_of(numbers.astype(np.int64), pa.int64()))
