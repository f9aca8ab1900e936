"""Checks a hand-in against the demands of a contest: a Python file with the CS303 class `AI`.

`Meter` measures from outside the CPU time and memory of a program and all that it starts.
"""

from __future__ import annotations

import ast
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import psutil

from evolve.engine.board.board import Board, Side
from evolve.engine.board.squares import square_name
from evolve.errors import EngineError
from evolve.parsing import parse_python, read_document
from evolve.programs.process import own_seconds
from evolve.programs.sessions import PythonSession

ALLOWED: Final = ("numpy",)
"""Modules that a hand-in may import beside the standard library."""
_PAUSE: Final = 0.02
"""Least seconds between two samples, each of some 4 ms of CPU. What lives for less counts by its
largest process alone, which the guard reports."""
_STARVED: Final = 0.75  # a late program that had less of a core than this waited or was starved:
_IDLE: Final = 0.1  # starved where less than this of the machine was idle meanwhile
_SIDES: Final[tuple[Side, Side]] = ("black", "white")
GAMES: Final = 4
"""Games against random moves, by default."""
_QUICK: Final[tuple[tuple[Side, int], ...]] = (
    ("black", 4),
    ("white", 27),
    ("black", 44),
    ("white", 50),
)
"""Sides and disc counts of the positions that stand for whole games. They are the first move, which
prepares much, the middle, which has the most moves, and two late positions, where hand-ins begin to
search exactly. Four moves of 5 seconds and the start take less than 30 seconds."""


@dataclass(frozen=True)
class Demands:
    """What a contest allows: seconds and MB for a move, modules beside the standard library."""

    seconds: float = 5.0
    megabytes: int = 100
    modules: Collection[str] = ALLOWED


@dataclass(frozen=True)
class Finding:
    """The result of one check: its name, whether it passes, and a text that says so.

    good: None where the check cannot decide.
    """

    name: str
    good: bool | None
    text: str


class Meter:
    """Samples a program from a separate thread.

    number: the process id of its guard, which does not count; where there are no guards (Windows)
    of the program. megabytes: the most that all processes held at once in any sample. processes:
    the most at once.
    """

    def __init__(self, number: int) -> None:
        self.megabytes = 0.0
        self.processes = 0
        self._number = number
        self._last = self._lost = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def seconds(self) -> float:
        """CPU seconds of all processes so far, or until `close`; they never decrease."""
        with self._lock:
            if not self._stop.is_set():
                self._look()
            return self._last + self._lost

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        pause = _PAUSE
        while not self._stop.wait(pause):
            begin = time.thread_time()
            with self._lock:
                self._look()
            # Sampling takes a tenth of a core at most.
            pause = max(_PAUSE, 10.0 * (time.thread_time() - begin))

    def _look(self) -> None:
        seconds, megabytes, processes = _measure(self._number)
        if seconds < self._last:
            # A process ended after we read its parent and before we read it, or nobody waited for
            # it: then the system drops its time.
            seconds, megabytes, processes = _measure(self._number)
            self._lost += max(0.0, self._last - seconds)
        self._last = seconds
        self.megabytes = max(self.megabytes, megabytes)
        self.processes = max(self.processes, processes)


def _measure(number: int) -> tuple[float, float, int]:
    """What the program with a guard of this process id takes so far; on Windows its own id.

    Returns seconds of CPU, those of ended processes included as far as the system counts them; MB
    that all hold now, where memory that they share counts once if the system says so; and how many
    run.
    """
    seconds, megabytes, count = 0.0, 0.0, 0
    try:
        root = psutil.Process(number)
        processes = root.children(recursive=True)
        if os.name == "nt":
            processes.append(root)
        else:
            seconds += _of_ended(root.cpu_times())
    except psutil.Error:
        processes = []
    for process in processes:
        try:
            times = process.cpu_times()
            # Telling shared memory costs more, and one process shares none.
            memory = process.memory_info() if len(processes) == 1 else process.memory_full_info()
            seconds += times.user + times.system + _of_ended(times)
        except psutil.Error:  # it has ended
            continue
        megabytes += getattr(memory, "pss", memory.rss) / (1 << 20)
        count += 1
    return seconds, megabytes, count


