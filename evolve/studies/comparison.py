"""Compare settings over seeds: means with Student's interval, differences seed by seed."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from evolve.arena.call import match
from evolve.errors import RunError
from evolve.fitness.statistics import (
    FEWEST_PAIRS,
    LEVEL,
    chance_of,
    holm,
    holm_levels,
    mean_of,
    stated,
    student,
)
from evolve.runs.run import Run, Study
from evolve.runs.run_types import champion_of
from evolve.runs.study_spec import BASE, text_of, words_of
from evolve.runs.summary import differing_in, summary_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST: Final = 60
"""Most characters of settings that name a group of runs."""
_STUDY: Final = "study"
"""The factor that tells several studies apart."""
HEAD_TO_HEAD: Final = "head_to_head"
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
    settings. Raises RunError where two groups have the same name.
    """
    groups: list[Group] = []
    several = len(sources) > 1
    waiting = _groups_of_runs([source for source in sources if source.form == "run"])
    for source in sources:
        if source.form == "run":
            own = next((group for group in waiting if source in group.runs.values()), None)
            if own is not None:  # where its first run stands
                groups.append(own)
                waiting.remove(own)
            continue
        runs = source.runs
        for setting in source.design.settings_of_runs:
            of_setting = {run.seed: run for run in runs if run.setting == setting.name}
            parts = [source.name] * several + [setting.name] * (setting.name != BASE)
            factors = {key: text_of(value) for key, value in setting.varied.items()}
            factors |= {_STUDY: source.name} if several else {}
            groups.append(Group(" ".join(parts) or source.name, of_setting, factors))
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
        several = varied if 0 < len(varied) <= _LONGEST else f"{first} and {len(others)} more"
        groups.append(Group(several if others else first, group, factors))
    return groups


def _settings(run: Run) -> dict[str, Any]:
    """Return a run's settings without its seed."""
    config = {key: value for key, value in run.config.items() if key not in ("seed", "versions")}
    return {**config, "command": run.command}


def metric_of(run: Run, metric: str | None) -> tuple[str, float]:
    """Return a run's metric with its name; NaN where it has none yet.

    Without `metric`, it is the metric of the run's kind.
    """
    if metric is None:
        own = run.kind.reading.metric(run)
        return own[0], math.nan if own[1] is None else float(own[1])
    row = {**summary_of(run, running=False), **run.kind.reading.metrics(run)}
    numbers = {
        key: value
        for key, value in row.items()
        if isinstance(value, int | float | None) and not isinstance(value, bool)
    }
    if metric not in numbers:
        raise RunError(f"{run.path} has no {metric}; it has {', '.join(numbers)}")
    value = numbers[metric]
    return metric, math.nan if value is None else float(value)


def compared(groups: Sequence[Group], metric: str | None = None) -> pd.DataFrame:
    """Make the table of COLUMNS: means of settings, differences of each two, and main effects.

    Seeds without the metric are left out. Raises RunError where the groups' own metrics differ.
    """
    parts = _values_of(groups, metric)
    if len(parts) > 1:
        raise RunError(f"these have different metrics, {' and '.join(sorted(parts))}: name one")
    if not parts:
        raise RunError("there are no runs to compare yet")
    ((name, values),) = parts.items()
    if not any(values.values()):
        raise RunError(f"no run of these has its {name} yet")
    return _compared(name, groups, values)


_Values = dict[str, dict[int, float]]
"""Values of a metric by settings and seeds."""


def _values_of(groups: Sequence[Group], metric: str | None) -> dict[str, _Values]:
    """Read the metric of all runs, the own one of each without `metric`, by its name."""
    parts: dict[str, _Values] = {}
    for group in groups:
        for seed, run in group.runs.items():
            name, value = metric_of(run, metric)
            of_group = parts.setdefault(name, {}).setdefault(group.name, {})
            if math.isfinite(value):
                of_group[seed] = value
    return parts


def _compared(name: str, groups: Sequence[Group], values: _Values) -> pd.DataFrame:
    groups = [group for group in groups if values.get(group.name)]
    alone: list[_Row] = [
        (group.name, None, list(values[group.name].values()), None) for group in groups
    ]
    pairs: list[_Row] = [
        (a.name, b.name, [*_differences(values[a.name], values[b.name]).values()], None)
        for a, b in _pairs(groups)
    ]
    frame = _table(name, [*alone, *(pair for pair in pairs if pair[2])], 0.0)
    effects = _table(name, _main_effects(groups, values), 0.0)
    return pd.concat([frame, effects], ignore_index=True) if len(effects) else frame


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


