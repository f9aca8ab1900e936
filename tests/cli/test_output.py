"""Tables as files, for programs and for people; agents as a person wants to see them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import evolve
from evolve.cli.output import _narrow, print_frame, print_generations, rounded
from evolve.tables.individuals import GENERATIONS_COLUMNS
from tests.cli import done

read_csv = partial(pd.read_csv, keep_default_na=False)


@pytest.mark.parametrize(
    ("name", "more", "read"),
    [
        ("g.CSV", (), read_csv), ("g.dat", ("--format", "csv"), read_csv),
        ("g.json", (), pd.read_json), ("g.parquet", (), pd.read_parquet), ("g.txt", (), None),
        ("g", (), None),
    ],
)  # fmt: skip
def test_the_end_of_the_name_or_what_is_named_decides_the_format(
    first: Path, name: str, more: tuple[str, ...], read: Callable[[str], pd.DataFrame] | None
) -> None:
    words = ("show", first, "--table", "games", "-o", name, *more)
    assert [done(*words).out for _ in range(2)] == ["", ""]  # the second one over the first
    assert [path.name for path in Path().iterdir()] == [name]
    games = evolve.load_run(first).games
    if read is None:
        assert len(Path(name).read_text(encoding="utf-8").splitlines()) == len(games) + 1
        return
    frame = read(name)
    assert list(frame) == list(games)
    assert frame["moves"].tolist() == games["moves"].tolist()


def test_a_parquet_file_has_its_digest(first: Path) -> None:
    done("show", first, "-o", "g.parquet")
    assert b"evolve-digest" in pq.read_metadata("g.parquet").metadata


def test_what_is_long_is_cut_for_people_alone() -> None:
    assert _narrow("x" * 28) == "x" * 28
    assert _narrow("x" * 29) == "x" * 27 + "…"
    assert _narrow(["dense 8 relu", "dense 64"]) == "dense 8 relu dense 64"
    assert _narrow(1.25) == 1.25


@pytest.mark.parametrize(("columns", "count"), [(60, 6), (80, 8), (200, 12)])
def test_a_narrow_terminal_leaves_columns_out_whole(
    shown: Callable[..., list[str]], columns: int, count: int
) -> None:
    frame = pd.DataFrame({f"column_{n}": [n * 1000, n] for n in range(12)})
    lines = shown(columns, print_frame, frame)
    assert lines[0].split() == [f"column_{n}" for n in range(count)]
    assert lines[1].split() == [str(n * 1000) for n in range(count)]
    assert max(map(len, lines)) <= columns
    text = " ".join(lines[3:])
    assert re.findall(r"column_\d+", text) == [f"column_{n}" for n in range(count, 12)]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("panel_elo_low", -308.89, "-309"), ("rating", 551.2, "551"),
        ("best_score", 0.12345, 0.12345), ("seconds", 0.2789, "0.28"),
        ("cpu_seconds", 1234.5, "1234"), ("disc_difference", -3.567, "-3.6"), ("games", 12, 12),
    ],
)  # fmt: skip
def test_figures_are_rounded_for_people(name: str, value: float, text: str | float | int) -> None:
    assert rounded(name, value) == text


def test_every_column_of_generations_is_explained() -> None:
    said = done("show", "--help").out
    lines = [f"  {column.name:<16}{column.text}\n" for column in GENERATIONS_COLUMNS]
    assert not [line for line in lines if line not in said or not line[18:].strip()]


@pytest.mark.parametrize(
    ("columns", "there", "gone"),
    [(45, "rating", "past"), (60, "past", "distinct"), (200, "distinct", "nothing")],
)
def test_there_are_as_many_columns_as_have_room(
    first: Path, shown: Callable[..., list[str]], columns: int, there: str, gone: str
) -> None:
    run = evolve.load_run(first)
    lines = shown(columns, print_generations, run, run.generations)
    assert max(map(len, lines)) <= columns
    heads = " ".join(lines[: next(n for n, line in enumerate(lines) if line.split()[:1] == ["0"])])
    assert there in heads.split()
    assert gone not in heads.split()
