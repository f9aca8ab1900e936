"""Comparisons as LaTeX and Markdown: what stands in them, and that a document compiles."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from evolve.studies.comparison import COLUMNS
from evolve.studies.document import Section, _latex_text, document_of, sections_of

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
    text = _latex_text(NASTY)
    assert text.startswith(r"a\&b\%c\$d\#e\_f\{g\}h\textasciitilde{}i\textasciicircum{}j")
    assert text.endswith(r"o{[}p{]}q*r'größe$-$")
    assert _latex_text("a\x1b\nb") == r"a\textbackslash{}x1b\textbackslash{}nb"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
def test_a_document_with_it_compiles(tmp_path: Path) -> None:
    sections = [*sections_of(FRAME), Section("", ["", NASTY], [["[a", NASTY], ["* b", "-"]])]
    (tmp_path / "x.tex").write_text(document_of(sections, ".tex"), encoding="utf-8")
    (tmp_path / "doc.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\begin{document}\input{x}\end{document}"
    )
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
