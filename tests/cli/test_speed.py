"""`evolve bench` and `evolve perft`: speed of the engine, in figures that add up."""

from __future__ import annotations

import pytest

from evolve.cli import speed
from evolve.cli.speed import _measured_agent, half_random
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.compiled.intrinsics import LANES
from tests.bench import make_small, numbers_are_sound
from tests.cli import done, invoke, misused


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch)


def test_positions_have_the_asked_empties_and_a_choice_and_are_the_same_again() -> None:
    boards = half_random(5, (12, 14), "reversed")
    assert all(12 <= board.empties <= 14 for board in boards)
    assert all(len(board.legal_moves()) > 1 for board in boards)
    assert boards == half_random(5, (12, 14), "reversed")
    assert _measured_agent(all_terms=True).stability == (5, 5, 5)


def test_the_median_of_the_repeats_counts_and_the_first_use_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(speed, "REPEATS", 3)
    uses: list[int] = []
    moments = iter([0.0, 9.0, 10.0, 11.0, 20.0, 22.0])

    def work() -> int:
        uses.append(1)
        return 7

    assert speed.timed(work, lambda: next(moments)) == (2.0, 7)
    assert len(uses) == 4


@pytest.mark.parametrize("depth", [2, 8])
def test_searches_count_the_same_nodes_again(depth: int) -> None:
    boards = half_random(3, (30, 40))
    agent = _measured_agent(all_terms=True)
    work = speed.searches(boards, agent, depth)
    assert work() == work() > len(boards)


def test_proofs_of_the_outcome_need_fewer_nodes() -> None:
    rows = speed.solver_rows()
    nodes = {(row["rules"], row["finds"]): row["nodes"] for row in rows if row["empties"] == 8}
    pairs = [(nodes[rules, "outcome"], nodes[rules, "score"]) for rules in RULE_SETS]
    assert not [pair for pair in pairs if not 0 < pair[0] <= pair[1]]


PARTS = ("perft", "search", "solver", "games")


def test_json() -> None:
    """All parts: one document with the machine and the rows."""
    result = invoke("bench", "--json")
    assert result.code == 0
    document = result.document
    assert list(document) == ["machine", *PARTS]
    assert document["machine"]["lanes"] == LANES
    assert [row["nodes"] for row in document["perft"]] == [56, 1396]
    assert {row["finds"] for row in document["solver"]} == {"score", "outcome"}
    assert {row["depth"] for row in document["search"]} == {1, 2, 8}
    assert all(row["games_per_second"] > 0 for row in document["games"])
    assert all(document[part] for part in PARTS)
    for part in PARTS:
        numbers_are_sound(document[part])


def test_text() -> None:
    result = invoke("bench", "--part", "perft")
    assert result.code == 0
    assert "Perft from the start position" in result.out
    assert "1396" in result.out.split()
    assert invoke("bench", "--part", "speed").code == 2


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (7, 55092)])
def test_perft(depth: int, nodes: int) -> None:
    document = done("perft", depth, "--json").document
    assert (document["depth"], document["nodes"]) == (depth, nodes)
    assert document["seconds"] >= 0
    assert str(nodes) in done("perft", depth).out.split()


@pytest.mark.parametrize("depth", ["-1", "21", "1.5"])
def test_perft_of_no_depth(depth: str) -> None:
    assert "DEPTH" in misused("perft", "--", depth)
