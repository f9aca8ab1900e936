"""The result of reading a file of games, and the rules of these games.

GGF says the rules in its type, games tables in a column, tables of older matches in the text of the
match, files of older runs and ratings in the settings of their folder, and move strings and
positions in a comment above them. WTHOR has games of the `standard` rules alone. Games that say no
rules get those that the caller asks for, or else the default ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules, check_rules
from evolve.errors import PositionError, RecordError, RulesError
from evolve.records.record import GameRecord
from evolve.safe_parsing import parse_json, parse_toml, read_document
from evolve.tables.paths import CONFIG_FILE, GAMES, RATING_FILE
from evolve.terminal_text import count_of

_TOLD: Final = 3
"""Most games left out that a message gives the reasons of; it counts the others."""
_MATCH_WORD: Final = re.compile(r"(?:^|\s)rules=(\S+)")
_LINE: Final = re.compile(r"^[#%;] *rules: *([a-z-]{1,40})\s*$", re.MULTILINE)
_OF_FOLDERS: Final = re.compile(r"(gen-\d+|playoff|pair-\d+-\d+)\.parquet")


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

    def not_empty(self, none: str) -> Reading:
        """The reading itself; RecordError where there was nothing to read: there is `none`."""
        if not self.records and not self.left_out:
            raise RecordError(f"there is {none}")
        return self

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

    def messages(self, path: Path) -> Iterator[str]:
        """Lines of a message about the games left out: how many, and the first reasons."""
        if not self.left_out:
            return
        yield f"{path}: {count_of(self.missing, 'game')} of {self.next - 1} left out"
        for one in self.left_out[:_TOLD]:
            yield f"  {one}"
        if len(self.left_out) > _TOLD:
            yield f"  and {sum(one.count for one in self.left_out[_TOLD:])} more"


@dataclass(frozen=True)
class Asked:
    """The rules that the caller asks for when a file is read.

    rules: the rules of its games, or None; judged: whether a game is an error that says other
    rules, or has another winner than its rules give it; usual: the rules of games that say none,
    where `rules` is None.
    """

    rules: Rules | None = None
    judged: bool = True
    usual: Rules = DEFAULT_RULES

    def agree(self, said: Rules | None) -> Rules:
        """The rules of a game: those that it says, else those asked for, else the usual ones.

        Raises RulesError where `judged` is set and the game says other rules than those asked for.
        """
        if self.judged and self.rules is not None and said is not None and said != self.rules:
            raise RulesError(f"it says {said} rules, not {self.rules}; leave --rules out")
        return said or self.rules or self.usual


ASKED_NOTHING: Final = Asked()


def check_winner(record: GameRecord, winner: str, said: Rules | None) -> None:
    """Raise RulesError where `winner` is not the winner of a finished game by its rules.

    said: the rules that its table says; None where it says none.
    """
    if record.winner == winner:
        return
    text = f"the winner is {winner}, but by {record.rules} rules it is {record.winner}"
    others = [rules for rules in RULE_SETS if replace(record, rules=rules).winner == winner]
    if said is not None or not others:
        raise RulesError(f"{text}: the row contradicts itself")
    raise RulesError(f"{text}; for games of other rules add --rules {' or '.join(others)}")


def rules_in_row(rules: str | None, match: object) -> Rules | None:
    """The rules that a row says, in the column of rules or that of the match; None for none.

    Raises RecordError for unknown rules.
    """
    word = _MATCH_WORD.search(match) if isinstance(match, str) else None
    # Spreadsheets and people write `Reversed`, or leave a blank after it.
    said = (rules or "").strip().lower() or (None if word is None else word[1])
    try:
        return None if said is None else check_rules(said)
    except PositionError as error:
        raise RecordError(str(error)) from error


def rules_beside(path: Path) -> Rules | None:
    """The rules of the run or rating that this file of games belongs to; None where not known.

    Its folder says them: older files of games have no column of rules.
    """
    folder = path.absolute().parent
    if folder.name != GAMES or not _OF_FOLDERS.fullmatch(path.name):
        return None
    for name, parsed in ((CONFIG_FILE, parse_toml), (RATING_FILE, parse_json)):
        try:
            return check_rules(parsed(read_document(folder.parent / name))["rules"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue  # a folder of that name, but no run or rating
    return None


def rules_line(records: Sequence[GameRecord], sign: str = "#") -> str:
    """The comment with the rules for a file of move strings or positions; empty for the default.

    sign: the character that begins a comment. RecordError where the games have different rules.
    """
    found = {record.rules for record in records}
    if len(found) > 1:
        raise RecordError(
            "move strings and positions cannot say of which rules each is: "
            f"{' and '.join(sorted(found))}; take .ggf, .csv or .parquet"
        )
    return "" if found <= {DEFAULT_RULES} else f"{sign} rules: {found.pop()}\n"


def rules_in_text(text: str) -> Rules | None:
    """The rules that a comment of such a text says; None where there is no such comment.

    RulesError where two comments say different rules.
    """
    found = {said: None for said in _LINE.findall(text) if said in RULE_SETS}
    if len(found) > 1:
        raise RulesError(f"one comment says the rules are {' and another '.join(found)}; split it")
    return next(iter(found), None)