_WORTH: Final = {"elo": 100.0}
"""A difference in a metric that is worth showing; in others 0.1."""
_MOST_SEEDS: Final = 1000


def winner_in(row: Mapping[str, Any]) -> str | None:
    """The better setting of a comparison, a row of `compared`; None where it is undecided."""
    if not isinstance(row["against"], str) or not row["p_holm"] <= 1 - LEVEL:
        return None
    return str(row["setting"] if row["mean"] > 0 else row["against"])


def more_seeds(row: Mapping[str, Any]) -> int | None:
    """How many more seeds would show a difference worth showing, where a row is undecided.

    None where it is decided, there are too few seeds to say so, or too many would be needed.
    """
    seeds, half = row["seeds"], (row["high"] - row["low"]) / 2
    if not isinstance(row["against"], str) or winner_in(row) or not math.isfinite(half):
        return None
    spread = half * math.sqrt(seeds) / student(seeds - 1, row["level"])
    worth = _WORTH.get(row["metric"], 0.1)
    for count in range(seeds + 1, _MOST_SEEDS):
        if student(count - 1, row["level"]) * spread / math.sqrt(count) < worth:
            return count - int(seeds)
    return None


def in_words(row: Mapping[str, Any]) -> str:
    """A comparison, a row of `compared`, in a sentence or two; empty for a setting alone."""
    if not isinstance(row["against"], str):
        return ""
    names = [words_of(row["setting"]), words_of(row["against"])]
    better, worse = names if row["mean"] >= 0 else reversed(names)
    exact, unit = (0, " Elo") if row["metric"] == "elo" else (3, "")
    size, seeds = f"{abs(row['mean']):.{exact}f}{unit}", count_of(row["seeds"], "seed")
    if winner_in(row) is not None:
        low, high = sorted(abs(row[end]) for end in ("low", "high"))
        within = f"{low:.{exact}f} to {high:.{exact}f}"
        return f"{better} beats {worse} by {size}: mean of {seeds}, with 95 % {within}."
    text = f"{better} and {worse} cannot be told apart yet: "
    text += f"{better} ended {size} higher on average over {seeds}, which may well be chance."
    if (more := more_seeds(row)) is not None:
        worth = f"{_WORTH.get(row['metric'], 0.1):g}{unit}"
        text += f" About {more} more seeds a setting would show a difference of {worth}."
    return text


def over_seeds(sources: Sequence[Run | Study]) -> pd.DataFrame | None:
    """Compare runs and studies where some runs differ only in their seeds.

    The table has each kind's metric, with the settings of that kind. None where no two runs have
    the same setting, or where the metrics are not known yet.
    """
    runs = [source for source in sources if source.form == "run"]
    # A run may be listed twice, which is an error only where names must tell runs apart.
    groups = _groups_of_runs(runs) if len(runs) == len(sources) else groups_of(sources)
    if all(len(group.runs) < 2 for group in groups):
        return None
    tables = [
        _compared(name, groups, values)
        for name, values in _values_of(groups, None).items()
        if any(len(of_group) > 1 for of_group in values.values())
    ]
    return pd.concat(tables, ignore_index=True) if tables else None


def met(
    groups: Sequence[Group],
    games: int,
    jobs: int,
    progress: Callable[[int], None] = lambda games: None,
) -> pd.DataFrame:
    """Play matches between the champions of each two settings, seed by seed; scores of the first.

    games: of each match. A seed's score is one value of the mean, however many games it has; equal
    champions expect 0.5. progress: called with the number of games as they are played.
    """
    rows: list[_Row] = []
    for first, second in _pairs(groups):
        scores = []
        for seed in sorted(first.runs.keys() & second.runs.keys()):
            paths = [group.runs[seed].path for group in (first, second)]
            if None not in map(champion_of, paths):
                a, b = map(str, paths)
                played = match(a, b, games=games, seed=seed, jobs=jobs, progress=progress)
                scores.append(played.score.value)
        if scores:
            rows.append((first.name, second.name, scores, None))
    return _table(HEAD_TO_HEAD, rows, 0.5, (games + 1) // 2)


def meetings(groups: Sequence[Group]) -> Counter[str]:
    """Return how many matches `met` plays at most, by their rules."""
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
        tested = level if p == p else math.nan
        listed.append((metric, setting, against, seeds, mean, low, high, p, p_holm, tested, over))
    return pd.DataFrame(listed, columns=list(COLUMNS))
