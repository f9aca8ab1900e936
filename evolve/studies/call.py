"""Studies by Python calls. Their settings may include functions of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from evolve.arena.call import games_shown
from evolve.arena.result_table import ResultTable
from evolve.config.evolution import ENDINGS
from evolve.errors import SettingsError
from evolve.evolution.kind import KIND as EVOLUTIONS
from evolve.evolution.loop import evolve
from evolve.fitness.games import GamesDone
from evolve.parsing import parse_toml, taking_settings
from evolve.population.operators import own_name
from evolve.runs.life_cycle import check_same, new_folder, write_study
from evolve.runs.progress import Observer, shown
from evolve.runs.run import Run, Study, begun_runs, load_run
from evolve.runs.run_folder import locked
from evolve.runs.study_spec import StudySpec, bare, read_study_spec, study_spec_of
from evolve.runs.summary import row_of
from evolve.studies.comparison import compared, groups_of, meetings
from evolve.studies.document import parts_of
from evolve.tables.paths import STUDY_FILE

if TYPE_CHECKING:
    from evolve.keywords import StudyKeywords

_Functions = dict[str, dict[str, Callable[..., Any]]]
"""The caller's functions: by setting, then by the name in study.toml."""


@taking_settings
def study(
    folder: str | Path,
    *,
    seeds: str | int | Iterable[int],
    grid: Mapping[str, Sequence[Any]] | None = None,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    jobs: int = 1,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[StudyKeywords],
) -> Study:
    """Evolve agents with each of several settings and seeds, as `evolve run --seeds --grid` does.

    The same call resumes a study that was stopped.

    Args:
        folder: of the study; a new one, or one that a call with the same settings has begun.
        seeds: of the runs of each setting: `range(10)`, a list, a single one, or a text such as
            `0-9`. A later call may name more.
        grid: a list of values of a setting, or of KEY in one as `SETTING.KEY`; all combinations are
            run.
        variants: dictionaries of settings by name, each combined with the whole grid.
        jobs: threads; results do not depend on it.
        progress: whether to show a line of progress.
        observer: receives each finished run as a row.
        settings: of all runs, as `evolve.evolve` takes them. Settings that may be functions there
            may be functions here, also in `grid` and `variants`.

    Runs execute in this process, one after another with all threads. Each has the tables that
    `evolve.evolve` makes with the same settings and seed. Returns the study: `.tables` of all runs,
    `.plot()`, and `.runs`, each with its `.champion`. Only this call can resume a study that has
    functions. Raises what `evolve.evolve` does; the next call resumes at that run.

    >>> quick = {"generations": 1, "population": 4}
    >>> study = evolve.study("runs/two", seeds="0-1", grid={"survivors": [0.25, 0.5]}, **quick)
    >>> [(run.setting, run.seed) for run in study.runs][:2]
    [('survivors=0.25', 0), ('survivors=0.5', 0)]
    """
    functions: _Functions = {}
    design = _designed(seeds, settings, grid or {}, variants or {}, functions)
    folder = Path(folder)
    begun = (folder / STUDY_FILE).exists()
    with locked(folder) if begun else new_folder(begun_runs, "study", folder):
        if begun:
            design = _continued(folder, design)
        write_study(folder, design)
        opened = Study(folder)
        with shown(progress, observer) as watching:
            _work(opened, functions, jobs, watching)
    return Study(folder)


def _designed(
    seeds: str | int | Iterable[int],
    settings: Mapping[str, Any],
    grid: Mapping[str, Any],
    variants: Mapping[str, Mapping[str, Any]],
    functions: _Functions,
) -> StudySpec:
    spec = {
        "command": EVOLUTIONS.name,
        "seeds": np.ravel([*seeds]).tolist()
        if isinstance(seeds, Iterable) and not isinstance(seeds, str)
        else str(seeds),
        "settings": _named(settings, functions),
        "grid": {
            name: [
                _name(name, value, functions)
                for value in ([values] if isinstance(values, str) else values)
            ]
            for name, values in grid.items()
        },
        "variants": {name: _named(values, functions) for name, values in variants.items()},
    }
    design = study_spec_of(bare(spec), "evolve.study")
    design.checked()
    return design


