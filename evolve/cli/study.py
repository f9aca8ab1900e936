"""`evolve study`, `--seeds` and `--grid` of the commands that start runs, and resuming studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evolve.cli.executors import (
    executor_options,
)
from evolve.cli.options import ExistingFile, jobs_option
from evolve.cli.progress import progress_option
from evolve.cli.settings import Grouped
from evolve.config.toml import rules_of_defaults
from evolve.errors import OptionsError, SettingsError
from evolve.parsing import laid_over
from evolve.runs.study_spec import (
    bare,
    grid_of,
    read_study_spec,
    study_spec_of,
)

if TYPE_CHECKING:
    from evolve.runs.study_spec import StudySpec

C = TypeVar("C", bound=Callable[..., Any])


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
    from evolve.cli.studies import start

    return start(design, jobs, out)


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
    from evolve.cli.studies import start

    return start(design, jobs, out)


def _with_default_rules(design: StudySpec) -> StudySpec:
    """Add the default rules of the project or user to a design that names none."""
    settings = {**rules_of_defaults(), **design.settings}
    return design.model_copy(update={"settings": settings})
