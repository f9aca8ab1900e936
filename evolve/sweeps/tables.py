"""Sweeps as a kind of run: their tables, and their summaries in lists of runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from evolve.fitness.statistics import Estimate, elo_of, in_elo, stated
from evolve.fitness.trend import Curve
from evolve.runs.run import Run
from evolve.runs.run_type import RunProgress, RunReading, TableReading
from evolve.tables.columns import Columns, rows_with, table_of_rows
from evolve.tables.paths import RETEST_FILE
from evolve.tables.trials import (
    CENTRE_COLUMNS,
    DEFAULTS,
    ESTIMATE,
    FINISHED,
    REPEATED,
    TRIALS_COLUMNS,
    FinalDocument,
    final_table,
    read_trials,
    whole_final,
)

if TYPE_CHECKING:
    import pandas as pd

_CENTRE: Final = CENTRE_COLUMNS.names[0]
_GAIN: Final = "elo_over_defaults"
"""Name of the metric by which sweeps are compared."""


def _trials(run: Run) -> pa.Table:
    trials = read_trials(run.path)
    if run.config.get("sampler") != ESTIMATE or not len(trials):
        return trials
    strengths = _strengths_of_centre(trials, run.config.get("start_from") is None)
    rows = [strengths.get(number, {}) for number in trials["number"].to_pylist()]
    columns = table_of_rows(rows, CENTRE_COLUMNS.schema)
    for name in CENTRE_COLUMNS.names:
        trials = trials.append_column(name, columns[name])
    return trials


def _strengths_of_centre(
    trials: pa.Table, from_defaults: bool
) -> dict[int, Mapping[str, float | None]]:
    """`CENTRE_COLUMNS` by trial; from_defaults: whether the search began there, at Elo 0."""
    ends = ("elo", "elo_low", "elo_high")
    numbers, curve = list[int](), Curve()
    for row in trials.select(["number", "origin", "reason", *ends]).to_pylist():
        value, low, high = map(row.get, ends)
        new = not (row["reason"] or "").startswith(REPEATED)
        if row["origin"] == ESTIMATE and new and None not in (value, low, high):
            curve.add(len(numbers), value, max(1.0, Estimate(value, low, high, 0).error))
        elif row["origin"] == DEFAULTS and from_defaults and value is not None:
            curve.add(len(numbers), value, 1.0)
        else:
            continue
        numbers.append(row["number"])
    found = curve.smoothed.values()
    return {n: elo.columns(_CENTRE) for n, elo in zip(numbers, found, strict=True)}


def _metrics(run: Run) -> dict[str, float | None]:
    """The winner's Elo over the defaults, in games that no trial has played."""
    final = whole_final(run.path)
    gain = gain_of(final)
    if final.winner is not None and final.winner == final.defaults:
        return {_GAIN: 0.0}  # the winner is the defaults themselves
    return {_GAIN: None if gain is None else gain.value}


def gain_of(final: FinalDocument) -> Estimate | None:
    """The winner's Elo over the defaults in fresh games; without an interval where they are few.

    Its value counts a draw more: without it the Elo of a high score is too high on average, and
    that of a full one infinite.
    """
    found = final.against_defaults
    if found is None:
        return None
    low, high = (math.nan if end is None else end for end in (found.low, found.high))
    elo = in_elo(Estimate(found.score, low, high, found.games))
    value = elo_of((found.score * found.games + 0.5) / (found.games + 1))
    return stated(elo._replace(value=value), found.games // 2)


def _curve(run: Run) -> pd.Series[float]:
    """The best score so far, by trial; from its own trial on that of the winner of the final.

    The highest score of all is often a lucky one, which the final finds out. Of SPSA, whose steps
    are no candidates, the strength of its current point.
    """
    if _over(run) is not None:
        return run.trials.set_index("number")[_CENTRE].dropna().rename_axis("trial")
    whole = run.trials[run.trials["state"] == "COMPLETE"]
    scores = whole.set_index("number")["score"]
    best: pd.Series[float] = scores.cummax().rename("best_score")
    winner = whole_final(run.path).winner
    if winner is not None and winner in scores.index:
        best.loc[winner:] = scores[winner]
    return best.reindex(range(len(run.trials))).ffill().rename_axis("trial")


def _over(run: Run) -> str | None:
    """Games, of a sweep by SPSA whose trials have an Elo."""
    return "games" if _CENTRE in run.trials and run.trials[_CENTRE].notna().any() else None


def _progress(run: Run) -> RunProgress:
    table, target, games = read_trials(run.path), *map(run.config.get, ("trials", "games"))
    finished = sum(state in FINISHED for state in table["state"].to_pylist())
    final, whole = whole_final(run.path), rows_with(table, "state", "COMPLETE")
    if final.winner is not None:
        whole = rows_with(whole, "number", final.winner)
    best, played = pc.max(whole["score"]).as_py(), pc.sum(table["games"]).as_py() or 0
    return RunProgress(
        done=finished,
        # Games may end it long before: the number of trials is the most that these could be.
        target=None if games else target,
        share=played / games if games else None,
        # More finished trials than the last final had: another final must follow.
        complete=isinstance(target, int)
        and (finished >= target or final.over)
        and final.trials == finished,
        metrics={"best_score": best},
        so_far=best,
    )


READING: Final = RunReading(
    kept=lambda folder: len(read_trials(folder)),
    progress=_progress,
    compared_by=(_GAIN,),
    metrics=_metrics,
    curve=_curve,
    added=("seconds", "games"),
    curve_over=_over,
    gain=lambda run: gain_of(whole_final(run.path)),
    tables={
        "trials": TableReading(_trials, Columns((*TRIALS_COLUMNS, *CENTRE_COLUMNS))),
        "retest": TableReading(lambda run: read_trials(run.path, RETEST_FILE), TRIALS_COLUMNS),
        "final": TableReading(lambda run: final_table(run.path)),
    },
)
