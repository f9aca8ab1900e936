"""`evolve bench` and `evolve perft`: speed of the engine, in figures that add up."""

from __future__ import annotations

import pytest

from evolve.cli import speed
from evolve.cli.speed import half_random, measured_agent
from evolve.engine.compiled.intrinsics import LANES
from tests.cli import done

SIZES = {
    "_REPEATS": 1, "_SEARCHED": (3, 2), "_SOLVED": (3, 8), "_PLAYED_GAMES": 2,
    "_GAME_DEPTHS": (2, 1, 2),
}  # fmt: skip
"""With which every measurement does next to nothing."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SIZES.items():
        monkeypatch.setattr(speed, name, value)


def test_positions_have_the_asked_empties_and_a_choice_and_are_the_same_again() -> None:
    boards = half_random(5, (12, 14), "reversed")
    assert all(12 <= board.empties <= 14 for board in boards)
    assert all(len(board.legal_moves()) > 1 for board in boards)
    assert boards == half_random(5, (12, 14), "reversed")
    assert measured_agent(all_terms=True).stability == (5, 5, 5)


def test_the_median_counts_and_the_first_use_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "_REPEATS", 3)
    uses: list[int] = []
    moments = iter([0.0, 9.0, 10.0, 11.0, 20.0, 22.0])

    def work() -> int:
        uses.append(1)
        return 7

    assert speed.timed(work, lambda: next(moments)) == (2.0, 7)
    assert len(uses) == 4


def test_deep_searches_count_the_same_nodes_again() -> None:
    boards = half_random(3, (30, 40))
    work = speed.searches(boards, measured_agent(all_terms=True), 8)
    assert work() == work() > len(boards)


def test_bench() -> None:
    first, again = (done("bench", "--json").document for _ in range(2))
    assert first["lanes"] == LANES
    assert first["nodes"] == again["nodes"] > 100
    assert first["nodes_per_second"] > 0 < first["games_per_second"]
    assert str(first["nodes"]) in done("bench").out.split()


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (7, 55092)])
def test_perft(depth: int, nodes: int) -> None:
    document = done("perft", depth, "--json").document
    assert (document["depth"], document["nodes"], document["seconds"] >= 0) == (depth, nodes, True)
    assert str(nodes) in done("perft", depth).out.split()
