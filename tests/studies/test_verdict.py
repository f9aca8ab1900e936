"""Comparisons in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from evolve.studies.document import HEAD_TO_HEAD
from evolve.studies.verdict import verdicts_of

UNIFORM = {"setting": "crossover=blend", "against": "crossover=uniform population=32"}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {**UNIFORM, "mean": -120.4, "low": -210.0, "high": -30.0, "p_holm": 0.01},
            "Uniform crossover with 32 individuals beats blend crossover by 120 Elo on "
            "average over 5 seeds (95 % interval: 30 to 210 Elo).",
        ),
        (
            {"metric": "panel_score", "mean": 0.04, "low": -0.5, "high": 0.58, "p_holm": 0.7},
            "a and b do not differ clearly yet: a ended 0.040 higher in panel score on average "
            "over 5 seeds, which may well be chance. About 71 more seeds a setting would show a "
            "difference of 0.1.",
        ),
        (
            {"metric": "hours", "mean": 2.0, "low": 1.0, "high": 3.0, "p_holm": 0.01},
            "a is above b by 2.000 in hours on average over 5 seeds (95 % interval: 1.000 to "
            "3.000).",
        ),
        (
            {"metric": HEAD_TO_HEAD, "mean": 0.3, "low": 0.2, "high": 0.4, "p_holm": 0.01},
            "In matches b beats a with 0.700 of the points on average over 5 seeds (95 % interval: "
            "0.600 to 0.800).",
        ),
        (
            {"seeds": 1, "mean": 9.0, "low": np.nan, "high": np.nan, "p_holm": np.nan},
            "a ended 9 Elo higher than b; 1 seed cannot say whether its settings are better.",
        ),
        (
            {"mean": 0.0, "low": 0.0, "high": 0.0, "p_holm": 1.0},
            "a and b do not differ clearly yet: 5 seeds with the same result.",
        ),
    ],
)
def test_a_comparison_says_in_words_what_it_has_found(row: dict[str, Any], words: str) -> None:
    full = {"metric": "elo", "setting": "a", "against": "b", "seeds": 5, "level": 0.95, **row}
    rows = [{**full, "p": row["p_holm"], "over": None}]
    assert verdicts_of(pd.DataFrame(rows)) == [words]
    less = {**rows[0], "p": 1.0, "p_holm": 1.0}
    (several,) = verdicts_of(pd.DataFrame([less, *rows]))
    decided = "1" if row["p_holm"] < 0.05 else "None"
    assert several == f"{words} {decided} of 2 comparisons is decided."
    apart = pd.DataFrame(
        [{**less, "metric": "elo", "setting": name, "against": None} for name in "ab"]
    )
    assert verdicts_of(apart)[0].startswith("Nothing is decided: no two settings have a seed")
