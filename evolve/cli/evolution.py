"""`evolve run` and `evolve resume`."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.cli.completion import complete_runs
from evolve.cli.options import GroupedCommand, given_options, jobs_option, model_options
from evolve.cli.permission import agree_to_programs, check_programs
from evolve.cli.progress import (
    RunDisplay,
    interrupt_between_generations,
    say,
    telling_of_compilation,
    watching,
)
from evolve.cli.signals import at_ctrl_c
from evolve.cli.terminal import duration, size
from evolve.config.evolution import ENDINGS, EvolutionSettings
from evolve.config.toml import config_text, read_run_toml, read_toml, resolve
from evolve.errors import RunError
from evolve.tables import folder as store
from evolve.tables.layout import CONFIG_FILE, committed_generations
from evolve.text import count_of

if TYPE_CHECKING:
    from evolve.runner.estimate import Estimate
    from evolve.runner.evolution import Ending, Evolution

RUNS: Final = Path("runs")
"""Where runs go when no place is named; made when it is missing, as no other folder is."""

_MAY_CHANGE: Final = {
    "run": ENDINGS,
    "train": ("games", "budget", "patience"),
    "sweep": ("trials", "timeout", "storage"),
}
"""What may change when a run goes on, by its command: when it ends."""

_RUN_HELP = """Evolve agents, generation by generation.

A population of alpha-beta agents plays round robins; the best survive, their children and
newcomers replace the rest. The champion of each generation also plays a ladder of opponents that
does not change, which rates it. At the end a play-off on fresh openings decides which agent is
champion.json.

Ctrl-C ends the run after the generation in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve run --generations 168
  evolve run --preset published --fix depths=5,3,6 --out runs/published
  evolve run --rules standard --terms mobility --bounds weights=-100:100 --seed 7
  evolve run --start-from 'swh?depth=3' --rules standard --time-limit 0.5
  evolve run --config settings.toml --population 32
