"""`evolve run`, and resuming such a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import evolve
from evolve.cli.display import tell, telling_of_compilation
from evolve.cli.executors import executor_for, executor_options, on_cluster, where
from evolve.cli.hand_in import proposed
from evolve.cli.new_run import config_of, new_folder, settings_below
from evolve.cli.options import jobs_option
from evolve.cli.permission import agree_to_programs, check_programs
from evolve.cli.progress import progress_option
from evolve.cli.runs import champion_told
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.study import start_study, study_options
from evolve.cli.terminal import duration, size
from evolve.cli.views import GenerationsView
from evolve.cli.work import carry_out, finish
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_toml, resolve
from evolve.errors import RunError
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.tables import folder as store
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.run_types import EVOLUTIONS, champion_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.evolution.estimate import Estimate
    from evolve.evolution.loop import Evolution
    from evolve.evolution.scaling import Costs
    from evolve.fitness.executor import Executor
    from evolve.tables.run import Run

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
  evolve run --evaluation patterns-standard --rules standard --population 24 --generations 40
  evolve run --config settings.toml --population 32
  evolve run --generations 40 --seeds 0-9 --grid crossover=blend,uniform
"""


@click.command(cls=GroupedCommand, name="run", help=_RUN_HELP)
@model_options(EvolutionSettings, "encoding", "fitness")
@study_options
@executor_options
@jobs_option
@progress_option
@click.option("--out", metavar="FOLDER", help="Folder of the run; runs/RULES-NNN by default.")
@click.option("--config", metavar="FILE.toml", help="Settings; options given here come first.")
def run_command(
    jobs: int,
    out: str | None,
    config: str | None,
    seeds: str | None,
    grid: tuple[str, ...],
    **options: Any,
) -> int:
    """See _RUN_HELP."""
    from evolve.evolution.loop import Evolution

    given = given_options(EvolutionSettings, options)
    file = settings_below(config)
    if seeds is not None or grid:
        return start_study(EVOLUTIONS.name, seeds, grid, (file, given), jobs, out)
    settings = resolve(given, file, config or "file")
    stem = EVOLUTIONS.stem_of(EVOLUTIONS.name, settings.rules)
    with (
        executor_for(jobs) as executor,
        new_folder(EVOLUTIONS.kept_in, stem, out) as folder,
    ):
        _print_header(folder, settings, 0, executor)
        with telling_of_compilation():
            evolution = Evolution(folder, settings, executor)
            agree_to_programs(folder, settings)
            store.create(folder, _config(settings), EVOLUTIONS.parts)
            about = _estimate(evolution)
        return _go_on(evolution, about)


def kept_settings(command: str, file: Path, changes: Mapping[str, Any]) -> EvolutionSettings:
    """The settings in an evolution's config.toml, with `changes`."""
    return resolve(changes, read_toml(file), str(file))


def resume_run(run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
    """Go on with an evolution from its last whole generation; `changes` may move its end."""
    from evolve.evolution.loop import Evolution

    folder, file = run.path, run.path / CONFIG_FILE
    settings = kept_settings(run.command, file, changes)
    with store.locked(folder), executor_for(jobs) as executor:
        check_programs(folder, settings, allowed=allow_programs, storage=False)
        done, generations = run.generation_count, changes.get("generations")
        if generations is not None and generations < done:
            raise RunError(f"{folder} has {done} generations already, more than {generations}")
        store.sweep_orphans(folder)
        evolution = Evolution(folder, settings, executor)
        evolution.restore()
        if evolution.finished is not None:
            _tell_finished(evolution)
            return 0
        if changes:
            write_text(file, _config(settings))
        _print_header(folder, settings, done, executor)
        with telling_of_compilation():
            about = _estimate(evolution)
        return _go_on(evolution, about)


def _config(settings: EvolutionSettings) -> str:
    return config_of(EVOLUTIONS, EVOLUTIONS.name, settings)


def _estimate(evolution: Evolution) -> Estimate:
    from evolve.evolution.estimate import estimate

    return estimate(evolution)


def _tell_finished(evolution: Evolution) -> None:
    from evolve.evolution.loop import EvolutionEnding

    folder, ending = evolution.folder, evolution.finished
    assert ending is not None
    ways = {
        EvolutionEnding.PATIENCE: "a higher --patience",
        EvolutionEnding.REST: "--no-until-rest",
        EvolutionEnding.UNIFORM: "a higher --stop-when-uniform",
    }
    tell(
        f"{folder} is finished, {evolution.generation + 1} generations: {ending.value}; champion "
        f"in {champion_of(folder)}; {ways.get(ending, 'a higher --generations')} goes on"
    )


def _go_on(evolution: Evolution, about: Estimate) -> int:
    """Evolve until something ends it, and say how it went; return the exit code."""
    settings = evolution.settings
    tell(f"about {duration(about.seconds)} and {size(about.bytes)} of disk")
    if on_cluster():
        _print_use(about.costs, evolution.executor)
    look = GenerationsView(settings, evolution.generation + 1, about.seconds)
    ending = carry_out(EVOLUTIONS, evolution.folder, look, evolution.run)
    so_far = f"{evolution.generation + 1} of {settings.generations} generations"
    return finish(evolution.folder, so_far, ending, lambda: _report(evolution.folder))


def _print_header(
    folder: FolderPath, settings: EvolutionSettings, done: int, executor: Executor
) -> None:
    """Print what will be computed; before anything is compiled, so that it shows at once."""
    budget = f"{settings.move_budget} nodes a move" if settings.move_budget else "no node budget"
    tell(
        f"evolve {evolve.__version__} · {settings.rules} · {settings.preset} · "
        f"{settings.algorithm.upper()} · seed {settings.seed} · {folder}"
    )
    if done >= settings.generations:
        tell("all generations are done, the play-off and the champion's Elo are left")
        return
    last = settings.generations - 1
    which = f"generation {last}" if done == last else f"generations {done} to {last}"
    tell(
        f"{_individuals(settings)}, {which}, "
        f"{settings.games_a_generation} games each; {budget}; {where(executor)}"
    )


def _print_use(costs: Costs, executor: Executor) -> None:
    """Print how many slots are useful, and whether this machine is as fast as the cluster."""
    useful, here = costs.useful, executor.threads
    times = costs.speed_up(useful)
    text = f"useful for it: up to {count_of(useful, 'slot')}, {times:.1f} times as fast as one"
    there = costs.seconds(executor.slots)
    if there >= costs.seconds(here, task=0.0):
        text += f"; the {count_of(here, 'thread')} of this machine are as fast"
    tell(text)


def _individuals(settings: EvolutionSettings) -> str:
    text = f"{settings.population} individuals"
    if settings.islands > 1:
        text += f" on each of {settings.islands} islands"
    if settings.opponents is not None:
        text += f" that meet {settings.opponents} others each"
    return text


def _report(folder: FolderPath) -> None:
    """Print the champion with its Elo, and what to do next."""
    from evolve.agents.loading import read_agent
    from evolve.tables.run import Run

    file = champion_of(folder)
    assert file is not None
    agent = read_agent(file)
    tell(
        f"champion {agent.name}: {', '.join(agent.describe().facts)}, "
        f"{champion_told(Run(folder), file)} → {file}"
    )
    tell(f"next: evolve show {file} · evolve plot {folder} -o plot.png · {proposed(agent, folder)}")
