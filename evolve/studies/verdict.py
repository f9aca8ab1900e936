"""What a comparison says in words: its surest difference, or how many seeds would decide it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evolve.fitness.statistics import LEVEL, student
from evolve.number_text import is_elo, places_of
from evolve.runs.study_spec import words_of
from evolve.studies.document import HEAD_TO_HEAD, parts_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    import pandas as pd


def surest_in(frame: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Return comparisons of each two settings, by the row of the surest: by a metric, in games."""
    parts = [
        rows for name, rows in parts_of(frame).items() if name in ("differences", HEAD_TO_HEAD)
    ]
    return {int(rows.sort_values("p", kind="stable").index[0]): rows for rows in parts}


def winner_in(row: Mapping[Any, Any]) -> str | None:
    """The better setting of a comparison, a row of the table; None where it is undecided."""
    if not row["p_holm"] <= 1 - LEVEL:
        return None
    return str(row["setting"] if row["mean"] > _equal(row) else row["against"])


def _equal(row: Mapping[Any, Any]) -> float:
    """The mean of two equal settings."""
    return 0.5 if row["metric"] == HEAD_TO_HEAD else 0.0


def more_seeds(row: Mapping[str, Any]) -> int | None:
    """How many more seeds would show a difference worth showing, where a row is undecided.

    None where it is decided, there are too few seeds to say so, or too many would be needed, or the
    metric has no such difference: that is 100 Elo, or a tenth of a score.
    """
    seeds, half = row["seeds"], (row["high"] - row["low"]) / 2
    worth = 100.0 if is_elo(row["metric"]) else 0.1 if _is_strength(row["metric"]) else 0.0
    if winner_in(row) or not math.isfinite(half * row["level"]):
        return None
    spread = half * math.sqrt(seeds) / student(seeds - 1, row["level"])
    for count in range(seeds + 1, 1000):
        if student(count - 1, row["level"]) * spread / math.sqrt(count) < worth:
            return count - int(seeds)
    return None


def _is_strength(metric: str) -> bool:
    """Whether more of it is better: of Elo and scores, not of games or hours."""
    return is_elo(metric) or metric == HEAD_TO_HEAD or "score" in metric


def verdicts_of(frame: pd.DataFrame) -> list[str]:
    """Return a sentence or two for each metric of a comparison: of its surest difference."""
    sentences = []
    for index, rows in surest_in(frame).items():
        decided = sum(winner_in(row) is not None for row in rows.to_dict("records"))
        verb = f"{'are' if decided > 1 else 'is'} decided."
        count = f" {decided or 'None'} of {len(rows)} comparisons {verb}" * (len(rows) > 1)
        sentences.append(_in_words(dict(frame.loc[index])) + count)
    if not sentences and frame["setting"].nunique() > 1:
        return ["Nothing is decided: no two settings have a seed and rules in common."]
    return sentences


def _in_words(row: Mapping[str, Any]) -> str:
    metric, equal, seeds = str(row["metric"]), _equal(row), count_of(int(row["seeds"]), "seed")
    names, numbers = [row["setting"], row["against"]], [row["mean"], row["low"], row["high"]]
    if row["mean"] < equal:
        names, numbers = names[::-1], [2 * equal - row[end] for end in ("mean", "high", "low")]
    (better, worse), places = map(words_of, names), places_of(metric, row["mean"])
    size, low, high = (f"{number:.{places}f}" for number in numbers)
    size += " Elo" if is_elo(metric) else ""
    within = "" if is_elo(metric) or equal else f" in {metric.replace('_', ' ')}"
    ended = f"{better} scored {size}" if equal else f"{better} ended {size} higher{within}"
    text = f"{better} and {worse} do not differ clearly yet: "
    if winner_in(row) is not None:
        verb = f"{'beats' if _is_strength(metric) else 'is above'} {worse}"
        by = f"with {size} of the points" if equal else f"by {size}{within}"
        unit = " Elo" if is_elo(metric) else ""
        text = (
            f"{better} {verb} {by} on average over {seeds} (95 % interval: {low} to {high}{unit})."
        )
    elif row["mean"] == equal:
        text += f"{seeds} with the same result."
    elif row["seeds"] == 1:
        text = f"{ended} {'against' if equal else 'than'} {worse}; "
        text += f"{seeds} cannot say whether its settings are better."
    else:
        text += f"{ended} on average over {seeds}, which may well be chance."
        if (more := more_seeds(row)) is not None:
            worth = "100 Elo" if is_elo(metric) else "0.1"
            seeds = count_of(more, "more seed")
            text += f" About {seeds} a setting would show a difference of {worth}."
    text = f"in matches {text}" if equal else text
    # A folder's name stays as it is.
    return text[:1].upper() + text[1:] if equal or "=" in names[0].partition(" ")[0] else text
