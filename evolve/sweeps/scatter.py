"""The trials of a sweep over each of its settings, as pictures, the page and tables show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from evolve.config.ranges import to_unit
from evolve.tables.trials import DEFAULTS, REPEATED, TRIALS_COLUMNS, read_trials, whole_final
from evolve.terminal_text import count_of

_MOST: Final = 1000  # most trials that are shown: the last ones, the winner and the defaults


@dataclass(frozen=True)
class Setting:
    """A setting that varies: its values in the trials of the scatter, None where a trial has none.

    choices: in order, where the values are texts or truths, which are texts then. low, high: of
    numbers; of choices, the first index and the last. log: on a scale of ratios.
    """

    name: str
    values: list[Any]
    low: float
    high: float
    log: bool = False
    choices: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> Setting:
        known = [value for value in values if value is not None]
        if any(isinstance(value, str | bool) for value in known):
            texts = [None if value is None else str(value) for value in values]
            choices = tuple(sorted({str(value) for value in known}))
            return cls(name, texts, 0.0, len(choices) - 1.0, choices=choices)
        low, high = float(min(known)), float(max(known))
        # A wide range has a scale of ratios if half of its values lie in its lowest quarter.
        crowded = float(np.median(known)) < low + 0.25 * (high - low)
        log = low > 0.0 and high / low > 20.0 and crowded
        return cls(name, list(values), low, high, log)

    @property
    def places(self) -> list[float]:
        """Where each value is on the axis, from 0 to 1; NaN without a value."""
        indices = {choice: index for index, choice in enumerate(self.choices)}
        numbers = [indices.get(value, value) for value in self.values]
        return [np.nan if number is None else to_unit(number, self) for number in numbers]


@dataclass(frozen=True)
class Scatter:
    """The trials of a sweep that have a score, each result once.

    trials, scores: their numbers and scores. colours: each score from −1 to 1, around their mean by
    the largest distance from it. settings: those that vary; the ones that go with the score most
    closely come first, where the trials are enough. winner, defaults: indices of these trials; the
    winner is that of the final, before it the best complete one. note: that the trials are too few
    to say what matters; empty where they are not.
    """

    trials: list[int]
    scores: list[float]
    colours: list[float]
    settings: list[Setting]
    winner: int | None
    defaults: int | None
    note: str


def scatter_of(folder: Path) -> Scatter:
    """Read the scatter of a sweep's folder; without trials it is empty."""
    table = read_trials(folder)
    rows = table.to_pylist()
    winner = winner_in(rows, folder)
    names = [name for name in table.column_names if name not in TRIALS_COLUMNS.names]
    new = [row for row in rows if not (row["reason"] or "").startswith(REPEATED)]
    scored = [row for row in new if row["score"] is not None]
    marked = [row for row in scored[:-_MOST] if row is winner or row["origin"] == DEFAULTS]
    shown = marked + scored[-_MOST:]
    found = {name: [row[name] for row in shown] for name in names}
    varied = {name for name, values in found.items() if len({*map(str, values)} - {"None"}) > 1}
    settings = [Setting.of(name, found[name]) for name in names if name in varied]
    scores = np.array([row["score"] for row in shown], float)
    around = scores - scores.mean() if shown else scores
    needed, note = 3 * len(settings), ""  # with fewer trials the order of settings is chance
    if len(shown) < needed:
        few, of = count_of(len(shown), "trial"), count_of(len(settings), "setting")
        note = f"{few}: too few to say which of {of} matter; {needed} may do"
    else:
        settings.sort(key=lambda setting: -_closeness(setting, scores))
    return Scatter(
        [row["number"] for row in shown],
        scores.tolist(),
        (around / max(float(np.abs(around).max(initial=0.0)), 1e-12)).tolist(),
        settings,
        next((at for at, row in enumerate(shown) if row is winner), None),
        next((at for at, row in enumerate(shown) if row["origin"] == DEFAULTS), None),
        note,
    )


def winner_in(rows: Sequence[Mapping[str, Any]], folder: Path) -> Mapping[str, Any] | None:
    """Return the trial that the final chose, before a whole final the best complete one."""
    chosen, complete = whole_final(folder).winner, [r for r in rows if r["state"] == "COMPLETE"]
    best = max(complete, key=lambda row: row["score"], default=None)
    return next((row for row in rows if row["number"] == chosen), best)


def _closeness(setting: Setting, scores: Any) -> float:
    """The adjusted share of the scores' variance that lies between parts of the setting's range."""
    places = np.array(setting.places)
    known = ~np.isnan(places)
    places, scores = places[known], scores[known]
    count = len(setting.choices) or 5
    groups = np.round(places * (count - 1)).astype(int)
    sizes = np.bincount(groups)
    means = np.bincount(groups, scores) / np.maximum(sizes, 1)
    within = float(((scores - means[groups]) ** 2).sum()) / max(1, len(scores) - len({*groups}))
    return 1.0 - within / max(float(scores.var(ddof=1)), 1e-12)
