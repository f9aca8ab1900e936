"""Games at the terminal: against an agent, for another program, and move by move."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import click

import evolve
from evolve.agents.agent import Agent, Limit
from evolve.agents.calibration.discs import in_discs
from evolve.arena.person import Result, elo_of_opponent, keep_game, rating_text
from evolve.cli.display import reporting_compilation
from evolve.cli.drawing import board_text
from evolve.cli.options import readable
from evolve.cli.signals import discard_output
from evolve.cli.terminal import out, print_error, print_text
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import format_moves, parse_moves, square_name
from evolve.errors import EvolveError, IllegalMoveError, ResignedError, RunError, StorageError
from evolve.files.atomic import write_text
from evolve.protocols.gtp import GtpEngine
from evolve.protocols.nboard import NBoardEngine
from evolve.protocols.session import Session
from evolve.records.formats import read_bytes, read_games, text_of, write_games
from evolve.records.ggf import format_ggf
from evolve.records.moves import read_move
from evolve.records.positions import start_board
from evolve.records.record import GameRecord, positions_of
from evolve.runs.loading import AgreedRules, agree_on
from evolve.tables.columns import rows_with
from evolve.terminal_text import SHOWN

if sys.platform != "win32":
    import termios
    import tty

_OF_UNIT: Final = {
    "discs": "exact scores",
    "forecast": "discs that it expects",
    "evaluation": "discs by its evaluations",
    "value": "discs by its values of the moves",
}
"""What a hint's discs come from, by the unit of the agent's values."""
_HELP: Final = "a square such as d3, hint, undo, resign, save FILE, help, quit"
_KEYS: Final = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", " ", "\r", "\n", "n", "l"), 1),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "b", "h", "\x7f"), -1),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "g"), -128),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "G"), 128),
}
"""Keys of a terminal, and how many moves each steps forward."""


def play_against(name: str, side: Side, ggf: Path | None, rules: str | None) -> None:
    """Let a person play a game against an agent."""
    agent = evolve.load_agent(name)
    agreed = agree_on([agent], rules)
    elo = elo_of_opponent(name, agreed.rules, agent)
    agent = agent.with_rules(agreed.rules)
    # What it draws at random is not that of the last game.
    session = Session(agent, draw=secrets.randbits(62))
    _Game(agent, session, agreed, side, ggf, elo).play()


@dataclass
class _Game:
    """A person's game with an agent. elo: the agent's; None where the game does not count."""

    agent: Agent
    session: Session
    agreed: AgreedRules
    side: Side
    ggf: Path | None
    elo: float | None
    resigned: Side | None = None  # the side that gave the game up

    @property
    def board(self) -> Board:
        return self.session.board

    @property
    def _legal(self) -> str:
        return format_moves(self.board.legal_moves())

    def play(self) -> None:
        """Play the game to its end, or until the person leaves."""
        print_text(f"{self.agreed}. You are {self.side}. Type {_HELP}.")
        self._tell_rating()
        while not self.board.is_over() and not self.resigned:
            square = PASS
            if not self.board.legal_moves():
                print_text(f"{self.board.side} has no move and passes")
            elif self.board.side != self.side:
                try:
                    with reporting_compilation():
                        square = self.session.choose()
                except ResignedError:
                    self.resigned = self.board.side
                    continue
                print_text(f"{self.agent.name} plays {square_name(square)}")
            elif self._person_moves():
                continue
            else:
                return
            self.session.play(square)
        self._show()
        verdict, result = self._result()
        print_text(verdict)
        self._tell_rating(result)
        if self.ggf is not None:  # whatever else is in that file
            before = text_of(read_bytes(self.ggf)) if self.ggf.exists() else ""
            line = "" if not before or before.endswith("\n") else "\n"
            write_text(self.ggf, f"{before}{line}{format_ggf(self._record())}\n")
            print_text(f"the game → {self.ggf}")

    def _tell_rating(self, result: Result | None = None) -> None:
        """Print the person's rating where the game counts for it; result: at its end."""
        if self.elo is None:
            return
        rules = self.agreed.rules
        try:
            if result is not None:
                keep_game(secrets.token_hex(8), self.agent.name, self.elo, rules, result)
            print_text(rating_text(rules))
        except StorageError as error:
            print_text(str(error))

    def _show(self) -> None:
        last = self.session.moves[-1] if self.session.moves else None
        out().print(board_text(self.board, last, self.board.legal_moves()))

    def _person_moves(self) -> bool:
        """Ask until the person moves or resigns; return False to quit."""
        self._show()
        while True:
            try:
                text = input(f"{self.side}> ").strip()
            except EOFError:
                print_text("end of input")
                return False
            if text.lower() in ("quit", "exit", "q"):
                return False
            try:
                if self._follow(text):
                    return True
            except (EvolveError, OSError) as error:
                print_text(str(error).splitlines()[0])

    def _follow(self, text: str) -> bool:
        """Do what a person typed; return whether that was their turn."""
        word, _, rest = text.partition(" ")
        match word.lower():
            case "help" | "?" | "h":
                print_text(f"Type {_HELP}. Legal moves: {self._legal}")
            case "hint":
                with reporting_compilation():
                    print_text(self._hint())
            case "undo":  # to before the person's last move
                self.session.take_back(self.side)
                self.elo = None  # it counts no longer
                self._show()
            case "save" if rest:
                path = Path(rest.strip()).expanduser()
                write_games(path, [self._record()])
                print_text(f"the game so far → {path}")
            case "resign":
                self.resigned = self.side
            case "":
                pass
            case _:
                square = read_move(text.lower())
                if square == PASS:
                    raise IllegalMoveError(f"you must not pass; legal: {self._legal}")
                self.session.play(square)
                return True
        return self.resigned is not None

    def _hint(self) -> str:
        analysis = self.agent.analyse(self.board)
        if analysis is None:
            return f"{self.agent.name} has no opinion; legal moves: {self._legal}"
        ranked = sorted(analysis.values, key=lambda square: -analysis.values[square])
        discs, of_what = in_discs(self.agent, self.board, analysis), _OF_UNIT[analysis.unit]
        if discs is None or analysis.exact:
            texts = {square: analysis.text(square) for square in ranked}
        else:
            texts = {square: f"{discs.values[square]:+.1f}" for square in ranked}
            of_what += f", ± {discs.error:.0f}"
        if len(ranked) > 1 and len({*texts.values()}) == 1:
            return f"{of_what}: {texts[ranked[0]]} for each of {format_moves(ranked)}"
        moves = "  ".join(f"{square_name(square)} {texts[square]}" for square in ranked)
        return f"{of_what}: {moves}"

    def _record(self) -> GameRecord:
        both = ("you", self.agent.name) if self.side == "black" else (self.agent.name, "you")
        if self.resigned is None:
            return self.session.record(*both)
        lost = 64.0 if self.resigned == "white" else -64.0
        return self.session.record(*both, result=lost, stopped="resigned")

    def _result(self) -> tuple[str, Result]:
        rules = self.agreed.rules
        black, white = self.board.discs("black"), self.board.discs("white")
        if self.resigned:
            mine = self.resigned == self.side
            result: Result = "lost" if mine else "won"
            verdict = "you resign" if mine else f"{self.agent.name} resigns: you win"
        else:
            score = self.board.score_of(self.side, rules)
            result = "draw" if not score else "won" if score > 0 else "lost"
            verdict = {"draw": "a draw", "won": "you win", "lost": "you lose"}[result]
        return f"black {black}, white {white} ({rules}): {verdict}", result


