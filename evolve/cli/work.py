"""Start, resume and end long work in a locked folder: the same for every kind of run."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import click
from pydantic import BaseModel

from evolve.agents.registry import programs_in
from evolve.cli.display import ProgressView, RowsView, tell, tell_next, watching
from evolve.cli.options import jobs_option
from evolve.cli.progress import Reported, progress_of, progress_option, tell_event, tell_started
from evolve.cli.settings import (
    RUNS,
    GroupedCommand,
    config_option,
    given_options,
    model_options,
    settings_below,
)
from evolve.cli.signals import INTERRUPTED, at_ctrl_c
from evolve.config.toml import read_toml, resolve_as
from evolve.errors import ClusterError, RunError
from evolve.files.atomic import write_text
from evolve.files.changes import remove_folder
from evolve.runs import run_folder as store
from evolve.runs.agreements import agree, disagree, not_agreed
from evolve.runs.run_folder import Observer, RunEnding
from evolve.runs.run_type import RunType
from evolve.runs.run_types import kind_of
from evolve.runs.starts import config_of, need_extras
from evolve.tables.paths import CONFIG_FILE
from evolve.terminal_text import as_word

if TYPE_CHECKING:
    from evolve.runs.run import Run

E = TypeVar("E", bound=RunEnding)
S = TypeVar("S", bound=Any)
W = TypeVar("W", bound="_InFolder")


class _InFolder(Protocol):
    @property
    def folder(self) -> Path:
        """Where the work is kept."""


class LongWork(ABC, Generic[S, W]):
    """How the command line begins, resumes and shows runs of one kind; one object for each run.

    S is the model of the settings, W what does the work in a folder, such as an Evolution.

    kind: the kind of run.
    """

    kind: RunType

    def __init__(self, command: str) -> None:
        """command: the complete command, such as `train dqn`."""
        self.command = command
        self.variant = self.kind.commands[command]

    def start(self, settings: S, jobs: int, out: str | None) -> int:
        """Run new work in the folder `out`, or the next in `runs`; return the exit code."""
        need_extras(self.variant)
        stem = self.kind.stem_of(self.command, settings.rules)
        with new_folder(self.kind.reading.kept, stem, out) as folder:
            settings = self.completed(settings, folder, jobs)
            agree_to_programs(folder, self.stored(settings))
            store.create(folder, self._text(settings), self.kind.parts)
            with self.opened(folder, settings, jobs, new=True) as work:
                return self._go_on(work, None)

    def resume(self, run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
        """Go on with a run from its last complete step; return the exit code.

        changes: settings that change, see `RunType.changes`. allow_programs: whether programs that
        its settings name may run although this user did not start it in that folder.
        """
        need_extras(self.variant)
        folder, file = run.path, run.path / CONFIG_FILE
        with store.locked(folder):
            before = self.kept_settings(file, {})
            self.check_changes(run, before, changes)
            settings = self.completed(self.kept_settings(file, changes), folder, jobs)
            storage = "storage" in changes
            check_programs(
                file, folder, self.stored(settings), allowed=allow_programs, storage=storage
            )
            store.sweep_orphans(folder, self.kind.parts)
            with self.opened(folder, settings, jobs, new=False) as work:
                finished = self.finished(work)
                if finished is not None:
                    tell(f"{folder} is finished, {finished}")
                    return 0
                if settings != before:
                    write_text(file, self._text(settings))
                return self._go_on(work, before)

    def kept_settings(self, file: Path, changes: Mapping[str, Any]) -> S:
        """The settings in a run's config.toml, with changes."""
        # Without presets: the file has all settings, except those that its version did not have.
        settings: S = resolve_as(self.variant.model(), {}, changes, read_toml(file), str(file))
        return settings

    def completed(self, settings: S, folder: Path, jobs: int) -> S:
        """The settings with what only the start decides."""
        return settings

    def stored(self, settings: S) -> S:
        """The settings as the folder stores them: without secrets."""
        return settings

    def check_changes(self, run: Run, before: S, changes: Mapping[str, Any]) -> None:
        """Raise an EvolveError for changes that the run cannot take."""

    @abstractmethod
    def opened(
        self, folder: Path, settings: S, jobs: int, *, new: bool
    ) -> AbstractContextManager[W]:
        """Give the work, at its last complete step unless it is `new`."""

    def finished(self, work: W) -> str | None:
        """How far the work got and what goes on from there, if nothing is left to do; else None."""
        return None

    @abstractmethod
    def introduce(self, work: W, before: S | None) -> None:
        """Print the first lines; before: the settings so far, None for new work."""

    def view(self, work: W) -> ProgressView:
        """What people see while it runs."""
        columns = self.kind.reading.tables[self.kind.tables[0].name].columns
        return RowsView(() if columns is None else columns.names)

    @abstractmethod
    def run(self, work: W, observer: Observer) -> RunEnding:
        """Do the work until something ends it."""

    @abstractmethod
    def so_far(self, work: W, ending: RunEnding) -> str:
        """How far it got, for the last lines."""

    def report(self, work: W) -> None:
        """Print the result, and what to do next."""
        tell_next(f"evolve show {as_word(work.folder)}")

    def _text(self, settings: S) -> str:
        return config_of(self.kind, self.command, self.stored(settings))

    def _go_on(self, work: W, before: S | None) -> int:
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


