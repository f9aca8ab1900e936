"""Where a command's games are played: `--scheduler`."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from evolve.cli.settings import GroupedOption
from evolve.cli.terminal import print_error
from evolve.cluster import open_executor
from evolve.errors import OptionsError
from evolve.extras import need
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.fitness.executor import Executor

_META: Final = "evolve.scheduler"
_VARIABLE: Final = "EVOLVE_SCHEDULER"


def _keep(context: click.Context, parameter: click.Parameter, address: str | None) -> None:
    typed = context.get_parameter_source("scheduler") is ParameterSource.COMMANDLINE
    context.meta[_META] = address or None, typed


scheduler_option = click.option(
    "--scheduler",
    cls=GroupedOption,
    group="Cluster",
    expose_value=False,
    callback=_keep,
    metavar="URL",
    envvar=_VARIABLE,
    show_envvar=True,
    help="Play games on the workers of the Dask cluster with that scheduler, such as "
    "tls://host:8786 (extra `cluster`). Certificates are of Dask's configuration. Results do "
    "not depend on it.",
)


def scheduler() -> str | None:
    """Return the address of the cluster where the command's games are played; None: here.

    ExtraError if Dask is not installed.
    """
    address: str | None
    address, _ = click.get_current_context().meta.get(_META, (None, False))
    if address is not None:
        need("distributed")
    return address


def stay_here(what: str) -> None:
    """Keep work for one machine here, and all that it starts, whatever the environment says.

    what: that work, and "is" or "are". Raises OptionsError where the option asks for a cluster.
    """
    meta = click.get_current_context().meta
    address, typed = meta.pop(_META, (None, False))
    if address is not None and typed:
        raise OptionsError(f"--scheduler: {what} on one machine")
    os.environ.pop(_VARIABLE, None)


def executor_for(jobs: int) -> AbstractContextManager[Executor]:
    """Give the executor that the option asks for, with `jobs` threads of this machine.

    ClusterError if the scheduler does not answer; ExtraError if Dask is not installed.
    """
    return open_executor(scheduler(), jobs, print_error)


def where(executor: Executor) -> str:
    """Where games are played, for the header of a command."""
    address = getattr(executor, "address", None)
    if address is None:
        return count_of(executor.slots, "thread")
    return f"{count_of(executor.slots, 'slot')} of {address}"
