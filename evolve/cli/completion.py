"""Completion of runs and agents in the shell.

click calls these functions when `_EVOLVE_COMPLETE` is set; imports must be light, for people wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from evolve.agents.registry import REFERENCES
from evolve.errors import LinkError
from evolve.files.folder import inside
from evolve.tables.paths import CONFIG_FILE

_RUNS: Final = "runs"
_AGENT_FILES: Final = (".json", ".npz")


def complete_runs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete folders of runs, here and in `runs/`; else the shell completes any folder."""
    found = [CompletionItem(str(path)) for path in _runs(incomplete)]
    return found or [CompletionItem(incomplete, type="dir")]


def complete_agents(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete reference agents, runs and agent files; else the shell completes any file."""
    names = [name for name in REFERENCES if name.startswith(incomplete)]
    paths = [*_runs(incomplete), *_files(incomplete)]
    found = [CompletionItem(text) for text in (*names, *map(str, paths))]
    return found or [CompletionItem(incomplete, type="file")]


def _runs(incomplete: str) -> Iterator[Path]:
    places = dict.fromkeys((*_beginning_with(incomplete), *_beginning_with(f"{_RUNS}/")))
    for path in places:
        with suppress(LinkError):
            if inside(path, CONFIG_FILE).is_file() and str(path).startswith(incomplete):
                yield path


def _files(incomplete: str) -> Iterator[Path]:
    for path in _beginning_with(incomplete):
        if path.suffix.lower() in _AGENT_FILES:
            yield path


def _beginning_with(incomplete: str) -> list[Path]:
    """Paths that begin with the text, without names that would disturb the shell."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return []
    return [path for path in paths if str(path).startswith(incomplete) and str(path).isprintable()]
