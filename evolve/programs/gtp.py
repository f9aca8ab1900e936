"""A client of GTP, the Go Text Protocol, for Reversi programs.

Source: the draft of GTP version 2 by G. Farnebäck; squares are a1 to h8 with a1 at the top left.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.programs.process import NOTHING, LineProcess, ProgramSession, known_rules
from evolve.records.moves import read_move

RULES_COMMAND: Final = "evolve-rules"
"""The GTP command that asks a program for its rules; evolve's own GTP program knows it."""
_LONGEST_ANSWER: Final = 1000
_ANSWER: Final = re.compile(r"(?:> ?)*([=?])(\d*)(?:\s+(.*)|([A-Za-z].*))?")
"""The first line of an answer, possibly after prompts.
A line like a banner, such as `=== Rhino ===`, does not match."""
_AROUND: Final = "\"'`[](){}.,;:"
"""Characters that may surround a move in an answer."""
_UNKNOWN: Final = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unsupported|invalid) command|\bnot (?:known|implemented)",
    re.IGNORECASE,
)
"""How a program refuses a command that it does not know."""
_PATIENCE: Final = 8.0
"""Seconds without an answer after which a program counts as not knowing the greeting.
A quarter of that once it has answered anything."""
_QUIET: Final = 0.5
"""Seconds without a line that end an answer without a blank line at its end.
Four times that for a program that has ended an answer with a blank line."""
_PAUSE: Final = 0.1
"""Seconds without a line that end a program's banner."""


