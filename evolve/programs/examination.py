"""Putting a hand-in to what a contest asks: a Python file with the CS303 class `AI`."""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from evolve.engine.board import Board, Side
from evolve.engine.squares import square_name
from evolve.errors import EngineError
from evolve.programs.meter import Meter
from evolve.programs.python import PythonSession

ALLOWED: Final = ("numpy",)
"""What a hand-in may import beside Python's own."""
_LIMIT: Final = 10
"""Times the memory that a contest allows, beyond which the hand-in gets none: what it takes is to
be told, not refused."""
_SIDES: Final[tuple[Side, Side]] = ("black", "white")
_START: Final = 60.0
_SHOWN: Final = 3


@dataclass(frozen=True)
class Finding:
    """What was found of one thing that a contest asks for: whether it is met, in words.

    good: None where that cannot be said.
    """

    name: str
    good: bool | None
    text: str


class _Course:
    """The hand-in at play: what it answered, and what was wrong with it.

    seconds: from each question until its answer was here. cpu: seconds for each move of all its
    processes, and those since the move before, in which the other side had its turn.
    """

    def __init__(self, session: PythonSession, meter: Meter, patience: float) -> None:
        self._session, self._meter, self._patience = session, meter, patience
        self.faults: list[str] = []
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self._cpu_before = 0.0
        self.passes = 0

    def game(self, side: Side, what: str, rng: np.random.Generator) -> None:
        """Let it play a game as `side` against random moves; EngineError where it fails."""
        board, new = Board.start(), True
        while not board.is_over():
            if board.side == side:
                square = self.ask(board, new, what)
                new = False
            else:
                legal = board.legal_moves()
                square = int(rng.choice(legal)) if legal else None
            board = board.pass_move() if square is None else board.play(square)

    def ask(self, board: Board, new: bool, what: str) -> int | None:
        """What it plays, the first legal square in place of a wrong one; None for a pass."""
        where = f"{what}, {board.disc_count} discs"
        try:
            places = self._measured(board, new)
        except EngineError as error:
            raise EngineError(f"{where}: {error}") from error
        squares, legal = [_square(place) for place in places], board.legal_moves()
        if not legal:
            self.passes += 1
            if squares:
                self.faults.append(f"{where}: it must pass, and its list is not empty")
            return None
        wrong = [place for place in places if _square(place) not in legal]
        if wrong:
            self.faults.append(f"{where}: {wrong[0]} is not legal")
        elif not squares:
            names = ", ".join(map(square_name, legal[:4]))
            self.faults.append(f"{where}: its list is empty where {names} are legal")
        last = squares[-1] if squares else None
        return last if last in legal else legal[0]

    def _measured(self, board: Board, new: bool) -> list[tuple[int, int]]:
        if new:
            self._session.sit(board, time.monotonic() + self._patience)
            self._cpu_before = self._meter.seconds()
        begin = time.monotonic()
        try:
            return self._session.examine(board, begin + self._patience)
        finally:
            self.seconds.append(time.monotonic() - begin)
            before, self._cpu_before = self._cpu_before, self._meter.seconds()
            self.cpu.append(self._cpu_before - before)


