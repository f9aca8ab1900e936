"""Finds the columns with moves and names in game tables of other programs."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from evolve.errors import RecordError
from evolve.records.moves import read_moves
from evolve.records.record import game_of

if TYPE_CHECKING:  # its import takes 0.2 s, which record files do not need
    import pandas as pd

_SAMPLE: Final = 50
"""Number of cells of a column to check."""
_NAMES: Final = {
    name: side
    for side, words in {
        "black": ("black", "noir", "schwarz"),
        "white": ("white", "blanc", "weiss"),
    }.items()
    for word in words
    for name in (word, f"{word}player", f"player{word}", f"{word}name", f"name{word}")
}
_WINNERS: Final = {"1": "black", "-1": "white", "0": "draw"}
"""Winners as numbers, in a column that has -1; other numbers could mean anything."""
_SHORTEST: Final = 4
"""Fewest moves of a column head that is a game: such a table has no heads."""


def moves_and_names(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns black, white, moves, winner and reason of another program's table.

    It finds the column of moves by its cells. RecordError where there is none, or where more than
    one is possible.
    """
    import pandas as pd  # not above: only tables need it

    if any(_is_game(str(head), _SHORTEST) for head in frame.columns):
        first = pd.DataFrame([[str(head) for head in frame.columns]])
        frame = pd.concat([first, frame.set_axis(range(frame.shape[1]), axis=1)], ignore_index=True)
    heads = [str(head) for head in frame.columns]
    moves = _moves_of(frame, heads)
    _check_rows(frame.iloc[:, moves], heads[moves])
    missing = pd.Series([None] * len(frame), dtype=object)
    found = {"black": missing, "white": missing, "winner": missing}
    for number, head in enumerate(heads):
        word = "".join(filter(str.isalpha, head.lower()))
        name = "winner" if word in ("winner", "won") else _NAMES.get(word)
        if name is not None and number != moves:
            found[name] = frame.iloc[:, number]
    found["winner"] = _winners_of(found["winner"])
    return pd.DataFrame({**found, "moves": frame.iloc[:, moves], "reason": ""})


def _winners_of(column: pd.Series[Any]) -> pd.Series[Any]:
    """The cells in lower case; -1, 0 and 1 as sides, where the column has -1."""
    words = column.map(lambda value: str(value).strip().lower().removesuffix(".0"))
    there = set(words) - {"", "none", "nan"}
    return (
        words.map(lambda word: _WINNERS.get(word, word)) if "-1" in there <= {*_WINNERS} else words
    )


def _check_rows(cells: pd.Series[Any], head: str) -> None:
    """Raise RecordError where each row is one move, not a game."""
    texts = list(islice((cell for cell in cells if isinstance(cell, str)), _SAMPLE))
    if all(map(_is_one_move, texts)) and not all(map(_is_game, texts)):
        raise RecordError(
            f"the column {head} has one move in each row; write all moves of a game in one row"
        )


def _is_one_move(text: str) -> bool:
    try:
        return len(read_moves(text).squares) <= 1
    except RecordError:
        return False


def _moves_of(frame: pd.DataFrame, heads: list[str]) -> int:
    """The index of the column with the moves; RecordError where there is not exactly one."""
    whole = [
        number for number, head in enumerate(heads) if _holds_games(frame.iloc[:, number], head)
    ]
    if len(whole) > 1:  # such as openings beside whole games
        named = [number for number in whole if "move" in heads[number].lower()]
        whole = named or whole
    if not whole:
        raise RecordError(
            f"no column has moves such as f5d6c3 in it; there are {', '.join(heads)[:200]}"
        )
    if len(whole) > 1:
        names = " and ".join(heads[number] for number in whole)
        raise RecordError(f"the columns {names} have moves; keep one, or name it moves")
    return whole[0]


def _holds_games(cells: pd.Series[Any], head: str) -> bool:
    """Whether half of a column's cells are games; any cell is enough where its head has `move`."""
    texts = (cell for cell in cells if isinstance(cell, str) and cell.strip())
    sample = list(islice(texts, _SAMPLE))
    games = sum(map(_is_game, sample))
    return games > 0 and ("move" in head.lower() or 2 * games >= len(sample))


def _is_game(text: str, shortest: int = 1) -> bool:
    try:
        written = read_moves(text)
        if len(written.squares) < shortest:
            return False
        game_of(written)
    except RecordError:
        return False
    return True
