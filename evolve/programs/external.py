"""Agents that are outside programs, over GTP or NBoard, or Python files."""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self

from evolve.agents.agent import Agent, Limit, Setting, moves_to_choose
from evolve.agents.registry import CLOCK, CWD, located, why_not, words_of
from evolve.agents.timed_search import SHORTEST, check_seconds
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules, check_rules
from evolve.engine.board.squares import square_name
from evolve.errors import AgentError, EngineError
from evolve.parsing import parse_python
from evolve.programs.process import LineProcess, own_seconds
from evolve.programs.sessions import (
    GameClock,
    GtpSession,
    NBoardSession,
    ProgramSession,
    PythonSession,
)
from evolve.terminal_text import plain

_START_SECONDS: Final = 60.0
"""Most seconds for a program to start and to answer the greeting.
After a failure it has only the time of a move, so that a match against a dead program soon ends."""


@dataclass(frozen=True)
class ExternalAgent(Agent):
    """A program that plays over GTP or NBoard.

    Args:
        protocol: `gtp` or `nboard`.
        command: the program and its arguments, split as by a shell; no shell runs.
        seconds: most time for a move, sent to the program where the protocol can; None allows 60,
            and sends nothing.
        clock: its time for each game, such as `60+0.6` seconds, in place of one for each move; GTP
            programs are told what is left of it before each move, where they know how.
        margin: seconds that it may take beyond its time, for the round trip: for each move, or with
            a clock once for the whole game.
        depth: sent as NBoard's `set depth`; None sends nothing.
        rules: the rules it plays by, where the caller knows them; NBoard sends them with each game,
            GTP cannot. Some programs report theirs (`own_rules`), and nearly all play `standard`.
        cwd: its working folder, to which the paths of its command and its own paths are relative;
            None for the current folder, which is also searched for the program if `cwd` lacks it.
        environment: variables for it, beside those of this process.
        setup: GTP commands specific to it, sent when it starts.

    It starts at the first move, once for each game played at the same time, and ends with this
    object, or with Python. GTP knows only games from the start position. `choose` raises
    EngineError when the program crashes, hangs, or plays no legal move; the program is then ended,
    and starts again for the next game.
    """

    is_program: ClassVar[bool] = True

    protocol: Literal["gtp", "nboard", "python"]
    command: str
    seconds: float | None = None
    depth: int | None = None
    rules: Rules | None = None
    name: str = ""
    cwd: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    setup: tuple[str, ...] = ()
    clock: str | None = None
    margin: float = 0.25
    _clock: GameClock | None = field(init=False, compare=False, repr=False, default=None)
    _programs: _Programs = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.rules is not None:
            check_rules(self.rules)
        if self._folder is not None and not self._folder.is_dir():
            raise AgentError(f"cwd={self.cwd} of {self.protocol}:{self.command}: no such folder")
        self._check()
        if self.seconds is not None:
            check_seconds(self.seconds)
        if not 0.0 <= self.margin <= _START_SECONDS:
            raise AgentError(f"margin {self.margin:g} must be 0 to {_START_SECONDS:g} seconds")
        if self.clock is not None:
            if self.seconds is not None:
                raise AgentError("time is for each move and clock for the game: give one of them")
            object.__setattr__(self, "_clock", GameClock(self.clock))
        if self.depth is not None and self.protocol != "nboard":
            raise AgentError("only nboard: takes a depth")
        object.__setattr__(self, "name", self.name or f"{self.protocol}:{self.command}")
        programs = _Programs()
        object.__setattr__(self, "_programs", programs)
        weakref.finalize(self, programs.shut)

    def _check(self) -> None:
        if not self._arguments():
            raise AgentError(f"{self.protocol}: needs a command, such as {self.protocol}:program")
        program = self._arguments()[0]
        if located(program, self._folder) is None:
            raise AgentError(f"{self.protocol}: {why_not(program, self._folder)}")

    @property
    def _folder(self) -> Path | None:
        return None if self.cwd is None else Path(os.path.expanduser(self.cwd))

    def prepare(self) -> None:
        self._reported_rules()

    def own_rules(self) -> Rules | None:
        """The rules given to this agent, or else those that the program reports at its start."""
        return self._reported_rules() if self.rules is None else self.rules

    def _reported_rules(self) -> Rules | None:
        try:
            with self._session(Board.start()) as session:
                return session.rules
        except EngineError as error:
            raise EngineError(f"{self.name} cannot be used: {error}") from error

    def told_name(self) -> str:
        """The name and the version that it tells; empty where it tells none."""
        with self._session(Board.start()) as session:
            return session.told_name(own_seconds() + self._move_seconds)

    @property
    def _move_seconds(self) -> float:
        """Seconds for a move, after which the game is lost."""
        return (60.0 if self.seconds is None else self.seconds) + self.margin

    def for_game(self, seed: int) -> Self:
        """The agent with a clock of its own for one game of several at the same time."""
        if self.clock is None:
            return self
        copied = object.__new__(type(self))
        vars(copied).update(vars(self), _clock=GameClock(self.clock))  # with the same programs
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it is made of; AgentError where it is unpickled and has no program."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return partial(type(self), **values), ()

    def paced(self, pace: float) -> Self:
        """See Agent; GTP has whole seconds alone, so a time of a second or more is rounded."""
        if self.clock is not None:
            parts = self.clock.strip().split("+")
            return self._changed(clock="+".join(f"{pace * float(part):.6f}" for part in parts))
        if self.seconds is None:
            return self
        seconds = max(SHORTEST, pace * self.seconds)
        if self.protocol == "gtp" and self.seconds >= 1.0:
            seconds = max(1.0, float(round(seconds)))
        return self._changed(seconds=seconds)

    def _arguments(self) -> list[str]:
        try:
            return [*map(os.path.expanduser, words_of(self.command))]
        except ValueError as error:
            raise AgentError(f"{self.command!r} is not a command: {error}") from error

    def choose(self, board: Board) -> int:
        legal = moves_to_choose(board)
        if board.moves is None and self.needs_moves:
            raise AgentError(f"{self.name} takes games from the start position only")
        with self._session(board) as session:
            if self._clock is None:
                square = session.choose(board, own_seconds() + self._move_seconds)
            else:
                with self._clock.running(board) as left:
                    deadline = own_seconds() + left + self.margin
                    square = session.choose(board, deadline, max(0.0, left))
            if square not in legal:
                move = "a pass" if square == PASS else square_name(square)
                raise session.program.error(f"played {move}, which is illegal")
            return square

    @contextmanager
    def _session(self, board: Board) -> Iterator[ProgramSession]:
        """A running program; it is idle again afterwards, or ended where an error occurs."""
        session, fresh = self._programs.take(board, self._make)
        try:
            if fresh:
                self._begin(session)
            yield session
        except BaseException:
            self._programs.give(session, idle=False)
            session.program.end()
            raise
        self._programs.give(session, idle=True)

    def _make(self) -> ProgramSession:
        program, *rest = self._arguments()
        command = [located(program, self._folder) or program, *rest]
        started = LineProcess(command, self.environment, self._folder)
        if self.protocol == "gtp":
            return GtpSession(started, self.seconds, self.setup, self.clock)
        return NBoardSession(started, self.depth, self.rules)

    def _begin(self, session: ProgramSession) -> None:
        seconds = self._move_seconds if self._programs.failed_to_start else _START_SECONDS
        try:
            session.begin(own_seconds() + seconds)
        except EngineError as error:
            self._programs.failed_to_start = True
            raise EngineError(f"at its start: {error}") from error

    @property
    def needs_moves(self) -> bool:
        """True over GTP, which cannot send a position."""
        return self.protocol == "gtp"

    @property
    def limit(self) -> Limit:
        return Limit(seconds=self.seconds, depth=self.depth)

    @property
    def settings(self) -> Mapping[str, Setting]:
        depth = {"depth": Setting("depth")} if self.protocol == "nboard" else {}
        clock = {CLOCK: Setting("clock", str), "margin": Setting("margin", float)}
        return {"time": Setting("seconds", float), **clock, **depth, CWD: Setting("cwd", str)}

    def interrupt(self) -> None:
        self._programs.end_busy()

    def close(self) -> None:
        """End all its programs now; they start again when needed."""
        self._programs.close()

    def shut(self) -> None:
        """End all its programs now, and start no more: each choice is an error."""
        self._programs.shut()


