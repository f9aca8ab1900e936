"""How studies start, resume, show their progress and report their result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from evolve.cli.cluster import executor_for, scheduler, stay_here, where
from evolve.cli.display import ProgressView, print_head, print_line, print_next
from evolve.cli.main import main
from evolve.cli.runs import print_compared, shown_row
from evolve.cli.terminal import cell
from evolve.cli.work import finish, shown, shown_by, undoing
from evolve.config.base import option_words
from evolve.config.evolution import OWN, OWNABLE
from evolve.errors import OptionsError, RunError
from evolve.parsing import laid_over
from evolve.runs import run_folder
from evolve.runs.life_cycle import agree_to_programs, check_programs, new_folder, write_study
from evolve.runs.loading import AgreedRules
from evolve.runs.run import Study, begun_runs
from evolve.runs.study_spec import StudySpec, seeds_of, study_spec_of
from evolve.studies.comparison import compared, groups_of, meetings
from evolve.studies.running import RunProcess, StudyEnding, StudyWork
from evolve.tables.paths import STUDY_FILE
from evolve.terminal_text import as_word, count_of


def start(design: StudySpec, jobs: int, out: str | None) -> int:
    """Run a new study in the folder `out`, or the next in `runs`; return the exit code."""
    design.variant.need_extras()
    _refuse_functions(design, "study")
    design = _with_workers(design, jobs)
    with new_folder(begun_runs, "study", out, undoing) as folder:
        agree_to_programs(folder, *design.checked())
        write_study(folder, design)
        return _run_study(Study(folder), jobs, ())


def _refuse_functions(design: StudySpec, source: str) -> None:
    """Raise RunError if settings name functions, which only the program that defines them has."""
    for settings in design.checked():
        for kind in OWNABLE:
            name = getattr(settings, kind, "")
            if isinstance(name, str) and name.startswith(OWN):
                raise RunError(
                    f"{source}: {kind} = {name} is a function from Python; such a study begins and "
                    f"continues by a call of evolve.study with {kind}={name.removeprefix(OWN)}"
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


def resume_study(
    study: Study, changes: Mapping[str, Any], seeds: str | None, jobs: int, allow_programs: bool
) -> int:
    """Resume a study; changes move the end of all its runs, seeds add runs."""
    path, design = study.path, study.design
    design.variant.need_extras()
    values = design.model_dump(exclude_unset=True)
    for name in changes:
        if any(name in setting.changes for setting in design.settings_of_runs):
            raise OptionsError(f"{name}: settings of {path} differ in it, so it cannot be changed")
    values["settings"] = laid_over(design.settings, changes)
    if seeds is not None:
        try:
            more = seeds_of(seeds)
        except ValueError as error:
            raise OptionsError(f"--seeds: {error}") from error
        values["seeds"] = [*dict.fromkeys((*design.seeds, *more))]
    changed = study_spec_of(values, str(path / STUDY_FILE))
    changed.checked()
    with run_folder.locked(path):
        _refuse_functions(study.design, str(path))
        stored = study.design.checked()
        check_programs(path / STUDY_FILE, path, *stored, allowed=allow_programs)
        if changed != design:
            write_study(path, changed)
            study = Study(path)
        words = option_words(changes)
        if allow_programs:
            words.append("--allow-programs")
        return _run_study(study, jobs, words)


def _run_study(study: Study, jobs: int, words: Sequence[str]) -> int:
    kind = study.design.kind
    if not kind.runs_on_clusters:
        stay_here(f"`{study.design.command}` is")
    process = partial(RunProcess, main, [shown_by(kind).partition(":")[0]])
    if scheduler() is None:
        work = StudyWork(study, jobs, process, words)
        return _work_on(study, work, count_of(jobs, "thread"))
    with executor_for(jobs) as executor:
        from evolve.studies.remote_runs import RemoteRun, check_remote  # loads kernels

        for settings in study.design.checked():
            check_remote(settings)

        begin = partial(RemoteRun, kind, study.design.command, executor=executor)
        work = StudyWork(study, executor.slots, process, words, begin)
        return _work_on(study, work, where(executor))


def _work_on(study: Study, work: StudyWork, location: str) -> int:
    if not work.left:
        print_line(f"{study.path} is finished: {count_of(len(work.rows), 'run')}")
        _report(study)
        return 0
    _print_header(study, work, location)
    path = study.path
    with shown("study", "run", path, _RunsView(), begun_runs) as observer:
        ending = work.run(observer)
    done = sum(row["state"] == "done" for row in work.rows.values())
    so_far = f"{done} of {count_of(len(work.rows), 'run')}"
    if ending is StudyEnding.FAILED:
        print_line(f"{so_far}: {ending.value}")
        names = ", ".join(member.name for member in work.failed)
        raise RunError(
            f"{count_of(len(work.failed), 'run')} failed: {names}; see {path / 'logs'}; "
            f"evolve resume {as_word(path)} tries again"
        )
    return finish(path, so_far, ending, lambda: _report(study))


def _print_header(study: Study, work: StudyWork, location: str) -> None:
    design = study.design
    settings, seeds = len(design.settings_of_runs), len(design.seeds)
    played = dict.fromkeys(settings.rules for settings in design.checked())
    rules = " and ".join(str(AgreedRules(rules)) for rules in played)
    runs = f"{count_of(settings, 'setting')} × {count_of(seeds, 'seed')}"
    print_head(f"study of `evolve {design.command}`", rules, runs, study.path)
    done = len(work.rows) - len(work.left)
    so_far = f", {done} of them done" if done else ""
    noun = "worker" if design.kind.workers else "thread"
    print_line(
        f"{count_of(len(work.rows), 'run')}{so_far}; {work.at_once} at a time, "
        f"{count_of(work.threads, noun)} each; {location}"
    )


def _report(study: Study) -> None:
    groups = groups_of([study])
    try:
        print_compared(compared(groups))
    except RunError as error:
        print_line(str(error))
    name = as_word(study.path)
    print_next(
        f"evolve show {name}",
        f"evolve compare {name} --games 100" if meetings(groups) else None,
        f"evolve plot {name} -o study.png",
    )


class _RunsView(ProgressView):
    """The progress of a study: a line for each finished run."""

    unit = "the current generations, checks or trials"
    widths: Mapping[str, int] = {"setting": 28, "seed": 6, "done": 9, "elo": 22}
    justify = "left"

    def __init__(self) -> None:
        super().__init__(("setting", "seed", "done", "elo"))

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        return list(map(cell, shown_row(row, self.columns)))
