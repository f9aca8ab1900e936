"""Running programs that play: over GTP, over NBoard, and Python files.

Sources: the draft of GTP version 2 by G. Farnebäck, with a1 at the top left; the description of the
NBoard protocol, version 2, in NBoard and NTest by C. Welty. `programs.host` runs Python files.
"""

from __future__ import annotations

import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import index
from pathlib import Path
from typing import Any, Final

from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, PASS, RULE_SETS, Rules, rule_set
from evolve.engine.board.squares import square_name
from evolve.errors import AgentError, EngineError, RecordError, ResignedError
from evolve.parsing import parse_json
from evolve.programs.process import NOTHING, LineProcess, own_seconds
from evolve.records.ggf import format_ggf, parse_move
from evolve.records.moves import read_move
from evolve.records.record import GameRecord
from evolve.terminal_text import plain

RULES_COMMAND: Final = "evolve-rules"
"""The GTP command that asks a program for its rules; evolve's own GTP program knows it."""
RULES_STATUS: Final = "status rules:"
"""Start of the NBoard line in which a program says its rules; evolve's own program sends it."""
_NAME: Final = "set myname "  # start of the NBoard line in which a program tells its name
_ANSWER: Final = re.compile(r"(?:> ?)*([=?])(?:\s+(.*)|([A-Za-z].*))?")
"""The first line of an answer, possibly after prompts.
A line like a banner, such as `=== Rhino ===`, does not match."""
_UNKNOWN: Final = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unsupported|invalid) command|\bnot (?:known|implemented)",
    re.IGNORECASE,
)
"""How a program refuses a command that it does not know."""
_LIST_SECONDS: Final = 8.0
"""Seconds without an answer after which a program counts as not knowing `list_commands`."""
_QUIET: Final = 0.5
"""Seconds without a line that end an answer without a blank line at its end.
Four times that for a program that has ended an answer with a blank line."""
_CLOCK: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(?:\+(\d{1,6}(?:\.\d{1,6})?))?", re.ASCII)
_LONGEST: Final = 86_400.0  # most seconds of a game on a clock


class GameClock:
    """The clock of one side in one game after another: it starts again with each new game.

    text: seconds of a game and those that each move adds, `60+0.6`, or `60` without increment;
    AgentError for anything else. seconds: of a game. left: seconds left at the start of the
    program's next move.
    """

    def __init__(self, text: str) -> None:
        match = _CLOCK.fullmatch(text.strip())
        self.seconds, self._increment = map(float, match.groups("0")) if match else (0.0, 0.0)
        if not 0.0 < self.seconds <= _LONGEST or self._increment > _LONGEST:
            raise AgentError(
                f"clock={text}: write the seconds of a game and those that a move adds, such as "
                "60+0.6, or 60"
            )
        self._first = self._discs = 64
        self.left = self.seconds

    @contextmanager
    def running(self, board: Board) -> Iterator[float]:
        """Run the clock while the program moves on a board; give the seconds that it has.

        They are below 0 once it has used some of its margin. The same position again is a retry,
        except for a game's first one, with which another game begins.
        """
        discs = 64 - board.empties
        if discs < self._discs or discs <= self._first:
            self._first, self.left = discs, self.seconds
        self._discs = discs
        begin = own_seconds()
        try:
            yield self.left
        finally:
            self.left -= own_seconds() - begin
        self.left += self._increment


class ProgramSession(ABC):
    """A running program that plays, whatever its protocol.

    Methods except `end` raise EngineError when it fails.
    """

    def __init__(self, program: LineProcess) -> None:
        self.program = program  # the process, for what measures it
        self.moves: tuple[int, ...] | None = None
        """Moves of the game that the program has; None where they are not known."""
        self.rules: Rules | None = None
        """The rules that the program says it plays by; None where it says none known to evolve."""
        self.name = ""
        """The name and the version that it tells, where it tells them by itself."""

    def known_moves(self, board: Board) -> int:
        """How many moves of this board's game the program has; -1 where it has another game."""
        moves = self.moves
        if moves is None or board.moves is None or board.moves[: len(moves)] != moves:
            return -1
        return len(moves)

    @abstractmethod
    def begin(self, deadline: float) -> None:
        """Greet the program, before `deadline` (`own_seconds()`)."""

    @abstractmethod
    def choose(self, board: Board, deadline: float, left: float | None = None) -> int:
        """The program's move; left: seconds of its clock, where it has one for the game."""

    def told_name(self, deadline: float) -> str:
        """The name and the version that it tells, empty where it tells none."""
        return self.name

    def _square(self, word: str, answer: str) -> int:
        """The square of a word, the part of an answer that must be a move; 64 for a pass."""
        if word == "resign":
            raise ResignedError("resigns")
        try:
            return read_move(word)
        except RecordError:
            raise self.program.error(f"answered {answer[:40]!r}, which is not a move") from None

    def end(self) -> None:
        """Ask the program to end, and make sure that it does."""
        self.program.end("quit", 0.5)