def serve_engine(name: str, protocol: str, rules: str | None) -> None:
    """Answer another program on standard input and output, as an agent."""
    agent = evolve.load_agent(name)
    agreed = agree_on([agent], rules)
    # Compiles and measures what a move by the clock needs under these rules, before any clock runs.
    agent.with_rules(agreed.rules).limited(Limit(seconds=1.0))
    if agreed.assumed:
        print_error(f"{readable(name)}: {agreed}; --rules says otherwise")
    send = partial(print, end="", flush=True)
    try:
        if protocol == "gtp":
            GtpEngine(agent, agreed.rules, agreed.assumed).serve(_lines(), send)
        else:
            NBoardEngine(agent, agreed.rules, send, agreed.assumed).serve(_lines())
    except BrokenPipeError:
        discard_output()


def _lines() -> Iterator[str]:
    """Yield lines of standard input as text, whatever the bytes; overlong ones in pieces."""
    while line := sys.stdin.buffer.readline(1 << 16):
        yield line.decode("utf-8", "replace")


class _Replay(NamedTuple):
    """A game to show, with a line about it and how it ended; its first moves are an opening."""

    head: str
    end: str
    start: Board
    moves: Sequence[int]
    opening: int = 0

    def steps(self) -> list[tuple[str, Board, int | None]]:
        """The start, and the board after each move, with a line about it and the move's square."""
        boards = [*positions_of(self.start, self.moves)]
        found: list[tuple[str, Board, int | None]] = [("the start", boards[0], None)]
        for ply, square in enumerate(self.moves, 1):
            opening = " (opening)" if ply <= self.opening else ""
            text = f"{ply}. {boards[ply - 1].side} {square_name(square)}{opening}"
            found.append((text, boards[ply], square))
        return found


