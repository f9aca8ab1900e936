"""Every kind of agent and every agent's name: the one place that lists them all, and reads names.

Classes are listed as `module:name`; `extras.imported` loads them on request, so that names and
choices load nothing. All commands, the service and Python name agents in the same words:

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
import shlex
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evolve.errors import AgentError
from evolve.parsing import everything_in
from evolve.terminal_text import plain

if TYPE_CHECKING:
    from pydantic import BaseModel

KINDS: Final = {
    "alphabeta": "evolve.agents.alphabeta:AlphaBetaAgent",
    "mcts": "evolve.agents.mcts:MctsAgent",
    "dqn": "evolve.agents.dqn:DqnAgent",
    "patterns": "evolve.agents.patterns:PatternAgent",
}
"""Kinds in agent files: `kind` in the file, and a subclass of StoredAgent."""

PROGRAM_FORMS: Final = ("gtp:COMMAND", "nboard:COMMAND", "python:FILE.py")
"""Forms of program names, for messages and help."""
PROGRAMS: Final = tuple(form.partition(":")[0] for form in PROGRAM_FORMS)
"""Protocols of agents that run programs.
Settings from other sources that name one are not trusted (`cli.work`)."""

_PROGRAM: Final = re.compile(rf"(^|[\s,;=|])({'|'.join(PROGRAMS)}):")
"""Finds program names, also in a list that is still one text."""

LEVEL: Final = "level-"
LEVELS: Final = tuple(f"{LEVEL}{number}" for number in range(1, 13))
"""Levels for people, the weakest first: what they are depends on the rules, see `ratings`."""

_TABLE: Final = "evolve.agents.reference:table_agent"
REFERENCES: Final = {
    "random": "evolve.agents.chance:RandomAgent",
    "uct": "evolve.agents.mcts:MctsAgent",
    "zero": _TABLE,
    "swh": _TABLE,
    "swh-mobility": _TABLE,
    "positional": _TABLE,
    "anti-swh": _TABLE,
    "anti-swh-mobility": _TABLE,
    "champion-standard": "champions/champion-standard.json",
    "champion-reversed": "champions/champion-reversed.json",
    "published-standard": "champions/published-standard.json",
    "published-reversed": "champions/published-reversed.json",
    "patterns-standard": "champions/patterns-standard.npz",
    "patterns-reversed": "champions/patterns-reversed.npz",
    **dict.fromkeys(LEVELS, "evolve.agents.reference:level_agent"),
}
"""Reference agents, known by name: each is made with the name as `name=`, or is an agent file.
Those in `champions/` come with the package; their provenance says which run made them: the presets
`tuned` and `published` of evolutions, the default of pattern trainings.
A kind without a file needs only an entry here to be an AGENT of the command line, with settings."""
REFERENCE_NAMES: Final = ", ".join(
    [*(name for name in REFERENCES if name not in LEVELS), f"{LEVELS[0]} to {LEVELS[-1]}"]
)
"""Their names, for messages and help."""


def programs_in(settings: BaseModel | Mapping[str, Any]) -> list[str]:
    """The programs that settings name and that would run: each once, as written there."""
    values = settings if isinstance(settings, Mapping) else settings.model_dump(mode="json")
    texts = (text for text in everything_in(values) if isinstance(text, str))
    return list(dict.fromkeys(filter(_PROGRAM.search, texts)))


CWD: Final = "cwd"
"""The setting of a program that is its working folder."""
CLOCK: Final = "clock"
"""The setting of a program that is its time for a game, such as 60+0.6."""
_RUN: Final = re.compile(r"run:(.+?)(?::([0-9]{1,9}-[0-9]{1,9}))?", re.DOTALL)
_OF_PROGRAMS: Final = ("time", "depth", "memory", "margin", CLOCK, CWD)
_LIKE_SETTINGS: Final = re.compile(
    rf"(?:{CWD}=.+?|\w+=[^\s{{}}&]*)(?:&(?:{CWD}=.+?|\w+=[^\s{{}}&]*))*", re.DOTALL
)
_NEXT: Final = re.compile(r"&(?=\w+=)")
_NUMBER: Final = re.compile(r"\s*(\w+)\s*=\s*(-?(?:[0-9]{1,18}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))\s*")
_TEXT: Final = re.compile(rf"({CWD}|{CLOCK})=(.+)", re.DOTALL)
_WINDOWS: Final = os.name == "nt"
_OF_CLOCKS: Final = re.compile(r"\s*(?:depth|time)\s*=")


class AgentName(NamedTuple):
    """The two parts of an agent's name.

    base: a file, a folder, a run, a reference agent, or PROTOCOL:COMMAND; query: the text after
    the question mark, unchanged; None where there is no question mark.
    """

    base: str
    query: str | None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the query, numbers and texts; AgentError for an invalid one."""
        settings: dict[str, Any] = {}
        for part in () if self.query is None else _NEXT.split(self.query):
            text = _TEXT.fullmatch(part)
            match = text or _NUMBER.fullmatch(part)
            if match is None or match[1] in settings:
                fault = "is not a setting" if match is None else f"gives {match[1]} a second time"
                raise AgentError(
                    f"{part!r} in {f'{self.base}?{self.query}'!r} {fault}; write for "
                    f"example {self.base}?depth=3&endgame=8"
                )
            number = match[2]
            settings[match[1]] = number if text else float(number) if "." in number else int(number)
        return settings

    @property
    def path(self) -> Path:
        """The file or folder that it names; there is none for a reference agent or a program."""
        return Path(self.base if self._run is None else self._run[1])

    @property
    def individual(self) -> str | None:
        """The individual of the run at `path` that it names; None for its champion."""
        return None if self._run is None else self._run[2]

    @property
    def _run(self) -> re.Match[str] | None:
        """The base as `run:FOLDER`, unless there is a file of that name."""
        return None if os.path.exists(self.base) else _RUN.fullmatch(self.base)


