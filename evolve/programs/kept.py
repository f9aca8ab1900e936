"""Programs that keep running between the tasks of a client, on a worker of a cluster.

A task may be a pair of short games, and starting a program takes 50 to 100 ms. Before its first
game here, a program is compared with the one of the client.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from evolve.agents.agent import Agent
from evolve.engine.board.board import Board
from evolve.engine.board.squares import format_moves, parse_moves
from evolve.errors import ClusterError, EngineError, EvolveError
from evolve.records.record import play_moves
from evolve.terminal_text import plain

if TYPE_CHECKING:
    from evolve.programs.external import ExternalAgent

_A = TypeVar("_A", bound=Agent)

_IDLE: Final = 60.0
"""How long a program waits for the next task; it ends sooner where its client says so."""
_GAMES: Final = ("f5d6c3d3c4f4c5b3c2e3", "f5f6e6f4e3c5c4", "f5d6c5f4e3c6d3f6e6d7")
"""Positions with 9 to 12 moves: a random player repeats itself in all three once in a thousand."""


@dataclass(eq=False)
class Caller:
    """The client whose task a thread of a worker carries out.

    name: one for each process. cancelled: whether nobody waits for the task any more. notes: lines
    about this worker, for the client's user. keeps: whether it has used programs. gone: whether it
    was cancelled when that was last asked, or has ended.
    """

    name: str
    cancelled: Callable[[], bool] = lambda: False
    notes: list[str] = field(default_factory=list)
    keeps: bool = False
    gone: bool = False

    @property
    def is_gone(self) -> bool:
        self.gone = self.gone or self.cancelled()
        return self.gone


_CALLER: Final[ContextVar[Caller | None]] = ContextVar("caller", default=None)


@contextmanager
def working_for(caller: Caller) -> Iterator[None]:
    """What this thread does in the block is a task of that client."""
    token = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(token)


def working_here() -> AbstractContextManager[None]:
    """What this thread does in the block is a task, also where it is of this machine."""
    return nullcontext() if is_task() else working_for(Caller(""))


def is_task() -> bool:
    """Whether this thread does a task, in which `kept_program` starts the programs."""
    return _CALLER.get() is not None


def unwanted() -> bool:
    """Whether this thread's task is a client's that is gone, or no longer waits for it."""
    caller = _CALLER.get()
    return caller is not None and caller.is_gone


def note(text: str) -> None:
    """Tell the client's user something about this worker; repetitions are dropped there."""
    caller = _CALLER.get()
    if caller is not None:
        caller.notes.append(text)


@dataclass(frozen=True)
class Answers:
    """How a program answers on the client's machine.

    name: the name and version that it tells, empty if none. moves: those it plays in some
    positions; None where it plays by the clock, or not the same each time.
    """

    name: str
    moves: str | None

    @classmethod
    def of(cls, program: Any) -> Answers:
        """Ask an ExternalAgent; EngineError where it cannot be used."""
        name, moves = program.told_name(), None
        if program.paced(2.0) is program:
            with suppress(EngineError):  # as it may fail in a game
                first = _moves(program)
                moves = first if _moves(program) == first else None
        return cls(name, moves)

    def check(self, agent: ExternalAgent) -> None:
        """Raise ClusterError where a program of this machine answers differently."""
        found = agent.told_name()
        if found != self.name:
            raise ClusterError(
                f"{agent.name} says that it is {found or 'nothing'!r}, not {self.name!r}"
            )
        if self.moves is not None and (moves := _moves(agent)) != self.moves:
            raise ClusterError(f"{agent.name} plays {moves}, not {self.moves}, in three positions")


def _moves(agent: ExternalAgent) -> str:
    boards = (play_moves(Board.start(), parse_moves(game)) for game in _GAMES)
    return format_moves(map(agent.choose, boards))


