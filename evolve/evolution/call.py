"""An evolution by a Python call, which may bring functions of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from evolve import __version__
from evolve.config.defaults import rules_of_defaults
from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OWNABLE
from evolve.config.toml import config_text, read_toml, resolve
from evolve.errors import RunError, SettingsError
from evolve.evolution.loop import Evolution
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath, inside
from evolve.fitness.executor import Threads
from evolve.population.encoding import Encoding
from evolve.population.operators import Own, own_name
from evolve.tables import folder as store
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.progress import Observer, Silent
from evolve.tables.run import Run

OF_DIRECT_GENES: Final = (
    "phases", "boundaries", "tie", "terms", "bounds", "fix", "evaluation", "start_from",
)  # fmt: skip
"""Settings about genes that are the agents' parameters."""
_RUNS: Final = Path("runs")
"""The one folder that is made for a new run where it is missing, as by `evolve run`."""


def evolve(
    folder: str | Path,
    *,
    jobs: int = 1,
    observer: Observer | None = None,
    **settings: Any,
) -> Run:
    """Evolve agents in a folder, as `evolve run` does; the same call goes on where it was stopped.

    Args:
        folder: of the run; a new one, or one that a call with the same settings has begun.
        jobs: threads; results do not depend on it.
        observer: informed of games and generations; see `evolve.tables.progress`.
        settings: what `evolve run --help` lists, such as `population=32`, under the names of
            config.toml. `selection`, `survival`, `crossover`, `mutation`, `depth_mutation` and
            `fitness` also take a function: see `evolve.population.breeding` and
            `evolve.fitness.round` for what each is called with; `encoding` takes an
            `evolve.Encoding`, genes of one's own. Its name is all that the run's config.toml says
            of it, so `evolve resume` refuses such a run: this call resumes it.

    The run up to its last generation is the same however often it was stopped, provided that the
    functions depend on what they are given alone and draw from its `rng`. Raises SettingsError
    for what cannot be, also when a function gives what is not an answer, and RunError for a folder
    that is taken by another run.
    """
    own: Own = {kind: value for kind, value in settings.items() if callable(value)}
    for kind in own:
        if kind not in OWNABLE:
            raise SettingsError(f"{kind}: is not a function; those may be: {', '.join(OWNABLE)}")
    if "encoding" in own:
        if not isinstance(own["encoding"], Encoding):
            raise SettingsError("encoding: must be an evolve.Encoding")
        for name in OF_DIRECT_GENES:
            if name in settings:
                raise SettingsError(f"{name}: is of no use to genes of one's own")
    folder = inside(folder)
    begun = (folder / CONFIG_FILE).exists()
    below = _rules_of(folder) if begun else rules_of_defaults()
    asked = resolve({**settings, **{kind: own_name(value) for kind, value in own.items()}}, below)
    if not begun:
        folder, _ = store.claimed(inside(_RUNS), asked.rules, folder)
    with store.locked(folder):
        evolution = Evolution(folder, asked, Threads(jobs), own)
        if begun:
            _check_same(folder, asked)
            store.sweep_orphans(folder)
            evolution.restore()
            write_text(folder / CONFIG_FILE, _config(asked))
        else:
            store.create(folder, _config(asked))
        if evolution.finished is None:
            evolution.run(observer or Silent())
    return Run(folder)


def _rules_of(folder: FolderPath) -> dict[str, Any]:
    """The rules of a run, as settings: the defaults of now may be others."""
    kept = read_toml(folder / CONFIG_FILE)
    return {"rules": kept["rules"]} if "rules" in kept else {}


def _check_same(folder: FolderPath, asked: EvolutionSettings) -> None:
    """Raise RunError if a run differs from what is asked for in more than when it ends."""
    path = folder / CONFIG_FILE
    there = resolve({}, read_toml(path), str(path)).identity
    faults = [
        f"{key} was {there[key]}, not {now}"
        for key, now in asked.identity.items()
        if there[key] != now
    ]
    if faults:
        raise RunError(f"{folder} is a run with other settings: {', '.join(faults)}")
    done = Run(folder).generation_count
    if asked.generations < done:
        raise RunError(f"{folder} has {done} generations already, more than {asked.generations}")


def _config(settings: EvolutionSettings) -> str:
    return config_text(settings, {"evolve": __version__})
