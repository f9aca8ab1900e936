"""Agents that are Python files, each run in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evolve.agents.agent import Setting
from evolve.agents.external import ExternalAgent
from evolve.agents.source import CWD
from evolve.errors import AgentError
from evolve.programs.python import PythonSession
from evolve.programs.session import Session
from evolve.text import plain

MEMORY: Final = 500
"""MB that a file may take, unless told otherwise."""
_LEAST: Final = 50
"""MB that Python with numpy needs."""


@dataclass(frozen=True)
class PythonAgent(ExternalAgent):
    """A Python file with a class that plays, as `FILE` or `FILE:CLASS`.

    The class is one of

    - `AI(size, colour, seconds)` with `go(board)` and `candidate_list`, as CS303 asks for: an 8×8
      array of -1 (black), 1 (white) and 0, the last (row, column) in the list is the move;
    - one made without arguments, with `choose(board)` of an evolve.Board, which gives a square as a
      number or text;
    - one made without arguments, with `genmove(side, moves)`: "black" or "white", and the moves so
      far such as ["d3", "pass"] (None where the game does not begin at the start), which gives a
      square.

    An object of it is made for each side of each game.

    Args:
        memory: most MB of its own, from 50; where the system keeps no such limit, none.

    The rest is as for other programs: see ExternalAgent.
    """

    memory: int = MEMORY

    def _check(self) -> None:
        if not _LEAST <= self.memory <= 1 << 20:
            raise AgentError(f"memory {self.memory} must be {_LEAST} MB or more")
        file, name = self._parts()
        if not self._found(file).is_file():
            raise AgentError(f"there is no file '{plain(str(file))}' to run for python:")
        if name and not name.isidentifier():
            raise AgentError(f"{name!r} is not the name of a class; write python:FILE.py:CLASS")

    def _parts(self) -> tuple[Path, str]:
        """The file, and the name of its class where that is given."""
        place, colon, name = self.command.rpartition(":")
        if colon and place.lower().endswith(".py"):
            return Path(place), name
        return Path(self.command), ""

    def _found(self, file: Path) -> Path:
        """The file as in its own folder, and else as here."""
        places = [] if self._folder is None else [self._folder / file]
        return next((one for one in places if one.is_file()), file).absolute()

    def _make(self) -> Session:
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


def python_agent(command: str, folder: str | None = None) -> PythonAgent:
    """The class of a file; AgentError where there is no such file."""
    return PythonAgent("python", command, cwd=folder)
