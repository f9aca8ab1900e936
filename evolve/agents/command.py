"""Splits the commands of programs into words, and finds the programs."""

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
"""A character after a backslash that separates folders, as in C:\\engines\\rhino.exe."""
_SHARE: Final = re.compile(r"\\\\\w")
_BLANK: Final = re.compile(r"\s+")


def words_of(command: str, folder: Path | None = None) -> list[str]:
    r"""The words of a command, the program first; ValueError where a quote is not closed.

    It splits as a shell does, with two exceptions. A backslash before a character of file names is
    part of a Windows path; before any other character it is an escape. A program's name may have
    blanks without quotes, where a program of that name exists: `/my engines/rhino --level 3`.

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
    """Where the program's name may end: at the command's end or before a blank, the last first."""
    return [len(command), *(found.start() for found in reversed([*_BLANK.finditer(command)]))]


def _split(command: str) -> tuple[list[str], ValueError | None]:
    """The words as a shell splits them, or the error that a shell would report."""
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
    """The folder that a text names; `~` is a user's home, unless a folder has that name."""
    path = Path(text)
    if path.is_dir():
        return path
    try:
        return path.expanduser()
    except RuntimeError:  # an unknown user's home
        return path


def located(word: str, folder: Path | None = None) -> str | None:
    """The executable that `word` names; None where there is none.

    A name without a folder is searched in PATH first. Other names, and those not in PATH, are
    relative to `folder`, the program's own, if there is one, and then to the current folder.
    """
    if not word.strip():
        return None
    if not os.path.dirname(word) and shutil.which(word) is not None:
        return word
    for base in (folder, Path()):
        path = None if base is None else str((base / word).absolute())
        # As a path: `which` searches PATH for a name without a folder.
        if path is not None and os.path.isfile(path) and shutil.which(path) is not None:
            return path
    return None


def why_not(command: str, folder: Path | None = None) -> str:
    """Why the program of a command is not found, and how to correct that."""
    for end in _ends(command):
        for base in (folder, Path()):
            name = command[:end]
            if base is not None and (base / name).is_file():
                return f"'{plain(name)}' may not be executed: chmod +x, or name what runs it"
    word = next(iter(_split(command)[0]), command)
    return f"there is no program '{plain(word)}' to run"