@dataclass(eq=False)
class _Kept:
    """A program of one task at a time.

    since: when it became idle (`time.monotonic`), None while a task has it. refused: why its client
    cannot use it; it has ended then.
    """

    live: ExternalAgent
    caller: Caller
    since: float | None = None
    refused: EvolveError | None = None

    def start(self, answers: Answers | None) -> None:
        """Start it and compare it; EngineError or ClusterError where it cannot be used."""
        try:
            self.live.prepare()
            if answers is not None:
                answers.check(self.live)
        except (EngineError, ClusterError) as error:
            # The client's own works, where it has answered; else the program itself may be bad.
            text, kind = plain(str(error)), EngineError if answers is None else ClusterError
            name = self.live.name
            self.refused = kind(text if text.startswith(name) else f"{name}: {text}")
            raise self.refused from error


class _Keeper:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._programs: list[_Kept] = []
        self._thread: threading.Thread | None = None

    def take(self, agent: ExternalAgent, caller: Caller) -> tuple[_Kept, bool]:
        """An idle program of the client that is like `agent`, or `agent`, and whether it is new."""
        with self._lock:
            for kept in self._idle(agent, caller):
                if kept.refused is not None:
                    raise type(kept.refused)(*kept.refused.args)
                kept.caller, kept.since = caller, None
                return kept, False
            kept = _Kept(agent, caller)
            self._programs.append(kept)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
            return kept, True

    def give(self, kept: _Kept) -> None:
        """Take a program back; it is closed where nobody will ask for it."""
        with self._lock:
            kept.since = time.monotonic()
            if gone := kept.caller.is_gone:
                self._programs.remove(kept)
        if gone or kept.refused is not None:
            kept.live.close()

    def drop(self, agent: ExternalAgent, caller: Caller) -> None:
        """Close the idle programs of a client that are like `agent`."""
        with self._lock:
            same = self._idle(agent, caller)
            self._programs = [kept for kept in self._programs if kept not in same]
        for kept in same:
            kept.live.close()

    def end(self, name: str) -> None:
        with self._lock:
            for kept in self._programs:
                kept.caller.gone = kept.caller.gone or kept.caller.name == name

    def _idle(self, agent: ExternalAgent, caller: Caller) -> list[_Kept]:
        idle = (kept for kept in self._programs if kept.since is not None)
        return [kept for kept in idle if kept.caller.name == caller.name and kept.live == agent]

    def _watch(self) -> None:
        """End programs whose client is gone or has ended, and those that nobody takes."""
        running = True
        while running:
            time.sleep(0.5)  # seconds from one look for clients that are gone to the next
            end = time.monotonic() - _IDLE
            with self._lock:
                busy = [kept for kept in self._programs if kept.since is None]
                over = [kept for kept in busy if kept.caller.is_gone]
                gone = {kept.caller.name for kept in self._programs if kept.caller.gone}
                idle = ((kept, kept.since) for kept in self._programs if kept.since is not None)
                old = [kept for kept, since in idle if since < end or kept.caller.name in gone]
                self._programs = [kept for kept in self._programs if kept not in old]
                if not self._programs:
                    self._thread, running = None, False
            for kept in over:
                kept.live.shut()
            for kept in old:
                kept.live.close()


_KEEPER: Final = _Keeper()


@contextmanager
def kept_program(agent: _A, answers: Answers | None = None) -> Iterator[_A]:
    """Give an agent for a task: on a worker, the program that earlier tasks have left running.

    A new one starts first, and must answer like the client's where `answers` are given. It stays
    when the block ends, for the next task of the same client, until `end_programs`, or until
    nobody has asked for it for a minute; where the client is gone it ends at once, and `choose`
    fails. Outside of a worker, and where it is no program, the agent itself is given.

    Raises EngineError where the program cannot be used; with `answers` ClusterError, by which the
    worker is left out.
    """
    caller, program = _CALLER.get(), cast("Any", agent)
    if caller is None or not agent.is_program:
        if caller is not None:
            agent.prepare()
        yield agent
        return
    caller.keeps = True
    kept, new = _KEEPER.take(program, caller)
    try:
        if new:
            kept.start(answers)
        yield cast("Any", kept.live)
    finally:
        _KEEPER.give(kept)


def end_program(agent: ExternalAgent) -> None:
    """End what tasks like this one have left running for an agent."""
    caller = _CALLER.get()
    if caller is not None:
        _KEEPER.drop(agent, caller)


def end_programs(name: str) -> None:
    """End all programs that the client of that name has left here, within a second."""
    _KEEPER.end(name)
