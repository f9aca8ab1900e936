"""Studies by Python calls, whose settings may have functions of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evolve import __version__
from evolve.config.evolution import ENDINGS
from evolve.config.operators import OWNABLE
from evolve.errors import RunError, SettingsError
from evolve.evolution.call import evolve
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath, inside
from evolve.population.operators import own_name
from evolve.safe_parsing import parse_toml
from evolve.studies.comparison import compared, groups_of, met
from evolve.studies.facts import row_of
from evolve.tables import folder as store
from evolve.tables.paths import STUDY_FILE
from evolve.tables.progress import Observer, Silent
from evolve.tables.run import Run
from evolve.tables.run_types import EVOLUTIONS
from evolve.tables.study import Study, load_run
from evolve.tables.study_spec import StudySpec, bare, read_study_spec, study_spec_of

if TYPE_CHECKING:
    import pandas as pd

_RUNS: Final = Path("runs")
_STEM: Final = "study"
Functions = dict[str, dict[str, Callable[..., Any]]]
"""Those of the caller: by the setting that each is for, and by the name that study.toml has."""


def study(
    folder: str | Path,
    *,
    seeds: str | Iterable[int],
    grid: Mapping[str, Sequence[Any]] | None = None,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    jobs: int = 1,
    observer: Observer | None = None,
    **settings: Any,
) -> Study:
    """Evolve agents with each of several settings and seeds, as `evolve run --seeds --grid` does;
    the same call goes on where it was stopped.

    Args:
        folder: of the study; a new one, or one that a call with the same settings has begun.
        seeds: of the runs of each setting: `range(10)`, a list, or a text such as `0-9`. A later
            call may name more.
        grid: values of a setting, or of KEY in one as `SETTING.KEY`; all combinations are run.
        variants: or dictionaries of settings by names, each with the whole grid.
        jobs: threads; results do not depend on it.
        observer: told of each run that is done, as a row; see `evolve.tables.progress`.
        settings: of all runs, as `evolve.evolve` takes them. Those that may be functions there may
            be functions here, in `grid` and `variants` too.

    Runs go on in this process, one after another with all threads: functions of the caller can be
    anything, and need not be pickled. Each run has the tables that `evolve.evolve` makes with the
    same settings and seed. The study is read by `evolve.compare`, `evolve.plot` and all commands
    that read studies; only this call goes on with one that has functions.

    Raises what `evolve.evolve` does; an error ends the study at that run, and the next call goes on
    there.
    """
    if isinstance(seeds, int):
        raise SettingsError(f"seeds: {seeds} is one seed or so many; [{seeds}] or range({seeds})")
    functions: Functions = {}
    named = {
        "command": EVOLUTIONS.name,
        "seeds": seeds if isinstance(seeds, str) else [*map(index, seeds)],
        "settings": _named(settings, functions),
        "grid": {
            name: [_name(name, value, functions) for value in values]
            for name, values in (grid or {}).items()
        },
        "variants": {name: _named(one, functions) for name, one in (variants or {}).items()},
    }
    design = study_spec_of(bare(named), "evolve.study")
    design.check()
    _text(design)
    place = inside(folder)
    begun = (place / STUDY_FILE).exists()
    if not begun:
        place, _ = store.claimed(inside(_RUNS), _STEM, place)
    with store.locked(place):
        if begun:
            design = _continued(place, design)
        write_text(place / STUDY_FILE, _text(design))
        opened = Study(place)
        _work(opened, functions, jobs, observer or Silent())
    return Study(place)


def compare(
    *sources: str | Path | Run | Study,
    figure: str | None = None,
    games: int | None = None,
    jobs: int = 1,
) -> pd.DataFrame:
    """Compare settings over seeds, as `evolve compare` does.

    Args:
        sources: studies and runs; runs that differ in their seeds alone are one setting.
        figure: what is compared: any number that `evolve compare RUN --json` has; by default the
            champions' Elo on the ladder.
        games: let the champions of each two settings meet in so many games as well, seed by seed.
        jobs: threads for these games.

    Returns a row for each setting and each two of them; `evolve.studies.comparison.COLUMNS` says
    what the columns are. Raises RunError where there is nothing to compare.
    """
    import pandas as pd  # not above: see Run

    opened = [one if isinstance(one, Run | Study) else load_run(one) for one in sources]
    groups = groups_of(opened)
    frame = compared(groups, figure)
    return (
        frame if games is None else pd.concat([frame, met(groups, games, jobs)], ignore_index=True)
    )


def _named(settings: Mapping[str, Any], functions: Functions) -> dict[str, Any]:
    return {kind: _name(kind, value, functions) for kind, value in settings.items()}


def _name(kind: str, value: Any, functions: Functions) -> Any:
    """A setting's value as study.toml has it: of a function its name, which is noted."""
    if isinstance(value, np.generic):
        return value.item()
    if not callable(value):
        return value
    if kind not in OWNABLE:
        raise SettingsError(f"{kind}: is not a function; those may be: {', '.join(OWNABLE)}")
    name = own_name(value)
    if functions.setdefault(kind, {}).setdefault(name, value) is not value:
        raise SettingsError(
            f"{kind}: two functions are called {name}; a study tells settings apart by their names"
        )
    return name


def _continued(place: FolderPath, asked: StudySpec) -> StudySpec:
    """The design of a study that goes on, with the seeds of both; RunError for other settings,
    unless no run of it has begun."""
    there = read_study_spec(place / STUDY_FILE)
    if not Study(place).runs:
        return asked
    old, new = _fixed(there), _fixed(asked)
    faults = [f"{key} was {old[key]}, not {new[key]}" for key in old if old[key] != new[key]]
    if faults:
        raise RunError(f"{place} is a study with other settings: {', '.join(faults)}")
    return asked.model_copy(update={"seeds": (*dict.fromkeys((*there.seeds, *asked.seeds)),)})


def _fixed(design: StudySpec) -> dict[str, Any]:
    """What of a study may not change, as its file has it: all but the seeds, and when runs end."""
    known = parse_toml(design.text({}).encode())
    settings = {key: one for key, one in known.get("settings", {}).items() if key not in ENDINGS}
    kept = {key: known.get(key, {}) for key in ("command", "grid", "variants")}
    return {**kept, "settings": settings}


def _text(design: StudySpec) -> str:
    """The design as study.toml has it; SettingsError where it cannot."""
    try:
        return design.text({"evolve": __version__})
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{STUDY_FILE} cannot hold these settings: {error}") from error


class _Within(Silent):
    """Watches one run of a study for those who watch the study."""

    def __init__(self, observer: Observer, done: int, runs: int) -> None:
        self._observer, self._done, self._runs = observer, done, runs
        self.stopped = False

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self._observer.stage("runs", self._done + min(1.0, done / total), self._runs)

    def stop(self) -> bool:
        self.stopped = self.stopped or self._observer.stop()
        return self.stopped


def _work(study: Study, functions: Functions, jobs: int, observer: Observer) -> None:
    """Go on with every run that is not done."""
    runs = len(study.members)
    for number, member in enumerate(study.members):
        values = study.design.values_of(member)
        for kind, known in functions.items():
            values[kind] = known.get(values.get(kind, ""), values.get(kind))
        values = {key: value for key, value in values.items() if value is not None}
        within = _Within(observer, number, runs)
        evolve(study.folder_of(member), jobs=jobs, observer=within, **values)
        if within.stopped:
            return
        observer.row(row_of(study, member), number + 1, runs)
