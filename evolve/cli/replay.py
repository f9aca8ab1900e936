"""`evolve replay`: a game of a run, move by move."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from evolve.cli.completion import complete_runs
from evolve.cli.terminal import say
from evolve.errors import RunError

if TYPE_CHECKING:
    from evolve.engine.board import Board
    from evolve.tables.run import Run

_NUMBER: Final = re.compile(r"[0-9]{1,9}")


@click.command(name="replay")
@click.argument("run", shell_complete=complete_runs)
@click.argument("game")
@click.option("--moves", "moves_only", is_flag=True, help="The moves in one line, no boards.")
def replay_command(run: str, game: str, moves_only: bool) -> None:
    """Show GAME of RUN, move by move.

    GAME is generation:number, as in the games table, or a number in the last generation.

    \b
    Example:
      evolve replay runs/reversed-001 12:345
    """
    from evolve.engine.board import Board
    from evolve.engine.rules import PASS
    from evolve.engine.squares import parse_moves, square_name
    from evolve.tables.run import Run

    opened = Run(run)
    generation, number = _game_id(game, opened)
    _, games = opened.generation(generation)
    rows = games[games["game"] == number]
    if rows.empty:
        raise RunError(
            f"{run} has no game {number} in generation {generation}; 0 to {len(games) - 1}"
        )
    row = rows.iloc[0]
    if not isinstance(row["moves"], str):
        raise RunError(f"game {number} of generation {generation} of {run} has no moves")
    board, moves = Board.start(), parse_moves(row["moves"])
    say(
        f"generation {generation}, game {number} ({row['kind']}): black {row['black']}, white "
        f"{row['white']}"
    )
    if moves_only:
        say(row["moves"])
    else:
        book = len(parse_moves(row["opening"]))
        _show_board(board)
        for ply, square in enumerate(moves, 1):
            mover = board.side
            board = board.pass_move() if square == PASS else board.play(square)
            say("")
            say(f"{ply}. {mover} {square_name(square)}{' (opening)' if ply <= book else ''}")
            _show_board(board)
    say("")
    say(
        f"{row['discs_black']}–{row['discs_white']}, "
        f"{'a draw' if row['winner'] == 'draw' else row['winner'] + ' wins'} ({row['reason']})"
    )


def _show_board(board: Board) -> None:
    for line in str(board).splitlines():
        say(line)


def _game_id(text: str, run: Run) -> tuple[int, int]:
    generation, colon, number = text.rpartition(":")
    if not _NUMBER.fullmatch(number) or (colon and not _NUMBER.fullmatch(generation)):
        raise click.UsageError(f"{text!r} is not a game: write generation:number, or a number")
    chosen = int(generation) if colon else run.generation_count - 1
    run.check_generation(chosen)
    return chosen, int(number)