def _of_ended(times: Any) -> float:
    """CPU seconds of the children that a process has waited for; 0 where the system has none."""
    return float(getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0))


class _TooMuchError(Exception):
    """Raised where an answer is late or takes too much, which ends the games."""


@dataclass
class _Play:
    """A hand-in at play, and its times.

    seconds: time from each question to its answer. cpu: CPU seconds of all its processes for each
    move, those since its previous move included, while the other side had its turn. late: whether
    an answer was late by a fault of its own: other programs did not have the machine meanwhile.
    """

    session: PythonSession
    meter: Meter
    demands: Demands
    progress: Callable[[int], None]
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    late: bool = False
    passes: int = 0
    _cpu_before: float = 0.0

    def game(self, side: Side, number: int, rng: np.random.Generator) -> None:
        """Play a game as `side` against random moves; raises as `ask` does."""
        board, new = Board.start(), True
        while not board.is_over():
            if board.side != side:
                board = _at_random(board, rng)
                continue
            square = self.ask(board, new, f"game {number}")
            new = False
            board = board.pass_move() if square is None else board.play(square)

    def ask(self, board: Board, new: bool, what: str) -> int | None:
        """The square it plays; None for a pass. EngineError says what is wrong with an answer."""
        where = f"{what}, {board.disc_count} discs"
        try:
            pairs = self._measured(board, new)
        except EngineError as error:
            raise EngineError(f"{where}: {error}") from error
        legal = board.legal_moves()
        squares = [8 * row + column if 0 <= column < 8 else -1 for row, column in pairs]
        wrong = [pair for pair, square in zip(pairs, squares, strict=True) if square not in legal]
        self.passes += not legal
        self.progress(1)
        if squares and not legal:
            raise EngineError(f"{where}: it must pass, and its list is not empty")
        if wrong:
            raise EngineError(f"{where}: {wrong[0]} is not legal")
        if legal and not squares:
            names = ", ".join(map(square_name, legal[:4]))
            raise EngineError(f"{where}: its list is empty where {names} are legal")
        late = self.late or self.cpu[-1] > self.demands.seconds
        if late or self.meter.megabytes > self.demands.megabytes:
            raise _TooMuchError(where)
        return squares[-1] if squares else None

    def _measured(self, board: Board, new: bool) -> list[tuple[int, int]]:
        patience = 2 * self.demands.seconds + 1  # the report can then say how late an answer is
        if new:
            self.session.sit(board, own_seconds() + patience)
            self._cpu_before = self.meter.seconds()
        begin, idle = own_seconds(), psutil.cpu_times().idle
        try:
            return self.session.examine(board, begin + patience)
        finally:
            seconds = own_seconds() - begin
            before, self._cpu_before = self._cpu_before, self.meter.seconds()
            self.seconds.append(seconds)
            self.cpu.append(self._cpu_before - before)
            idle = psutil.cpu_times().idle - idle
            rest = _IDLE * seconds * (os.cpu_count() or 1)  # where interrupted at once, 0 seconds
            starved = self.cpu[-1] < _STARVED * seconds and idle < rest
            self.late = self.late or (seconds > self.demands.seconds and not starved)


def moves_of(games: int) -> int:
    """How many moves `examine` asks for, roughly, in so many games (0: positions alone)."""
    return 30 * games if games else len(_QUICK)