def compare(
    *sources: str | Path | Run | Study,
    metric: str | None = None,
    games: int | None = None,
    jobs: int = 1,
    progress: GamesDone | bool | None = None,
) -> ResultTable:
    """Compare settings over seeds, as `evolve compare` does.

    Args:
        sources: studies and runs; runs that differ only in their seeds are one setting.
        metric: what is compared: any number that `evolve compare RUN --json` has; by default the
            champions' Elo on the ladder, where all have one.
        games: also play this many games between the champions of each two settings, seed by seed.
        jobs: threads for these games.
        progress: whether to show a line of progress of these games, or a function that is called
            with the number of games played since the last call.

    Returns a DataFrame with a row for each setting and for each two of them, `setting` less
    `against`: `mean`, `low` and `high` (Student's 95 %; of differences so wide, `level`, that they
    agree with `p_holm`), `p` and `p_holm` (Holm's, of all comparisons), `over` (the factors that a
    main effect is averaged over). It is printed with a sentence that says who is better, also its
    `.words`, and has `.tables` (`settings`, `differences`, `effects` of a grid of several factors,
    and `head_to_head` with `games`) and `.plot()`. Raises RunError where there is nothing to
    compare.

    >>> evolve.compare("runs/first", metric="best_score")["setting"].tolist()
    ['first']
    """
    opened = [load_run(source) if isinstance(source, str | Path) else source for source in sources]
    groups = groups_of(opened)
    found = compared(groups, metric)
    if games is not None:
        total = sum(meetings(groups).values()) * (games + games % 2)
        with games_shown(progress, total) as count:
            found = found.met(games, jobs, count)
    tables = {
        name: rows.dropna(axis="columns", how="all").reset_index(drop=True)
        for name, rows in parts_of(found.frame).items()
    }
    return ResultTable.of(found.frame, tables, words="\n".join(found.words))


def _named(settings: Mapping[str, Any], functions: _Functions) -> dict[str, Any]:
    return {kind: _name(kind, value, functions) for kind, value in settings.items()}


def _name(kind: str, value: Any, functions: _Functions) -> Any:
    """Return a setting's value for study.toml; a function is replaced by its name and kept."""
    if not callable(value):
        return value
    name = own_name(kind, value)
    if functions.setdefault(kind, {}).setdefault(name, value) is not value:
        raise SettingsError(
            f"{kind}: two functions are called {name}; a study tells settings apart by their names"
        )
    return name


def _continued(folder: Path, requested: StudySpec) -> StudySpec:
    """Return the design of a resumed study, with the seeds of both.

    Raises RunError where the settings differ, unless no run has begun.
    """
    stored = read_study_spec(folder / STUDY_FILE)
    if not Study(folder).runs:
        return requested
    check_same(folder, _fixed(requested), _fixed(stored))
    seeds = (*dict.fromkeys((*stored.seeds, *requested.seeds)),)
    return requested.model_copy(update={"seeds": seeds})


def _fixed(design: StudySpec) -> dict[str, Any]:
    """Return the parts of a study that may not change, as its file has them.

    These are all settings except the seeds and those that say when runs end.
    """
    document = parse_toml(design.text({}).encode())
    settings = document.get("settings", {})
    kept = {key: value for key, value in settings.items() if key not in ENDINGS}
    return {**document, "seeds": None, "settings": kept}


class _RunObserver(Observer):
    def __init__(self, observer: Observer, done: int, runs: int) -> None:
        self._observer, self._done, self._runs = observer, done, runs
        self.stopped = False

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self._observer.whole("runs", self._done + min(1.0, done / total), self._runs)

    def stop(self) -> bool:
        self.stopped = self.stopped or self._observer.stop()
        return self.stopped


def _work(study: Study, functions: _Functions, jobs: int, observer: Observer) -> None:
    runs = len(study.design.members)
    for number, member in enumerate(study.design.members):
        values = study.design.values_of(member)
        for kind, own_functions in functions.items():
            values[kind] = own_functions.get(values.get(kind, ""), values.get(kind))
        values = {key: value for key, value in values.items() if value is not None}
        within = _RunObserver(observer, number, runs)
        evolve(study.folder_of(member), jobs=jobs, observer=within, **values)
        if within.stopped:
            return
        observer.row(row_of(study, member), number + 1, runs)
