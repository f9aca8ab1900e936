"""WTHOR databases: the tournament games of the French Othello Federation, in binary.

Source: the format's description by the Fédération Française d'Othello. All numbers are little
endian. Header, 16 bytes: century, year, month and day of the file (bytes), number of games
(int32), of other records (int16), year of the games (int16), board size (0 or 8), kind (1:
solitaires), depth of the theoretical score, one reserved. Then 68 bytes a game: ids of tournament,
black and white player (uint16), black's discs at the end, black's discs with best play from that
depth (bytes), 60 moves as 10 × row + column counted from 1, 0 after the last; passes are left out.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from evolve.engine.board import Board
from evolve.errors import RecordError
from evolve.records.files import read_bytes
from evolve.records.record import GameRecord, with_passes

_HEADER: Final = struct.Struct("<4BiHH4B")
_GAME: Final = struct.Struct("<3H2B60s")


def read_wthor(path: Path) -> list[GameRecord]:
    """All games of a `.wtb` file.

    Players are named `player 12` after their ids, the place is `tournament 3`. A game that
    stopped before its end counts by its recorded discs. RecordError names the damaged byte.
    """
    data = read_bytes(path)
    try:
        return parse_wthor(data)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error


def parse_wthor(data: bytes) -> list[GameRecord]:
    """The games in the bytes of a `.wtb` file; RecordError names the place of the damage."""
    if len(data) < _HEADER.size:
        raise RecordError(f"{len(data)} bytes are not a WTHOR file: its header alone has 16")
    _, _, _, _, count, _, year, size, kind, _, _ = _HEADER.unpack_from(data)
    if size not in (0, 8):
        raise RecordError(f"byte 12: a board of size {size}; only 8 x 8 is read")
    if kind != 0:
        raise RecordError(f"byte 13: kind {kind} is solitaires, not games")
    whole = _HEADER.size + count * _GAME.size
    if count < 0 or len(data) != whole:
        raise RecordError(f"{len(data)} bytes, where {count} games (bytes 4 to 7) need {whole}")
    records = []
    for number in range(count):
        place = _HEADER.size + number * _GAME.size
        try:
            records.append(_parse_game(data, place, year))
        except RecordError as error:
            raise RecordError(f"game {number + 1} at byte {place}: {error}") from error
    return records


def _parse_game(data: bytes, place: int, year: int) -> GameRecord:
    tournament, black, white, discs, _, played = _GAME.unpack_from(data, place)
    codes = played.rstrip(b"\0")
    squares = []
    for number, code in enumerate(codes, 1):
        row, column = divmod(code, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            raise RecordError(f"move {number} is {code} (byte {place + 7 + number}), no square")
        squares.append(8 * (row - 1) + column - 1)
    if discs > 64:
        raise RecordError(f"black has {discs} discs (byte {place + 6})")
    return GameRecord(
        moves=with_passes(Board.start(), squares),
        black=f"player {black}",
        white=f"player {white}",
        result=float(2 * discs - 64),
        place=f"tournament {tournament}",
        date=str(year),
    )
