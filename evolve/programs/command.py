"""Commands of programs: their words, and where the program itself is."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Final

from evolve.terminal_text import plain

_QUOTED_OR_BACKSLASH: Final = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\(.?)""", re.DOTALL)
_OF_A_NAME: Final = re.compile(r"[\w.%@+,:/-]?")
"""What stands behind a backslash that separates folders, as in C:\\engines\\rhino.exe."""
_SHARE: Final = re.compile(r"\\\\\w")
_BLANK: Final = re.compile(r"\s+")


def words_of(command: str, folder: Path | None = None) -> list[str]:
    r"""The words of a command, the program first; ValueError where a quote is not closed.

    As a shell has them, with two exceptions. A backslash before a sign that names are made of is a
    part of a path of Windows; before any other it lets that sign stand for itself. And a program
    that is there under more than the first word is that one, although its name has blanks:
    `/my engines/rhino --level 3`.

    folder: the program's own, see `located`.
    """
    ends = _ends(command)
    if len(ends) > 1 and located(command, folder) is not None:
        return [command]
    words, wrong = _split(command)
    if words and located(words[0], folder) is not None:
        return words
    for end in ends[1:]:
        if located(command[:end], folder) is not None:
            return [command[:end], *words_of(command[end:])]
    if wrong is not None:
        raise wrong
    return words


def _ends(command: str) -> list[int]:
    """Where its program's name may end: at its own end, and before each blank, the last first."""
    return [len(command), *(found.start() for found in reversed([*_BLANK.finditer(command)]))]


def _split(command: str) -> tuple[list[str], ValueError | None]:
    """The words as a shell has them, or why there are none."""
    try:
        return shlex.split(_QUOTED_OR_BACKSLASH.sub(_as_a_shell_has_it, command)), None
    except ValueError as error:
        return [], error


def _as_a_shell_has_it(found: re.Match[str]) -> str:
    text, place = found[0], found.start()
    if text[0] == "'":
        return text
    if text[0] == '"':
        return rf'"\\{text[1:]}' if _SHARE.match(text, 1) else text
    begins = place == 0 or found.string[place - 1].isspace()
    if begins and _SHARE.match(found.string, place):
        return r"\\\\"
    return rf"\\{found[1]}" if _OF_A_NAME.fullmatch(found[1]) else text


def folder_of(text: str) -> Path:
    """The folder that a text names: `~` is the home of a user, unless there is such a folder."""
    path = Path(text)
    if path.is_dir():
        return path
    try:
        return path.expanduser()
    except RuntimeError:  # of a user that is not known
        return path


def located(word: str, folder: Path | None = None) -> str | None:
    """What starts the program that a command calls so; None where there is none.

    It is looked for as in the program's own folder, where it has one, and else as here: a name
    alone in PATH first.
    """
    if not word.strip():
        return None
    if not os.path.dirname(word) and shutil.which(word) is not None:
        return word
    for base in (folder, Path()):
        path = None if base is None else str((base / word).absolute())
        # As a path: `which` would look for a name alone in PATH.
        if path is not None and os.path.isfile(path) and shutil.which(path) is not None:
            return path
    return None


def why_not(command: str, folder: Path | None = None) -> str:
    """Why the program of a command is not found, in words that say what would do."""
    for end in _ends(command):
        for base in (folder, Path()):
            name = command[:end]
            if base is not None and (base / name).is_file():
                return f"'{plain(name)}' may not be executed: chmod +x, or name what runs it"
    word = next(iter(_split(command)[0]), command)
    return f"there is no program '{plain(word)}' to run"
