"""Boards on a terminal, of games and of weights."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.cli.drawing import board_text, print_agent
from tests.cli import done
from tests.plots import written_in


def test_facts_of_an_agent_have_the_forms_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_agent(evolve.load_agent("swh"), {"games": 87072, "seed": 87072, "of": ["a", "b"]})
    assert capsys.readouterr().out.splitlines()[-3:] == ["games: 87 072", "seed: 87072", "of: a, b"]


@pytest.mark.parametrize("colour", [True, False])
def test_boards_are_green_and_mark_the_last_move(screen: Callable[..., None], colour: bool) -> None:
    board = evolve.Board.start().play(19)
    screen(80, colour)
    lines = board_text(board, 19, board.legal_moves()).split("\n")
    row = lines[3]
    assert row.plain.strip() == "3 · · * ● * · · ·"
    assert lines[-1].plain.count("●") == 1 + colour
    styles = ("on #1f7a4d", "on #c9a227", "reverse")
    assert [one in str(row.spans) for one in styles] == [colour, colour, not colour]


def test_weights_are_coloured_by_their_sign(
    screen: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = []
    for colour in (True, False):
        screen(60, colour)
        print_agent(evolve.load_agent("swh"))
        shown.append(capsys.readouterr().out)
    assert "48;2;33;102;172" in shown[0]  # a corner, the largest: all blue
    assert "48;2;" not in shown[1]
    coloured, plain = (re.sub(r"\x1b\[[0-9;]*m", "", text) for text in shown)
    assert coloured == plain


@pytest.mark.parametrize(("columns", "beside"), [(60, 1), (90, 2), (140, 3)])
def test_as_many_boards_stand_side_by_side_as_have_room(
    first: Path, shown: Callable[..., list[str]], columns: int, beside: int
) -> None:
    lines = shown(columns, print_agent, evolve.load_agent(first))
    assert max(line.count("weights, ") for line in lines) == beside
    boards = [line for line in lines if re.match(r"[1-8]  ", line)]
    assert max(map(len, boards)) <= columns


def test_a_figure_for_a_paper_with_its_data(first: Path, tmp_path: Path) -> None:
    options = ("--style=paper", "--size=9x6cm", "--x=games", "--metric=mean_score", "--title=Mine")
    said = done("plot", first, "-o", "fig.svg", "--csv", "fig.csv", *options).out
    assert "fig.csv" in said
    svg = (tmp_path / "fig.svg").read_text(encoding="utf-8")
    assert 'width="255.11' in svg  # points
    assert {"Mine", "games", "mean score"} <= set(written_in(tmp_path / "fig.svg"))
    head, *rows = (tmp_path / "fig.csv").read_text().splitlines()
    assert head == "setting,seeds,games,mean_score,low,high"
    assert len(rows) == evolve.load_run(first).generation_count
    done("plot", first, "--csv", "alone.csv")
    assert (tmp_path / "alone.csv").exists()
