"""WTHOR databases: the tournament games of the French Othello Federation, in binary.

Source: the format's description by the Fédération Française d'Othello. All numbers are little
endian. Header, 16 bytes: century, year, month and day of the file (bytes), number of games
(int32), of other records (int16), year of the games (int16), board size (0 or 8), kind (1:
solitaires), depth of the theoretical score, one reserved. Then 68 bytes a game: ids of tournament,
black and white player (uint16), black's discs at the end, black's discs with best play from that
depth (bytes), 60 moves as 10 × row + column counted from 1, 0 after the last; passes are left out.

Names are in separate files with the same header; its int16 counts them: players in `.jou`, 20 bytes
each, tournaments in `.trn`, 26 bytes each, in Latin-1 up to the first byte 0.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES
from evolve.errors import RecordError
from evolve.records.formats import read_bytes
from evolve.records.record import GameRecord, Reading, Request, record_of

_HEADER: Final = struct.Struct("<4BiHH4B")
_GAME: Final = struct.Struct("<3H2B60s")
_Names = Callable[[int], str]
_SQUARES: Final = {10 * (s // 8 + 1) + s % 8 + 1: s for s in range(64)}


def read_wthor(data: bytes, path: Path, request: Request) -> Reading:
    """The games of a `.wtb` file, with those that could not be read.

    Names come from the `.jou` and `.trn` files beside it, of the same name or `WTHOR`; without them
    they are `player 12` and `tournament 3`, from the ids. A game that stopped before its end counts
    by its recorded discs. RecordError, with the byte, where the whole file is damaged, and where
    other rules than standard were asked for.
    """
    request.agree(DEFAULT_RULES)
    if len(data) < _HEADER.size:
        raise RecordError(f"{len(data)} bytes are not a WTHOR file: its header alone has 16")
    _, _, _, _, count, _, year, size, kind, _, _ = _HEADER.unpack_from(data)
    if size not in (0, 8):
        raise RecordError(f"byte 12: a board of size {size}; only 8 x 8 is read")
    if kind != 0:
        raise RecordError(f"byte 13: kind {kind} is solitaires, not games")
    whole = _HEADER.size + count * _GAME.size
    if count < 0:
        raise RecordError(f"{count} games (bytes 4 to 7)")
    reading = Reading()
    players = _names(path, ".jou", 20, "player")
    tournaments = _names(path, ".trn", 26, "tournament")
    stored = min(count, (len(data) - _HEADER.size) // _GAME.size)
    for number in range(stored):
        offset = _HEADER.size + number * _GAME.size
        where = f"game {number + 1} at byte {offset}"
        reading.take(where, _parse_game, data, offset, year, players, tournaments)
    sizes = f"{len(data)} bytes, where {count} games (bytes 4 to 7) need {whole}"
    if len(data) > whole:
        reading.leave_out(f"byte {whole}", sizes)
    if stored < count:
        reading.leave_out(f"game {stored + 1}", f"it is cut off: {sizes}", count - stored)
    return reading


def _parse_game(
    data: bytes, offset: int, year: int, players: _Names, tournaments: _Names
) -> GameRecord:
    tournament, black, white, discs, _, played = _GAME.unpack_from(data, offset)
    codes = played.rstrip(b"\0")
    for number, code in enumerate(codes, 1):
        if code not in _SQUARES:
            raise RecordError(f"move {number} is {code} (byte {offset + 7 + number}), no square")
    if discs > 64:
        raise RecordError(f"black has {discs} discs (byte {offset + 6})")
    return record_of(
        Board.start(),
        [_SQUARES[code] for code in codes],
        black=players(black),
        white=players(white),
        result=float(2 * discs - 64),
        site=tournaments(tournament),
        date=str(year),
    )


def _names(path: Path, ending: str, width: int, kind: str) -> _Names:
    """The names in the file beside a database, by id; `kind 12` for an unknown id 12."""
    stem = path.name.lower().partition(".")[0]
    stored = {other.name.lower(): other for other in path.parent.iterdir()}
    file = stored.get(f"{stem}{ending}", stored.get(f"wthor{ending}"))  # that of all databases
    names: list[str] = []
    if file is not None:
        data = read_bytes(file)
        count = 0 if len(data) < _HEADER.size else _HEADER.unpack_from(data)[5]
        if len(data) != _HEADER.size + count * width:
            raise RecordError(
                f"{file.name} beside it is not its names: {len(data)} bytes, where {count} of them "
                f"(bytes 8 and 9) need {_HEADER.size + count * width}; take it away, or mend it"
            )
        fields = (data[offset : offset + width] for offset in range(_HEADER.size, len(data), width))
        names = [name.split(b"\0", 1)[0].decode("latin-1").strip() for name in fields]
    known = {number: name for number, name in enumerate(names) if name}
    return lambda number: known.get(number, f"{kind} {number}")
