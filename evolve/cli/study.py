"""`evolve study`, `--seeds` and `--grid` of the commands that start runs, and resuming studies."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from rich.progress import Progress, TaskID

import evolve
from evolve.cli.compare import print_compared
from evolve.cli.display import ProgressView, tell, watching
from evolve.cli.executors import (
    executor_for,
    executor_options,
    on_cluster,
    refuse_cluster,
    where,
)
from evolve.cli.new_run import config_of, need_extras, new_folder, versions_of
from evolve.cli.options import ExistingFile, jobs_option
from evolve.cli.permission import agree_to_programs, check_programs_of_study
from evolve.cli.progress import Reported, progress_of, progress_option, tell_event, tell_started
from evolve.cli.runs import done_of, strength_of
from evolve.cli.settings import Grouped
from evolve.cli.signals import INTERRUPTED
from evolve.cli.terminal import bar, cell, duration
from evolve.config.defaults import rules_of_defaults
from evolve.config.forms import option_words
from evolve.config.operators import OWN, OWNABLE
from evolve.config.parsing import laid_over
from evolve.errors import ClusterError, OptionsError, RunError, SettingsError
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.tables import folder as store
from evolve.tables.paths import STUDY_FILE
from evolve.tables.run_types import EVOLUTIONS
from evolve.tables.study_spec import (
    Member,
    bare,
    grid_of,
    read_study_spec,
    seeds_of,
    study_spec_of,
)
from evolve.terminal_text import as_word, count_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from evolve.studies.running import StudyWork
    from evolve.tables.study import Study
    from evolve.tables.study_spec import StudySpec

C = TypeVar("C", bound=Callable[..., Any])

_STEM: Final = "study"
_ROW_EVENT: Final = "run"
_WIDTHS: Final = {"setting": 28, "seed": 6, "done": 9, "elo": 22}


def study_options(command: C) -> C:
    """Add the options that make a command that starts a run start a study."""
    for option in (
        click.option(
            "--grid",
            multiple=True,
            metavar="FIELD=A,B",
            cls=Grouped,
            group="Studies",
            help="A run for each of these values of a setting, or of KEY in one as FIELD.KEY; of "
            "several all combinations. FIELD=A|B where values hold commas.",
        ),
        click.option(
            "--seeds",
            metavar="0-9",
            cls=Grouped,
            group="Studies",
            help="A run for each of these seeds, in one folder: numbers and ranges. evolve "
            "resume, show, compare and plot take it.",
        ),
    ):
        command = option(command)
    return command


def start_study(
    command: str,
    seeds: str | None,
    grid: Sequence[str],
    layers: Sequence[Mapping[str, Any]],
    jobs: int,
    out: str | None,
) -> int:
    """Start the study of a command with --seeds and --grid; return the exit code.

    layers: the settings of all runs; later ones override earlier ones.
    """

    settings = laid_over(*layers)
    values: dict[str, Any] = {"command": command, "grid": dict(map(grid_of, grid))}
    if len(values["grid"]) < len(grid):
        raise OptionsError("--grid: a field stands twice; give all its values at once")
    seed = settings.pop("seed", 0)
    if seeds is not None and seed:
        raise OptionsError("seed: --seeds says all of them; leave --seed out")
    values |= {"seeds": str(seed) if seeds is None else seeds, "settings": bare(settings)}
    try:
        design = study_spec_of(values, "--seeds and --grid")
        design.check()
    except SettingsError as error:
        raise OptionsError(str(error)) from error
    return _start(design, jobs, out)


@click.command(name="study")
@click.argument("file", type=ExistingFile())
@click.option("--out", metavar="FOLDER", help="Folder of the study; runs/study-NNN by default.")
@executor_options
@jobs_option
@progress_option
def study_command(file: Path, out: str | None, jobs: int) -> int:
    """Run a whole design of settings and seeds, several runs at a time.

    \b
    FILE.toml says:
      command = "run"                 or train patterns, sweep alphabeta and the like
      seeds = "0-9"                   each setting is run with each of them
      [settings]                      of all runs, as in --config of the command
      generations = 40
      [grid]                          all combinations of these
      crossover = ["blend", "uniform"]
      [variants.small]                or tables of settings, each with the whole grid
      population = 32

    Each run has a folder of its own in the study's, with the same tables as if it were alone.
    Ctrl-C ends after what is in hand, a second one at once; evolve resume goes on. --jobs threads
    are shared out among the runs that go on at a time; on a cluster (--scheduler) each slot has one
    run.

    \b
    Examples:
      evolve study design.toml --out runs/crossovers
      evolve run --generations 40 --seeds 0-9 --grid crossover=blend,uniform
      evolve compare runs/crossovers
    """

    design = _with_default_rules(read_study_spec(file))
    design.check()
    return _start(design, jobs, out)


def _start(design: StudySpec, jobs: int, out: str | None) -> int:
    need_extras(design.variant)
    _refuse_functions(design, "study")
    design = _with_workers(design, jobs)
    with new_folder(_begun, _STEM, out) as folder:
        from evolve.files.atomic import write_text
        from evolve.tables.paths import STUDY_FILE
        from evolve.tables.study import Study

        versions = versions_of(design.kind, design.command)
        agree_to_programs(folder, *_settings(design))
        write_text(folder / STUDY_FILE, design.text(versions))
        study = Study(folder)
        return _go_on(study, jobs, ())


def _refuse_functions(design: StudySpec, place: str) -> None:
    """Raise RunError if settings name functions, which only the program that defines them has."""
    for settings in _settings(design):
        for kind in OWNABLE:
            name = getattr(settings, kind, "")
            if isinstance(name, str) and name.startswith(OWN):
                raise RunError(
                    f"{place}: {kind} = {name} is a function from Python; such a study begins and "
                    f"goes on by a call of evolve.study with {kind}={name.removeprefix(OWN)}"
                )


def _with_workers(design: StudySpec, jobs: int) -> StudySpec:
    """Set the number of workers of each run in a design, where results depend on it.

    It is a run's share of the threads at the first start. If it were shared out at each start, as
    for other runs, the last sweep of a resumed study would get all threads.
    """
    if not design.kind.workers or "jobs" in design.settings:
        return design
    share = max(1, jobs // sum(1 for _ in design.members))
    return design.model_copy(update={"settings": {**design.settings, "jobs": share}})


def _with_default_rules(design: StudySpec) -> StudySpec:
    """Add the default rules of the project or user to a design that names none."""
    settings = {**rules_of_defaults(), **design.settings}
    return design.model_copy(update={"settings": settings})


def _begun(folder: FolderPath) -> int:
    """How many runs of a study would be lost with its folder."""
    from evolve.tables.study import Study, is_study

    return len(Study(folder).runs) if is_study(folder) else 0


def _settings(design: StudySpec) -> list[BaseModel]:
    """The checked settings of a study's runs, one for each of its settings."""

    return [design.resolved(Member(one, design.seeds[0])) for one in design.settings_of_runs]


