"""Run and end long work: the same for every kind of run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evolve.cli.display import ProgressView, tell, watching
from evolve.cli.progress import Reported, progress_of, tell_event, tell_started
from evolve.cli.signals import INTERRUPTED
from evolve.errors import ClusterError
from evolve.files.folder import FolderPath
from evolve.runs.progress import Observer, RunEnding
from evolve.runs.run_type import RunType
from evolve.terminal_text import as_word

E = TypeVar("E", bound=RunEnding)


def carry_out(
    kind: RunType, folder: FolderPath, look: ProgressView, work: Callable[[Observer], E]
) -> E:
    """Run the work, and show it to people; return its ending.

    The first Ctrl-C ends it after the current step, a second one at once. If anything is kept then,
    say how to go on.
    """
    file = progress_of()
    tell_started(command=kind.name, folder=folder)
    try:
        with watching(look) as display:
            return work(display if file is None else Reported(display, file, kind.row_event))
    except (KeyboardInterrupt, ClusterError):
        if kind.kept_in(folder):
            _tell_how_to_go_on(folder)
        raise


def finish(folder: FolderPath, so_far: str, ending: RunEnding, report: Callable[[], None]) -> int:
    """Say how far it came and why it ended, then report, or say how to go on.

    Returns the exit code.
    """
    tell(f"{so_far}: {ending.value}")
    if ending.stopped:
        _tell_how_to_go_on(folder)
    else:
        report()
    tell_event("done", ending=ending.value, stopped=ending.stopped, folder=folder)
    return INTERRUPTED if ending.stopped else 0


def _tell_how_to_go_on(folder: FolderPath) -> None:
    tell(f"go on with: evolve resume {as_word(folder)}")
