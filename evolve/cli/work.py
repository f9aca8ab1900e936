"""Start, resume and end long work, and show it to people: the same for every kind of run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from evolve.cli.display import (
    ProgressView,
    print_head,
    print_line,
    print_next,
    progress_of,
    watching,
)
from evolve.cli.signals import INTERRUPTED, at_ctrl_c
from evolve.cli.terminal import loading
from evolve.errors import ClusterError
from evolve.extras import imported
from evolve.runs import life_cycle
from evolve.runs.life_cycle import Begun, check_programs, stored_settings
from evolve.runs.progress import Progress, RunEnding
from evolve.runs.run_type import RunType
from evolve.tables.paths import CONFIG_FILE
from evolve.terminal_text import as_word

if TYPE_CHECKING:
    from evolve.runs.run import Run

_SHOWN: Final = {
    "run": "evolve.cli.evolutions:EvolutionWork",
    "train": "evolve.cli.trainings:TrainingWork",
    "sweep": "evolve.cli.sweeps:SweepWork",
}
"""What shows runs of a kind in ways of its own."""


class LongWork:
    """How the command line begins, resumes and shows runs of one kind; one object for each run.

    What does the work in a folder is the kind's own, such as an Evolution. As it is, it shows the
    rows of the first table.
    """

    def __init__(self, kind: RunType, command: str) -> None:
        """command: the complete command, such as `train dqn`."""
        self.kind, self.command = kind, command

    def resume(self, run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
        """Resume a run from its last complete step; return the exit code.

        changes: settings that change, see `RunType.changes`. allow_programs: whether programs that
        its settings name may run although this user did not start it in that folder.
        """
        file = run.path / CONFIG_FILE

        def changed(before: Any) -> Any:
            settings = stored_settings(self.kind, self.command, file, changes)
            check_programs(file, run.path, settings, allowed=allow_programs)
            return settings

        resumed = life_cycle.resumed(self.kind, self.command, run.path, changed, jobs)
        return self.carry_out(resumed, jobs)

    def carry_out(self, begun: AbstractContextManager[Begun], jobs: int) -> int:
        """Do the work of a run, and say how it went; return the exit code."""
        kind = self.kind
        kind.commands[self.command].need_extras()
        with begun as run, self.opened(run, jobs) as work:
            if not run.restore(work):
                print_line(f"{run.folder} is finished, {self.finished(work)}")
                return 0
            self.introduce(work, run.before)
            view, kept = self.view(work), kind.reading.kept
            with shown(kind.name, kind.row_event, run.folder, view, kept) as observer:
                ending = work.run(observer)
            so_far = self.so_far(work, ending)
            return finish(run.folder, so_far, ending, partial(self.report, work))

    def opened(self, run: Begun, jobs: int) -> AbstractContextManager[Any]:
        return nullcontext(self.kind.part("work").WORK(run.folder, run.settings, jobs))

    def finished(self, work: Any) -> str:
        """How far the work got and what continues it, if nothing is left to do."""
        return "nothing is left to do"

    def introduce(self, work: Any, before: Any) -> None:
        """Print the first lines; before: the settings so far, None for new work."""
        print_head(self.command, work.folder)

    def view(self, work: Any) -> ProgressView:
        """What people see while it runs."""
        columns = self.kind.reading.tables[self.kind.tables[0].name].columns
        return ProgressView(() if columns is None else columns.names)

    def so_far(self, work: Any, ending: RunEnding) -> str:
        """How far it got, for the last lines."""
        from evolve.runs.run import Run  # not above: it loads pyarrow

        progress = self.kind.reading.progress(Run(work.folder))
        return f"{progress.done} of {progress.target} {self.kind.unit}"

    def report(self, work: Any) -> None:
        """Print the result, and what to do next."""
        print_next(f"evolve show {as_word(work.folder)}")


def shown_by(kind: RunType) -> str:
    """The class that shows runs of a kind, as `module:name`."""
    return _SHOWN.get(kind.name, "evolve.cli.work:LongWork")


def work_of(kind: RunType, command: str) -> LongWork:
    """What shows a run of a kind by its command."""
    with loading():
        return cast("LongWork", imported(shown_by(kind))(kind, command))


@contextmanager
def shown(
    name: str, row_event: str, folder: Path, view: ProgressView, kept: Callable[[Path], int]
) -> Iterator[Progress]:
    """Show to people what the work of the block reports, and keep it for `--progress`.

    The first Ctrl-C ends it after the current step, a second one at once. If anything is kept then,
    say how to continue. name, row_event: of the work and its rows.
    """
    file = progress_of()
    file.row_event = row_event
    file.write("started", command=name, folder=folder)
    try:
        with watching(view) as display:
            yield Progress(display, file)
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
def undoing(folder: Path, reason: BaseException) -> Iterator[None]:
    """See `life_cycle.new_folder`: say so if a Ctrl-C leaves nothing."""
    with at_ctrl_c(lambda: None):  # another Ctrl-C must not leave half of it
        yield
    if isinstance(reason, KeyboardInterrupt):
        print_line(f"nothing was kept: {folder} had not finished a step")
