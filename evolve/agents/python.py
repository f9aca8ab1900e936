"""Agents that are Python files; each runs in a separate process."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evolve.agents.agent import Setting
from evolve.agents.external import ExternalAgent
from evolve.agents.names import CWD
from evolve.engine.rules import RULE_SETS, Rules
from evolve.errors import AgentError
from evolve.programs.process import ProgramSession
from evolve.programs.python import PythonSession
from evolve.terminal_text import plain

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
