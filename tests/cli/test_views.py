"""Runs for people: generations, checks and trials, at work and by `evolve show`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.cli.output import columns_shown, generation_texts, print_generations
from evolve.cli.terminal import NOTHING, with_error
from evolve.tables.individuals import GENERATIONS_COLUMNS
from tests.cli import done, on_a_terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_generation_is_a_line_on_a_terminal_of_80_columns(first: Path, tmp_path: Path) -> None:
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(tmp_path, "show", first))
    assert "past_score: " in text
    # The head, then a line a generation, nothing folded into further lines.
    lines = [line for line in text.splitlines() if line.strip()]
    begin = next(number for number, line in enumerate(lines) if line.split()[0] == "0")
    rows = evolve.load_run(first).generations.to_dict("records")
    for line, row in zip(lines[begin : begin + 3], rows, strict=True):
        assert line.split()[:2] == [str(row["generation"]), row["best"]]
        elo = with_error(*(row[f"panel_elo{end}"] for end in ("", "_low", "_high")))
        assert f" {elo} " in line
    # One name everywhere: the head is the columns' own names, word above word.
    stacked = [line.split() for line in lines[:begin]]
    for name in columns_shown(ladder=True):
        words = name.split("_")[::-1]
        assert all(word in line for word, line in zip(words, stacked[::-1], strict=False))
    assert lines[begin + 3].startswith("past_score: ")
    assert max(map(len, lines[: begin + 3])) <= 80


def test_every_column_of_generations_is_explained() -> None:
    said = done("show", "--help").out
    for column in GENERATIONS_COLUMNS:
        assert column.text, column.name
        assert f"  {column.name:<16}{column.text}\n" in said


ROW = {
    "generation": 12, "best": "12-40", "best_score": 0.71234, "panel_elo": 482.4,
    "panel_elo_low": 424.2, "panel_elo_high": 540.6, "rating": 324.4, "past_score": None,
    "over_budget": 0.175, "seconds": 0.378,
}  # fmt: skip


def shown(text: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


def test_a_generation_as_people_read_it() -> None:
    assert generation_texts(ROW, columns_shown(ladder=True)) == [
        *("12", "12-40", "0.712", "482 ± 58", "324", NOTHING, "0.175", "0.38")
    ]


@pytest.mark.parametrize(
    ("columns", "there", "gone"),
    [(45, "rating", "past"), (60, "past", "distinct"), (200, "distinct", "nothing")],
)
def test_there_are_as_many_columns_as_have_room(
    first: Path,
    screen: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    columns: int,
    there: str,
    gone: str,
) -> None:
    screen(columns, False)
    run = evolve.load_run(first)
    assert isinstance(run, evolve.Run)
    print_generations(run, run.generations)
    lines = shown(capsys.readouterr().out)
    assert max(map(len, lines)) <= columns
    heads = " ".join(lines[: next(n for n, line in enumerate(lines) if line.split()[:1] == ["0"])])
    assert there in heads.split()
    assert gone not in heads.split()
