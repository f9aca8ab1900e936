"""The landscape of a sweep: what score its trials let expect for two parameters, and how surely.

A Gaussian process (Rasmussen and Williams 2006, algorithm 2.1) over these parameters, by the
trials' scores and errors; what the other parameters do is noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.config.ranges import to_unit
from evolve.tables.trials import REPEATED, TRIALS_COLUMNS, importances_of, read_final, read_trials

Floats = npt.NDArray[np.float64]
FEWEST: Final = 5
"""Fewest scored trials of a landscape."""
_MOST: Final = 300
"""Most trials that it is made of, the last ones: their number costs its cube."""
_RATIO: Final = 20.0
_CROWDED: Final = 0.25
"""A range of positive numbers has a scale of ratios if its ends differ by more than the first, and
half of its values lie in so small a lower part of it."""
_LENGTHS: Final = (0.12, 0.2, 0.35, 0.6, 1.0)
"""Lengths of its slopes that are tried, as shares of a range."""
_NOISES: Final = (0.0, 0.02, 0.05, 0.1, 0.2)
"""What other parameters may do to a score: standard deviations that are tried."""
_FAR: Final = 0.8, 0.05
"""Nothing near a place was tried where its standard error is above this share of the largest one,
and above the second."""
_GROUPS: Final = 5
"""Parts of a range by which a parameter's effect is judged."""
_APART: Final = 1.5
"""Distance between two choices, in lengths: they have no order."""


@dataclass(frozen=True)
class Axis:
    """A parameter of a landscape: its values in the trials, numbers from low to high or choices."""

    name: str
    low: float
    high: float
    log: bool = False
    choices: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> Axis:
        if any(isinstance(value, str | bool) for value in values):
            choices = tuple(sorted({str(value) for value in values}))
            return cls(name, 0.0, max(1.0, len(choices) - 1.0), choices=choices)
        low, high = float(min(values)), float(max(values))
        crowded = float(np.median(values)) < low + _CROWDED * (high - low)
        return cls(name, low, high, log=low > 0.0 and high / low > _RATIO and crowded)

    def unit(self, value: Any) -> float:
        """Return where a value is, from 0 to 1."""
        return to_unit(self.choices.index(str(value)) if self.choices else value, self)

    def places(self, count: int) -> Floats:
        """Return `count` places over the range; the choices themselves."""
        return np.linspace(0.0, 1.0, len(self.choices) if len(self.choices) > 1 else count)


@dataclass(frozen=True)
class Landscape:
    """Expected scores over one or two parameters.

    x, y: the axes; y is None with one parameter. across, up: places of columns and rows. mean,
    error: the expected score and its standard error, [rows, columns]. points: places of the trials,
    [trials, 1 or 2], and `scores` theirs. best, defaults: the places of these trials.
    """

    x: Axis
    y: Axis | None
    across: Floats
    up: Floats
    mean: Floats
    error: Floats
    points: Floats
    scores: Floats
    best: Floats
    defaults: Floats | None

    @property
    def near(self) -> npt.NDArray[np.bool_]:
        """Whether trials were tried near a place, [rows, columns]."""
        share, least = _FAR
        return self.error <= max(share * float(self.error.max()), least)


