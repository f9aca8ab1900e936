"""`evolve resume`: going on with what was stopped, or past its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from evolve.cli.completion import complete_runs
from evolve.cli.new_run import versions
from evolve.cli.options import jobs_option
from evolve.cli.permission import check_programs
from evolve.cli.progress import say, telling_of_compilation
from evolve.cli.run import go_on, print_header
from evolve.config.evolution import ENDINGS
from evolve.config.toml import config_text, read_run_toml, resolve
from evolve.errors import RunError
from evolve.tables import folder as store
from evolve.tables.layout import CONFIG_FILE

_MAY_CHANGE: Final = {
    "run": ENDINGS,
    "train": ("games", "budget", "patience"),
    "sweep": ("trials", "timeout", "storage"),
}
"""What may change when a run goes on, by its command: when it ends."""


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
    from evolve.evolution.estimate import estimate
    from evolve.evolution.loop import Ending, Evolution
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
        from evolve.cli.train import resume_training

        return resume_training(opened, changes, jobs, allow_programs)
    if kind == "sweep":
        from evolve.cli.sweep import resume_sweep

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
            write_text(folder / CONFIG_FILE, config_text(settings, versions()))
        print_header(folder, settings, done, jobs)
        with telling_of_compilation():
            about = estimate(evolution)
        return go_on(evolution, about)
