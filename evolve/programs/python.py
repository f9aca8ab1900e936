"""Asks a Python file for moves; `programs.host` runs the file in a separate process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evolve.engine.board import Board
from evolve.engine.rules import PASS
from evolve.engine.squares import parse_square, square_name
from evolve.errors import EngineError, RecordError
from evolve.programs.process import NOTHING, LineProcess, ProgramSession
from evolve.safe_parsing import parse_json
from evolve.terminal_text import plain

_HOST: Final = Path(__file__).with_name("host.py")
_SECONDS: Final = 5.0
"""Default time for a move that a class receives: a contest's usual time."""


class PythonSession(ProgramSession):
    """A running file; `moves` are those of its current game."""

    def __init__(
        self,
        file: Path,
        name: str,
        seconds: float | None,
        megabytes: int,
        python: str = sys.executable,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
    ) -> None:
        command = [python, str(_HOST), str(file), name, str(megabytes)]
        super().__init__(LineProcess(command, environment, folder, quoted=False))
        self._seconds = _SECONDS if seconds is None else seconds

    def begin(self, deadline: float) -> None:
        """Load the file."""
        self._ask(deadline, do="begin", seconds=self._seconds)

    def choose(self, board: Board, deadline: float) -> int:
        """The file's move."""
        known, played = self.moves, board.moves
        goes_on = known is not None and played is not None and played[: len(known)] == known
        self.moves = None  # not known until the answer comes
        names = None if played is None else [_name(move) for move in played]
        answer = str(self._ask(deadline, do="choose", new=not goes_on, moves=names, **_told(board)))
        try:
            square = parse_square(answer)
        except RecordError:
            raise EngineError(f"answered {answer[:40]!r}, which is not a move") from None
        self.moves = None if played is None else (*played, square)
        return square

    def sit(self, board: Board, deadline: float) -> None:
        """Make an object of a CS303 class, for a side of a new game."""
        self._ask(deadline, do="sit", new=True, **_told(board))

    def examine(self, board: Board, deadline: float) -> list[tuple[int, int]]:
        """The list of a CS303 class after its move, as (row, column); also where it must pass.

        Call `sit` first. Raises EngineError for an answer that is not a list of places.
        """
        found = self._ask(deadline, do="examine", new=False, **_told(board))
        if not isinstance(found, list) or not all(map(_is_place, found)):
            raise EngineError(f"answered {json.dumps(found)[:40]!r}, which is not a list of places")
        return [(row, column) for row, column in found]

    def end(self) -> None:
        """End the process, which ends by itself with its input."""
        self._program.end(patience=0.1)

    @property
    def guard(self) -> int | None:
        """The process id of its guard; None where it has none."""
        return self._program.guard

    @property
    def most_memory(self) -> float:
        """The most MB that one of its processes held, once it has ended; 0 where not known."""
        return 0.0 if self._program.report is None else self._program.report.megabytes

    def _ask(self, deadline: float, **question: Any) -> Any:
        # A random id, which the file cannot guess: it cannot write answers in advance.
        question["id"] = os.urandom(8).hex()
        self._program.send(json.dumps(question))
        line = self._program.receive(deadline, "move")
        try:
            answer = parse_json(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or answer.get("id") != question["id"]:
            raise EngineError(f"answered {line[:40]!r}")
        if "error" in answer or "ok" not in answer:
            raise EngineError(plain(str(answer.get("error"))[:300]))
        return answer["ok"]


def _is_place(found: Any) -> bool:
    return isinstance(found, list) and len(found) == 2 and all(type(one) is int for one in found)


def _told(board: Board) -> dict[str, Any]:
    return {"cells": board.cells(), "side": board.side}


def _name(move: int) -> str:
    return "pass" if move == PASS else square_name(move)
