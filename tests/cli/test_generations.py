"""The table of generations on terminals of different widths."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.cli.generations import columns_shown, generations_table, print_generations
from evolve.cli.terminal import NOTHING

ROW = {
    "generation": 12, "best": "12-40", "best_score": 0.71234, "panel_elo": 482.4,
    "panel_elo_low": 424.2, "panel_elo_high": 540.6, "rating": 324.4, "past_score": None,
    "over_budget": 0.175, "seconds": 0.378,
}  # fmt: skip


def shown(text: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


def test_a_generation_as_people_read_it(screen: Callable[..., None]) -> None:
    screen(80, False)
    columns = columns_shown(ladder=True)
    table = generations_table(columns, [ROW])
    cells = [next(iter(column.cells)) for column in table.columns]
    assert cells == [
        *("12", "12-40", "0.712", "482 ± 58", "324", NOTHING, "0.175", "0.38"),
    ]


@pytest.mark.parametrize(
    ("columns", "there", "gone"),
    [(40, "rating", "past"), (60, "past", "distinct"), (200, "distinct", "nothing")],
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