def examine(
    file: Path,
    *,
    name: str = "",
    seconds: float = 5.0,
    megabytes: int = 100,
    games: int = 4,
    seed: int = 0,
    python: str | None = None,
    allowed: Collection[str] = ALLOWED,
    progress: Callable[[int], None] | None = None,
) -> list[Finding]:
    """Let it play `games` against random moves, by turns as black and as white.

    Its time is taken here, and what its processes take is measured from outside: see `Meter`.

    Args:
        file: the hand-in; name: its class, `AI` unless given.
        seconds: of a move, as the contest allows. megabytes: of memory, likewise.
        python: another Python to run it by; this one unless given.
        allowed: modules that it may import beside Python's own.
        progress: told of each game that is over, by a 1.
    """
    found = [_imports(file, allowed)]
    begin = time.monotonic()
    with ExitStack() as stack:
        try:
            session = PythonSession(
                file, name, seconds, _LIMIT * megabytes, python=python or sys.executable
            )
            stack.callback(session.kill)
            meter = Meter(session.guard)
            stack.callback(meter.close)
            session.begin(begin + _START)
        except EngineError as error:
            return [*found, Finding("start", False, str(error))]
        found.append(Finding("start", True, f"{time.monotonic() - begin:.2f} s"))
        # Twice its time, so that one that is late is told by how much.
        course, rng = _Course(session, meter, 2 * seconds + 1), np.random.default_rng(seed)
        try:
            for game in range(games):
                course.game(_SIDES[game % 2], f"game {game}", rng)
                if progress is not None:
                    progress(1)
            for side in _SIDES:
                course.ask(_at_a_pass(side, rng), True, f"{side} at a pass")
        except EngineError as error:
            found.append(Finding("games", False, str(error)))
        else:
            found.append(_lists(course, games))
    if course.seconds:
        slowest = max(course.seconds)
        usual = median(course.seconds)
        text = f"{slowest:.2f} s the slowest move, {usual:.2f} the median, of {seconds:g}"
        found.append(Finding("time", slowest <= seconds, text))
    return [*found, _cpu(course, meter, seconds), _memory(meter, session.most_memory, megabytes)]


def _cpu(course: _Course, meter: Meter, seconds: float) -> Finding:
    """CPU time: the contest's seconds are one core's, whatever is done on others."""
    if meter.why_not is not None:
        return Finding("cpu", None, f"not measured: {meter.why_not}")
    most, together = max(course.cpu, default=0.0), meter.processes
    text = f"{most:.2f} s the most for a move, {meter.seconds():.1f} in all, of {seconds:g}"
    if together > 1:
        text += f"; {together} processes at once"
    return Finding("cpu", most <= seconds, text)


def _memory(meter: Meter, largest: float, megabytes: int) -> Finding:
    """Memory; `largest`: what the guard says of the largest process, which may be short-lived."""
    most = max(meter.megabytes, largest)
    text = f"{most:.0f} MB of {megabytes}"
    if meter.why_not is not None:
        if most <= megabytes:
            held = f"the largest process had {most:.0f} MB" if most else "not measured"
            return Finding("memory", None, f"{held}: {meter.why_not}")
        text += ", one process alone"
    return Finding("memory", most <= megabytes, text)


def _at_a_pass(side: Side, rng: np.random.Generator) -> Board:
    """A position of a random game where `side` must pass."""
    while True:
        board = Board.start()
        while not board.is_over():
            legal = board.legal_moves()
            if not legal and board.side == side:
                return board
            board = board.play(int(rng.choice(legal))) if legal else board.pass_move()


def _square(place: tuple[int, int]) -> int | None:
    row, column = place
    return row * 8 + column if 0 <= row < 8 and 0 <= column < 8 else None


def _lists(course: _Course, games: int) -> Finding:
    moves = len(course.seconds) - course.passes
    if course.faults:
        more = len(course.faults) - _SHOWN
        text = "; ".join(course.faults[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
        return Finding("games", False, text)
    text = f"{games} against random moves: {moves} moves and {course.passes} passes, all legal"
    return Finding("games", True, text)


def _imports(file: Path, allowed: Collection[str]) -> Finding:
    """Modules that are neither Python's own nor allowed; those in a `try` are its own affair."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        return Finding("imports", False, f"it is not Python: {error}")
    known = {*sys.stdlib_module_names, *allowed}
    names = list(dict.fromkeys(_imported(tree)))
    wrong = [name for name in names if name not in known]
    if wrong:
        return Finding("imports", False, f"{', '.join(wrong)}: only {', '.join(allowed)} may be")
    return Finding("imports", True, ", ".join(names) or "none")


def _imported(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Try):
            continue
        if isinstance(child, ast.Import):
            yield from (one.name.partition(".")[0] for one in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield "." * child.level + (child.module or "").partition(".")[0]
        yield from _imported(child)
