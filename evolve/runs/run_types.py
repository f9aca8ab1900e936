"""Kinds of runs: the list of them, where the command line, the service and its page find each.

A new kind of run is a package, see `RunType.module`, and its name in `_PACKAGES`.
"""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path
from typing import Final

from evolve.errors import RunError
from evolve.files.changes import refuse_links
from evolve.parsing import parse_json, read_document
from evolve.runs.run_type import RunType
from evolve.tables import paths
from evolve.terminal_text import as_word

_PACKAGES: Final = ("evolution", "learning", "sweeps")
"""The packages of all kinds, in the order in which people see them."""
RUN_TYPES: Final[tuple[RunType, ...]] = tuple(
    import_module(f"evolve.{package}.kind").KIND for package in _PACKAGES
)

PARTS: Final = tuple(dict.fromkeys(part for kind in RUN_TYPES for part in kind.parts))
"""Folders inside those of runs."""
FILES: Final = (
    paths.CONFIG_FILE,
    *dict.fromkeys(file for kind in RUN_TYPES for file in kind.files),
    paths.RATING_FILE,
    paths.STUDY_FILE,
    paths.LOCK_FILE,
    f"{paths.JOURNAL_FILE}.lock",
    paths.OWNER_FILE,
)
"""Files in runs' folders; those of ratings and studies too, because their folders lock alike."""


def kind_of(command: object, source: Path | str) -> RunType:
    """The kind of run that a command makes; RunError, which names `source`, where it is unknown."""
    known = {name: kind for kind in RUN_TYPES for name in kind.commands}
    if not isinstance(command, str) or command not in known:
        raise RunError(f"{source}: command = {command!r} is unknown; there are {', '.join(known)}")
    return known[command]


def check_links(folder: Path) -> None:
    """Raise LinkError where anything that evolve reads in the folder of a run or study is a link.

    The user's own files there are not looked at.
    """
    refuse_links(folder, (*FILES, *PARTS, paths.LOGS, paths.SETTINGS))


CHAMPIONS: Final = (paths.CHAMPION_FILE, paths.LEARNED_FILE)
"""Files that may hold a run's best agent: the second one where agents have arrays."""


def champion_of(folder: Path) -> Path | None:
    """The agent file of a run's best agent so far; None before there is one.

    Raises LinkError where it is a link.
    """
    refuse_links(folder, CHAMPIONS)
    return next((folder / name for name in CHAMPIONS if (folder / name).exists()), None)


def tuned_line(folder: Path) -> str | None:
    """The command line by which the winner of a sweep of a program plays; None in other folders."""
    file = folder / paths.BEST_FILE
    try:
        best = {} if file.is_symlink() else parse_json(read_document(file))
        # A command has no variables and no GTP commands.
        whole = not best.keys() & {"environment", "commands"}
        agent = shlex.quote(best["program"]) if whole else as_word(folder)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return f"evolve match {agent} swh --games 200"
