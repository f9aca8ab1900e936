"""Comparisons as LaTeX and Markdown: what stands in them, and that a document compiles."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evolve.studies import document
from evolve.studies.comparison import COLUMNS
from evolve.studies.document import HEAD_TO_HEAD, Section, document_of, sections_of
from evolve.studies.verdict import verdicts_of

FRAME = pd.DataFrame(
    [
        ("elo", "x=1", None, 4, 276.6, 80.2, 475.4, math.nan, math.nan, 0.95, None),
        ("elo", "x=2_%", None, 1, -12.4, math.nan, math.nan, math.nan, math.nan, 0.95, None),
        ("elo", "x=1", "x=2_%", 4, -29.2, -161.3, 103.0, 0.533, 0.0001, 0.95, None),
        ("head_to_head", "x=1", "x=2_%", 4, 0.5625, 0.45, 0.675, 0.2, 0.2, 0.95, None),
        ("elo", "y=1", "y=2", 4, 5.0, -1.0, 11.0, 0.2, 0.2, 0.95, "x"),
    ],
    columns=list(COLUMNS),
)
NASTY = r"""a&b%c$d#e_f{g}h~i^j\k<l>m|no[p]q*r'größe−"""


def test_figures_are_as_people_read_them() -> None:
    settings, differences, effects, meetings = sections_of(FRAME)
    assert settings.rows == [["x=1", "4", "277", "[80, 475]"], ["x=2_%", "1", "-12", "–"]]
    (difference,) = differences.rows
    assert difference == ["x=1 against x=2_%", "4", "-29", "[-161, +103]", "0.533", "<0.001"]
    assert effects.rows[0][:3] == ["y=1 against y=2", "4", "+5"]
    assert effects.title.startswith("main effects on elo")
    assert meetings.rows[0][2:4] == ["0.562", "[0.450, 0.675]"]
    assert "scores of the first" in meetings.title


def test_latex_with_booktabs() -> None:
    text = document_of(sections_of(FRAME), ".tex")
    assert r"\begin{tabular}{lrrr}" in text
    assert r"x=2\_\% & 1 & $-$12 & -- \\" in text
    assert r"$-$29 & {[}$-$161, +103{]} & 0.533 & \textless{}0.001 \\" in text
    assert text.count(r"\toprule") == 4


def test_markdown_keeps_its_columns() -> None:
    text = document_of([Section("t", ["a|b", "n"], [["x|y", "-3"]])], ".md")
    assert text == "t\n\n| a\\|b | n |\n| --- | --: |\n| x\\|y | -3 |\n"


def test_no_sign_is_left_that_means_something_to_latex() -> None:
    text = document._latex_text(NASTY)
    assert text.startswith(r"a\&b\%c\$d\#e\_f\{g\}h\textasciitilde{}i\textasciicircum{}j")
    assert text.endswith(r"o{[}p{]}q*r'größe$-$")
    assert document._latex_text("a\x1b\nb") == r"a\textbackslash{}x1b\textbackslash{}nb"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_a_document_with_it_compiles(tmp_path: Path) -> None:
    sections = [*sections_of(FRAME), Section("", ["", NASTY], [["[a", NASTY], ["* b", "-"]])]
    (tmp_path / "x.tex").write_text(document_of(sections, ".tex"), encoding="utf-8")
    (tmp_path / "doc.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\begin{document}\input{x}\end{document}"
    )
    words = ("pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize(
    ("metric", "seeds", "interval", "p", "words"),
    [
        ("elo", 5, (-120.4, -210.0, -30.0), 0.01,
         "Uniform crossover with 32 individuals beats blend crossover by 120 Elo on average over "
         "5 seeds (95 % interval: 30 to 210 Elo)."),
        ("panel_score", 5, (0.04, -0.5, 0.58), 0.7,
         "a and b do not differ clearly yet: a ended 0.040 higher in panel score on average over "
         "5 seeds, which may well be chance. About 71 more seeds a setting would show a "
         "difference of 0.1."),
        ("hours", 5, (2.0, 1.0, 3.0), 0.01,
         "a is above b by 2.000 in hours on average over 5 seeds (95 % interval: 1.000 to 3.000)."),
        (HEAD_TO_HEAD, 5, (0.3, 0.2, 0.4), 0.01,
         "In matches b beats a with 0.700 of the points on average over 5 seeds (95 % interval: "
         "0.600 to 0.800)."),
        ("elo", 1, (9.0, np.nan, np.nan), np.nan,
         "a ended 9 Elo higher than b; 1 seed cannot say whether its settings are better."),
        ("elo", 5, (0.0, 0.0, 0.0), 1.0,
         "a and b do not differ clearly yet: 5 seeds with the same result."),
    ],
)  # fmt: skip
def test_a_comparison_says_in_words_what_it_has_found(
    metric: str, seeds: int, interval: tuple[float, ...], p: float, words: str
) -> None:
    names = ("crossover=blend", "crossover=uniform population=32") if "blend" in words else "ab"
    row = (metric, *names, seeds, *interval, p, p, 0.95, None)
    rows = [dict(zip(COLUMNS, row, strict=True))]
    assert verdicts_of(pd.DataFrame(rows)) == [words]
    less = {**rows[0], "p": 1.0, "p_holm": 1.0}
    (several,) = verdicts_of(pd.DataFrame([less, *rows]))
    decided = "1" if p < 0.05 else "None"
    assert several == f"{words} {decided} of 2 comparisons is decided."


def test_settings_without_a_seed_in_common_decide_nothing() -> None:
    (said,) = verdicts_of(FRAME[:2])
    assert said.startswith("Nothing is decided: no two settings have a seed")
