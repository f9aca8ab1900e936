"""The text that names an agent: a place or a program, and settings after a question mark."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from evolve.agents.registry import PROGRAMS, REFERENCES
from evolve.errors import AgentError
from evolve.programs.command import folder_of, located, words_of

CWD: Final = "cwd"
"""The setting of a program that is a text: its own folder."""
INDIVIDUAL: Final = "individual"
"""Begins a source that only the service's processes know: `individual:FOLDER:NUMBER`, of the tables
of a run. Command lines get a file, which would stay for each one that was looked at."""
_OF_PROGRAMS: Final = ("time", "depth", "memory", CWD)
_LIKE_SETTINGS: Final = re.compile(
    rf"(?:{CWD}=.+?|\w+=[^\s{{}}&]*)(?:&(?:{CWD}=.+?|\w+=[^\s{{}}&]*))*", re.DOTALL
)
_NEXT: Final = re.compile(r"&(?=\w+=)")
_NUMBER: Final = re.compile(r"\s*(\w+)\s*=\s*(-?(?:[0-9]{1,18}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))\s*")
_TEXT: Final = re.compile(rf"({CWD})=(.+)", re.DOTALL)


class Source(NamedTuple):
    """place: a file, a folder, a reference agent, or PROTOCOL:COMMAND; query: what follows the
    question mark, as it stands there; None where there is no such mark."""

    place: str
    query: str | None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the query, numbers and texts; AgentError where it has none such."""
        settings: dict[str, Any] = {}
        for part in () if self.query is None else _NEXT.split(self.query):
            if found := _TEXT.fullmatch(part):
                settings[found[1]] = found[2]
            elif found := _NUMBER.fullmatch(part):
                settings[found[1]] = float(found[2]) if "." in found[2] else int(found[2])
            else:
                raise AgentError(
                    f"{part!r} in {f'{self.place}?{self.query}'!r} is not a setting; write for "
                    f"example {self.place}?depth=3&endgame=8"
                )
        return settings

    @property
    def folder(self) -> Path | None:
        """The folder that a program is given for its own."""
        given = self.settings.get(CWD)
        return None if given is None else folder_of(given)


def source_of(text: str) -> Source:
    """The parts of a text. Names may have question marks of their own: what is there under more of
    the text is meant, and of a program's command settings are only what looks like them."""
    protocol, colon, command = text.partition(":")
    if colon and protocol in PROGRAMS:
        return _of_program(protocol, command)
    cuts = list(_cuts(text))
    if not cuts or _is_there(text):
        return Source(text, None)
    likely = cuts[0] if _LIKE_SETTINGS.fullmatch(cuts[0][1]) else cuts[-1]
    return Source(*next((cut for cut in cuts if _is_there(cut[0])), likely))


def _of_program(protocol: str, command: str) -> Source:
    queries: list[str] = []
    while not _is_program(protocol, command):
        cut = next((cut for cut in _cuts(command) if _is_cut(protocol, *cut)), None)
        # A program that has settings may get further ones, which come first. What no program has
        # is a part of the command then.
        if cut is None or (queries and not _all_known(cut[1])):
            break
        command = cut[0]
        queries.insert(0, cut[1])
    return Source(f"{protocol}:{command}", "&".join(queries) if queries else None)


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """What stands before and after each question mark, the last one first."""
    end = len(text)
    while (end := text.rfind("?", 0, end)) >= 0:
        yield text[:end], text[end + 1 :]


def _is_cut(protocol: str, before: str, after: str) -> bool:
    """Whether settings begin there, and not in a word in quotes; a Python file is a name and no
    command."""
    try:
        if protocol != "python":
            words_of(before)
    except ValueError:
        return False
    return _LIKE_SETTINGS.fullmatch(after) is not None


def _all_known(query: str) -> bool:
    return all(part.partition("=")[0] in _OF_PROGRAMS for part in _NEXT.split(query))


def _is_there(place: str) -> bool:
    return place in REFERENCES or os.path.exists(place)


def _is_program(protocol: str, command: str) -> bool:
    """Whether a command is a program that is there, and no more than that."""
    if protocol != "python":
        return located(command) is not None
    return any(Path(one).is_file() for one in (command, command.rpartition(":")[0]))