class GtpSession(ProgramSession):
    """A program that speaks GTP; `moves` are those that it has received or played.

    Programs answer in upper or lower case, print banners, and may know only the few commands that
    a game needs: the session manages without the others. Commands have no ids: many programs take
    an id for the command. setup: commands specific to the program, sent at its start.
    """

    def __init__(
        self,
        program: LineProcess,
        seconds: float | None = None,
        setup: Sequence[str] = (),
        clock: str | None = None,
    ) -> None:
        super().__init__(program)
        self.moves = ()
        self._seconds = seconds
        self._clock = None if clock is None else GameClock(clock)
        self._commands: list[str] = []
        self._setup = setup
        self._has_ends: bool | None = None
        """Whether a blank line ends its answers; None where that is not known yet."""

    def begin(self, deadline: float) -> None:
        """Ask what the program can do, and set up the game."""
        # Every program answers this, once it has started; one that does not know it has one size.
        accepted, text = self._answer("boardsize 8", deadline)
        if not accepted and not _UNKNOWN.search(text):
            raise self.program.error("refused 'boardsize 8'")
        with suppress(EngineError):  # some programs say nothing to what they do not know
            until = min(deadline, own_seconds() + _LIST_SECONDS)
            accepted, text = self._answer("list_commands", until)
            self._commands = text.split() if accepted else []
        commands = self._commands
        if "list_games" in commands and "set_game" in commands:
            games = self._ask("list_games", deadline).split()
            othello = [name for name in games if name.lower() in ("othello", "reversi")]
            if not othello:
                raise self.program.error(
                    f"plays {' '.join(games)[:80] or 'nothing'}, and not Othello"
                )
            self._ask(f"set_game {othello[0]}", deadline)
        self._ask("clear_board", deadline)
        # GTP has whole seconds alone.
        if "time_settings" in commands and self._seconds is not None and self._seconds >= 1:
            self._ask(f"time_settings 0 {int(self._seconds)} 1", deadline)
        self._start_clock(deadline)
        for line in self._setup:
            self._ask(line, deadline)
        if RULES_COMMAND in commands:
            answer = self._ask(RULES_COMMAND, deadline)
            self.rules = answer if answer in RULE_SETS else None

    def _start_clock(self, deadline: float) -> None:
        """Tell the time of a new game; GTP has no increment, which the time left includes."""
        if self._clock is not None and "time_settings" in self._commands:
            self._ask(f"time_settings {max(1, int(self._clock.seconds))} 0 0", deadline)

    def told_name(self, deadline: float) -> str:
        asked = (word for word in ("name", "version") if word in self._commands)
        answers = [self._answer(word, deadline) for word in asked]
        return " ".join(text.strip() for accepted, text in answers if accepted)

    def choose(self, board: Board, deadline: float, left: float | None = None) -> int:
        """The program's move, which it then has on its own board."""
        assert board.moves is not None
        known = self.known_moves(board)
        if known < 0:
            self._ask("clear_board", deadline)
            self._start_clock(deadline)
        for ply in range(max(0, known), len(board.moves)):
            side, move = "white" if ply % 2 else "black", board.moves[ply]
            if move == PASS:  # a program that passes by itself refuses this
                self._answer(f"play {side} pass", deadline)
            else:
                self._ask(f"play {side} {square_name(move)}", deadline)
        self.moves = None  # not known until the answer comes
        if left is not None and "time_left" in self._commands:
            self._ask(f"time_left {board.side} {int(left)} 0", deadline)
        answer = self._ask(f"genmove {board.side}", deadline)
        square = self._square(_move_in(answer, board.side), answer)
        self.moves = (*board.moves, square)
        return square

    def _ask(self, command: str, deadline: float) -> str:
        accepted, text = self._answer(command, deadline)
        if not accepted:
            raise self.program.error(f"refused {command!r}")
        return text

    def _answer(self, command: str, deadline: float) -> tuple[bool, str]:
        self.program.send(command)
        while True:
            if match := _ANSWER.fullmatch(self.program.receive(deadline, "answer")):
                return match[1] == "=", self._whole(match[2] or match[3] or "", deadline)

    def _whole(self, first: str, deadline: float) -> str:
        lines = [first]
        while self._has_ends is not False:
            quiet = _QUIET if self._has_ends is None else 4 * _QUIET
            line = self.program.next_line(min(deadline, own_seconds() + quiet))
            if not line:
                self._has_ends = line is not None
                break
            lines.append(line)
            if len(lines) > 1000:
                raise self.program.error("gives an endless answer")
        return "\n".join(lines)


