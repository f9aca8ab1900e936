"""The trials of a sweep over each of its settings, as pictures, the page and tables show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from evolve.config.ranges import to_unit
from evolve.tables.trials import REPEATED, TRIALS_COLUMNS, read_final, read_trials
from evolve.terminal_text import count_of

_MOST: Final = 1000
"""Most trials that are shown: the last ones, the winner and the defaults."""
_ENOUGH: Final = 3
"""Trials a setting below which the order of settings is chance."""
_RATIO: Final = 20.0
_CROWDED: Final = 0.25
"""A range of positive numbers has a scale of ratios if its ends differ by more than the first, and
half of its values lie in so small a lower part of it."""
_GROUPS: Final = 5
"""Parts of a range by which the scores over it are compared."""


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
        crowded = float(np.median(known)) < low + _CROWDED * (high - low)
        log = low > 0.0 and high / low > _RATIO and crowded
        return cls(name, list(values), low, high, log)

    @property
    def places(self) -> list[float]:
        """Where each value is on the axis, from 0 to 1; NaN without a value."""
        return [
            np.nan
            if value is None
            else to_unit(self.choices.index(value) if self.choices else value, self)
            for value in self.values
        ]


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
    table, final = read_trials(folder), read_final(folder)
    rows = [] if table is None else table.to_pylist()
    names = (
        [] if table is None else [n for n in table.column_names if n not in TRIALS_COLUMNS.names]
    )
    complete = [row for row in rows if row["state"] == "COMPLETE"]
    best = max(complete, key=lambda row: row["score"], default={"number": None})["number"]
    if final is not None and final.winner is not None:
        best = final.winner
    new = [row for row in rows if not (row["reason"] or "").startswith(REPEATED)]
    scored = [row for row in new if row["score"] is not None]
    marked = [row for row in scored[:-_MOST] if best == row["number"] or _is_default(row)]
    shown = marked + scored[-_MOST:]
    found = {name: [row[name] for row in shown] for name in names}
    varied = {name for name, values in found.items() if len({*map(str, values)} - {"None"}) > 1}
    settings = [Setting.of(name, found[name]) for name in names if name in varied]
    scores = np.array([row["score"] for row in shown], float)
    around = scores - scores.mean() if shown else scores
    needed, note = _ENOUGH * len(settings), ""
    if len(shown) < needed:
        of = count_of(len(settings), "setting")
        note = (
            f"{count_of(len(shown), 'trial')}: too few to say which of {of} matter; {needed} may do"
        )
    else:
        settings.sort(key=lambda setting: -_closeness(setting, scores))
    return Scatter(
        [row["number"] for row in shown],
        scores.tolist(),
        (around / max(float(np.abs(around).max(initial=0.0)), 1e-12)).tolist(),
        settings,
        next((at for at, row in enumerate(shown) if row["number"] == best), None),
        next((at for at, row in enumerate(shown) if _is_default(row)), None),
        note,
    )


def _is_default(row: Mapping[str, Any]) -> bool:
    return bool(row["origin"] == "defaults")


def _closeness(setting: Setting, scores: Any) -> float:
    """The adjusted share of the scores' variance that lies between parts of the setting's range."""
    places = np.array(setting.places)
    known = ~np.isnan(places)
    places, scores = places[known], scores[known]
    count = len(setting.choices) or _GROUPS
    groups = np.round(places * (count - 1)).astype(int)
    sizes = np.bincount(groups)
    means = np.bincount(groups, scores) / np.maximum(sizes, 1)
    within = float(((scores - means[groups]) ** 2).sum()) / max(1, len(scores) - len({*groups}))
    return 1.0 - within / max(float(scores.var(ddof=1)), 1e-12)
