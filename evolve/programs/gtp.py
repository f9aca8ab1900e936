"""Speaking GTP, the Go Text Protocol as Reversi programs use it, to a program that plays.

Source: the draft of GTP version 2 by G. Farnebäck; squares are a1 to h8 with a1 at the top left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from evolve.engine.board import Board
from evolve.engine.rules import PASS, Rules
from evolve.engine.squares import square_name
from evolve.errors import EngineError, RecordError
from evolve.programs.process import NOTHING, LineProcess
from evolve.programs.session import known_rules
from evolve.records.moves import read_move

RULES_COMMAND: Final = "evolve-rules"
"""The command of GTP that asks a program for its rules: ours knows it."""
_LONGEST_ANSWER: Final = 1000
_ANSWER: Final = re.compile(r"([=?])(\d*)(?:\s+(.*))?")


class GtpSession:
    """A running program; `moves` are those that it has been told or has played.

    Programs answer in upper or lower case, with or without ids, print banners, and may know no
    more than the few commands that a game needs: we do without the rest. setup: commands of the
    program's own, told when it begins.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float | None,
        environment: Mapping[str, str] = NOTHING,
        setup: Sequence[str] = (),
    ) -> None:
        self._program = LineProcess(command, environment)
        self._seconds = seconds
        self._setup = setup
        self._id = 0
        self.moves: tuple[int, ...] | None = ()
        self.rules: Rules | None = None

    def begin(self, deadline: float) -> None:
        """Learn what the program can do and set up the game."""
        commands = (self._try("list_commands", deadline) or "").split()
        if "list_games" in commands and "set_game" in commands:
            games = self._ask("list_games", deadline).split()
            ours = [name for name in games if name.lower() in ("othello", "reversi")]
            if not ours:
                raise EngineError(f"plays {' '.join(games)[:80] or 'nothing'}, and not Othello")
            self._ask(f"set_game {ours[0]}", deadline)
        self._ask("boardsize 8", deadline)
        self._ask("clear_board", deadline)
        # Whole seconds are all that GTP can tell.
        if "time_settings" in commands and self._seconds is not None and self._seconds >= 1:
            self._ask(f"time_settings 0 {int(self._seconds)} 1", deadline)
        for line in self._setup:
            self._ask(line, deadline)
        if RULES_COMMAND in commands:
            self.rules = known_rules(self._ask(RULES_COMMAND, deadline))

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
        word = answer.split()[0] if answer.split() else ""
        if word.lower() == "resign":
            raise EngineError("resigned")
        try:
            square = read_move(word)
        except RecordError:
            raise EngineError(f"answered {answer[:40]!r}, which is not a move") from None
        self.moves = (*board.moves, square)
        return square

    def _tell(self, moves: tuple[int, ...], ply: int, deadline: float) -> None:
        side = "white" if ply % 2 else "black"
        if moves[ply] == PASS:
            # A program that passes by itself refuses to be told.
            self._try(f"play {side} pass", deadline)
        else:
            self._ask(f"play {side} {square_name(moves[ply])}", deadline)

    def end(self) -> None:
        """Ask the program to quit, and see to it that it does."""
        self._program.end("quit", 0.5)

    def kill(self) -> None:
        """End the program at once."""
        self._program.end()

    def _ask(self, command: str, deadline: float) -> str:
        """The answer to a command; EngineError when it is refused."""
        answer = self._try(command, deadline)
        if answer is None:
            raise EngineError(f"refused {command!r}")
        return answer

    def _try(self, command: str, deadline: float) -> str | None:
        """The answer to a command, None when it is refused."""
        self._id += 1
        self._program.send(f"{self._id} {command}")
        while True:
            line = self._program.receive(deadline, "answer")
            found = _ANSWER.fullmatch(line)
            if found and found[2] in ("", str(self._id)):
                break
        lines = [found[3] or ""]
        while line := self._program.receive(deadline, "end of the answer"):
            lines.append(line)
            if len(lines) > _LONGEST_ANSWER:
                raise EngineError("gives an endless answer")
        return "\n".join(lines) if found[1] == "=" else None
