"""Where a command's games are played (`--executor`, `--scheduler`), and `evolve cluster`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click
from click.core import ParameterSource

from evolve.cli.display import print_head, print_line, reporting_compilation
from evolve.cli.options import input_path, jobs_option, json_option
from evolve.cli.settings import GroupedCommand, GroupedOption, settings_below
from evolve.cli.terminal import print_error, print_json, print_rows
from evolve.cluster import Placement
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import resolve
from evolve.errors import ClusterError, OptionsError
from evolve.extras import need
from evolve.number_text import duration, size
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.cluster.client import Cluster
    from evolve.evolution.costs import Costs
    from evolve.fitness.executor import Executor

C = TypeVar("C", bound=Callable[..., Any])

_META: Final = "evolve.executor"


def executor_options(command: C) -> C:
    """Add the options for where games are played; see `executor_for`."""
    command = _option(
        "--scheduler",
        metavar="URL",
        envvar="EVOLVE_SCHEDULER",
        show_envvar=True,
        help="Scheduler of the cluster, such as tls://host:8786; as an option it implies dask. "
        "Certificates are of Dask's configuration.",
    )(command)
    return _option(
        "--executor",
        type=click.Choice(["threads", "dask"]),
        help="Play games on threads of this machine, or on the workers of a Dask cluster (extra "
        "`cluster`). Results do not depend on it.",
    )(command)


def _option(name: str, **attributes: Any) -> Callable[[C], C]:
    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        assert parameter.name is not None
        source = context.get_parameter_source(parameter.name)
        context.meta.setdefault(_META, {})[parameter.name] = (value, source)

    return click.option(
        name, cls=GroupedOption, group="Cluster", expose_value=False, callback=keep, **attributes
    )


def placement() -> Placement:
    """Return where the command's games are played. ExtraError if Dask is not installed."""
    scheduler = _scheduler()
    if scheduler is not None:
        need("distributed")
    return Placement(scheduler)


def _scheduler() -> str | None:
    """Return the address of the cluster's scheduler; None if games stay on this machine."""
    context = click.get_current_context()
    given: dict[str, tuple[str | None, Any]] = context.meta.get(_META, {})
    kind, _ = given.get("executor", (None, None))
    scheduler, source = given.get("scheduler", (None, None))
    typed = source is ParameterSource.COMMANDLINE
    if kind == "threads" and typed:
        raise OptionsError("--scheduler is for --executor dask")
    if kind != "dask" and not typed:
        return None
    if scheduler is None:
        raise OptionsError("--executor dask needs --scheduler URL, or EVOLVE_SCHEDULER")
    return scheduler


def on_cluster() -> bool:
    """Whether the options ask for a cluster."""
    return _scheduler() is not None


def refuse_cluster(what: str) -> None:
    """Raise OptionsError if the options ask for a cluster; `what` is work for one machine."""
    if on_cluster():
        raise OptionsError(f"--executor dask: {what} on one machine")


def executor_for(jobs: int) -> AbstractContextManager[Executor]:
    """Give the executor that the options ask for, with `jobs` threads of this machine.

    ClusterError if the scheduler does not answer; ExtraError if Dask is not installed.
    """
    return placement().open(jobs, print_error)


def where(executor: Executor) -> str:
    """Where games are played, for the header of a command."""
    address = getattr(executor, "address", None)
    if address is None:
        return count_of(executor.slots, "thread")
    return f"{count_of(executor.slots, 'slot')} of {address}"


_CHECK_HELP: Final = """Show the workers of a cluster, and how fast a run would be there.

Lists each worker with its machine, threads, memory and versions; every command leaves out workers
with another evolve, numba or compiled source than here. Then it plays two generations of a run on
the cluster, and estimates the speed of the run from what their games cost.

\b
Examples:
  evolve cluster check --scheduler tcp://10.0.0.1:8786
  evolve cluster check --scheduler tcp://10.0.0.1:8786 --config runs/first/config.toml
"""


@click.group(name="cluster")
def cluster_command() -> None:
    """Look at the workers of a Dask cluster.

    \b
    Example:
      evolve cluster check --scheduler tcp://10.0.0.1:8786
    """


@cluster_command.command(cls=GroupedCommand, name="check", help=_CHECK_HELP)
@executor_options
@click.option(
    "--config",
    metavar="FILE.toml",
    callback=input_path,
    help="Settings of the run; by default those of `evolve run`.",
)
@jobs_option
@json_option
def check_command(config: str | None, jobs: int, as_json: bool) -> int:
    """See _CHECK_HELP."""
    settings = resolve({}, settings_below(config), config or "file")
    if not on_cluster():
        raise OptionsError("evolve cluster check needs --scheduler URL, or --executor dask")
    from evolve.cluster.workers import HANGS
    from evolve.evolution.costs import costs_of

    with executor_for(jobs) as playing:
        executor = cast("Cluster", playing)
        workers = executor.workers.facts()
        if not as_json:
            print_head(settings.rules, executor.address)
            _print_workers(workers)
        slots = sum(worker["threads"] for worker in workers if worker["left_out"] is None)
        for worker in workers:
            if worker["left_out"] == HANGS:
                raise ClusterError(
                    f"{worker['address']} does not answer: games there wait until the scheduler "
                    "drops it, after Dask's worker-ttl"
                )
        if slots == 0:
            raise ClusterError(f"{executor.address} has no worker that can be used")
        with tempfile.TemporaryDirectory() as scratch, reporting_compilation():
            costs = costs_of(Path(scratch), settings, executor)
    document = _document(workers, settings, costs, slots, jobs)
    print_json(document) if as_json else _print_gain(document, settings.generations)
    return 0


def _print_workers(workers: list[dict[str, Any]]) -> None:
    names = ("host", "cores", "threads", "memory", "python", "dask", "cpu")
    rows = []
    for worker in workers:
        shown = {**worker, "memory": size(worker["memory"]) if worker["memory"] else None}
        rows.append([worker["address"], *map(shown.get, names)])
    print_rows(["worker", *names[:-1], "CPU"], rows)
    for worker in workers:
        if worker["left_out"] is not None:
            print_line(f"{worker['address']} is left out: {worker['left_out']}")


def _document(
    workers: list[dict[str, Any]], settings: EvolutionSettings, costs: Costs, slots: int, jobs: int
) -> dict[str, Any]:
    """The workers, and what a run of the settings would gain by so many slots."""
    work = settings.work(settings.generations)
    return {
        "workers": workers,
        "slots": slots,
        "games_a_generation": settings.games_a_generation,
        "cpu_seconds_a_game": costs.seconds_a_game,
        "useful_slots": costs.useful,
        "seconds_here": work * costs.seconds(jobs, task=0.0),
        "model": [
            {
                "slots": number,
                "speed_up": costs.speed_up(number),
                "seconds": work * costs.seconds(number),
            }
            for number in sorted({1, 2, 4, 8, 16, 32, 64, 128, costs.useful, slots})
        ],
    }


def _print_gain(found: Mapping[str, Any], generations: int) -> None:
    print_line(
        f"{found['games_a_generation']} games a generation, "
        f"{1e3 * found['cpu_seconds_a_game']:.2f} ms of CPU each; {generations} generations take "
        f"{duration(found['seconds_here'])} on this machine"
    )
    rows = [
        [row["slots"], f"{row['speed_up']:.1f}", duration(row["seconds"])] for row in found["model"]
    ]
    print_rows(["slots", "times as fast", "takes"], rows)
    useful = count_of(found["useful_slots"], "slot")
    print_line(
        f"{found['slots']} available; up to {useful} bring half a core's worth each, or more"
    )