class GtpSession(ProgramSession):
    """A running program; `moves` are those that it has received or played.

    Programs answer in upper or lower case, print banners, and may know only the few commands that
    a game needs: the session manages without the others. Commands have ids where the program
    returns them, and none otherwise: many programs take an id for the command. setup: commands
    specific to the program, sent at its start.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float | None,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
        setup: Sequence[str] = (),
    ) -> None:
        super().__init__(LineProcess(command, environment, folder))
        self.moves = ()
        self._seconds = seconds
        self._setup = setup
        self._id = 0
        self._has_ids = True
        """Whether to send commands with ids."""
        self._is_strict = False
        """Whether to ignore answers without ids: they answer earlier commands without ids."""
        self._has_ends: bool | None = None
        """Whether a blank line ends its answers; None where that is not known yet."""

    def begin(self, deadline: float) -> None:
        """Ask what the program can do, and set up the game."""
        commands = self._greet(deadline)
        if "list_games" in commands and "set_game" in commands:
            games = self._ask("list_games", deadline).split()
            ours = [name for name in games if name.lower() in ("othello", "reversi")]
            if not ours:
                raise self.error(f"plays {' '.join(games)[:80] or 'nothing'}, and not Othello")
            self._ask(f"set_game {ours[0]}", deadline)
        self._set_size(deadline)
        self._ask("clear_board", deadline)
        # GTP has whole seconds alone.
        if "time_settings" in commands and self._seconds is not None and self._seconds >= 1:
            self._ask(f"time_settings 0 {int(self._seconds)} 1", deadline)
        for line in self._setup:
            self._ask(line, deadline)
        if RULES_COMMAND in commands:
            self.rules = known_rules(self._ask(RULES_COMMAND, deadline))

    def _greet(self, deadline: float) -> list[str]:
        """The commands that the program lists.

        The question first has an id. Where the answer has none, the program may have taken the id
        for the command: the session asks again without. Where there is no answer, it asks again
        after a command that every program knows.
        """
        first = self._said("list_commands", min(deadline, time.monotonic() + _PATIENCE))
        if first is not None and first.id:
            return first.text.split()
        self._has_ids = False
        if first is None:
            self._set_size(deadline)
        self._program.settle(_PAUSE)
        again = self._said("list_commands", min(deadline, time.monotonic() + _PATIENCE / 4))
        self._program.settle(_PAUSE)
        return [] if again is None or not again.good else again.text.split()

    def _set_size(self, deadline: float) -> None:
        """Set the board size to 8; a program that does not know the command has no other board."""
        answer = self._answered("boardsize 8", deadline)
        if not answer.good and not _UNKNOWN.search(answer.text):
            raise self.error("refused 'boardsize 8'")

    def choose(self, board: Board, deadline: float) -> int:
        """The program's move, which it then has on its own board."""
        assert board.moves is not None
        known = self.moves or ()
        if board.moves[: len(known)] != known or self.moves is None:
            self._ask("clear_board", deadline)
            known = ()
        for ply in range(len(known), len(board.moves)):
            self._tell(board.moves, ply, deadline)
        self.moves = None  # not known until the answer comes
        answer = self._ask(f"genmove {board.side}", deadline)
        word = _move_in(answer, board.side)
        if word == "resign":
            raise self.error("resigned")
        try:
            square = read_move(word)
        except RecordError:
            raise self.error(f"answered {answer[:40]!r}, which is not a move") from None
        self.moves = (*board.moves, square)
        return square

    def _tell(self, moves: tuple[int, ...], ply: int, deadline: float) -> None:
        side = "white" if ply % 2 else "black"
        if moves[ply] == PASS:
            # A program that passes by itself refuses this command.
            self._try(f"play {side} pass", deadline)
        else:
            self._ask(f"play {side} {square_name(moves[ply])}", deadline)

    def end(self) -> None:
        self._program.end(self._line("quit"), 0.5)

    def _ask(self, command: str, deadline: float) -> str:
        """The answer to a command; EngineError when the program refuses it."""
        answer = self._try(command, deadline)
        if answer is None:
            raise self.error(f"refused {command!r}")
        return answer

    def _try(self, command: str, deadline: float) -> str | None:
        """The answer to a command; None when the program refuses it."""
        answer = self._answered(command, deadline)
        return answer.text if answer.good else None

    def _answered(self, command: str, deadline: float) -> _Answer:
        answer = self._said(command, deadline)
        if answer is None:
            raise self.error("no answer in time")
        return answer

    def _line(self, command: str) -> str:
        if not self._has_ids:
            return command
        self._id += 1
        return f"{self._id} {command}"

    def _said(self, command: str, deadline: float) -> _Answer | None:
        """The answer to a command; None where there is none before `deadline`."""
        self._program.send(self._line(command))
        while (line := self._program.heard(deadline)) is not None:
            if (answer := self._answer(line)) is None:
                continue
            if answer.id and not self._has_ids:  # the greeting's answer, late or after a banner
                self._has_ids = self._is_strict = True
                return self._said(command, deadline)
            return self._whole(answer, deadline)
        return None

    def _answer(self, line: str) -> _Answer | None:
        """The answer that begins with a line; None for anything else, or another command's."""
        found = _ANSWER.fullmatch(line)
        if found is None or found[2] not in ("", str(self._id)):
            return None
        if self._is_strict and not found[2]:
            return None
        return _Answer(found[1] == "=", found[2], found[3] or found[4] or "")

    def _whole(self, answer: _Answer, deadline: float) -> _Answer:
        """An answer with its remaining lines."""
        lines = [answer.text]
        while self._has_ends is not False:
            quiet = _QUIET if self._has_ends is None else 4 * _QUIET
            line = self._program.heard(min(deadline, time.monotonic() + quiet))
            if not line:
                self._has_ends = line is not None
                break
            better = None if answer.id else self._answer(line)
            if better is not None and better.id:  # the lines before were a banner
                return self._whole(better, deadline)
            lines.append(line)
            if len(lines) > _LONGEST_ANSWER:
                raise self.error("gives an endless answer")
        return answer._replace(text="\n".join(lines))


def _move_in(answer: str, side: Side) -> str:
    """The word of an answer that should be its move, without the characters around it.

    It is the first one that is not `move`, `play` or the side, which programs put before it.
    """
    words = [word.strip(_AROUND).lower() for word in answer.split()]
    before = ("move", "play", side, side[0])
    return next((word for word in words if word not in before), "")


class _Answer(NamedTuple):
    """An answer; good: whether the program accepted the command; id: as received, or empty."""

    good: bool
    id: str
    text: str