class RowRun(NamedTuple):
    """A run of a `RunType.of_rows`; jobs: threads."""

    folder: Path
    settings: Any
    jobs: int


class RowEnding(RunEnding):
    """Why a run of a `RunType.of_rows` returned."""

    COMPLETE = "complete"
    STOPPED = "stopped"


class RowWork(LongWork[Any, RowRun]):
    """Runs of a `RunType.of_rows`: every row is committed as soon as it is made."""

    def __init__(self, command: str) -> None:
        self.kind = kind_of(command, "the command line")
        assert self.kind.reading.rows is not None
        assert self.kind.reading.make_row is not None
        self._rows, self._make_row = self.kind.reading.rows, self.kind.reading.make_row
        super().__init__(command)

    @contextmanager
    def opened(self, folder: Path, settings: Any, jobs: int, *, new: bool) -> Iterator[RowRun]:
        yield RowRun(folder, settings, jobs)

    def introduce(self, work: RowRun, before: Any) -> None:
        tell(f"{self.command} · {work.settings.rules} · seed {work.settings.seed} · {work.folder}")

    def run(self, work: RowRun, observer: Observer) -> RunEnding:
        target = getattr(work.settings, self._rows.name)
        for number in range(self._rows.count(work.folder), target):
            if observer.stop():
                return RowEnding.STOPPED
            made = self._make_row(work.settings, number, work.jobs)
            row = {self._rows.key: number, **made}
            self._rows.commit(work.folder, number, row)
            observer.row(row, number + 1, target)
        return RowEnding.COMPLETE

    def so_far(self, work: RowRun, ending: RunEnding) -> str:
        target = getattr(work.settings, self._rows.name)
        return f"{self._rows.count(work.folder)} of {target} {self._rows.name}"


WORK = RowWork


def row_command(name: str) -> click.Command:
    """The command of a `RunType.of_rows`."""
    kind = kind_of(name, "the command line")
    model = kind.variants[""].model()

    @click.command(cls=GroupedCommand, name=name, help=kind.about)
    @model_options(model)
    @jobs_option
    @progress_option
    @click.option("--out", metavar="FOLDER", help=f"Folder of the run; runs/{name}-NNN by default.")
    @config_option
    def command(jobs: int, out: str | None, config: str | None, **options: Any) -> int:
        given, file = given_options(model, options), settings_below(config)
        settings = resolve_as(model, {}, given, file, config or "file")
        return RowWork(name).start(settings, jobs, out)

    return command