def resume_study(
    study: Study, changes: Mapping[str, Any], seeds: str | None, jobs: int, allow_programs: bool
) -> int:
    """Go on with a study; changes move the end of all its runs, seeds add runs."""
    from evolve.studies.running import check_links
    from evolve.tables.study import Study

    path, design = study.path, study.design
    need_extras(design.variant)
    values = design.model_dump(exclude_unset=True)
    for name in changes:
        if any(name in one.changes for one in design.settings_of_runs):
            raise OptionsError(f"{name}: settings of {path} differ in it, so it cannot be changed")
    values["settings"] = laid_over(design.settings, changes)
    if seeds is not None:
        try:
            more = seeds_of(seeds)
        except ValueError as error:
            raise OptionsError(f"--seeds: {error}") from error
        values["seeds"] = [*dict.fromkeys((*design.seeds, *more))]
    changed = _with_workers(study_spec_of(values, str(path / STUDY_FILE)), jobs)
    changed.check()
    if changed.settings.get("jobs") != design.settings.get("jobs"):
        each = count_of(changed.settings["jobs"], "worker")
        tell(f"{path} does not say how many workers a run had; {each} each from now on")
    with store.locked(path):
        check_links(study)
        _refuse_functions(study.design, str(path))
        check_programs_of_study(path, *_settings(study.design), allowed=allow_programs)
        if changed != design:
            versions = versions_of(design.kind, design.command)
            write_text(path / STUDY_FILE, changed.text(versions))
            study = Study(path)
        words = option_words(changes)
        if allow_programs:
            words.append("--allow-programs")
        return _go_on(study, jobs, words)


