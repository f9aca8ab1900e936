"""Objects by the names of their modules, and packages that an installation may lack."""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from evolve.errors import EvolveError, ExtraError

DISTRIBUTION: Final = "evolve-reversi"
"""What pip installs; import and command are `evolve`."""
_EXTRAS: Final = {
    "torch": ("learn", "learning needs PyTorch"),
    "dask": ("cluster", "clusters need Dask"),
    "distributed": ("cluster", "clusters need Dask"),
    **dict.fromkeys(("anyio", "fastapi", "starlette", "uvicorn"), ("serve", "")),
}
"""Packages of the extras, each with its extra and the start of its message."""


def install_hint(extra: str) -> str:
    """The command that adds an extra.

    It works wherever evolve is installed, from the index or from a copy: pip adds to what is there.
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def imported(name: str) -> Any:
    """The object that `module:name` names, for what is in a layer above or costly to load."""
    return pkgutil.resolve_name(name)


def call(name: str, *arguments: Any) -> Any:
    """Call the function that `module:name` names: another process imports it, this one does not."""
    return imported(name)(*arguments)


def need(package: str, who: str | None = None) -> None:
    """Raise ExtraError where a package is not installed; who: what needs it."""
    if importlib.util.find_spec(package) is None:
        raise _missing(package, who)


@contextmanager
def naming_missing_packages() -> Iterator[None]:
    """Turn the ImportError of a package into an ExtraError.

    Errors from our own modules pass through: these can always be imported.
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if isinstance(error, EvolveError) or package == "evolve":
            raise
        if isinstance(error, ModuleNotFoundError) and package:
            raise _missing(package, None) from error
        raise ExtraError(f"a package that this needs cannot be loaded: {error}") from error


def _missing(package: str, who: str | None) -> ExtraError:
    extra, needs = _EXTRAS.get(package, (None, ""))
    if extra is None:
        return ExtraError(f"this needs {package}, which is not installed: pip install {package}")
    needs = f"{who} needs {package}" if who else needs or f"the service needs {package}"
    text = f"{needs}, the extra `{extra}` of evolve, which is not installed: {install_hint(extra)}"
    if package == "torch":
        text += (
            ", or a small build for CPUs alone, pip install torch --index-url "
            "https://download.pytorch.org/whl/cpu"
        )
    return ExtraError(text)