def _move_in(answer: str, side: Side) -> str:
    """The word of an answer that should be its move, without the characters around it.

    It is the first one that is not `move`, `play` or the side, which programs put before it.
    """
    words = [word.strip("\"'`[](){}.,;:").lower() for word in answer.split()]
    before = ("move", "play", side, side[0])
    return next((word for word in words if word not in before), "")


class NBoardSession(ProgramSession):
    """A program that speaks NBoard; it receives the whole game before every move.

    It reads both `=== d6 -1.00 0.0` and `=== D6/-1.00/0.0`, and ignores other lines. rules: of the
    game, sent as its GGF type.
    """

    def __init__(
        self, program: LineProcess, depth: int | None = None, rules: Rules | None = None
    ) -> None:
        super().__init__(program)
        self._depth = depth
        # Rules without a letter in GGF can only be sent as the default ones.
        known = rules is not None and rule_set(rules).ggf is not None
        self._played: Rules = rules if rules is not None and known else DEFAULT_RULES
        self._pings = 0

    def begin(self, deadline: float) -> None:
        self.program.send("nboard 2")
        if self._depth is not None:
            self.program.send(f"set depth {self._depth}")
        self._ping(deadline)

    def choose(self, board: Board, deadline: float, left: float | None = None) -> int:
        record = replace(GameRecord.of_board(board), rules=self._played)
        self.program.send(f"set game {format_ggf(record)}")
        self._ping(deadline)
        self.program.send("go")
        while True:
            line = self.program.receive(deadline, "move")
            if line.startswith("==="):
                break
        if line.lower().strip("= ").partition("/")[0].split()[:1] == ["resign"]:
            raise ResignedError("resigns")
        with suppress(RecordError):
            if (square := parse_move(line.strip("= "))) != PASS:
                return square
        raise self.program.error(f"answered {line[:40]!r}, which is not a move")

    def _ping(self, deadline: float) -> None:
        """Wait until the program has read all that was sent."""
        self._pings += 1
        self.program.send(f"ping {self._pings}")
        pong = ["pong", str(self._pings)]
        while (line := self.program.receive(deadline, "pong")).lower().split() != pong:
            if line.startswith(_NAME):
                self.name = line.removeprefix(_NAME).strip()
            if line.startswith(RULES_STATUS):
                answer = line.removeprefix(RULES_STATUS).strip()
                self.rules = answer if answer in RULE_SETS else None


class PythonSession(ProgramSession):
    """A running file; `moves` are those of its current game."""

    def __init__(
        self,
        file: Path,
        name: str,
        seconds: float | None,
        megabytes: int,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
        python: str = sys.executable,
    ) -> None:
        host = Path(__file__).with_name("host.py")
        command = [python, str(host), str(file), name, str(megabytes)]
        super().__init__(LineProcess(command, environment, folder, quoted=False))
        self._seconds = 5.0 if seconds is None else seconds  # the usual time of a contest

    def begin(self, deadline: float) -> None:
        self._ask(deadline, do="begin", seconds=self._seconds)

    def choose(self, board: Board, deadline: float, left: float | None = None) -> int:
        played, new = board.moves, self.known_moves(board) < 0
        self.moves = None  # not known until the answer comes
        names = None if played is None else [*map(square_name, played)]
        answer = str(self._ask(deadline, do="choose", new=new, moves=names, **_position(board)))
        square = self._square(answer.strip().lower(), answer)
        self.moves = None if played is None else (*played, square)
        return square

    def sit(self, board: Board, deadline: float) -> None:
        """Make an object of a CS303 class, for a side of a new game."""
        self._ask(deadline, do="sit", new=True, **_position(board))

    def examine(self, board: Board, deadline: float) -> list[tuple[int, int]]:
        """The list of a CS303 class after its move, as (row, column); also where it must pass.

        Call `sit` first. Raises EngineError for an answer that is not a list of squares.
        """
        answer = self._ask(deadline, do="examine", new=False, **_position(board))
        try:
            return [(index(row), index(column)) for row, column in answer]
        except (TypeError, ValueError):
            text = json.dumps(answer)[:40]
            raise EngineError(f"answered {text!r}, which is not a list of squares") from None

    def end(self) -> None:
        """End the process, which ends by itself with its input."""
        self.program.end(seconds_to_end=0.1)

    def _ask(self, deadline: float, **question: Any) -> Any:
        self.program.send(json.dumps(question))
        line = self.program.receive(deadline, "move")
        try:
            answer = parse_json(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise EngineError(f"answered {line[:40]!r}")
        if "error" in answer or "ok" not in answer:
            raise EngineError(plain(str(answer.get("error"))[:300]))
        return answer["ok"]


def _position(board: Board) -> dict[str, Any]:
    return {"cells": board.cells(), "side": board.side}
