"""`evolve sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evolve.cli.executors import executor_options
from evolve.cli.options import log_option
from evolve.cli.run import start_study, starting_options
from evolve.cli.settings import GroupedCommand, given_options, model_options, settings_below
from evolve.cli.terminal import print_rows
from evolve.cli.work import work_of
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.toml import resolve_as
from evolve.fitness.executor import processors
from evolve.parsing import split_pair
from evolve.runs.run_types import SWEEPS

if TYPE_CHECKING:
    from evolve.sweeps.plan import Plan

_SWEEP_HELP = """Search the hyperparameters of KIND with Optuna.

KIND is dqn, mcts or patterns (learning), alphabeta (every gene of an alpha-beta agent), evolution
(the genetic algorithm itself) or program: any PROGRAM that speaks GTP or NBoard, its command with
{NAME:LOW:HIGH} for each parameter. A trial makes an agent in the same CPU seconds as all others and
meets a fixed panel on fixed openings; those that fall behind are pruned. The first trial has the
default settings. At the end the best trials play for the champion on fresh openings, and the
winner meets the defaults once more. With --rungs, as for patterns, the best
learn again for longer, and fresh seeds test the winner against the defaults.

\b
Ranges:
  evolve sweep dqn --list                      what is searched, and in which ranges
  --fix NAME=VALUE                             hold it, or any other setting of the command
  --space FILE.toml                            narrow or widen it: [learning_rate] low = 1e-3
  --space learning_rate=1e-4:1e-2:log          the same here
  --require 'low < high'                       settings that break it are never played
  --start-from runs/sweep-program-001          the best settings of an earlier sweep come first

\b
Many machines: the same command on each joins the study of that name in a database:
  evolve sweep mcts --storage postgresql://user@host/db --study mine --jobs 16

Ctrl-C ends the sweep, or its final after the games in hand; a second one ends it at once.
`evolve resume` begins the trials in hand again and goes on, to exactly the number of trials that
was asked for. optuna-dashboard shows the same study: optuna-dashboard FOLDER/journal.log, or the
storage's URL.

\b
Examples:
  evolve sweep mcts --trials 60 --budget 60 --jobs 2
  evolve sweep patterns --trials 200 --rungs 20x10,5x60x3
  evolve sweep dqn --fix lookahead=0 --fix steps=10 --sampler gp
  evolve sweep alphabeta --rules reversed --sampler cma --trials 500
  evolve sweep program 'gtp:./engine --corner {corner:1:50=10} --style {style:a|b}' --games 2000
"""


@click.command(cls=GroupedCommand, name="sweep", help=_SWEEP_HELP)
@click.argument("kind", type=click.Choice(list(SWEEPS.variants)))
@click.argument("program", required=False)
@model_options(ProgramSweepSettings, "kind", "program", "space", "fix", "require")
@click.option("--fix", multiple=True, metavar="NAME=VALUE", help="Hold a setting of all trials.")
@click.option(
    "--space",
    multiple=True,
    metavar="FILE.toml|NAME=LOW:HIGH",
    help="Ranges that differ from the usual ones: of a file, or one of them; may be repeated.",
)
@click.option(
    "--require",
    multiple=True,
    metavar="'A < B'",
    help="What the parameters of every trial fulfil; others are never played; may be repeated.",
)
@click.option("--list", "listing", is_flag=True, help="Show the space instead of starting a sweep.")
@starting_options("runs/sweep-KIND-NNN", executor_options, log_option)
def sweep_command(
    kind: str,
    program: str | None,
    fix: tuple[str, ...],
    space: tuple[str, ...],
    require: tuple[str, ...],
    listing: bool,
    out: str | None,
    config: str | None,
    seeds: str | None,
    grid: tuple[str, ...],
    **options: Any,
) -> int:
    """See _SWEEP_HELP."""
    model = SWEEPS.variants[kind].model()
    given: dict[str, Any] = {"kind": kind, **given_options(ProgramSweepSettings, options)}
    if program is not None:
        given["program"] = program
    if fix:
        given["fix"] = dict(map(_held, fix))
    if space:
        from evolve.cli.sweeps import ranges_of

        given["space"], held = ranges_of(space)
        given["fix"] = {**held, **given.get("fix", {})}
    if require:
        given["require"] = require
    file = settings_below(config)
    if (seeds is not None or grid) and not listing:
        # --jobs on the command line counts for all sweeps together, in the file for each.
        jobs = given.pop("jobs", None) or processors()
        layers = (file, {key: value for key, value in given.items() if key != "kind"})
        return start_study(SWEEPS.command(kind), seeds, grid, layers, jobs, out)
    settings = resolve_as(model, {}, given, file, config or "file")
    from evolve.sweeps.plan import checked_plan, plan_of

    if listing:
        _list(plan_of(settings))
        return 0
    checked_plan(settings, new=True)
    return work_of(SWEEPS)(SWEEPS.command(kind)).start(settings, settings.jobs or processors(), out)


def _held(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE of --fix; numbers, true and false become such values."""
    name, value = split_pair("fix", text, "NAME=VALUE")
    return name, _typed(value)


def _typed(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _list(plan: Plan) -> None:
    defaults = plan.defaults or {}
    rows = [
        [p.name, p.kind, p.range_text, defaults.get(p.name), p.about] for p in plan.space.parameters
    ]
    print_rows(["parameter", "type", "range", "default", ""], rows)
