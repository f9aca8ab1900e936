"""Speaking the NBoard protocol, version 2, to a program that plays.

Source: the protocol's description in NBoard and NTest by C. Welty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from evolve.engine.board import Board
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.squares import parse_square
from evolve.errors import EngineError
from evolve.programs.process import NOTHING, LineProcess
from evolve.programs.session import known_rules
from evolve.records.ggf import format_ggf
from evolve.records.record import GameRecord

RULES_STATUS: Final = "status rules:"
"""How a line begins in which a program says its rules: ours does, behind its name."""
_CHOICE: Final = re.compile(r"===\s*([a-h][1-8])(?![a-z0-9]).*", re.IGNORECASE)


class NBoardSession:
    """A running program, told the whole game before every move.

    `=== d6 -1.00 0.0` and `=== D6/-1.00/0.0` are both understood, and other lines ignored. rules:
    of the game, which its GGF type says.
    """

    def __init__(
        self,
        command: Sequence[str],
        depth: int | None,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
        rules: Rules | None = None,
    ) -> None:
        self._program = LineProcess(command, environment, folder)
        self._depth = depth
        # For rules that GGF has no letter for there is no other word than the usual one.
        known = rules is not None and rule_set(rules).ggf is not None
        self._played: Rules = rules if rules is not None and known else DEFAULT_RULES
        self._pings = 0
        self.moves: tuple[int, ...] | None = None
        self.rules: Rules | None = None

    def begin(self, deadline: float) -> None:
        """Greet the program and wait until it has heard."""
        self._program.send("nboard 2")
        if self._depth is not None:
            self._program.send(f"set depth {self._depth}")
        self._ping(deadline)

    def choose(self, board: Board, deadline: float) -> int:
        """The program's move."""
        record = replace(GameRecord.of_board(board), rules=self._played)
        self._program.send(f"set game {format_ggf(record)}")
        self._ping(deadline)
        self._program.send("go")
        while True:
            line = self._program.receive(deadline, "move")
            if line.startswith("==="):
                break
        found = _CHOICE.fullmatch(line)
        if not found:
            raise self.error(f"answered {line[:40]!r}, which is not a move")
        return parse_square(found[1])

    def error(self, text: str) -> EngineError:
        return self._program.error(text)

    def end(self) -> None:
        """Ask the program to quit, and see to it that it does."""
        self._program.end("quit", 0.5)

    def kill(self) -> None:
        """End the program at once."""
        self._program.end()

    def _ping(self, deadline: float) -> None:
        """Wait until the program has heard all that was said."""
        self._pings += 1
        self._program.send(f"ping {self._pings}")
        pong = ["pong", str(self._pings)]
        while (line := self._program.receive(deadline, "pong")).lower().split() != pong:
            if line.startswith(RULES_STATUS):
                self.rules = known_rules(line.removeprefix(RULES_STATUS).strip())
