"""Speaking GTP, the Go Text Protocol as Reversi programs use it, to a program that plays.

Source: the draft of GTP version 2 by G. Farnebäck; squares are a1 to h8 with a1 at the top left.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from evolve.engine.board import Board, Side
from evolve.engine.rules import PASS, Rules
from evolve.engine.squares import square_name
from evolve.errors import EngineError, RecordError
from evolve.programs.process import NOTHING, LineProcess
from evolve.programs.session import known_rules
from evolve.records.moves import read_move

RULES_COMMAND: Final = "evolve-rules"
"""The command of GTP that asks a program for its rules: ours knows it."""
_LONGEST_ANSWER: Final = 1000
_ANSWER: Final = re.compile(r"(?:> ?)*([=?])(\d*)(?:\s+(.*)|([A-Za-z].*))?")
"""The first line of an answer, perhaps behind prompts; what looks like a banner, `=== Rhino ===`,
is none."""
_AROUND: Final = "\"'`[](){}.,;:"
"""What may stand around a move in an answer."""
_UNKNOWN: Final = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unsupported|invalid) command|\bnot (?:known|implemented)",
    re.IGNORECASE,
)
"""How a command is refused that a program does not know."""
_PATIENCE: Final = 8.0
"""Seconds after which a program is taken for one that does not know what it was greeted with; a
quarter of that once it has answered anything."""
_QUIET: Final = 0.5
"""Seconds without a line after which an answer has ended that no blank line ends; four times that
of a program that has ended one so."""
_PAUSE: Final = 0.1
"""The same for what a program says of itself."""


class GtpSession:
    """A running program; `moves` are those that it has been told or has played.

    Programs answer in upper or lower case, print banners, and may know no more than the few
    commands that a game needs: we do without the rest. Commands have ids where the program gives
    them back, and none otherwise: many take one for the command. setup: commands of the program's
    own, told when it begins.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float | None,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
        setup: Sequence[str] = (),
    ) -> None:
        self._program = LineProcess(command, environment, folder)
        self._seconds = seconds
        self._setup = setup
        self._id = 0
        self._has_ids = True
        """Whether commands are sent with ids."""
        self._is_strict = False
        """Whether answers without ids are to what was sent without, before it was known."""
        self._has_ends: bool | None = None
        """Whether a blank line ends its answers; None where that is open."""
        self.moves: tuple[int, ...] | None = ()
        self.rules: Rules | None = None

    def begin(self, deadline: float) -> None:
        """Learn what the program can do and set up the game."""
        commands = self._greet(deadline)
        if "list_games" in commands and "set_game" in commands:
            games = self._ask("list_games", deadline).split()
            ours = [name for name in games if name.lower() in ("othello", "reversi")]
            if not ours:
                raise self.error(f"plays {' '.join(games)[:80] or 'nothing'}, and not Othello")
            self._ask(f"set_game {ours[0]}", deadline)
        self._set_size(deadline)
        self._ask("clear_board", deadline)
        # Whole seconds are all that GTP can tell.
        if "time_settings" in commands and self._seconds is not None and self._seconds >= 1:
            self._ask(f"time_settings 0 {int(self._seconds)} 1", deadline)
        for line in self._setup:
            self._ask(line, deadline)
        if RULES_COMMAND in commands:
            self.rules = known_rules(self._ask(RULES_COMMAND, deadline))

    def _greet(self, deadline: float) -> list[str]:
        """The commands that it says it knows, asked with an id first.

        Where its answer has none, it may have taken that for the command: it is asked again. So it
        is where there was no answer, once it has answered what every program knows.
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
        """Ask for eight squares; one that does not know the command has no other board."""
        answer = self._answered("boardsize 8", deadline)
        if not answer.good and not _UNKNOWN.search(answer.text):
            raise self.error("refused 'boardsize 8'")

    def choose(self, board: Board, deadline: float) -> int:
        """The program's move, which it has then played itself."""
        assert board.moves is not None
        known = self.moves or ()
        if board.moves[: len(known)] != known or self.moves is None:
            self._ask("clear_board", deadline)
            known = ()
        for ply in range(len(known), len(board.moves)):
            self._tell(board.moves, ply, deadline)
        self.moves = None  # not known until the answer is there
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
            # A program that passes by itself refuses to be told.
            self._try(f"play {side} pass", deadline)
        else:
            self._ask(f"play {side} {square_name(moves[ply])}", deadline)

    def error(self, text: str) -> EngineError:
        return self._program.error(text)

    def end(self) -> None:
        """Ask the program to quit, and see to it that it does."""
        self._program.end(self._line("quit"), 0.5)

    def kill(self) -> None:
        """End the program at once."""
        self._program.end()

    def _ask(self, command: str, deadline: float) -> str:
        """The answer to a command; EngineError when it is refused."""
        answer = self._try(command, deadline)
        if answer is None:
            raise self.error(f"refused {command!r}")
        return answer

    def _try(self, command: str, deadline: float) -> str | None:
        """The answer to a command, None when it is refused."""
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
            if answer.id and not self._has_ids:  # to our greeting, late or after a banner
                self._has_ids = self._is_strict = True
                return self._said(command, deadline)
            return self._whole(answer, deadline)
        return None

    def _answer(self, line: str) -> _Answer | None:
        """The answer that begins with a line, unless it is one to another command."""
        found = _ANSWER.fullmatch(line)
        if found is None or found[2] not in ("", str(self._id)):
            return None
        if self._is_strict and not found[2]:
            return None
        return _Answer(found[1] == "=", found[2], found[3] or found[4] or "")

    def _whole(self, answer: _Answer, deadline: float) -> _Answer:
        """An answer with its further lines."""
        lines = [answer.text]
        while self._has_ends is not False:
            quiet = _QUIET if self._has_ends is None else 4 * _QUIET
            line = self._program.heard(min(deadline, time.monotonic() + quiet))
            if not line:
                self._has_ends = line is not None
                break
            better = None if answer.id else self._answer(line)
            if better is not None and better.id:  # what came before was of a banner
                return self._whole(better, deadline)
            lines.append(line)
            if len(lines) > _LONGEST_ANSWER:
                raise self.error("gives an endless answer")
        return answer._replace(text="\n".join(lines))


def _move_in(answer: str, side: Side) -> str:
    """The word of an answer that is to be its move: the first one behind those that programs put
    before it, which are `move`, `play` and the side, without what stands around it."""
    words = [word.strip(_AROUND).lower() for word in answer.split()]
    before = ("move", "play", side, side[0])
    return next((word for word in words if word not in before), "")


class _Answer(NamedTuple):
    """good: whether the command was taken; id: as it came, empty where there was none."""

    good: bool
    id: str
    text: str
