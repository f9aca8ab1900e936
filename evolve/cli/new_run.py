"""What every command that starts a run needs."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from evolve.cli.display import tell
from evolve.cli.signals import at_ctrl_c
from evolve.config.defaults import rules_of_defaults
from evolve.config.toml import config_text, read_toml
from evolve.extras import need
from evolve.files.changes import remove_folder
from evolve.files.folder import FolderPath, inside
from evolve.runs import run_folder as store
from evolve.runs.run_types import RunType, Variant
from evolve.version import __version__

RUNS: Final = Path("runs")
"""The default folder of runs; the only folder that is made if it is missing."""


def settings_below(config: str | None) -> dict[str, Any]:
    """The settings that a new run's options override.

    They are those of its --config, which override those of the project or the user.
    """
    return {**rules_of_defaults(), **(read_toml(Path(config)) if config else {})}


@contextmanager
def new_folder(
    kept: Callable[[FolderPath], int], stem: str, wished: str | None
) -> Iterator[FolderPath]:
    """Make and lock the folder of a new run: `wished`, or the next runs/STEM-NNN.

    kept(folder) says how much would be lost with the folder. If the block fails while that is 0,
    the folder is undone, because it would be in the way. Raises RunError if `wished` is taken, or
    its parent folder is missing.
    """
    made_runs = not RUNS.exists()
    folder, made = store.claimed(inside(RUNS), stem, wished)
    with store.locked(folder):
        try:
            yield folder
        except BaseException as reason:
            if kept(folder) == 0:
                with at_ctrl_c(lambda: None):  # another Ctrl-C must not leave half of it
                    store.discard(folder, made)
                    if made_runs and RUNS.is_dir() and not any(RUNS.iterdir()):
                        remove_folder(RUNS)
                if isinstance(reason, KeyboardInterrupt):
                    tell(f"nothing was kept: {folder} had not finished anything yet")
            raise


def config_of(kind: RunType, command: str, settings: BaseModel) -> str:
    """The text of a run's config.toml: settings, and the versions that its results depend on."""
    return config_text(settings, versions_of(kind, command), command)


def versions_of(kind: RunType, command: str) -> dict[str, str]:
    """The versions that the results of a command depend on."""
    packages = (*kind.packages, "torch") if kind.commands[command].learns else kind.packages
    return {
        "evolve": __version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def need_extras(variant: Variant) -> None:
    """Raise ExtraError if the variant needs PyTorch and it is not installed."""
    if variant.learns:
        need("torch")
