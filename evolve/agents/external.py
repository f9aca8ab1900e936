"""Agents that are programs of their own, spoken to over GTP or NBoard, or Python files."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from evolve.agents.agent import Agent, Limit, Setting
from evolve.agents.source import CWD
from evolve.agents.timing import check_seconds
from evolve.engine.board import Board
from evolve.engine.rules import PASS, Rules, check_rules
from evolve.engine.squares import square_name
from evolve.errors import AgentError, EngineError, IllegalMoveError
from evolve.programs.command import folder_of, located, why_not, words_of
from evolve.programs.gtp import GtpSession
from evolve.programs.nboard import NBoardSession
from evolve.programs.session import Session

ProtocolName = Literal["gtp", "nboard", "python"]

DEFAULT_SECONDS: Final = 60.0
LAG: Final = 0.25
"""Seconds over its time that a program is allowed, for the round trip."""
START_SECONDS: Final = 60.0
"""Seconds that a program may take to start and to introduce itself. Once it failed to, it has only
the time of a move, so that a match against a dead program soon ends."""


@dataclass(frozen=True)
class ExternalAgent(Agent):
    """A program that is asked for moves over GTP or NBoard.

    Args:
        protocol: `gtp` or `nboard`.
        command: the program and its arguments, as a shell would split them; no shell is used.
        seconds: most time for a move, which the program is told where the protocol can say it;
            None allows DEFAULT_SECONDS, and says nothing.
        depth: sent as NBoard's `set depth`; None sends nothing.
        rules: the rules it plays by, where the caller knows; NBoard tells a program these with each
            game, GTP has no word for them. Some programs say theirs (`own_rules`), and nearly all
            play `standard`.
        cwd: the folder that it runs in, where its command's and its own paths begin; None for
            this one. A program that is not there is looked for here.
        environment: variables for it, beside those of this process.
        setup: GTP commands of its own, which it is told when it starts.

    It starts when it is first asked, once for every game that is played at the same time, and
    ends with this object, or with Python. GTP only knows games from the start position.
    `choose` raises EngineError when the program crashes, hangs, or gives no legal move; it is then
    ended, and started anew for the next game.
    """

    protocol: ProtocolName
    command: str
    seconds: float | None = None
    depth: int | None = None
    rules: Rules | None = None
    name: str = ""
    cwd: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    setup: tuple[str, ...] = ()
    _programs: _Programs = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.rules is not None:
            check_rules(self.rules)
        if self._folder is not None and not self._folder.is_dir():
            raise AgentError(f"cwd={self.cwd} of {self.protocol}:{self.command}: no such folder")
        self._check()
        if self.seconds is not None:
            check_seconds(self.seconds)
        if self.depth is not None and self.protocol != "nboard":
            raise AgentError("depth can be told over nboard alone")
        object.__setattr__(self, "name", self.name or f"{self.protocol}:{self.command}")
        programs = _Programs()
        object.__setattr__(self, "_programs", programs)
        weakref.finalize(self, programs.shut)

    def _check(self) -> None:
        """Raise AgentError where the command cannot be one."""
        if not self._arguments():
            raise AgentError(f"{self.protocol}: needs a command, such as {self.protocol}:program")
        program = self._arguments()[0]
        if located(program, self._folder) is None:
            raise AgentError(f"{self.protocol}: {why_not(self.command, self._folder)}")

    @property
    def _folder(self) -> Path | None:
        """Its own folder."""
        return None if self.cwd is None else folder_of(self.cwd)

    def prepare(self) -> None:
        """Start it now, for the first game; EngineError when it cannot be used."""
        self._rules_said()

    def own_rules(self) -> Rules | None:
        """Those that it is known by, or else those that it says once it has started."""
        return self._rules_said() if self.rules is None else self.rules

    def _rules_said(self) -> Rules | None:
        try:
            with self._session(Board.start()) as session:
                return session.rules
        except EngineError as error:
            raise EngineError(f"{self.name} cannot be used: {error}") from error

    @property
    def _patience(self) -> float:
        """Seconds that a move may take until the game is lost."""
        return (DEFAULT_SECONDS if self.seconds is None else self.seconds) + LAG

    def _arguments(self) -> list[str]:
        try:
            return words_of(self.command, self._folder)
        except ValueError as error:
            raise AgentError(f"{self.command!r} is not a command: {error}") from error

    def choose(self, board: Board) -> int:
        """The program's move; EngineError when it fails."""
        legal = board.legal_moves()
        if not legal:
            raise IllegalMoveError(f"there is no move to choose\n{board}")
        if board.moves is None and self.needs_moves:
            raise AgentError(f"{self.name} can be told games from the start position only")
        with self._session(board) as session:
            square = session.choose(board, time.monotonic() + self._patience)
            if square not in legal:
                move = "a pass" if square == PASS else square_name(square)
                raise session.error(f"played {move}, which is illegal")
        return square

    @contextmanager
    def _session(self, board: Board) -> Iterator[Session]:
        """A running program, idle again afterwards, or ended if anything went wrong."""
        session = self._programs.take(board)
        fresh = session is None
        if session is None:
            session = self._programs.start(self._make)
        try:
            if fresh:
                self._begin(session)
            yield session
        except BaseException:
            self._programs.remove(session)
            session.kill()
            raise
        self._programs.give(session)

    def _make(self) -> Session:
        program, *rest = self._arguments()
        command = [located(program, self._folder) or program, *rest]
        around = (self.environment, self._folder)
        if self.protocol == "gtp":
            return GtpSession(command, self.seconds, *around, self.setup)
        return NBoardSession(command, self.depth, *around, self.rules)

    def _begin(self, session: Session) -> None:
        patience = self._patience if self._programs.failed_to_start else START_SECONDS
        try:
            session.begin(time.monotonic() + patience)
        except EngineError as error:
            self._programs.failed_to_start = True
            raise EngineError(f"at its start: {error}") from error

    @property
    def needs_moves(self) -> bool:
        """So it is over GTP, which has no word for a position."""
        return self.protocol == "gtp"

    @property
    def limit(self) -> Limit:
        """What the program is told."""
        return Limit(seconds=self.seconds, depth=self.depth)

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Its time, its folder and, over NBoard, its depth."""
        depth = {"depth": Setting("depth")} if self.protocol == "nboard" else {}
        return {"time": Setting("seconds", float), **depth, CWD: Setting("cwd", str)}

    def interrupt(self) -> None:
        """End those of its programs that are thinking: whoever waits gets an EngineError."""
        self._programs.end_busy()

    def close(self) -> None:
        """End its programs now; they start again when needed."""
        self._programs.close()


def gtp_agent(command: str, folder: str | None = None) -> ExternalAgent:
    """The program of a command that speaks GTP; AgentError for an invalid command."""
    return ExternalAgent("gtp", command, cwd=folder)


def nboard_agent(command: str, folder: str | None = None) -> ExternalAgent:
    """The same for NBoard."""
    return ExternalAgent("nboard", command, cwd=folder)


class _Programs:
    """Running programs. Threads take idle ones, and give them back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Session] = []
        self._busy: list[Session] = []
        self._shut = False
        self.failed_to_start = False

    def take(self, board: Board) -> Session | None:
        """The idle one that already knows the most of this game; None when all are busy."""

        def known(session: Session) -> int:
            moves = session.moves
            if moves is None or board.moves is None or board.moves[: len(moves)] != moves:
                return -1
            return len(moves)

        with self._lock:
            if not self._idle:
                return None
            best = max(self._idle, key=known)
            self._idle.remove(best)
            self._busy.append(best)
            return best

    def start(self, make: Callable[[], Session]) -> Session:
        """A new one, busy; EngineError once they are shut.

        It is made under the lock, so that `shut` either finds it or comes before it: threads that
        play go on for a moment after an interruption.
        """
        with self._lock:
            if self._shut:
                raise EngineError("has been shut down")
            session = make()
            self._busy.append(session)
            return session

    def shut(self) -> None:
        """End all of them, and start no more."""
        with self._lock:
            self._shut = True
        self.close()

    def give(self, session: Session) -> None:
        """Note that it is idle now."""
        with self._lock:
            if session in self._busy:
                self._busy.remove(session)
                self._idle.append(session)

    def remove(self, session: Session) -> None:
        """Drop it: it failed."""
        with self._lock:
            if session in self._busy:
                self._busy.remove(session)

    def close(self) -> None:
        """End all of them, the busy ones at once."""
        self.end_busy()
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.end()

    def end_busy(self) -> None:
        """End those that are thinking."""
        with self._lock:
            busy, self._busy = self._busy, []
        for session in busy:
            session.kill()
