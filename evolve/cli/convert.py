"""`evolve convert`: games and positions from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evolve.cli.options import file_rules_option, output_path
from evolve.cli.terminal import say
from evolve.errors import OptionsError

if TYPE_CHECKING:
    from evolve.engine.board import Board
    from evolve.records.record import GameRecord


@click.command(name="convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, callback=output_path, help="File to write.")
@click.option(
    "--empties",
    type=click.IntRange(0, 60),
    help="For .obf: write the position of each game with so many empty squares.",
)
@file_rules_option
def convert_command(source: Path, output: Path, empties: int | None, rules: str | None) -> None:
    """Turn the games of SOURCE into another format, by the ends of the names.

    Reads .ggf, .wtb (WTHOR), .csv and .parquet (games tables), .obf (positions, as games without
    moves), and else move strings such as f5d6c4d3c2b3b4b5, one a line. Writes .ggf, .txt (move
    strings), .csv, .parquet, and .obf (positions, for evolve solve). Rules go along: a game whose
    winner contradicts them is refused.

    \b
    Examples:
      evolve convert WTH_2004.wtb -o games.parquet
      evolve convert games.csv -o games.ggf
      evolve convert WTH_2004.wtb --empties 16 -o ends.obf
    """
    from evolve.records.obf import write_obf
    from evolve.records.rules import rules_line
    from evolve.records.table import read_games, write_games

    if (output.suffix.lower() == ".obf") != (empties is not None):
        raise OptionsError("--empties and a name that ends in .obf go together")
    records = read_games(source, rules)
    if empties is None:
        write_games(output, records)
        said = ""
        if output.suffix.lower() == ".txt" and (head := rules_line(records)):
            said = f"; move strings do not say their rules, so the first line does: {head.strip()}"
        say(f"{len(records)} games → {output}{said}")
        return
    boards = [board for record in records for board in _with_empties(record, empties)]
    write_obf(output, boards)
    say(f"{len(boards)} positions of {len(records)} games → {output}")


def _with_empties(record: GameRecord, empties: int) -> list[Board]:
    """The position with so many empty squares and a side that can move, if there is one."""
    from evolve.engine.rules import PASS

    board = record.start
    for square in (*record.moves, None):
        if board.empties == empties and board.legal_moves():
            return [board]
        if square is not None:
            board = board.pass_move() if square == PASS else board.play(square)
    return []
