"""Where a command's games are played: `--executor` and `--scheduler`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from evolve.cli.settings import GroupedOption
from evolve.cli.terminal import print_error
from evolve.cluster import Placement
from evolve.errors import OptionsError
from evolve.extras import need
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.fitness.executor import Executor

_C = TypeVar("_C", bound=Callable[..., Any])

_META: Final = "evolve.executor"


def executor_options(command: _C) -> _C:
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


def _option(name: str, **attributes: Any) -> Callable[[_C], _C]:
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
