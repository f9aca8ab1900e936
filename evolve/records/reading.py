"""The result of reading a file of games: the games, and those left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evolve.errors import RecordError
from evolve.records.record import GameRecord
from evolve.terminal_text import count_of

_TOLD: Final = 3
"""Most games left out that a message gives the reasons of; it counts the others."""


@dataclass(frozen=True)
class LeftOut:
    """One or more games that could not be read.

    number: of the first one in the file; where: its place; reason: why; count: how many games.
    """

    number: int
    where: str
    reason: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass
class Reading:
    """The games of a file that could be read, and those that could not.

    numbers: the number of each game in the file, from 1; games left out count too.
    """

    records: list[GameRecord] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def next(self) -> int:
        """The number of the next game."""
        return len(self.records) + self.missing + 1

    @property
    def missing(self) -> int:
        """How many games were left out."""
        return sum(one.count for one in self.left_out)

    def add(self, record: GameRecord) -> None:
        """Add a game."""
        self.numbers.append(self.next)
        self.records.append(record)

    def leave_out(self, where: str, reason: object, count: int = 1) -> None:
        """Add a game that could not be read, or `count` of them."""
        line = (str(reason) or type(reason).__name__).splitlines()[0]
        self.left_out.append(LeftOut(self.next, where, line, count))

    def whole(self) -> list[GameRecord]:
        """All games; RecordError names the first that could not be read."""
        if self.left_out:
            raise RecordError(str(self.left_out[0]))
        return self.records

    def check(self, path: Path, strict: bool = False) -> None:
        """Raise RecordError where nothing could be read, or `strict` and something could not."""
        if not self.left_out or (self.records and not strict):
            return
        more = self.missing - 1
        others = f"; {more} more cannot be read" if more else ""
        raise RecordError(f"{path}, {self.left_out[0]}{others}")

    def game(self, path: Path, number: int) -> GameRecord:
        """The game of that number in the file; RecordError where there is none."""
        for one in self.left_out:
            if 0 <= number - one.number < one.count:
                raise RecordError(f"game {number} of {path} cannot be read: {one}")
        if number not in self.numbers:
            last = self.next - 1
            there = f"1 to {last}" if last else "none"
            raise RecordError(f"{path} has no game {number}; it has {there}")
        return self.records[self.numbers.index(number)]

    def told(self, path: Path) -> Iterator[str]:
        """Lines of a message about the games left out: how many, and the first reasons."""
        if not self.left_out:
            return
        yield f"{path}: {count_of(self.missing, 'game')} of {self.next - 1} left out"
        for one in self.left_out[:_TOLD]:
            yield f"  {one}"
        if len(self.left_out) > _TOLD:
            yield f"  and {sum(one.count for one in self.left_out[_TOLD:])} more"
