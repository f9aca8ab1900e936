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
GAMES: Final = 4
"""Games against random moves, unless told otherwise."""
MOVES_A_GAME: Final = 30
"""Of one side, about."""
_QUICK: Final[tuple[tuple[Side, int], ...]] = (
    ("black", 4),
    ("white", 27),
    ("black", 44),
    ("white", 50),
)
"""Sides and discs of the positions that stand for whole games: the first move, in which much is
made ready, the middle, where there are the most moves, and two ends, where hand-ins begin to search
exactly. Four moves of 5 seconds and the start are less than 30."""


@dataclass(frozen=True)
class Finding:
    """What was found of one thing that a contest asks for: whether it is met, in words.

    good: None where that cannot be said.
    """

    name: str
    good: bool | None
    text: str


@dataclass(frozen=True)
class SoFar:
    """How far an examination is.

    game: that it is in, from 0; asked: moves that it was asked for, of about so many in all;
    slowest: of them, in seconds; left: seconds that the others will take, by the mean of these.
    """

    game: int
    asked: int
    about: int
    slowest: float
    left: float


class _WrongError(Exception):
    """Something is wrong, so that the rest need not be played."""


class _Course:
    """The hand-in at play: what it answered, and the first thing that was wrong with it.

    seconds: from each question until its answer was here. cpu: seconds for each move of all its
    processes, and those since the move before, in which the other side had its turn. fault: what
    is wrong with an answer, None where it is only late, or takes too much; stopped: where.
    """

    def __init__(
        self,
        session: PythonSession,
        meter: Meter,
        limits: tuple[float, float],
        about: int,
        progress: Callable[[SoFar], None] | None,
    ) -> None:
        self._session, self._meter, self._progress = session, meter, progress
        self._limit, self._megabytes = limits
        # Twice its time, so that one that is late is told by how much.
        self._patience = 2 * self._limit + 1
        self.fault: str | None = None
        self.stopped: str | None = None
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self._cpu_before = 0.0
        self._number, self._about = 0, about
        self.passes = 0

    def game(self, side: Side, number: int, rng: np.random.Generator) -> None:
        """Let it play a game as `side` against random moves; EngineError where it fails,
        _WrongError where something is wrong."""
        board, new, begun = Board.start(), True, len(self.seconds)
        self._number = number
        while not board.is_over():
            if board.side == side:
                square = self.ask(board, new, f"game {number}")
                new = False
            else:
                legal = board.legal_moves()
                square = int(rng.choice(legal)) if legal else None
            board = board.pass_move() if square is None else board.play(square)
        self._about += len(self.seconds) - begun - MOVES_A_GAME

    def ask(self, board: Board, new: bool, what: str) -> int | None:
        """What it plays; None for a pass. See `game`."""
        where = f"{what}, {board.disc_count} discs"
        try:
            places = self._measured(board, new)
        except EngineError as error:
            raise EngineError(f"{where}: {error}") from error
        squares, legal = [_square(place) for place in places], board.legal_moves()
        wrong = [place for place in places if _square(place) not in legal]
        if not legal:
            self.passes += 1
            if squares:
                self.fault = f"{where}: it must pass, and its list is not empty"
        elif wrong:
            self.fault = f"{where}: {wrong[0]} is not legal"
        elif not squares:
            names = ", ".join(map(square_name, legal[:4]))
            self.fault = f"{where}: its list is empty where {names} are legal"
        self._tell()
        if self.fault or self._takes_too_much:
            self.stopped = where
            raise _WrongError
        return squares[-1] if squares else None

    @property
    def _takes_too_much(self) -> bool:
        late = max(self.seconds[-1], self.cpu[-1]) > self._limit
        return late or self._meter.megabytes > self._megabytes

    def _tell(self) -> None:
        if self._progress is not None:
            asked = len(self.seconds)
            about = max(asked, self._about)
            left = (about - asked) * sum(self.seconds) / asked
            self._progress(SoFar(self._number, asked, about, max(self.seconds), left))

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


def moves_of(games: int) -> int:
    """Moves, about, that a hand-in is asked for in so many games, or in none: see `examine`."""
    return games * MOVES_A_GAME if games else len(_QUICK)


def examine(
    file: Path,
    *,
    name: str = "",
    seconds: float = 5.0,
    megabytes: int = 100,
    games: int = GAMES,
    seed: int = 0,
    python: str | None = None,
    allowed: Collection[str] = ALLOWED,
    progress: Callable[[SoFar], None] | None = None,
) -> list[Finding]:
    """Let it play `games` against random moves, by turns as black and as white.

    Its time is taken here, and what its processes take is measured from outside: see `Meter`. The
    first thing that is wrong ends it.

    Args:
        file: the hand-in; name: its class, `AI` unless given.
        seconds: of a move, as the contest allows. megabytes: of memory, likewise.
        games: 0 for a move in each of a few positions in place of whole games.
        python: another Python to run it by; this one unless given.
        allowed: modules that it may import beside Python's own.
        progress: told after each move.
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
        about = moves_of(games) + len(_SIDES)
        course = _Course(session, meter, (seconds, megabytes), about, progress)
        if not found[0].good:
            found.append(Finding("games", None, "not played: what it imports is wrong"))
        else:
            found.append(_played(course, games, np.random.default_rng(seed)))
    if course.seconds:
        slowest = max(course.seconds)
        usual = median(course.seconds)
        text = f"{slowest:.2f} s the slowest move, {usual:.2f} the median, of {seconds:g}"
        found.append(Finding("time", slowest <= seconds, text))
    return [*found, _cpu(course, meter, seconds), _memory(meter, session.most_memory, megabytes)]


def _played(course: _Course, games: int, rng: np.random.Generator) -> Finding:
    """Let it play; what its answers were like."""
    try:
        for game in range(games):
            course.game(_SIDES[game % 2], game, rng)
        for side, discs in () if games else _QUICK:
            course.ask(_with_choice(side, discs, rng), True, "a position")
        for side in _SIDES:
            course.ask(_at_a_pass(side, rng), True, f"{side} at a pass")
    except EngineError as error:
        return Finding("games", False, str(error))
    except _WrongError:
        if course.fault is not None:
            return Finding("games", False, course.fault)
    moves = f"{len(course.seconds) - course.passes} moves and {course.passes} passes, all legal"
    if course.stopped is not None:
        return Finding("games", None, f"stopped at {course.stopped}: {moves} till then")
    if not games:
        return Finding("games", True, f"{moves}, in positions alone: no whole game")
    return Finding("games", True, f"{games} against random moves: {moves}")


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
    return _of_random_games(rng, lambda board: board.side == side and not board.legal_moves())


def _with_choice(side: Side, discs: int, rng: np.random.Generator) -> Board:
    """A position of a random game where `side` has several moves, with so many discs or one more
    or less."""
    return _of_random_games(
        rng,
        lambda board: (
            board.side == side
            and abs(board.disc_count - discs) <= 1
            and len(board.legal_moves()) > 1
        ),
    )


def _of_random_games(rng: np.random.Generator, wanted: Callable[[Board], bool]) -> Board:
    """The first position that is wanted, of random games one after another."""
    while True:
        board = Board.start()
        while not board.is_over():
            if wanted(board):
                return board
            legal = board.legal_moves()
            board = board.play(int(rng.choice(legal))) if legal else board.pass_move()


def _square(place: tuple[int, int]) -> int | None:
    row, column = place
    return row * 8 + column if 0 <= row < 8 and 0 <= column < 8 else None


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
