"""Sweeps as a kind of run: their tables, and their summaries in lists of runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from evolve.fitness.statistics import Estimate, elo_of, in_elo, stated
from evolve.runs.run import Run
from evolve.runs.run_type import RunProgress, RunReading, TableReading
from evolve.tables.columns import array_of, repeated, rows_with
from evolve.tables.paths import RETEST, RUNGS
from evolve.tables.trials import (
    FINISHED,
    TRIALS_COLUMNS,
    FinalDocument,
    final_table,
    read_trials,
    whole_final,
)

if TYPE_CHECKING:
    import pandas as pd


GAIN: Final = "elo_over_defaults"
"""Name of the metric by which sweeps are compared."""


def _trials(run: Run) -> pa.Table:
    """The trials as an Arrow table; before the first, without the sweep's parameters."""
    trials = read_trials(run.path)
    return TRIALS_COLUMNS.schema.empty_table() if trials is None else trials


def _rungs_table(folder: Path) -> pa.Table:
    """One row for each training in a rung of a sweep; empty before the first.

    It holds the rung's number or `retest`, the candidate (the trial with the same settings), and
    the columns of the table of trials.
    """
    tables = [pa.table({"rung": array_of([], pa.string())})]
    folders = (folder / RUNGS).glob("*")
    rungs = [path for path in folders if path.name.isdecimal() or path.name == RETEST]
    for rung in sorted(rungs, key=lambda path: (path.name == RETEST, path.name.zfill(9))):
        table = read_trials(rung)
        if table is None:
            continue
        agents = [
            None if agent is None else f"{RUNGS}/{rung.name}/{agent}"
            for agent in table["agent"].to_pylist()
        ]
        rows = table.drop_columns(["number", "origin", "reports", "worker"])
        rows = rows.set_column(
            rows.schema.get_field_index("agent"), "agent", array_of(agents, pa.string())
        )
        rows = rows.add_column(0, "candidate", table["origin"])
        names = repeated(rung.name, len(table), pa.string())
        tables.append(rows.add_column(0, "rung", names).replace_schema_metadata(None))
    return pa.concat_tables(tables, promote_options="default")


def _metrics(run: Run) -> dict[str, float | None]:
    """The winner's Elo over the defaults, in games that no trial has played."""
    final = whole_final(run.path)
    gain = gain_of(final)
    if final is not None and final.winner is not None and final.winner == final.defaults:
        return {GAIN: 0.0}  # the winner is the defaults themselves
    return {GAIN: None if gain is None else gain.value}


def gain_of(final: FinalDocument | None) -> Estimate | None:
    """The winner's Elo over the defaults in fresh games; without an interval where they are few.

    Its value counts a draw more: without it the Elo of a high score is too high on average, and
    that of a full one infinite.
    """
    found = None if final is None else final.against_defaults
    if found is None:
        return None
    low, high = (math.nan if end is None else end for end in (found.low, found.high))
    elo = in_elo(Estimate(found.score, low, high, found.games))
    value = elo_of((found.score * found.games + 0.5) / (found.games + 1))
    return stated(elo._replace(value=value), found.games // 2)


def _curve(run: Run) -> pd.Series[float]:
    """The best score so far, by trial."""
    whole = run.trials[run.trials["state"] == "COMPLETE"]
    best: pd.Series[float] = whole.set_index("number")["score"].cummax().rename("best_score")
    return best.reindex(range(len(run.trials))).ffill().rename_axis("trial")


def _progress(run: Run) -> RunProgress:
    """Number of finished trials, and the best score, of the winner where a final chose it."""
    table, target, games = read_trials(run.path), *map(run.config.get, ("trials", "games"))
    states = [] if table is None else table["state"].to_pylist()
    finished = sum(state in FINISHED for state in states)
    best, played, final = None, 0, whole_final(run.path)
    if table is not None:
        whole = rows_with(table, "state", "COMPLETE")
        if final is not None and final.winner is not None:
            whole = rows_with(whole, "number", final.winner)
        best = pc.max(whole["score"]).as_py()
        played = pc.sum(table["games"]).as_py() or 0
    return RunProgress(
        done=finished,
        # Games may end it long before: the number of trials is the most that these could be.
        target=None if games else target,
        share=played / games if games else None,
        # More finished trials than the last final had: another final must follow.
        complete=isinstance(target, int)
        and final is not None
        and (finished >= target or final.over)
        and final.trials == finished,
        metrics={"best_score": best},
        so_far=best,
    )


READING: Final = RunReading(
    kept=lambda folder: len(read_trials(folder) or ()),
    progress=_progress,
    compared_by=(GAIN,),
    metrics=_metrics,
    curve=_curve,
    added=("seconds",),
    gain=lambda run: gain_of(whole_final(run.path)),
    tables={
        "trials": TableReading(_trials, TRIALS_COLUMNS),
        "rungs": TableReading(lambda run: _rungs_table(run.path)),
        "final": TableReading(lambda run: final_table(run.path)),
    },
)
