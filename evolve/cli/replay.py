"""`evolve replay`: a game of a run or of a file, move by move."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import evolve
from evolve.cli.completion import complete_runs
from evolve.cli.options import file_rules_option, strict_option
from evolve.cli.output import show_board
from evolve.cli.terminal import complain, out, say
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import format_moves, parse_moves, square_name
from evolve.errors import RunError

if TYPE_CHECKING:
    from evolve.engine.board.board import Board
    from evolve.records.record import GameRecord

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_KEYS: Final = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", " ", "\r", "\n", "n", "l"), 1),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "b", "h", "\x7f"), -1),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "g"), -128),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "G"), 128),
}
"""Keys of a terminal, and how many moves each steps forward."""
_LEAVE: Final = ("q", "\x1b", "\x03", "\x04")
_KEY: Final = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)


@dataclass(frozen=True)
class _Shown:
    """A game to show.

    head: a line about it; moves: those from `start`; opening: how many of them were an opening;
    end: how it ended; text: the moves as text.
    """

    head: str
    start: Board
    moves: tuple[int, ...]
    opening: int
    end: str
    text: str


@click.command(name="replay")
@click.argument("source", metavar="RUN|FILE", shell_complete=complete_runs)
@click.argument("game", required=False)
@click.option("--moves", "moves_only", is_flag=True, help="The moves in one line, no boards.")
@strict_option
@file_rules_option
def replay_command(
    source: str, game: str | None, moves_only: bool, strict: bool, rules: str | None
) -> None:
    """Show GAME of a run or of a file, move by move.

    Of a run GAME is generation:number, as in the games table, or a number in the last generation.
    Of a file, in any format that evolve convert reads, it is the number of the game, from 1; the
    first if not given. Games that cannot be read are left out, told, and counted.
    On a terminal the arrow keys step forward and back, Home and End go to the ends, q leaves; into
    a pipe all boards are printed.

    \b
    Examples:
      evolve replay runs/reversed-001 12:345
      evolve replay games.ggf 3
      evolve replay WTH_2004.wtb 17 --moves
    """
    path = Path(source)
    if path.is_dir() or not path.suffix:
        if game is None:
            raise click.UsageError("name a game of the run: generation:number, or a number")
        shown = _of_run(source, game)
    else:
        shown = _of_file(path, game, rules, strict)
    if moves_only:
        say(shown.head)
        say(shown.text)
    elif out().is_terminal and sys.stdin.isatty():
        _step(shown)
    else:
        _print(shown)


def _of_run(run: str, game: str) -> _Shown:
    from evolve.records.positions import start_board
    from evolve.tables.columns import rows_with

    opened = evolve.Run(run)
    generation, number = _game_id(game, opened)
    games = opened.all_games_table(generation)
    rows = rows_with(games, "game", number).to_pylist()
    if not rows:
        raise RunError(
            f"{run} has no game {number} in generation {generation}; 0 to {len(games) - 1}"
        )
    row = rows[0]
    if not isinstance(row["moves"], str):
        raise RunError(f"game {number} of generation {generation} of {run} has no moves")
    won = "a draw" if row["winner"] == "draw" else f"{row['winner']} wins"
    return _Shown(
        head=f"generation {generation}, game {number} ({row['kind']}): black {row['black']}, white "
        f"{row['white']}",
        start=start_board(row["start"]),
        moves=tuple(parse_moves(row["moves"])),
        opening=len(parse_moves(row["opening"])),
        end=f"{row['discs_black']}–{row['discs_white']}, {won} ({row['reason']})",
        text=row["moves"],
    )


def _of_file(path: Path, game: str | None, rules: str | None, strict: bool) -> _Shown:
    from evolve.records.formats import read_games

    if game is not None and not _NUMBER.fullmatch(game):
        raise click.UsageError(f"{game!r} is not a game: write its number in the file")
    reading = read_games(path, rules, strict=strict)
    for line in reading.messages(path):
        complain(line)
    number = reading.numbers[0] if game is None and reading.numbers else int(game or "1")
    record = reading.game(path, number)
    names = f": black {record.black or '?'}, white {record.white or '?'}"
    about = ", ".join(filter(None, (record.event, record.place, record.date, record.rules)))
    return _Shown(
        head=f"game {number} of {path.name}{names} ({about})",
        start=record.start,
        moves=record.moves,
        opening=0,
        end=_end(record),
        text=format_moves(record.moves),
    )


def _end(record: GameRecord) -> str:
    board = record.final
    won = {None: "not finished", "draw": "a draw"}.get(record.winner, f"{record.winner} wins")
    return f"{board.discs('black')}–{board.discs('white')}, {won} ({record.ending})"


def _boards(shown: _Shown) -> list[Board]:
    """The board at the start and after every move."""

    boards = [shown.start]
    for square in shown.moves:
        board = boards[-1]
        boards.append(board.pass_move() if square == PASS else board.play(square))
    return boards


def _told(shown: _Shown, boards: list[Board], ply: int) -> str:
    """A line about one ply: its number, side and square, and whether it was in the opening."""

    opening = " (opening)" if ply <= shown.opening else ""
    return f"{ply}. {boards[ply - 1].side} {square_name(shown.moves[ply - 1])}{opening}"


def _print(shown: _Shown) -> None:
    """Print all boards, one after another."""
    boards = _boards(shown)
    say(shown.head)
    for ply, board in enumerate(boards):
        if ply:
            say("")
            say(_told(shown, boards, ply))
        for line in str(board).splitlines():
            say(line)
    say("")
    say(shown.end)


def _step(shown: _Shown) -> None:
    """Show one board at a time; keys step through the game."""

    boards, ply = _boards(shown), 0
    with _keys() as read, out().screen(hide_cursor=False):
        while True:
            last = shown.moves[ply - 1] if ply else PASS
            out().clear()
            say(shown.head)
            say(_told(shown, boards, ply) if ply else "the start")
            show_board(boards[ply], None if last == PASS else last)
            say(shown.end if ply == len(shown.moves) else f"{ply} of {len(shown.moves)} moves")
            say("← → step, Home End, q leaves")
            for key in _KEY.findall(read()) or ["q"]:
                if key in _LEAVE:
                    return
                ply = max(0, min(len(shown.moves), ply + _KEYS.get(key, 0)))


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield a function that returns the keys pressed since its last call.

    It waits for one key at least, and returns an empty text at the end of the input. The terminal
    is set once: click.getchar does so for every key, and loses those that are pressed meanwhile.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield click.getchar
        return
    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    tty.setcbreak(place)
    try:
        yield lambda: os.read(place, 64).decode("utf-8", "replace")
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)


def _game_id(text: str, run: evolve.Run) -> tuple[int, int]:
    generation, colon, number = text.rpartition(":")
    if not _NUMBER.fullmatch(number) or (colon and not _NUMBER.fullmatch(generation)):
        raise click.UsageError(f"{text!r} is not a game: write generation:number, or a number")
    chosen = int(generation) if colon else run.generation_count - 1
    run.check_generation(chosen)
    return chosen, int(number)