class _Programs:
    """A pool of running programs. Threads take idle ones and give them back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[ProgramSession] = []
        self._busy: list[ProgramSession] = []
        self._shut = False
        self.failed_to_start = False

    def take(self, board: Board, make: Callable[[], ProgramSession]) -> tuple[ProgramSession, bool]:
        """The idle program that has most of this game already, or a new one; whether it is new.

        EngineError after `shut`. A program starts under the lock, so that `shut` either finds it or
        comes before it: playing threads go on for a moment after an interruption.
        """
        with self._lock:
            if self._shut:
                raise EngineError("has been shut down")
            if fresh := not self._idle:
                session = make()
            else:
                session = max(self._idle, key=lambda session: session.known_moves(board))
                self._idle.remove(session)
            self._busy.append(session)
            return session, fresh

    def give(self, session: ProgramSession, *, idle: bool) -> None:
        """Return a program, as idle or as one that failed."""
        with self._lock:
            if session in self._busy:
                self._busy.remove(session)
                if idle:
                    self._idle.append(session)

    def shut(self) -> None:
        """End all programs, and start no more."""
        with self._lock:
            self._shut = True
        self.close()

    def close(self) -> None:
        """End all programs, the busy ones at once."""
        self.end_busy()
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.end()

    def end_busy(self) -> None:
        with self._lock:
            busy, self._busy = self._busy, []
        for session in busy:
            session.program.end()


@dataclass(frozen=True)
class PythonAgent(ExternalAgent):
    """A Python file with a class that plays, as `FILE` or `FILE:CLASS`.

    The class is one of

    - `AI(size, colour, seconds)` with `go(board)` and `candidate_list`, as CS303 requires: the
      board is an 8×8 array of -1 (black), 1 (white) and 0, and the last (row, column) in the list
      is the move;
    - a class without arguments and with `choose(board)`: it takes an evolve.Board and returns a
      square as a number or text;
    - a class without arguments and with `genmove(side, moves)`: it takes "black" or "white", and
      the moves so far such as ["d3", "pass"] (None where the game does not begin at the start),
      and returns a square.

    Each side of each game has a separate object. Its rules are those of a line such as
    `RULES = "reversed"` in the file, if there is one; all files that evolve exports have it.

    Args:
        memory: most MB of its own, from 50, which Python with numpy needs; no limit where the
            system cannot set one.

    Other arguments are as for other programs: see ExternalAgent.
    """

    memory: int = 500

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rules is None:
            object.__setattr__(self, "rules", rules_in_source(self._parts()[0]))

    def own_rules(self) -> Rules | None:
        """The rules that its file says; the file does not run for that."""
        return self.rules

    def told_name(self) -> str:
        """What tells its version: a digest of the file."""
        digest = hashlib.sha256(self._found(self._parts()[0]).read_bytes()).hexdigest()
        return f"a file with the SHA-256 digest {digest[:16]}"

    def _check(self) -> None:
        if not 50 <= self.memory <= 1 << 20:
            raise AgentError(f"memory {self.memory} must be 50 MB or more")
        file, name = self._parts()
        if not self._found(file).is_file():
            raise AgentError(f"there is no file '{plain(str(file))}' to run for python:")
        if name and not name.isidentifier():
            raise AgentError(f"{name!r} is not the name of a class; write python:FILE.py:CLASS")

    def _parts(self) -> tuple[Path, str]:
        """The file, and the name of its class, empty where the command has none."""
        command = os.path.expanduser(self.command)
        path, colon, name = command.rpartition(":")
        return (Path(path), name) if colon and path.lower().endswith(".py") else (Path(command), "")

    def _found(self, file: Path) -> Path:
        """The path of the file: in the working folder if it exists there, else in the current."""
        if self._folder is not None and (self._folder / file).is_file():
            return (self._folder / file).absolute()
        return file.absolute()

    def _make(self) -> ProgramSession:
        file, name = self._parts()
        return PythonSession(
            self._found(file), name, self.seconds, self.memory, self.environment, self._folder
        )

    @property
    def settings(self) -> Mapping[str, Setting]:
        return {
            "time": Setting("seconds", float),
            "margin": Setting("margin", float),
            "memory": Setting("memory"),
            CWD: Setting("cwd", str),
        }


def rules_in_source(file: Path) -> Rules | None:
    """The rules that a Python file says, by a line such as `RULES = "reversed"` at its top level.

    None where it says none, or unknown ones. It reads the file, and runs nothing of it.
    """
    try:
        lines = parse_python(file.read_bytes()).body
    except (OSError, ValueError):
        return None
    rules: Rules | None = None
    for line in lines:
        targets = getattr(line, "targets", [getattr(line, "target", None)])
        if any(getattr(target, "id", None) == "RULES" for target in targets):
            text = getattr(getattr(line, "value", None), "value", None)
            rules = text if text in RULE_SETS else None
    return rules
