"""`evolve convert`: convert games and positions from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evolve.cli.options import file_rules_option, output_path, strict_option
from evolve.cli.terminal import complain, say
from evolve.engine.board.rules import PASS
from evolve.errors import OptionsError
from evolve.records.packing import ending_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.engine.board.board import Board
    from evolve.records.record import GameRecord


@click.command(name="convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, callback=output_path, help="File to write.")
@click.option(
    "--empties",
    type=click.IntRange(0, 60),
    help="For .obf: the position of each game with so many empty squares, not the last one.",
)
@strict_option
@file_rules_option
def convert_command(
    source: Path, output: Path, empties: int | None, strict: bool, rules: str | None
) -> None:
    """Turn the games of SOURCE into another format, by the endings of the names.

    Reads .ggf, .sgf, .wtb (WTHOR), .pgn, .csv, .tsv, .parquet, .json, .jsonl (games tables, or
    others with a column of moves), .txt (moves, a game in a line, or positions) and .obf. Writes
    .ggf, .pgn, .csv, .parquet, .json, .txt, and .obf with the last position of each game, for
    evolve solve. Each may be packed: .gz, .bz2. Games that cannot be read are left out, and told.
    Rules go along: a game whose winner contradicts them is an error.

    \b
    Examples:
      evolve convert WTH_2004.wtb -o games.parquet
      evolve convert archive.ggf.bz2 -o games.pgn
      evolve convert WTH_2004.wtb --empties 16 -o ends.obf
    """
    from evolve.records.formats import read_games, write_games
    from evolve.records.record import GameRecord, rules_line

    positions = ending_of(output) == ".obf"
    if empties is not None and not positions:
        raise OptionsError("--empties goes with a name that ends in .obf")
    reading = read_games(source, rules, strict=strict)
    for line in reading.messages(source):
        complain(line)
    games = records = reading.records
    if empties is not None:
        boards = [
            (board, record.rules) for record in games for board in _with_empties(record, empties)
        ]
        records = [GameRecord(start=board, rules=rules) for board, rules in boards]
    write_games(output, records)
    if positions:
        count = count_of(len(records), "position")
        say(f"{count} of {count_of(len(games), 'game')} → {output}")
        return
    said = ""
    if ending_of(output) == ".txt" and (head := rules_line(records)):
        said = f"; move strings do not say their rules, so the first line does: {head.strip()}"
    say(f"{count_of(len(records), 'game')} → {output}{said}")


def _with_empties(record: GameRecord, empties: int) -> list[Board]:
    """A list of the position with `empties` empty squares and a side that can move, if any."""

    board = record.start
    for square in (*record.moves, None):
        if board.empties == empties and board.legal_moves():
            return [board]
        if square is not None:
            board = board.pass_move() if square == PASS else board.play(square)
    return []
