"""Asking a Python file for moves, in a process of its own: `programs.host` runs it there."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evolve.engine.board import Board
from evolve.engine.rules import PASS
from evolve.engine.squares import parse_square, square_name
from evolve.errors import EngineError, RecordError
from evolve.programs.process import NOTHING, LineProcess

_HOST: Final = Path(__file__).with_name("host.py")
_SECONDS: Final = 5.0
"""What a class is told that it has for a move, unless told otherwise: a contest's usual time."""


class PythonSession:
    """A running file; `moves` are those of the game that it is in."""

    def __init__(
        self,
        file: Path,
        name: str,
        seconds: float | None,
        megabytes: int,
        python: str = sys.executable,
        environment: Mapping[str, str] = NOTHING,
    ) -> None:
        command = [python, str(_HOST), str(file), name, str(megabytes)]
        self._program = LineProcess(command, environment)
        self._seconds = _SECONDS if seconds is None else seconds
        self.moves: tuple[int, ...] | None = None

    def begin(self, deadline: float) -> None:
        """Let it load the file."""
        self._ask(deadline, do="begin", seconds=self._seconds)

    def choose(self, board: Board, deadline: float) -> int:
        """Its move."""
        known, played = self.moves, board.moves
        goes_on = known is not None and played is not None and played[: len(known)] == known
        self.moves = None  # not known until the answer is there
        names = None if played is None else [_name(move) for move in played]
        answer = str(self._ask(deadline, do="choose", new=not goes_on, moves=names, **_told(board)))
        try:
            square = parse_square(answer)
        except RecordError:
            raise EngineError(f"answered {answer[:40]!r}, which is not a move") from None
        self.moves = None if played is None else (*played, square)
        return square

    def examine(self, board: Board, new: bool, deadline: float) -> dict[str, Any]:
        """`places`, what a CS303 class puts into its list, as [row, column]; `seconds` that it took
        for it; `megabytes`, the most that its process has held, or None. Also where it must pass.
        """
        found: dict[str, Any] = self._ask(deadline, do="examine", new=new, **_told(board))
        return found

    def end(self) -> None:
        """End it."""
        self._program.end(patience=0.1)

    def kill(self) -> None:
        """End it at once."""
        self._program.end()

    def _ask(self, deadline: float, **question: Any) -> Any:
        self._program.send(json.dumps(question))
        line = self._program.receive(deadline, "move")
        try:
            answer = json.loads(line)
        except ValueError:
            raise EngineError(f"answered {line[:40]!r}") from None
        if "error" in answer:
            raise EngineError(str(answer["error"])[:300])
        return answer["ok"]


def _told(board: Board) -> dict[str, Any]:
    return {"cells": board.cells(), "side": board.side}


def _name(move: int) -> str:
    return "pass" if move == PASS else square_name(move)
