"""Start, resume and end long work in a locked folder: the same for every kind of run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from evolve.cli.display import ProgressView, RowsView, print_line, print_next, watching
from evolve.cli.progress import ReportingObserver, progress_of
from evolve.cli.signals import INTERRUPTED, at_ctrl_c
from evolve.cli.terminal import loading
from evolve.errors import ClusterError
from evolve.files.atomic import write_text
from evolve.runs import life_cycle, run_folder
from evolve.runs.life_cycle import agree_to_programs, check_programs, config_of, stored_settings
from evolve.runs.progress import Observer, RunEnding
from evolve.runs.run_type import RunType
from evolve.tables.paths import CONFIG_FILE
from evolve.terminal_text import as_word

if TYPE_CHECKING:
    from evolve.runs.run import Run

E = TypeVar("E", bound=RunEnding)
S = TypeVar("S", bound=Any)
W = TypeVar("W", bound=Any)


class LongWork(ABC, Generic[S, W]):
    """How the command line begins, resumes and shows runs of one kind; one object for each run.

    S is the model of the settings, W what does the work in a folder, such as an Evolution.
    """

    kind: RunType

    def __init__(self, command: str) -> None:
        """command: the complete command, such as `train dqn`."""
        self.command = command
        self.variant = self.kind.commands[command]

    def start(self, settings: S, jobs: int, out: str | None) -> int:
        """Run new work in the folder `out`, or the next in `runs`; return the exit code."""
        self.variant.need_extras()
        stem = self.kind.stem_of(self.command, settings.rules)
        with new_folder(self.kind.reading.kept, stem, out) as folder:
            settings = self.completed(settings, folder, jobs)
            agree_to_programs(folder, self.stored(settings))
            run_folder.create(folder, self._text(settings), self.kind.parts)
            with self.opened(folder, settings, jobs, new=True) as work:
                return self._work(work, None)

    def resume(self, run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
        """Resume a run from its last complete step; return the exit code.

        changes: settings that change, see `RunType.changes`. allow_programs: whether programs that
        its settings name may run although this user did not start it in that folder.
        """
        self.variant.need_extras()
        folder, file = run.path, run.path / CONFIG_FILE
        with run_folder.locked(folder):
            before = self.kept_settings(file, {})
            settings = self.completed(self.kept_settings(file, changes), folder, jobs)
            stored, storage = self.stored(settings), "storage" in changes
            check_programs(file, folder, stored, allowed=allow_programs, storage=storage)
            run_folder.sweep_orphans(folder, self.kind.parts)
            with self.opened(folder, settings, jobs, new=False) as work:
                finished = self.finished(work)
                if finished is not None:
                    print_line(f"{folder} is finished, {finished}")
                    return 0
                if settings != before:
                    write_text(file, self._text(settings))
                return self._work(work, before)

    def kept_settings(self, file: Path, changes: Mapping[str, Any]) -> S:
        """The settings in a run's config.toml, with changes."""
        return cast("S", stored_settings(self.kind, self.command, file, changes))

    def completed(self, settings: S, folder: Path, jobs: int) -> S:
        """The settings with what only the start decides."""
        return settings

    def stored(self, settings: S) -> S:
        """The settings as the folder stores them: without secrets."""
        return settings

    @abstractmethod
    def opened(
        self, folder: Path, settings: S, jobs: int, *, new: bool
    ) -> AbstractContextManager[W]:
        """Give the work, at its last complete step unless it is `new`."""

    def finished(self, work: W) -> str | None:
        """How far the work got and what continues it, if nothing is left to do; else None."""
        return None

    @abstractmethod
    def introduce(self, work: W, before: S | None) -> None:
        """Print the first lines; before: the settings so far, None for new work."""

    def view(self, work: W) -> ProgressView:
        """What people see while it runs."""
        columns = self.kind.reading.tables[self.kind.tables[0].name].columns
        return RowsView(() if columns is None else columns.names)

    def run(self, work: W, observer: Observer) -> RunEnding:
        """Do the work until something ends it."""
        return cast("RunEnding", work.run(observer))

    @abstractmethod
    def so_far(self, work: W, ending: RunEnding) -> str:
        """How far it got, for the last lines."""

    def report(self, work: W) -> None:
        """Print the result, and what to do next."""
        print_next(f"evolve show {as_word(work.folder)}")

    def _text(self, settings: S) -> str:
        return config_of(self.kind, self.command, self.stored(settings))

    def _work(self, work: W, before: S | None) -> int:
        self.introduce(work, before)
        kind = self.kind
        ending = carry_out(
            kind.name,
            kind.row_event,
            work.folder,
            self.view(work),
            lambda observer: self.run(work, observer),
            kind.reading.kept,
        )
        return finish(work.folder, self.so_far(work, ending), ending, lambda: self.report(work))


def work_of(kind: RunType) -> type[LongWork[Any, Any]]:
    """The class for runs of a kind."""
    with loading():
        return cast("type[LongWork[Any, Any]]", import_module(kind.works).WORK)


def carry_out(
    name: str,
    row_event: str,
    folder: Path,
    view: ProgressView,
    work: Callable[[Observer], E],
    kept: Callable[[Path], int],
) -> E:
    """Run the work, and show it to people; return its ending.

    The first Ctrl-C ends it after the current step, a second one at once. If anything is kept then,
    say how to continue. name, row_event: of the work and its rows, in `--progress`.
    """
    file = progress_of()
    file.write("started", command=name, folder=folder)
    try:
        with watching(view) as display:
            return work(ReportingObserver(display, file, row_event))
    except (KeyboardInterrupt, ClusterError):
        if kept(folder):
            _print_resume(folder)
        raise


def finish(folder: Path, so_far: str, ending: RunEnding, report: Callable[[], None]) -> int:
    """Print how far the work got and why it ended, and its result or how to continue.

    Returns the exit code.
    """
    print_line(f"{so_far}: {ending.value}")
    if ending.stopped:
        _print_resume(folder)
    else:
        report()
    progress_of().write("done", ending=ending.value, stopped=ending.stopped, folder=folder)
    return INTERRUPTED if ending.stopped else 0


def _print_resume(folder: Path) -> None:
    print_line(f"continue with: evolve resume {as_word(folder)}")


@contextmanager
def _undoing(folder: Path, reason: BaseException) -> Iterator[None]:
    with at_ctrl_c(lambda: None):  # another Ctrl-C must not leave half of it
        yield
    if isinstance(reason, KeyboardInterrupt):
        print_line(f"nothing was kept: {folder} had not finished a step")


new_folder: Final = partial(life_cycle.new_folder, undoing=_undoing)
"""See `life_cycle.new_folder`; says so if a Ctrl-C leaves nothing."""