def examine(
    file: Path,
    *,
    name: str = "",
    demands: Demands = Demands(),
    games: int = GAMES,
    seed: int = 0,
    python: str | None = None,
    progress: Callable[[int], None] = lambda moves: None,
) -> list[Finding]:
    """Play `games` against random moves, black and white in turn, and report the findings.

    This process takes the time and measures CPU and memory from outside: see `Meter`. The first
    fault ends the games.

    Args:
        file: the hand-in; name: its class, by default `AI`.
        demands: of the contest.
        games: number of games; 0 asks for a move in each of a few positions instead.
        python: another Python to run it; by default this one.
        progress: called after each move, with 1.
    """
    seconds, megabytes = demands.seconds, demands.megabytes
    findings = [_imports(file, demands.modules)]
    begin = own_seconds()
    with ExitStack() as stack:
        try:
            # Ten times the contest's memory: the check is to report what the hand-in takes, not to
            # refuse it.
            session = PythonSession(
                file, name, seconds, 10 * megabytes, python=python or sys.executable
            )
            stack.callback(session.program.end)
            meter = Meter(session.program.number)
            stack.callback(meter.close)
            session.begin(begin + 60.0)
        except EngineError as error:
            return [*findings, Finding("start", False, str(error))]
        findings.append(Finding("start", True, f"{own_seconds() - begin:.2f} s"))
        play = _Play(session, meter, demands, progress)
        if not findings[0].good:
            findings.append(Finding("games", None, "not played: what it imports is wrong"))
        else:
            findings.append(_examine_moves(play, games, np.random.default_rng(seed)))
    if play.seconds:
        slowest, middle = max(play.seconds), median(play.seconds)
        text = f"{slowest:.2f} s the slowest move, {middle:.2f} the median, of {seconds:g}"
        good: bool | None = not play.late
        if good and slowest > seconds:
            good, text = None, f"{text}; other programs had the machine: check again without them"
        findings.append(Finding("time", good, text))
    cpu = max(play.cpu, default=0.0)  # the contest's seconds are those of one core
    text = f"{cpu:.2f} s the most for a move, {meter.seconds():.1f} in all, of {seconds:g}"
    if meter.processes > 1:
        text += f"; {meter.processes} processes at once"
    findings.append(Finding("cpu", cpu <= seconds, text))
    most = max(meter.megabytes, session.program.megabytes)  # the meter may miss short-lived ones
    return [*findings, Finding("memory", most <= megabytes, f"{most:.0f} MB of {megabytes}")]


def _examine_moves(play: _Play, games: int, rng: np.random.Generator) -> Finding:
    stopped: _TooMuchError | None = None
    try:
        for game in range(games):
            play.game(_SIDES[game % 2], game, rng)
        for side, discs in () if games else _QUICK:
            play.ask(_position(side, discs, rng), True, "a position")
        for side in _SIDES:
            play.ask(_position(side, None, rng), True, f"{side} at a pass")
    except EngineError as error:
        return Finding("games", False, str(error))
    except _TooMuchError as error:
        stopped = error
    moves = f"{len(play.seconds) - play.passes} moves and {play.passes} passes, all legal"
    if stopped is not None:
        return Finding("games", None, f"stopped at {stopped}: {moves} till then")
    whole = f"{games} against random moves: {moves}"
    return Finding("games", True, whole if games else f"{moves}, in positions alone: no whole game")


def _position(side: Side, discs: int | None, rng: np.random.Generator) -> Board:
    """A position of a random game where `side` has moves, with `discs` ±1; None: it must pass."""
    while True:
        board = Board.start()
        while not board.is_over():
            moves = len(board.legal_moves())
            fits = moves == 0 if discs is None else moves > 1 and abs(board.disc_count - discs) <= 1
            if board.side == side and fits:
                return board
            board = _at_random(board, rng)


def _at_random(board: Board, rng: np.random.Generator) -> Board:
    legal = board.legal_moves()
    return board.play(int(rng.choice(legal))) if legal else board.pass_move()


def _imports(file: Path, allowed: Collection[str]) -> Finding:
    """The finding about imports; a file handles the absence of those within a `try`."""
    try:
        tree = parse_python(read_document(file))
    except (OSError, ValueError) as error:
        return Finding("imports", False, str(error))
    known = {*sys.stdlib_module_names, *allowed}
    names = list(dict.fromkeys(_imported(tree)))
    wrong = [name for name in names if name not in known]
    if wrong:
        return Finding("imports", False, f"{', '.join(wrong)}: only {', '.join(allowed)} may be")
    return Finding("imports", True, ", ".join(names) or "none")


def _imported(tree: ast.Module) -> Iterator[str]:
    ahead: list[ast.AST] = [tree]  # the next one last: a tree can be deeper than calls may be
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "").partition(".")[0]
        elif not isinstance(node, ast.Try):
            ahead += reversed(list(ast.iter_child_nodes(node)))
