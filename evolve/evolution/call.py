"""Run an evolution from Python, with custom functions if needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OWNABLE
from evolve.config.toml import config_text, read_toml, resolve, rules_of_defaults
from evolve.errors import RunError, SettingsError
from evolve.evolution.loop import Evolution
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath, inside
from evolve.fitness.executor import Threads
from evolve.population.encoding import Encoding
from evolve.population.operators import Own, own_name
from evolve.runs import run_folder as store
from evolve.runs.run import Run
from evolve.runs.run_folder import Observer, Silent
from evolve.tables.paths import CONFIG_FILE
from evolve.version import __version__

OF_DIRECT_GENES: Final = (
    "phases", "boundaries", "tie", "terms", "bounds", "fix", "evaluation", "start_from",
)  # fmt: skip
"""Settings that apply only to direct genes, which are the agents' parameters."""
_RUNS: Final = Path("runs")
"""The only parent folder that a new run creates if it is missing, as `evolve run` does."""


def evolve(
    folder: str | Path,
    *,
    jobs: int = 1,
    observer: Observer | None = None,
    **settings: Any,
) -> Run:
    """Evolve agents in a folder, as `evolve run` does; the same call resumes a stopped run.

    Args:
        folder: folder of the run; a new one, or one that a call with the same settings started.
        jobs: number of threads; results do not depend on it.
        observer: receives games and generations; see `evolve.runs.run_folder`.
        settings: what `evolve run --help` lists, such as `population=32`, under the names of
            config.toml. `selection`, `survival`, `crossover`, `mutation`, `depth_mutation` and
            `fitness` also take a function: `evolve.population.breeding` and
            `evolve.fitness.round` describe the arguments of each. `encoding` takes an
            `evolve.Encoding`, for custom genes. The run's config.toml stores only the name of
            such a function or encoding, so `evolve resume` refuses the run: resume it with this
            call.

    The run up to its last generation is the same however often it was stopped, if the functions
    depend only on their arguments and draw from the `rng` in them. Raises SettingsError for
    invalid settings and for a function that returns an invalid value, and RunError for a folder
    that belongs to another run.
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
    """Return the rules of a run, as settings: the current defaults may differ."""
    kept = read_toml(folder / CONFIG_FILE)
    return {"rules": kept["rules"]} if "rules" in kept else {}


def _check_same(folder: FolderPath, asked: EvolutionSettings) -> None:
    """Raise RunError if a run differs from the requested settings in more than when it ends."""
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
