"""Where a command's games are played: `--executor`, `--scheduler` and its certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from evolve.cli.options import ExistingFile
from evolve.cli.settings import Grouped
from evolve.cli.terminal import complain
from evolve.errors import OptionsError
from evolve.extras import need
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.cluster.placement import Placement
    from evolve.fitness.executor import Executor

C = TypeVar("C", bound=Callable[..., Any])

_META: Final = "evolve.executor"
_CERTIFICATES: Final = {
    "tls_ca": "certificate of the authority",
    "tls_cert": "certificate of this client",
    "tls_key": "its key",
}


def executor_options(command: C) -> C:
    """Add the options for where games are played; see `executor_for`."""
    for name, what in reversed(_CERTIFICATES.items()):
        command = _option(
            f"--{name.replace('_', '-')}",
            type=ExistingFile(),
            metavar="FILE",
            help=f"For tls:// schedulers: {what}.",
        )(command)
    command = _option(
        "--scheduler",
        metavar="URL",
        envvar="EVOLVE_SCHEDULER",
        show_envvar=True,
        help="Scheduler of the cluster, such as tls://host:8786; as an option it implies dask.",
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
        name, cls=Grouped, group="Cluster", expose_value=False, callback=keep, **attributes
    )


def placement() -> Placement:
    """Return where the command's games are played. ExtraError if Dask is not installed."""
    from evolve.cluster.placement import HERE, Placement, Tls

    asked = _asked()
    if asked is None:
        return HERE
    need("distributed")
    files = [asked[name] for name in _CERTIFICATES]
    return Placement(asked["scheduler"], None if None in files else Tls(*files))


def _asked() -> dict[str, Any] | None:
    """Return the options of the cluster; None if games stay on this machine."""
    context = click.get_current_context()
    given: dict[str, tuple[Any, Any]] = context.meta.get(_META, {})
    values = {name: value for name, (value, _) in given.items()}
    kind = values.pop("executor", None)
    typed = [name for name, (_, source) in given.items() if source is ParameterSource.COMMANDLINE]
    if kind is None:
        kind = "dask" if "scheduler" in typed else "threads"
    if kind == "threads":
        useless = [name.replace("_", "-") for name in typed if name != "executor"]
        if useless:
            raise OptionsError(f"--{useless[0]} is for --executor dask")
        return None
    if values.get("scheduler") is None:
        raise OptionsError("--executor dask needs --scheduler URL, or EVOLVE_SCHEDULER")
    missing = [name for name in _CERTIFICATES if values.get(name) is None]
    if 0 < len(missing) < len(_CERTIFICATES):
        raise OptionsError(f"--{missing[0].replace('_', '-')} must be given with the others")
    if values["scheduler"].startswith("tls:") and missing:
        raise OptionsError("a tls:// scheduler needs --tls-ca, --tls-cert and --tls-key")
    return values


def on_cluster() -> bool:
    """Whether the options ask for a cluster."""
    return _asked() is not None


def refuse_cluster(what: str) -> None:
    """Raise OptionsError if the options ask for a cluster; `what` is work for one machine."""
    if on_cluster():
        raise OptionsError(f"--executor dask: {what} on one machine")


@contextmanager
def executor_for(jobs: int) -> Iterator[Executor]:
    """Yield the executor that the options ask for, with `jobs` threads of this machine.

    ClusterError if the scheduler does not answer; ExtraError if Dask is not installed.
    """
    with placement().open(jobs, complain) as executor:
        yield executor


def where(executor: Executor) -> str:
    """Where games are played, for the header of a command."""
    address = getattr(executor, "address", None)
    if address is None:
        return count_of(executor.slots, "thread")
    return f"{count_of(executor.slots, 'slot')} of {address}"
