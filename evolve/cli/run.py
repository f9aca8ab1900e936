"""`evolve run`, `train`, `study` and `resume`, and what all commands that start runs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

import evolve
from evolve.cli.cluster import scheduler_option, stay_here
from evolve.cli.display import progress_option
from evolve.cli.options import (
    OuterCommand,
    complete_runs,
    input_path,
    jobs_option,
    log_option,
    together,
)
from evolve.cli.settings import (
    GroupedCommand,
    GroupedOption,
    config_option,
    file_settings,
    given_options,
    model_options,
)
from evolve.cli.terminal import loading
from evolve.cli.work import undoing, work_of
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import resolve, resolve_as
from evolve.engine.search.genes import DEFAULT_TERMS, TERM_NAMES
from evolve.errors import OptionsError, SettingsError
from evolve.evolution.kind import KIND as EVOLUTIONS
from evolve.extras import install_hint
from evolve.fitness.executor import MOST_JOBS, processors
from evolve.learning.kind import KIND as TRAININGS
from evolve.parsing import laid_over
from evolve.runs.life_cycle import begun
from evolve.runs.run_type import Change, RunType
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import StudySpec, bare, grid_of, read_study_spec, study_spec_of

_C = TypeVar("_C", bound=Callable[..., Any])

_RUN_HELP = """Evolve agents, generation by generation.

A population of alpha-beta agents plays round robins; the best survive, their children and
newcomers replace the rest. The champion of each generation also plays a ladder of opponents that
does not change, which rates it. At the end a play-off on fresh openings decides which agent is
champion.json.

Ctrl-C ends the run after the current generation, a second one at once; `evolve resume` continues.

\b
Examples:
  evolve run --generations 168
  evolve run --preset published --fix depths=5,3,6 --out runs/published
  evolve run --rules standard --terms mobility --bounds weights=-100:100 --seed 7
  evolve run --start-from 'swh?depth=3' --rules standard --time-limit 0.5
  evolve run --config settings.toml --population 32
  evolve run --generations 40 --seeds 0-9 --grid crossover=blend,uniform
"""


_TRAIN_HELP: Final = f"""Train from games: `patterns` value what shapes on the board hold, networks
value moves (`dqn`) or positions (`mcts`).

Networks need PyTorch: {install_hint("learn")} adds it. The result plays like any
other agent.

\b
Examples:
  evolve train patterns --preset quick
  evolve train mcts --budget 120
  evolve train dqn --preset s2-minimax-dueling --games 20000 --out runs/s2
  evolve match runs/mcts-001 'positional?depth=6' --games 100
"""

_TRAINED: Final = {
    "mcts": """Train a network to value positions, by the games of its own tree search.

\b
Examples:
  evolve train mcts --budget 120
  evolve train mcts --preset s4-reversiv --games 5000 --seed 3
  evolve train mcts --layers 'gate, gate, dense 1 tanh' --input canonical
""",
    "dqn": """Train a network to value moves, by the rewards of its games.

\b
Examples:
  evolve train dqn --budget 180
  evolve train dqn --preset s5-network2 --shaping 1 --games 2000
  evolve train dqn --bootstrap negamax --steps 3 --opponents self=0.7 --opponents random=0.3
""",
    "patterns": """Train the weights of patterns, the strongest agents here, in a minute.

Against patterns-standard they score 0.42 after 60 CPU seconds, 0.46 after 240.

\b
Examples:
  evolve train patterns
  evolve train patterns --budget 960 --rules reversed --jobs 2
  evolve train patterns --shapes 'corner, edge, a1-d2, b1/g6' --phases 3 --games 200000
  evolve train patterns --preset evolved --rules standard --jobs 2
  evolve train patterns --start-from runs/patterns-001 --duels 1 --duel-depths 2,3
