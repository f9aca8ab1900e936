"""`evolve run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evolve.cli.executors import executor_options
from evolve.cli.new_run import settings_below
from evolve.cli.options import jobs_option
from evolve.cli.progress import progress_option
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.study import start_study, study_options
from evolve.cli.work import work_of
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import resolve
from evolve.runs.run_types import EVOLUTIONS

if TYPE_CHECKING:
    pass

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
    given = given_options(EvolutionSettings, options)
    file = settings_below(config)
    if seeds is not None or grid:
        return start_study(EVOLUTIONS.name, seeds, grid, (file, given), jobs, out)
    settings = resolve(given, file, config or "file")
    return work_of(EVOLUTIONS)(EVOLUTIONS.name).start(settings, jobs, out)