"""


@click.command(cls=GroupedCommand, name="run", help=_RUN_HELP)
@model_options(EvolutionSettings)
@jobs_option
@click.option("--out", metavar="FOLDER", help="Folder of the run; runs/RULES-NNN by default.")
@click.option("--config", metavar="FILE.toml", help="Settings; options given here come first.")
def run_command(jobs: int, out: str | None, config: str | None, **options: Any) -> int:
    """See _RUN_HELP."""
    from evolve.runner.estimate import estimate
    from evolve.runner.evolution import Evolution

    given = given_options(EvolutionSettings, options)
    file = read_toml(Path(config)) if config else {}
    settings = resolve(given, file, config or "file")
    made_runs = not RUNS.exists()
    folder, made = store.claimed(RUNS, settings.rules, out)
    with (
        store.locked(folder),
        worthless_unless_started(folder, made, made_runs, committed_generations),
    ):
        _print_header(folder, settings, 0, jobs)
        with telling_of_compilation():
            evolution = Evolution(folder, settings, jobs)
            store.create(folder, config_text(settings, _versions()))
            agree_to_programs(folder, settings)
            about = estimate(evolution)
        return _go_on(evolution, about)


@contextmanager
def worthless_unless_started(
    folder: Path, made: bool, made_runs: bool, committed: Callable[[Path], int]
) -> Iterator[None]:
    """Undo the folder of a run that fails before anything is committed: it would be in the way."""
    try:
        yield
    except BaseException as reason:
        if committed(folder) == 0:
            with at_ctrl_c(lambda: None):  # a further one must not leave half of it
                store.discard(folder, made)
                if made_runs and RUNS.is_dir() and not any(RUNS.iterdir()):
                    RUNS.rmdir()
            if isinstance(reason, KeyboardInterrupt):
                say(f"nothing is kept: no generation, check or trial of {folder} was finished")
        raise


@click.command(name="resume")
@click.argument("run", shell_complete=complete_runs)
@click.option("--generations", type=click.IntRange(min=1), help="Generations in all.")
@click.option("--patience", type=click.IntRange(min=1), help="As in `evolve run`.")
@click.option("--until-rest/--no-until-rest", default=None, help="As in `evolve run`.")
@click.option("--time-limit", type=float, help="Hours from now.")
@click.option("--games", type=click.IntRange(min=1), help="Of a training: games in all.")
@click.option("--budget", type=float, help="Of a training: CPU seconds in all.")
@click.option("--trials", type=click.IntRange(min=1), help="Of a sweep: finished trials in all.")
@click.option("--timeout", type=float, help="Of a sweep: seconds from now.")
@click.option("--storage", metavar="URL", help="Of a sweep: its storage, with the password.")
@click.option(
    "--allow-programs",
    is_flag=True,
    help="Run the programs that a folder's settings name, though you did not start it there.",
)
@jobs_option
def resume_command(run: str, jobs: int, allow_programs: bool, **options: Any) -> int:
    """Go on with a run from its last whole generation, check or trial.

    With --generations (of a training --games or --budget, of a sweep --trials) it goes on to so
    many in all, also past its first target. A run that is finished says so. Programs (gtp:…,
    nboard:…) that its settings name are run only where you started it yourself, in this folder,
    or with --allow-programs.

    \b
    Examples:
      evolve resume runs/reversed-001
      evolve resume runs/reversed-001 --generations 300
      evolve resume runs/mcts-001 --budget 600
      evolve resume runs/sweep-dqn-001 --trials 100 --jobs 2
    """
    from evolve.runner.estimate import estimate
    from evolve.runner.evolution import Ending, Evolution
    from evolve.tables.atomic import write_text
    from evolve.tables.run import Run

    folder = Path(run)
    opened = Run(folder)
    changes = {key: value for key, value in options.items() if value is not None}
    kind = opened.command.partition(" ")[0]
    for name in changes:
        if name not in _MAY_CHANGE.get(kind, ()):
            raise click.UsageError(
                f"--{name.replace('_', '-')} is not for {folder}, which is of `{opened.command}`"
            )
    if kind == "train":
        from evolve.cli.training import resume_training

        return resume_training(opened, changes, jobs, allow_programs)
    if kind == "sweep":
        from evolve.cli.sweeping import resume_sweep

        return resume_sweep(opened, changes, jobs, allow_programs)
    stored = read_run_toml(folder / CONFIG_FILE)
    generations = changes.get("generations")
    settings = resolve(changes, stored, str(folder / CONFIG_FILE))
    with store.locked(folder):
        check_programs(folder, settings, allowed=allow_programs, storage=False)
        done = opened.generation_count
        if generations is not None and generations < done:
            raise RunError(f"{folder} has {done} generations already, more than {generations}")
        store.sweep_orphans(folder)
        evolution = Evolution(folder, settings, jobs)
        evolution.restore()
        ending = evolution.finished
        if ending is not None:
            ways = {Ending.PATIENCE: "a higher --patience", Ending.REST: "--no-until-rest"}
            say(
                f"{folder} is finished, {done} generations: {ending.value}; champion in "
                f"{folder}/champion.json; {ways.get(ending, 'a higher --generations')} goes on"
            )
            return 0
        if changes:
            write_text(folder / CONFIG_FILE, config_text(settings, _versions()))
        _print_header(folder, settings, done, jobs)
        with telling_of_compilation():
            about = estimate(evolution)
        return _go_on(evolution, about)


def _go_on(evolution: Evolution, about: Estimate) -> int:
    from evolve.runner.evolution import Ending

    try:
        say(f"about {duration(about.seconds)} and {size(about.bytes)} of disk")
        with watching(evolution, about.seconds) as display, interrupt_between_generations(display):
            ending = evolution.run(display)
    except KeyboardInterrupt:
        if evolution.generation >= 0:
            say(f"go on with: evolve resume {evolution.folder}")
        raise
    _print_ending(evolution, ending, display)
    return 130 if ending is Ending.STOPPED else 0


def _print_header(folder: Path, settings: EvolutionSettings, done: int, jobs: int) -> None:
    """What is about to be computed; before anything is compiled, so that it shows at once."""
    budget = f"{settings.move_budget} nodes a move" if settings.move_budget else "no node budget"
    say(
        f"evolve {evolve.__version__} · {settings.rules} · {settings.preset} · "
        f"{settings.algorithm.upper()} · seed {settings.seed} · {folder}"
    )
    if done >= settings.generations:
        say("all generations are done, the play-off is left")
        return
    last = settings.generations - 1
    which = f"generation {last}" if done == last else f"generations {done} to {last}"
    say(
        f"{settings.population} individuals, {which}, "
        f"{settings.games_a_generation} games each; {budget}; {count_of(jobs, 'thread')}"
    )


def _print_ending(evolution: Evolution, ending: Ending, display: RunDisplay) -> None:
    from evolve.runner.evolution import Ending

    folder = evolution.folder
    where = f"{evolution.generation + 1} of {evolution.settings.generations} generations"
    say(f"{where}: {ending.value}")
    if ending is Ending.STOPPED:
        say(f"go on with: evolve resume {folder}")
        return
    say(display.champion(folder))
    say(
        f"next: evolve show {folder}/champion.json · evolve plot {folder} -o plot.png · "
        f"evolve export {folder} --to python -o agent.py"
    )


def _versions() -> dict[str, str]:
    packages = ("numba", "numpy", "deap", "pandas", "pyarrow", "joblib")
    return {
        "evolve": evolve.__version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }
