"""Compare settings over seeds: means with Student's interval, differences seed by seed."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from evolve.arena.call import match
from evolve.errors import RunError
from evolve.fitness.statistics import FEWEST_PAIRS, chance_of, holm, holm_levels, mean_of, stated
from evolve.runs.run import Run, Study
from evolve.runs.run_types import champion_of
from evolve.runs.study_spec import BASE, text_of
from evolve.runs.summary import differing_in, summary_of
from evolve.studies.document import HEAD_TO_HEAD
from evolve.studies.verdict import verdicts_of

if TYPE_CHECKING:
    from collections.abc import Callable

_ELO: Final = "elo"
_NO_METRIC: Final = ("seed", "target", "_low", "_high")  # endings of numbers that compare nothing
_STUDY: Final = "study"  # the factor that tells several studies apart
COLUMNS: Final = {
    "metric": "what was measured once for each seed",
    "setting": "the setting that it is of",
    "against": "the one that it is compared with; nothing in rows of a setting alone",
    "seeds": "how many there are; for a difference, how many both have",
    "mean": "over the seeds; of the differences setting - against, seed by seed",
    "low": "where its 95 % interval begins, by Student's t",
    "high": "and where it ends",
    "p": "how likely a difference at least as large is by chance alone",
    "p_holm": "the same corrected for the number of comparisons in that metric, after Holm",
    "level": "of the interval of a comparison: so high that it agrees with p_holm",
    "over": "of a main effect, the other factors, over whose values it is the mean; else nothing",
}
"""Columns of the table, and what they mean."""


@dataclass(frozen=True)
class Group:
    """The runs of one setting, by their seeds; factors: where settings differ, its values."""

    name: str
    runs: Mapping[int, Run]
    factors: Mapping[str, str] = field(default_factory=dict)


def groups_of(sources: Sequence[Study | Run]) -> list[Group]:
    """Return the settings of studies and runs as groups; a run is a setting with one seed.

    Runs that differ only in their seeds are one setting. A study has one group for each of its
    settings, before those of runs. Raises RunError where two groups have the same name.
    """
    groups: list[Group] = []
    several = len(sources) > 1
    for source in (source for source in sources if source.form == "study"):
        runs = source.runs
        for setting in source.design.settings_of_runs:
            of_setting = {run.seed: run for run in runs if run.setting == setting.name}
            parts = [source.name] * several + [setting.name] * (setting.name != BASE)
            factors = {key: text_of(value) for key, value in setting.varied.items()}
            factors |= {_STUDY: source.name} if several else {}
            groups.append(Group(" ".join(parts) or source.name, of_setting, factors))
    groups += _groups_of_runs([source for source in sources if source.form == "run"])
    ((name, count),) = Counter(group.name for group in groups).most_common(1) or [("", 0)]
    if count > 1:
        raise RunError(f"{name} is named twice: folders are known by their last names here")
    return groups


def _groups_of_runs(runs: Sequence[Run]) -> list[Group]:
    """Group runs by their settings, in their order.

    A run that repeats the settings and the seed of another becomes a separate setting.

    A single run is named after its folder. Several runs are named after the settings in which they
    differ from the others; where there are none or the text is too long, after the first run.
    """
    by_settings: dict[str, dict[int, Run]] = {}
    for run in runs:
        key = json.dumps(_settings(run), sort_keys=True, default=str)
        while run.seed in by_settings.get(key, {}):
            key += "again"
        by_settings.setdefault(key, {})[run.seed] = run
    settings = [_settings(next(iter(group.values()))) for group in by_settings.values()]
    differing, groups = differing_in(settings), []
    for group, own in zip(by_settings.values(), settings, strict=True):
        first, *others = (run.name for run in group.values())
        factors = {key: text_of(own[key]) for key in differing if key in own}
        varied = " ".join(f"{key}={value}" for key, value in factors.items())
        several = varied if 0 < len(varied) <= 60 else f"{first} and {len(others)} more"
        groups.append(Group(several if others else first, group, factors))
    return groups


def _settings(run: Run) -> dict[str, Any]:
    config = {key: value for key, value in run.config.items() if key not in ("seed", "versions")}
    return {**config, "command": run.command}


def _numbers_of(run: Run, metric: str | None = None) -> dict[str, float | None]:
    """Return a run's numbers by name; with a metric of its summary, those of the summary alone."""
    row = summary_of(run, running=False).row
    row = row if metric in row else {**row, **run.kind.reading.metrics(run)}
    numbers = {
        key: value
        for key, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key != "date"
    }
    return {_ELO: None, **numbers}


def _metric_of(run: Run, metric: str) -> float:
    """Return a run's number of that name; NaN where it has none yet."""
    numbers = _numbers_of(run, metric)
    if metric not in numbers and metric not in run.kind.reading.compared_by:
        raise RunError(f"{run.path} has no {metric}; it has {', '.join(numbers)}")
    value = numbers.get(metric)
    return math.nan if value is None else float(value)


_Values = dict[str, dict[int, float]]  # values of a metric by settings and seeds


@dataclass(frozen=True)
class Comparison:
    """Settings as compared by a metric.

    frame: the table of COLUMNS. values: of the metric. note: which runs have no Elo, and what was
    compared instead; empty where all have one.
    """

    groups: Sequence[Group]
    frame: pd.DataFrame
    values: _Values
    note: str = ""

    @property
    def has_seeds(self) -> bool:
        """Whether some runs differ only in their seeds."""
        return any(len(group.runs) > 1 for group in self.groups)

    @property
    def words(self) -> list[str]:
        """What it says, in sentences for people: the note, then for each metric who is better."""
        return [self.note] * bool(self.note) + verdicts_of(self.frame)

    def met(self, games: int, jobs: int, progress: Callable[[int], None]) -> Comparison:
        """Let the champions of each two settings play matches as well, seed by seed.

        games: of each match; its rows have the scores of the first. A seed's score is one value of
        the mean, however many games it has; equal champions expect 0.5. progress: called with the
        number of games as they are played.
        """
        rows: list[_Row] = []
        for first, second in _pairs(self.groups):
            scores = []
            for seed in sorted(first.runs.keys() & second.runs.keys()):
                paths = [group.runs[seed].path for group in (first, second)]
                if None not in map(champion_of, paths):
                    a, b = map(str, paths)
                    played = match(a, b, games=games, seed=seed, jobs=jobs, progress=progress)
                    scores.append(played.score.value)
            if scores:
                rows.append((first.name, second.name, scores, None))
        more = _table(HEAD_TO_HEAD, rows, 0.5, (games + 1) // 2)
        return replace(self, frame=pd.concat([self.frame, more], ignore_index=True))


def compared(groups: Sequence[Group], metric: str | None = None) -> Comparison:
    """Compare settings: their means, the differences of each two, and main effects.

    Without a metric, it is Elo, see `_shared_metric`. Seeds without the metric are left out.
    """
    metric, note = _shared_metric(groups) if metric is None else (metric, "")
    values = {
        group.name: {
            seed: value
            for seed, run in group.runs.items()
            if math.isfinite(value := _metric_of(run, metric))
        }
        for group in groups
    }
    if not any(group.runs for group in groups):
        raise RunError("there are no runs to compare yet")
    if not any(values.values()):
        raise RunError(f"no run of these has its {metric} yet")
    rated = [group for group in groups if values[group.name]]
    rows: list[_Row] = [(of.name, None, [*values[of.name].values()], None) for of in rated]
    for a, b in _pairs(rated):
        if differences := _differences(values[a.name], values[b.name]):
            rows.append((a.name, b.name, [*differences.values()], None))
    frame = _table(metric, rows, 0.0)
    effects = _table(metric, _main_effects(rated, values), 0.0)
    frame = pd.concat([frame, effects], ignore_index=True) if len(effects) else frame
    return Comparison(groups, frame, values, note)


def _shared_metric(groups: Sequence[Group]) -> tuple[str, str]:
    """Return the metric that compares runs, and in words which of them have no Elo.

    It is Elo, or what their kinds are compared by, whichever fewest finished runs lack. Raises
    RunError where none of them has any of these.
    """
    every = itertools.chain(*(group.runs.values() for group in groups))
    runs = [run for run in every if run.kind.reading.progress(run).complete]
    names = [(_ELO, *run.kind.reading.compared_by) for run in runs] or [(_ELO,)]
    lacking: dict[str, list[Run]] = {}
    for name in (name for name in names[0] if all(name in other for other in names)):
        lacking[name] = [run for run in runs if math.isnan(_metric_of(run, name))]
        if not lacking[name]:
            break
    metric = min(lacking, key=lambda name: len(lacking[name]))
    note = f"no Elo: {_listed(lacking[_ELO])}" if lacking[_ELO] else ""
    if runs and len(lacking[metric]) == len(runs):
        known = [_numbers_of(run) for run in runs]
        shared = [name for name in known[0] if None not in (row.get(name) for row in known)]
        texts = ", ".join(name for name in shared if not name.endswith(_NO_METRIC)) or "none"
        raise RunError(f"{note}; choose a metric that all have: {texts}")
    if note:
        note += "; left out" if metric == _ELO else f"; compared by {metric}"
        note += f", without {_listed(lacking[metric])}" * (metric != _ELO and bool(lacking[metric]))
    return metric, note


def _listed(runs: Sequence[Run]) -> str:
    names = [run.name for run in runs[:3]]
    more = len(runs) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _main_effects(groups: Sequence[Group], values: _Values) -> list[_Row]:
    """What each two values of a factor differ by, seed by seed: the mean over the other factors."""
    rows: list[_Row] = []
    names = dict.fromkeys(name for group in groups for name in group.factors)
    for factor in (name for name in names if name not in ("rules", _STUDY)):
        levels: dict[str, dict[frozenset[tuple[str, str]], Mapping[int, float]]] = {}
        for group in groups:
            others = {**group.factors}
            level = others.pop(factor, "")
            levels.setdefault(level, {})[frozenset(others.items())] = values[group.name]
        over = " and ".join(name for name in names if name not in (factor, "rules"))
        for a, b in itertools.combinations(filter(None, levels), 2):
            cells = levels[a].keys() & levels[b].keys()
            parts = [_differences(levels[a][cell], levels[b][cell]) for cell in cells]
            seeds = set.intersection(*map(set, parts)) if len(parts) > 1 else set()
            means = [fmean(part[seed] for part in parts) for seed in sorted(seeds)]
            rows += [(f"{factor}={a}", f"{factor}={b}", means, over)] if means else []
    return rows


def over_seeds(sources: Sequence[Run | Study]) -> Comparison | str:
    """Compare runs and studies, or return in words why that cannot be done.

    That is no error where they stand side by side.
    """
    try:
        return compared(groups_of(sources))
    except RunError as error:
        return str(error)


def meetings(groups: Sequence[Group]) -> Counter[str]:
    """Return how many matches `Comparison.met` plays at most, by their rules."""
    return Counter(
        str(first.runs[seed].config.get("rules"))
        for first, second in _pairs(groups)
        for seed in first.runs.keys() & second.runs.keys()
    )


def _pairs(groups: Sequence[Group]) -> list[tuple[Group, Group]]:
    """Return each two settings with the same rules.

    Ratings under different rules have no common scale.
    """
    rules = {
        group.name: {run.config.get("rules") for run in group.runs.values()} for group in groups
    }
    pairs = itertools.combinations(groups, 2)
    return [(a, b) for a, b in pairs if rules[a.name] == rules[b.name]]


_Row = tuple[str, str | None, list[float], str | None]
"""One value per seed: of a setting, or of a setting against another, and over what others."""


def _differences(a: Mapping[int, float], b: Mapping[int, float]) -> dict[int, float]:
    return {seed: a[seed] - b[seed] for seed in sorted(a.keys() & b.keys())}


def _table(
    metric: str, rows: Sequence[_Row], expected: float, pairs: int = FEWEST_PAIRS
) -> pd.DataFrame:
    """Make the table; `expected` is the mean of two equal settings.

    pairs: of games in a value; where all of them are too few, nothing is stated.
    """
    chances = [
        math.nan
        if against is None or pairs * len(values) < FEWEST_PAIRS
        else chance_of(values, expected)
        for _, against, values, _ in rows
    ]
    levels = holm_levels(chances)
    listed = []
    for row, p, p_holm, level in zip(rows, chances, holm(chances), levels, strict=True):
        setting, against, values, over = row
        mean, low, high, seeds = stated(mean_of(values, level), pairs * len(values))
        if metric == HEAD_TO_HEAD:
            low, high = np.clip((low, high), 0.0, 1.0)
        tested = level if p == p else math.nan
        listed.append((metric, setting, against, seeds, mean, low, high, p, p_holm, tested, over))
    return pd.DataFrame(listed, columns=list(COLUMNS))