@dataclass(frozen=True)
class Trials:
    """The trials of a sweep, as its landscapes are made of them: each result once.

    names: the parameters that vary, those that matter most first: by their importance, or by how
    much of the scores goes with them. pair: the first two of them, in the order of the table. best:
    the number of the winner, before the final of the best complete trial; None where there is none.
    """

    rows: Sequence[Mapping[str, Any]]
    names: Sequence[str]
    pair: Sequence[str]
    best: int | None

    @classmethod
    def of(cls, folder: Path) -> Trials:
        table, final = read_trials(folder), read_final(folder)
        if table is None:
            return cls([], [], [], None)
        rows, shares = table.to_pylist(), importances_of(table).shares
        rows = [row for row in rows if not (row["reason"] or "").startswith(REPEATED)]
        names = [name for name in table.column_names if name not in TRIALS_COLUMNS.names]
        order = {name: (-shares.get(name, 0.0), -_effect(rows, name)) for name in names}
        varied = [name for name in names if order[name][1]]
        names = sorted(varied, key=lambda name: order[name])
        pair = sorted(names[:2], key=varied.index)
        if final is not None and final.winner is not None:
            return cls(rows, names, pair, final.winner)
        complete = [row for row in rows if row["state"] == "COMPLETE"]
        best = max(complete, key=lambda row: row["score"], default={"number": None})
        return cls(rows, names, pair, best["number"])

    def over(self, names: Sequence[str], size: tuple[int, int]) -> Landscape | None:
        """Return the landscape over the first two of these parameters that vary.

        names: those that matter most first. size: columns and rows. None with too few trials, or
        where nothing varies.
        """
        needed = ("score", *names)
        scored = [row for row in self.rows if all(row[name] is not None for name in needed)]
        scored = scored[-_MOST:]
        varied = [name for name in names if len({str(row[name]) for row in scored}) > 1][:2]
        if len(scored) < FEWEST or not varied:
            return None
        axes = [Axis.of(name, [row[name] for row in scored]) for name in varied]
        points = np.array([[axis.unit(row[axis.name]) for axis in axes] for row in scored])
        scores = np.array([row["score"] for row in scored])
        errors = np.array([row["score_error"] or 0.0 for row in scored])
        across = axes[0].places(size[0])
        up = axes[1].places(size[1]) if len(axes) > 1 else np.zeros(1)
        grid = np.array([[x, y][: len(axes)] for y in up for x in across])
        mean, error = _expected(points, scores, errors, grid, [bool(axis.choices) for axis in axes])
        shape = (len(up), len(across))
        winner = [index for index, row in enumerate(scored) if row["number"] == self.best]
        defaults = [index for index, row in enumerate(scored) if row["origin"] == "defaults"]
        return Landscape(
            axes[0],
            axes[1] if len(axes) > 1 else None,
            across,
            up,
            mean.reshape(shape),
            error.reshape(shape),
            points,
            scores,
            points[winner[0] if winner else int(scores.argmax())],
            points[defaults[0]] if defaults else None,
        )


def _effect(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    """The adjusted share of the scores' variance that goes with a parameter; 0 if it is held."""
    scored = [row for row in rows if row["score"] is not None and row[name] is not None]
    values = [row[name] for row in scored]
    if len({*map(str, values)}) < 2:
        return 0.0
    axis, scores = Axis.of(name, values), np.array([row["score"] for row in scored])
    places = np.array([axis.unit(value) for value in values])
    count = len(axis.choices) or _GROUPS
    groups = np.round(places * (count - 1)).astype(int)
    sizes = np.bincount(groups)
    means = np.bincount(groups, scores) / np.maximum(sizes, 1)
    within = float(((scores - means[groups]) ** 2).sum()) / max(1, len(scores) - len({*groups}))
    return max(1.0 - within / max(float(scores.var(ddof=1)), 1e-12), 1e-12)


def _expected(
    points: Floats, scores: Floats, errors: Floats, grid: Floats, choices: Sequence[bool]
) -> tuple[Floats, Floats]:
    """Return the expected scores at the points of a grid, and their standard errors.

    Length and noise are those of the largest marginal likelihood.
    """
    centre = float(scores.mean())
    spread = float(scores.std()) or 0.1
    values = scores - centre
    fits: list[tuple[float, float, Floats, Floats]] = []
    for length in _LENGTHS:
        kernel = spread**2 * _alike(points, points, length, choices)
        for noise in _NOISES:
            diagonal = np.maximum(errors**2 + noise**2, 1e-6)
            factor = np.linalg.cholesky(kernel + np.diag(diagonal))
            weights = np.linalg.solve(factor.T, np.linalg.solve(factor, values))
            likelihood = -0.5 * float(values @ weights) - float(np.log(np.diag(factor)).sum())
            fits.append((likelihood, length, factor, weights))
    _, length, factor, weights = max(fits, key=lambda fit: fit[0])
    between = spread**2 * _alike(grid, points, length, choices)
    explained = np.linalg.solve(factor, between.T)
    variance = np.maximum(spread**2 - (explained**2).sum(axis=0), 0.0)
    return np.clip(centre + between @ weights, 0.0, 1.0), np.sqrt(variance)


def _alike(first: Floats, other: Floats, length: float, choices: Sequence[bool]) -> Floats:
    """Return how much places have to do with one another, 0 to 1."""
    squares = np.zeros((len(first), len(other)))
    for column, choice in enumerate(choices):
        apart = first[:, None, column] - other[None, :, column]
        squares += _APART**2 * (np.abs(apart) > 1e-9) if choice else (apart / length) ** 2
    return np.exp(-0.5 * squares)
