"""`evolve resume`: resume a run or a study that was stopped, or past its end."""

from __future__ import annotations

from typing import Any

import click

import evolve
from evolve.cli.executors import executor_options, refuse_cluster
from evolve.cli.options import complete_runs, given_jobs_option, log_option
from evolve.cli.progress import progress_option
from evolve.cli.work import work_of
from evolve.fitness.executor import processors
from evolve.runs.run_type import Change
from evolve.runs.run_types import RUN_TYPES


def _change_options(command: Any) -> Any:
    """Add an option for every setting that some kind of run may change when it continues."""
    changes: dict[str, Change] = {}
    for kind in RUN_TYPES:
        for change in kind.changes:
            changes.setdefault(change.name, change)
    for change in reversed(changes.values()):
        command = _option(change)(command)
    return command


def _option(change: Change) -> Any:
    if change.type is bool:
        both = f"{change.option}/{change.option.replace('--', '--no-', 1)}"
        return click.option(both, default=None, help=change.help)
    kind: Any = click.IntRange(min=1) if change.type is int else change.type
    return click.option(change.option, type=kind, help=change.help, metavar=change.metavar)


@click.command(name="resume")
@click.argument("run", shell_complete=complete_runs)
@_change_options
@click.option(
    "--allow-programs",
    is_flag=True,
    help="Run programs that the settings of the folder name, even if you did not start it there.",
)
@click.option("--seeds", metavar="10-19", help="Of a study: seeds to add to those it has.")
@executor_options
@given_jobs_option
@log_option
@progress_option
def resume_command(
    run: str, jobs: int | None, allow_programs: bool, seeds: str | None, **options: Any
) -> int:
    """Resume a run from its last complete generation, check or trial.

    --generations (--games or --budget of a training, --trials of a sweep) sets a new total, also
    past the first target; a study continues with all its runs. A finished run says so. Programs
    (gtp:…, nboard:…) that the settings name run only if you started the run yourself, in this
    folder, or with --allow-programs.

    \b
    Examples:
      evolve resume runs/reversed-001
      evolve resume runs/reversed-001 --generations 300
      evolve resume runs/mcts-001 --budget 600
      evolve resume runs/sweep-dqn-001 --trials 100 --jobs 2
      evolve resume runs/sweep-program-001 --games 4000
      evolve resume runs/study-001 --seeds 10-19
    """
    opened = evolve.load_run(run)
    command, kind = opened.command, opened.kind
    changes = {name: value for name, value in options.items() if value is not None}
    may_change = [change.name for change in opened.changes]
    for name in changes:
        if name not in may_change:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is not for {run}, which is of `{command}`"
            )
    if not kind.plays_on_clusters:
        refuse_cluster(f"`{command}` is")
    if opened.form == "study":
        from evolve.cli.studies import resume_study

        return resume_study(opened, changes, seeds, jobs or processors(), allow_programs)
    if seeds is not None:
        raise click.UsageError(f"--seeds is for studies; {run} is a run, of `{command}`")
    if kind.workers and jobs is not None:
        changes["jobs"] = jobs
    return work_of(kind)(command).resume(opened, changes, jobs or processors(), allow_programs)
