"""CSV for spreadsheets: no text of others is a formula there, and all come back."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.tables.parquet import csv_text, read_csv

HOSTILE = ["=1+1", "+cmd", "-2", "@x", "'=x", "''-x", "\tx", "'quoted'", "plain", 'ünï, "q"']


def names_in(text: str) -> list[str]:
    head, rows, bad = read_csv(text)
    assert not bad
    return [row[head.index("name")] for row in rows]


def test_cells_that_would_be_formulas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": HOSTILE, "score": -0.25, "count": -3, "parts": [[-1]] * 10})
    (tmp_path / "x.csv").write_text(csv_text(frame), encoding="utf-8")
    plain = pd.read_csv(tmp_path / "x.csv")
    assert plain["name"].tolist()[:3] == ["'=1+1", "'+cmd", "'-2"]
    assert not plain["name"].str.match(r"[=+\-@\t]").any()
    assert plain["score"].tolist() == [-0.25] * 10
    assert plain["count"].tolist() == [-3] * 10
    assert names_in(csv_text(frame)) == HOSTILE
    heads = pd.DataFrame([[1]], columns=["=1+1"])
    assert csv_text(heads) == "'=1+1\n1\n"


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.text("'=+-@\t\r\n,\" aé1"), min_size=1, max_size=5))
def test_any_text_comes_back(texts: list[str]) -> None:
    written = csv_text(pd.DataFrame({"name": texts, "number": -1}))
    assert names_in(written) == texts
    for cell in list(csv.reader(io.StringIO(written, newline="")))[1:]:
        assert not re.match(r"[=+\-@\t\r]", cell[0])