""",
}
"""The help of its commands; those of others say what the registry says about them."""
_ENDING: Final = """
Ctrl-C ends the training after the current games, a second one at once; `evolve resume` continues.
"""


def starting_options(folder: str, *others: Callable[[_C], _C]) -> Callable[[_C], _C]:
    """Add the options of a command that starts a run or, with --seeds and --grid, a study.

    folder: the default of --out; others: further options.
    """

    return together(
        click.option(
            "--seeds",
            metavar="0-9",
            cls=GroupedOption,
            group="Studies",
            help="A run for each of these seeds (numbers and ranges), all in one folder, which "
            "evolve resume, show, compare and plot take.",
        ),
        click.option(
            "--grid",
            multiple=True,
            metavar="FIELD=A,B",
            cls=GroupedOption,
            group="Studies",
            help="A run for each of these values of a setting, or of a KEY in it as FIELD.KEY; "
            "several options give all combinations. FIELD=A|B if values contain commas.",
        ),
        *others,
        progress_option,
        click.option("--out", metavar="FOLDER", help=f"Folder to make; {folder} by default."),
        config_option,
    )


def settings_for(kind: RunType, word: str, given: dict[str, Any], config: str | None) -> Any:
    """The settings of a command of two words: those of --config, overridden by options."""
    file, source = file_settings(config), config or "file"
    if kind is EVOLUTIONS:
        return resolve(given, file, source)
    model, presets = kind.variants[word].model(), kind.variants[word].all_presets()
    own = {"kind": word} if "kind" in model.model_fields else {}
    return resolve_as(model, presets, {**own, **given}, file, source)


def start_run(
    kind: RunType, word: str, options: dict[str, Any], given: dict[str, Any] | None = None
) -> int:
    """Start a run, or a study, by the options of a command; return the exit code.

    word: the second word of the command; given: the settings in its options, if they are not as
    `model_options` makes them.
    """
    command, config, out = kind.command(word), options["config"], options["out"]
    jobs = options["jobs"] or processors()
    given = given or given_options(kind.variants[word].model(), options)
    if options["seeds"] is not None or options["grid"]:
        given.pop("jobs", None)  # on the command line it counts for all runs together
        settings = laid_over(file_settings(config), given)
        design = _design(command, options["seeds"], options["grid"], settings)
        return _start_study(design, jobs, out)
    if not kind.plays_on_clusters:
        stay_here(f"a `{command}` without --seeds or --grid is")
    run = begun(kind, command, out, settings_for(kind, word, given, config), jobs, undoing)
    return work_of(kind, command).carry_out(run, jobs)


def command_of(kind: RunType) -> click.Command:
    """The command that starts runs of a kind; its help is that of the entry, or the one above."""
    trains = kind is TRAININGS
    places = (scheduler_option,) if kind.runs_on_clusters else ()

    def one(word: str) -> click.Command:
        text = kind.variants[word].about or kind.about
        text = f"{_TRAINED.get(word, text)}{_ENDING}" if trains else text
        folder = f"runs/{kind.stem_of(kind.command('KIND'), 'RULES')}-NNN"

        @click.command(cls=GroupedCommand, name=word or kind.name, help=text)
        @model_options(kind.variants[word].model())
        @starting_options(folder, *places, jobs_option)
        def start_one(**options: Any) -> int:
            return start_run(kind, word, options)

        return start_one

    if "" in kind.variants:
        return one("")
    about = _TRAIN_HELP if trains else kind.about
    return OuterCommand(kind.name, [*map(one, kind.variants)], help=about)


def _design(
    command: str, seeds: str | None, grid: Sequence[str], settings: dict[str, Any]
) -> StudySpec:
    values: dict[str, Any] = {"command": command, "grid": dict(map(grid_of, grid))}
    if len(values["grid"]) < len(grid):
        raise OptionsError("--grid: a field is given twice; give all its values at once")
    seed = settings.pop("seed", 0)
    if seeds is not None and seed:
        raise OptionsError("seed: --seeds lists them; leave --seed out")
    values |= {"seeds": str(seed) if seeds is None else seeds, "settings": bare(settings)}
    try:
        design = study_spec_of(values, "--seeds and --grid")
        design.checked()
    except SettingsError as error:
        raise OptionsError(str(error)) from error
    return design


def _start_study(design: StudySpec, jobs: int, out: str | None) -> int:
    with loading():
        from evolve.cli.studies import start

    return start(design, jobs, out)


@click.command(cls=GroupedCommand, name="run", help=_RUN_HELP)
@model_options(
    EvolutionSettings,
    "encoding",
    "fitness",
    defaults={"terms": "all"} if DEFAULT_TERMS == TERM_NAMES else {},
)
@starting_options("runs/RULES-NNN", scheduler_option, jobs_option)
def run_command(**options: Any) -> int:
    """See _RUN_HELP."""
    return start_run(EVOLUTIONS, "", options)


@click.command(name="study")
@click.argument("file", type=click.Path(path_type=Path), callback=input_path)
@click.option("--out", metavar="FOLDER", help="Folder of the study; runs/study-NNN by default.")
@scheduler_option
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

    Each run has its own folder in that of the study, with the same tables as if it ran alone.
    Ctrl-C ends it after the current steps of its runs, a second one at once; resume continues.
    Runs that work at a time share the --jobs threads; on a cluster (--scheduler) each slot has one.

    \b
    Examples:
      evolve study design.toml --out runs/crossovers
      evolve run --generations 40 --seeds 0-9 --grid crossover=blend,uniform
      evolve compare runs/crossovers
    """
    design = read_study_spec(file)
    design.checked()
    return _start_study(design, jobs, out)


def _change_option(change: Change) -> Callable[[_C], _C]:
    kind = click.IntRange(1, 10**9) if change.type is int else change.type
    off = change.option.replace("--", "/--no-", 1) if change.type is bool else ""
    return click.option(change.option + off, type=kind, default=None, help=change.help)


_CHANGES: Final = {change.name: change for kind in RUN_TYPES for change in kind.changes}
"""Every setting that some kind of run may change when it continues."""


@click.command(name="resume")
@click.argument("run", shell_complete=complete_runs)
@together(*map(_change_option, _CHANGES.values()))
@click.option(
    "--allow-programs",
    is_flag=True,
    help="Run programs that the settings of the folder name, even if you did not start it there.",
)
@click.option("--seeds", metavar="10-19", help="Of a study: seeds to add to those it has.")
@scheduler_option
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    help="Threads; all cores by default, and results do not depend on it. Of a sweep: workers, by "
    "default as many as before, since what it tries depends on them.",
)
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
        stay_here(f"`{command}` is")
    if opened.form == "study":
        with loading():
            from evolve.cli.studies import resume_study

        return resume_study(opened, changes, seeds, jobs or processors(), allow_programs)
    if seeds is not None:
        raise click.UsageError(f"--seeds is for studies; {run} is a run, of `{command}`")
    if kind.workers and jobs is not None:
        changes["jobs"] = jobs
    return work_of(kind, command).resume(opened, changes, jobs or processors(), allow_programs)