def parse_name(text: str) -> AgentName:
    """The parts of a text that names an agent.

    The query begins at the last question mark, unless the whole text names an existing place. In a
    program's command only text that looks like settings counts as settings.
    """
    protocol, colon, command = text.partition(":")
    if colon and protocol in PROGRAMS:
        return _of_program(protocol, command)
    base, mark, query = text.rpartition("?")
    if not mark or os.path.exists(AgentName(text, None).path):
        return AgentName(text, None)
    return AgentName(base, query)


COACH: Final = "patterns-{rules}?depth=10&endgame=16"
"""Who values the moves of people, unless another is asked: half a second for a whole game."""


def with_clock(text: str, seconds: float = 5.0) -> str:  # seconds for a move that contests give
    """The name of the same agent with the clock of a hand-in, for a contest's seconds a move.

    It drops a depth, which would limit the search, and another time. It asks for nine tenths of
    the seconds: the move must arrive by then.
    """
    base, query = parse_name(text)
    if query is None or "=" not in query:
        base, query = text, ""
    kept = [part for part in query.split("&") if part and not _OF_CLOCKS.match(part)]
    return f"{base}?{'&'.join([*kept, f'time={0.9 * seconds:g}'])}"


def _of_program(protocol: str, command: str) -> AgentName:
    queries: list[str] = []
    while cut := _last_cut(protocol, command):
        # A program with settings may get further ones, which come first in the text. A setting that
        # no program has is part of the command then.
        names = {part.partition("=")[0] for part in _NEXT.split(cut[1])}
        if queries and not names <= {*_OF_PROGRAMS}:
            break
        command = cut[0]
        queries.insert(0, cut[1])
    return AgentName(f"{protocol}:{command}", "&".join(queries) if queries else None)


def _last_cut(protocol: str, text: str) -> tuple[str, str] | None:
    """The texts around the last question mark, outside of quotes, at which settings begin."""
    end = len(text)
    while (end := text.rfind("?", 0, end)) >= 0:
        before, after = text[:end], text[end + 1 :]
        with suppress(ValueError):  # a quote is not closed
            if protocol != "python":  # a file is a name, not a command
                words_of(before)
            if _LIKE_SETTINGS.fullmatch(after):
                return before, after
    return None


def words_of(command: str) -> list[str]:
    """The words of a command, the program first, as a shell splits them.

    On Windows a backslash separates folders. ValueError where a quote is not closed.
    """
    return shlex.split(command.replace("\\", r"\\") if _WINDOWS else command)


def located(word: str, folder: Path | None = None) -> str | None:
    """The executable that `word` names; None where there is none.

    A name without a folder is searched in PATH first. Other names, and those not in PATH, are
    relative to `folder`, the program's own, if there is one, and then to the current folder.
    """
    if not word.strip():
        return None
    if not os.path.dirname(word) and shutil.which(word) is not None:
        return word
    for base in filter(None, (folder, Path())):
        path = str((base / word).absolute())  # `which` searches PATH for a name without a folder
        if os.path.isfile(path) and shutil.which(path) is not None:
            return path
    return None


def why_not(program: str, folder: Path | None = None) -> str:
    """Why the program of a command is not found, and how to correct that."""
    if any((base / program).is_file() for base in filter(None, (folder, Path()))):
        return f"'{plain(program)}' may not be executed: chmod +x, or name what runs it"
    return f"there is no program '{plain(program)}' to run"
