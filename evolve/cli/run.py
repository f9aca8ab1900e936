"""`evolve run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import evolve
from evolve.cli.new_run import RUNS, versions, worthless_unless_started
from evolve.cli.options import GroupedCommand, given_options, jobs_option, model_options
from evolve.cli.permission import agree_to_programs
from evolve.cli.progress import (
    RunDisplay,
    interrupt_between_generations,
    say,
    telling_of_compilation,
    watching,
)
from evolve.cli.terminal import duration, size
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import config_text, read_toml, resolve
from evolve.tables import folder as store
from evolve.tables.layout import committed_generations
from evolve.text import count_of

if TYPE_CHECKING:
    from evolve.evolution.estimate import Estimate
    from evolve.evolution.loop import Ending, Evolution

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
@model_options(EvolutionSettings, "fitness")
@jobs_option
@click.option("--out", metavar="FOLDER", help="Folder of the run; runs/RULES-NNN by default.")
@click.option("--config", metavar="FILE.toml", help="Settings; options given here come first.")
def run_command(jobs: int, out: str | None, config: str | None, **options: Any) -> int:
    """See _RUN_HELP."""
    from evolve.evolution.estimate import estimate
    from evolve.evolution.loop import Evolution

    given = given_options(EvolutionSettings, options)
    file = read_toml(Path(config)) if config else {}
    settings = resolve(given, file, config or "file")
    made_runs = not RUNS.exists()
    folder, made = store.claimed(RUNS, settings.rules, out)
    with (
        store.locked(folder),
        worthless_unless_started(folder, made, made_runs, committed_generations),
    ):
        print_header(folder, settings, 0, jobs)
        with telling_of_compilation():
            evolution = Evolution(folder, settings, jobs)
            store.create(folder, config_text(settings, versions()))
            agree_to_programs(folder, settings)
            about = estimate(evolution)
        return go_on(evolution, about)


def go_on(evolution: Evolution, about: Estimate) -> int:
    """Evolve until something ends it, and say how it went; the exit code."""
    from evolve.evolution.loop import Ending

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


def print_header(folder: Path, settings: EvolutionSettings, done: int, jobs: int) -> None:
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
    from evolve.evolution.loop import Ending

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