def _go_on(study: Study, jobs: int, words: Sequence[str]) -> int:
    """Work on a study until something ends it, and say how it went; return the exit code."""
    from evolve.studies.running import StudyWork

    if study.design.kind is not EVOLUTIONS:
        refuse_cluster(f"`{study.design.command}` is")
    with executor_for(jobs) as executor:
        if not on_cluster():
            return _work_on(study, StudyWork(study, jobs, words), count_of(jobs, "thread"))
        from evolve.config.evolution import EvolutionSettings
        from evolve.studies.remote import RemoteRuns, check_remote

        for settings in _settings(study.design):
            assert isinstance(settings, EvolutionSettings)
            check_remote(settings)

        remote = RemoteRuns(executor, partial(config_of, EVOLUTIONS, EVOLUTIONS.name))
        return _work_on(study, StudyWork(study, 1, words, remote), where(executor))


def _work_on(study: Study, work: StudyWork, place: str) -> int:
    from evolve.studies.running import StudyEnding

    if not work.left:
        tell(f"{study.path} is finished: {count_of(len(work.rows), 'run')}")
        _report(study)
        return 0
    _print_header(study, work, place)
    file = progress_of()
    tell_started(command="study", folder=study.path)
    try:
        with watching(RunsView(work)) as display:
            observer = display if file is None else Reported(display, file, _ROW_EVENT)
            ending = work.run(observer)
    except (KeyboardInterrupt, ClusterError):
        tell(f"go on with: evolve resume {as_word(study.path)}")
        raise
    done = sum(row["state"] == "done" for row in work.rows.values())
    tell(f"{done} of {count_of(len(work.rows), 'run')}: {ending.value}")
    if ending is StudyEnding.FAILED:
        names = ", ".join(member.name for member in work.failed)
        raise RunError(
            f"{count_of(len(work.failed), 'run')} failed: {names}; see {study.path / 'logs'}; "
            f"evolve resume {as_word(study.path)} tries again"
        )
    if ending.stopped:
        tell(f"go on with: evolve resume {as_word(study.path)}")
    else:
        _report(study)
    tell_event("done", ending=ending.value, stopped=ending.stopped, folder=study.path)
    return INTERRUPTED if ending.stopped else 0


def _print_header(study: Study, work: StudyWork, place: str) -> None:
    design = study.design
    settings, seeds = len(design.settings_of_runs), len(design.seeds)
    rules = " and ".join(
        dict.fromkeys(str(getattr(one, "rules", None)) for one in _settings(design))
    )
    tell(
        f"evolve {evolve.__version__} · study of `evolve {design.command}` · {rules} · "
        f"{count_of(settings, 'setting')} × {count_of(seeds, 'seed')} · {study.path}"
    )
    done = len(work.rows) - len(work.left)
    so_far = f", {done} of them done" if done else ""
    noun = "worker" if design.kind.workers else "thread"
    tell(
        f"{count_of(len(work.rows), 'run')}{so_far}; {work.at_once} at a time, "
        f"{count_of(work.threads, noun)} each; {place}"
    )


def _report(study: Study) -> None:
    """Print the settings' means over seeds, and what to do next."""
    from evolve.studies.comparison import compared, groups_of, meetings

    groups = groups_of([study])
    try:
        print_compared(compared(groups))
    except RunError as error:
        tell(str(error))
    name = as_word(study.path)
    compare = f"evolve compare {name} --games 100 · " if meetings(groups) else ""
    tell(f"next: evolve show {name} · {compare}evolve plot {name} -o study.png")


class RunsView(ProgressView):
    """How a study looks: a line for each run that is done."""

    unit = "the generations, checks or trials in hand"

    def __init__(self, work: StudyWork) -> None:
        self.columns = tuple(_WIDTHS)
        self._left = len(work.left)
        self._done = 0
        self._begun = time.monotonic()

    def heads(self) -> list[str]:
        return [self._line(self.columns) + "     left"]

    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """Estimate from the mean time of a run so far."""
        self._done += 1
        return (time.monotonic() - self._begun) * (self._left - self._done) / self._done

    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        told = {**row, "done": done_of(row), "elo": strength_of(row)}
        return [cell(told[name]) for name in self.columns]

    def line(self, cells: Sequence[str], left: float) -> str:
        return f"{self._line(cells)} {duration(left):>8}"

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return one bar, for all runs."""
        bars = bar()
        return bars, bars.add_task("runs", total=None), None

    def _line(self, texts: Sequence[str]) -> str:
        widths = zip(texts, _WIDTHS.values(), strict=True)
        return " ".join(text.ljust(width) for text, width in widths).rstrip()