def replay_game(source: str, game: str | None, rules: str | None) -> None:
    """Show a game of a run or of a file: on a terminal step by step, else all its boards."""
    path = Path(source)
    if path.is_dir() or not path.suffix:
        if game is None:
            raise click.UsageError("name a game of the run: generation:number, or a number")
        replay = _of_run(source, game)
    else:
        replay = _of_file(path, game, rules)
    if out().is_terminal and sys.stdin.isatty():
        _step(replay)
    else:
        _print(replay)


def _of_run(run: str, game: str) -> _Replay:
    opened = evolve.Run(run)
    parsed = re.fullmatch(r"(?:([0-9]{1,9}):)?([0-9]{1,9})", game)
    if parsed is None:
        raise click.UsageError(f"{game!r} is not a game: write generation:number, or a number")
    generation = int(parsed[1]) if parsed[1] else opened.generation_count - 1
    opened.check_generation(generation)
    number = int(parsed[2])
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
    return _Replay(
        f"generation {generation}, game {number} ({row['kind']}): black {row['black']}, white "
        f"{row['white']}",
        f"{row['discs_black']}–{row['discs_white']}, {won} ({row['reason']})",
        start_board(row["start"]),
        parse_moves(row["moves"]),
        len(parse_moves(row["opening"])),
    )


def _of_file(path: Path, game: str | None, rules: str | None) -> _Replay:
    if game is not None and not re.fullmatch(r"[0-9]{1,9}", game):
        raise click.UsageError(f"{game!r} is not a game: write its number in the file")
    reading = read_games(path, rules, tell=print_error)
    number = reading.numbers[0] if game is None and reading.numbers else int(game or "1")
    record = reading.game(path, number)
    names = f": black {record.black or '?'}, white {record.white or '?'}"
    about = ", ".join(filter(None, (record.event, record.site, record.date, record.rules)))
    board = record.final
    won = {None: "not finished", "draw": "a draw"}.get(record.winner, f"{record.winner} wins")
    return _Replay(
        f"game {number} of {SHOWN.get(str(path), path.name)}{names} ({about})",
        f"{board.discs('black')}–{board.discs('white')}, {won} ({record.ending})",
        record.start,
        record.moves,
    )


def _print(replay: _Replay) -> None:
    lines = [replay.head]
    for ply, (text, board, _) in enumerate(replay.steps()):
        lines += ["", text] if ply else []
        lines += str(board).splitlines()
    for line in (*lines, "", replay.end):
        print_text(line)


def _step(replay: _Replay) -> None:
    ply, steps, last = 0, replay.steps(), len(replay.moves)
    with _keys() as read, out().screen(hide_cursor=False):
        while True:
            text, board, square = steps[ply]
            out().clear()
            print_text(replay.head)
            print_text(text)
            out().print(board_text(board, square))
            print_text(replay.end if ply == last else f"{ply} of {last} moves")
            print_text("← → step, Home End, q leaves")
            for key in re.findall(r"(?s)\x1b[\[O][0-9;]*[A-Za-z~]|.", read()) or ["q"]:
                if key in ("q", "\x1b", "\x03", "\x04"):
                    return
                ply = max(0, min(last, ply + _KEYS.get(key, 0)))


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for keys, and returns those pressed since its last call, if any.

    The terminal is set once: click.getchar does so for every key, and loses those in between.
    """
    if sys.platform == "win32":
        yield click.getchar
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield lambda: os.read(descriptor, 64).decode("utf-8", "replace")
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
