"""The language that names agents, in the same words for every command, the service and Python.

    best.json, runs/first       an agent file; the folder of a run (its champion)
    run:runs/first              the same run
    run:runs/first:12-40        an individual of a run
    swh-mobility                a reference agent
    gtp:COMMAND, nboard:…       a program; python:FILE.py or python:FILE.py:CLASS

Settings may follow a question mark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from evolve.agents.command import folder_of, located, words_of
from evolve.agents.registry import PROGRAMS, REFERENCES
from evolve.errors import AgentError

CWD: Final = "cwd"
"""The one setting of a program that is a text: its working folder."""
_RUN: Final = re.compile(r"run:(.+?)(?::([0-9]{1,9}-[0-9]{1,9}))?", re.DOTALL)
HAND_IN_SECONDS: Final = 4.5
"""Seconds for a move of a hand-in: contests give 5, and the move must arrive by then."""
_OF_PROGRAMS: Final = ("time", "depth", "memory", CWD)
_LIKE_SETTINGS: Final = re.compile(
    rf"(?:{CWD}=.+?|\w+=[^\s{{}}&]*)(?:&(?:{CWD}=.+?|\w+=[^\s{{}}&]*))*", re.DOTALL
)
_NEXT: Final = re.compile(r"&(?=\w+=)")
_NUMBER: Final = re.compile(r"\s*(\w+)\s*=\s*(-?(?:[0-9]{1,18}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))\s*")
_TEXT: Final = re.compile(rf"({CWD})=(.+)", re.DOTALL)


class AgentName(NamedTuple):
    """The two parts of an agent's name.

    place: a file, a folder, a run, a reference agent, or PROTOCOL:COMMAND; query: the text after
    the question mark, unchanged; None where there is no question mark.
    """

    place: str
    query: str | None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the query, numbers and texts; AgentError for an invalid one."""
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
    def path(self) -> Path:
        """The file or folder that it names; there is none for a reference agent or a program."""
        found = None if os.path.exists(self.place) else _RUN.fullmatch(self.place)
        return Path(self.place if found is None else found[1])

    @property
    def individual(self) -> str | None:
        """The individual of the run at `path` that it names; None for its champion."""
        found = None if os.path.exists(self.place) else _RUN.fullmatch(self.place)
        return None if found is None else found[2]

    @property
    def folder(self) -> Path | None:
        """The working folder of a program, where the query gives one."""
        given = self.settings.get(CWD)
        return None if given is None else folder_of(given)


def parse_name(text: str) -> AgentName:
    """The parts of a text that names an agent.

    Names may contain question marks: the longest part that names an existing place counts as the
    place. In a program's command only text that looks like settings counts as settings.
    """
    protocol, colon, command = text.partition(":")
    if colon and protocol in PROGRAMS:
        return _of_program(protocol, command)
    cuts = list(_cuts(text))
    if not cuts or _is_there(text):
        return AgentName(text, None)
    likely = cuts[0] if _LIKE_SETTINGS.fullmatch(cuts[0][1]) else cuts[-1]
    return AgentName(*next((cut for cut in cuts if _is_there(cut[0])), likely))


def with_clock(text: str) -> str:
    """The name of the same agent with the clock of a hand-in.

    It drops a depth, which would limit the search.
    """
    place, query = parse_name(text)
    if query is None or "=" not in query:
        place, query = text, ""
    kept = [part for part in query.split("&") if part and not part.lstrip().startswith("depth")]
    return f"{place}?{'&'.join([*kept, f'time={HAND_IN_SECONDS:g}'])}"


def _of_program(protocol: str, command: str) -> AgentName:
    queries: list[str] = []
    while not _is_program(protocol, command):
        cut = next((cut for cut in _cuts(command) if _is_cut(protocol, *cut)), None)
        # A program with settings may get further ones, which come first in the text. A setting that
        # no program has is part of the command then.
        if cut is None or (queries and not _all_known(cut[1])):
            break
        command = cut[0]
        queries.insert(0, cut[1])
    return AgentName(f"{protocol}:{command}", "&".join(queries) if queries else None)


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """The texts before and after each question mark, the last one first."""
    end = len(text)
    while (end := text.rfind("?", 0, end)) >= 0:
        yield text[:end], text[end + 1 :]


def _is_cut(protocol: str, before: str, after: str) -> bool:
    """Whether settings begin at this question mark, outside of quotes.

    A Python file is a name, not a command, so quotes do not matter there.
    """
    try:
        if protocol != "python":
            words_of(before)
    except ValueError:
        return False
    return _LIKE_SETTINGS.fullmatch(after) is not None


def _all_known(query: str) -> bool:
    return all(part.partition("=")[0] in _OF_PROGRAMS for part in _NEXT.split(query))


def _is_there(place: str) -> bool:
    return place in REFERENCES or AgentName(place, None).path.exists()


def _is_program(protocol: str, command: str) -> bool:
    """Whether a command is the name of an existing program, without arguments or settings."""
    if protocol != "python":
        return located(command) is not None
    return any(Path(one).is_file() for one in (command, command.rpartition(":")[0]))
