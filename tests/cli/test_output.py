"""Tables as files, for programs and for people; agents as a person wants to see them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evolve
from evolve.cli.output import narrow, print_frame, rounded
from tests.cli import done, misused


@pytest.mark.parametrize("name", ["g.csv", "g.CSV", "g.json", "g.parquet", "g.txt", "g"])
def test_the_end_of_the_name_decides_the_format(first: Path, name: str) -> None:
    done("show", first, "--table", "games", "-o", name)
    games = evolve.load_run(first).games
    match Path(name).suffix.lower():
        case ".csv":
            frame = pd.read_csv(name, keep_default_na=False)
        case ".json":
            frame = pd.read_json(name)
        case ".parquet":
            frame = pd.read_parquet(name)
            assert b"evolve-digest" in pq.read_metadata(name).metadata
        case _:
            lines = Path(name).read_text(encoding="utf-8").splitlines()
            assert len(lines) == len(games) + 1
            return
    assert list(frame) == list(games)
    assert frame["moves"].tolist() == games["moves"].tolist()


def test_formats_that_contradict_the_name(first: Path, tmp_path: Path) -> None:
    for options, word in (
        (("-o", "g.xlsx"), ".parquet"),
        (("--format", "parquet"), "-o NAME.parquet"),
    ):
        assert word in misused("show", first, *options)
    assert list(tmp_path.iterdir()) == []
    done("show", first, "--format", "csv", "-o", "g.dat")
    assert len(pd.read_csv("g.dat")) == 3


@pytest.mark.parametrize("style", ["table", "csv", "json"])
def test_output_to_a_file(first: Path, tmp_path: Path, style: str) -> None:
    arguments = ("show", first, "--table", "games", "--format", style)
    assert done(*arguments, "-o", "games.txt").out == ""
    written = (tmp_path / "games.txt").read_text(encoding="utf-8")
    if style == "table":
        assert len(written.splitlines()) == len(evolve.load_run(first).games) + 1
    else:
        assert written == done(*arguments).out
    done(*arguments, "-o", "games.txt")  # again, over the first
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]


def test_csv_of_hostile_names_is_what_the_table_holds(copy: Path) -> None:
    path = copy / "games/gen-0000.parquet"
    table = pq.read_table(path)
    column = pa.array(["a\x1b[2J"] * table.num_rows)
    pq.write_table(table.set_column(table.column_names.index("reason"), "reason", column), path)
    said = done("show", copy, "--table", "games", "--generation", 0, "--format", "csv").out
    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(said)))
    assert {row["reason"] for row in rows} == {"a\x1b[2J"}


def test_what_is_long_is_cut_for_people_alone() -> None:
    assert narrow("x" * 28) == "x" * 28
    assert narrow("x" * 29) == "x" * 27 + "…"
    assert narrow(["dense 8 relu", "dense 64"]) == "dense 8 relu dense 64"
    assert narrow(1.25) == 1.25


def test_a_narrow_terminal_leaves_columns_out_whole(
    screen: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.DataFrame({f"column_{n}": [n * 1000, n] for n in range(12)})
    for columns, shown in ((60, 6), (80, 8), (200, 12)):
        screen(columns, False)
        print_frame(frame)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
        assert lines[0].split() == [f"column_{n}" for n in range(shown)]
        assert lines[1].split() == [str(n * 1000) for n in range(shown)]
        assert max(map(len, lines)) <= columns
        told = " ".join(lines[3:])
        assert ("no room for column_" in told) is (shown < 12)
        assert re.findall(r"column_\d+", told) == [f"column_{n}" for n in range(shown, 12)]


def test_figures_are_rounded_as_people_read_them() -> None:
    for name, value, text in (
        ("panel_elo_low", -308.89, "-309"),
        ("rating", 551.2, "551"),
        ("best_score", 0.12345, 0.12345),
        ("seconds", 0.2789, "0.28"),
        ("cpu_seconds", 1234.5, "1234"),
        ("disc_difference", -3.567, "-3.6"),
        ("games", 12, 12),
    ):
        assert rounded(name, value) == text


def test_show_has_json_as_other_commands(first: Path) -> None:
    rows = done("show", first, "--json").document
    assert rows == done("show", first, "--format", "json").document
    assert len(rows) == 3
    agent = done("show", "swh", "--json").document
    assert agent["format"] == "evolve-agent"
    assert "contradict each other" in misused("show", first, "--json", "--format", "csv")