def work_of(kind: RunType) -> type[LongWork[Any, Any]]:
    """The class for runs of a kind."""
    work: type[LongWork[Any, Any]] = import_module(kind.works).WORK
    return work


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
    say how to go on. name, row_event: of the work and its rows, in `--progress`.
    """
    file = progress_of()
    tell_started(command=name, folder=folder)
    try:
        with watching(view) as display:
            return work(display if file is None else Reported(display, file, row_event))
    except (KeyboardInterrupt, ClusterError):
        if kept(folder):
            _tell_how_to_go_on(folder)
        raise


def finish(folder: Path, so_far: str, ending: RunEnding, report: Callable[[], None]) -> int:
    """Print how far the work got and why it ended, and its result or how to go on.

    Returns the exit code.
    """
    tell(f"{so_far}: {ending.value}")
    if ending.stopped:
        _tell_how_to_go_on(folder)
    else:
        report()
    tell_event("done", ending=ending.value, stopped=ending.stopped, folder=folder)
    return INTERRUPTED if ending.stopped else 0


def _tell_how_to_go_on(folder: Path) -> None:
    tell(f"go on with: evolve resume {as_word(folder)}")


def agree_to_programs(folder: Path, *settings: BaseModel) -> None:
    """Record that this user starts a run with the programs and the storage of its settings.

    For a study, record those of all its runs. Call this before writing config.toml, which makes a
    folder a run: a run killed between the two could otherwise not be resumed like others. If the
    record cannot be written, warn that `evolve resume` will ask.
    """
    things = list(dict.fromkeys(thing for one in settings for thing in _things(one)))
    try:
        if not things:  # drop the record of one that was killed here before its config.toml
            disagree(folder)
            return
        agree(folder, things)
    except OSError as error:
        warnings.warn(
            f"it cannot be recorded that you started {folder} ({error.strerror}): "
            "evolve resume will want --allow-programs",
            RuntimeWarning,
            stacklevel=2,
        )


def check_programs(
    file: Path,
    folder: Path,
    *settings: BaseModel,
    allowed: bool,
    storage: bool | None = None,
) -> None:
    """Raise RunError if a run or a study names things that this user has not agreed to.

    file: has the settings; those of a study are those of all its runs. `allowed` agrees to
    programs, and to a storage too if `storage` is None; else `storage` says that the user gave it.
    """
    things = dict.fromkeys(thing for one in settings for thing in _things(one))
    strange = not_agreed(folder, list(things))
    place = None if storage is None else getattr(settings[0], "storage", None)
    programs = [one for one in strange if one != place]
    if programs and not allowed:
        raise RunError(
            f"{file} names programs that you did not start in this folder: "
            f"{', '.join(programs)}; if you trust them, add --allow-programs"
        )
    if place in strange and not storage:
        raise RunError(
            f"{file} names a storage in which you did not start a study from this folder; if you "
            f"trust it, add --storage {place}"
        )
    if strange:
        agree_to_programs(folder, *settings)


def _things(settings: BaseModel) -> list[str]:
    place = getattr(settings, "storage", None)
    return programs_in(settings) + ([] if place is None else [place])


@contextmanager
def new_folder(kept: Callable[[Path], int], stem: str, wished: str | None) -> Iterator[Path]:
    """Make and lock the folder of a new run: `wished`, or the next runs/STEM-NNN.

    kept(folder) says how much would be lost with the folder. If the block fails while that is 0,
    the folder is undone, because it would be in the way. Raises RunError if `wished` is taken, or
    its parent folder is missing.
    """
    made_runs = not RUNS.exists()
    folder, made = store.claimed(RUNS, stem, wished)
    with store.locked(folder):
        try:
            yield folder
        except BaseException as reason:
            if kept(folder) == 0:
                with at_ctrl_c(lambda: None):  # another Ctrl-C must not leave half of it
                    store.discard(folder, made)
                    if made_runs and RUNS.is_dir() and not any(RUNS.iterdir()):
                        remove_folder(RUNS)
                if isinstance(reason, KeyboardInterrupt):
                    tell(f"nothing was kept: {folder} had not finished a step")
            raise
