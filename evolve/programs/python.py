"""Asks a Python file for moves; `programs.host` runs the file in a separate process."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evolve.agents.agent import Setting
from evolve.agents.names import CWD
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules
from evolve.engine.board.squares import parse_square, square_name
from evolve.errors import AgentError, EngineError, RecordError
from evolve.programs.external import ExternalAgent
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


MEMORY: Final = 500
"""MB that a file may take by default."""
_RULES: Final = re.compile(rb"\bRULES\b")
_LEAST: Final = 50
"""MB that Python with numpy needs."""


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
        memory: most MB of its own, from 50; no limit where the system cannot set one.

    Other arguments are as for other programs: see ExternalAgent.
    """

    memory: int = MEMORY

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rules is None:
            object.__setattr__(self, "rules", rules_in_source(self._parts()[0]))

    def own_rules(self) -> Rules | None:
        """The rules that its file says; the file does not run for that."""
        return self.rules

    def _check(self) -> None:
        if not _LEAST <= self.memory <= 1 << 20:
            raise AgentError(f"memory {self.memory} must be {_LEAST} MB or more")
        file, name = self._parts()
        if not self._found(file).is_file():
            raise AgentError(f"there is no file '{plain(str(file))}' to run for python:")
        if name and not name.isidentifier():
            raise AgentError(f"{name!r} is not the name of a class; write python:FILE.py:CLASS")

    def _parts(self) -> tuple[Path, str]:
        """The file, and the name of its class, empty where the command has none."""
        place, colon, name = self.command.rpartition(":")
        if colon and place.lower().endswith(".py"):
            return Path(place), name
        return Path(self.command), ""

    def _found(self, file: Path) -> Path:
        """The path of the file: in the working folder if it exists there, else in the current."""
        places = [] if self._folder is None else [self._folder / file]
        return next((one for one in places if one.is_file()), file).absolute()

    def _make(self) -> ProgramSession:
        file, name = self._parts()
        return PythonSession(
            self._found(file),
            name,
            self.seconds,
            self.memory,
            environment=self.environment,
            folder=self._folder,
        )

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Its time, its memory and its folder."""
        memory = {"memory": Setting("memory")}
        return {"time": Setting("seconds", float), **memory, CWD: Setting("cwd", str)}


def rules_in_source(file: Path) -> Rules | None:
    """The rules that a Python file says, by a line such as `RULES = "reversed"` at its top level.

    None where it says none, or unknown ones. It reads the file, and runs nothing of it.
    """
    try:
        source = file.read_bytes()
        if not _RULES.search(source):
            return None
        with warnings.catch_warnings(action="ignore"):  # its process reports faults
            lines = ast.parse(source).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    said: Rules | None = None
    for line in lines:
        names = line.targets if isinstance(line, ast.Assign) else ()
        names = [line.target] if isinstance(line, ast.AnnAssign) else names
        if any(isinstance(name, ast.Name) and name.id == "RULES" for name in names):
            value = line.value if isinstance(line, ast.Assign | ast.AnnAssign) else None
            text = value.value if isinstance(value, ast.Constant) else None
            said = text if isinstance(text, str) and text in RULE_SETS else None
    return said
