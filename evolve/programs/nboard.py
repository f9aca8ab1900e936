"""A client of the NBoard protocol, version 2, for Reversi programs.

Source: the protocol's description in NBoard and NTest by C. Welty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.board.squares import parse_square
from evolve.programs.process import NOTHING, LineProcess, ProgramSession, known_rules
from evolve.records.ggf import format_ggf
from evolve.records.record import GameRecord

RULES_STATUS: Final = "status rules:"
"""Start of the line in which a program says its rules; evolve's own program sends it."""
_CHOICE: Final = re.compile(r"===\s*([a-h][1-8])(?![a-z0-9]).*", re.IGNORECASE)


class NBoardSession(ProgramSession):
    """A running program, which receives the whole game before every move.

    It reads both `=== d6 -1.00 0.0` and `=== D6/-1.00/0.0`, and ignores other lines. rules: of the
    game, sent as its GGF type.
    """

    def __init__(
        self,
        command: Sequence[str],
        depth: int | None,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
        rules: Rules | None = None,
    ) -> None:
        super().__init__(LineProcess(command, environment, folder))
        self._depth = depth
        # Rules without a letter in GGF can only be sent as the default ones.
        known = rules is not None and rule_set(rules).ggf is not None
        self._played: Rules = rules if rules is not None and known else DEFAULT_RULES
        self._pings = 0

    def begin(self, deadline: float) -> None:
        """Greet the program and wait until it has read that."""
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

    def _ping(self, deadline: float) -> None:
        """Wait until the program has read all that was sent."""
        self._pings += 1
        self._program.send(f"ping {self._pings}")
        pong = ["pong", str(self._pings)]
        while (line := self._program.receive(deadline, "pong")).lower().split() != pong:
            if line.startswith(RULES_STATUS):
                self.rules = known_rules(line.removeprefix(RULES_STATUS).strip())
