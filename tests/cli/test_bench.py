"""`evolve bench`: the document and the tables, at sizes that take a moment."""

from __future__ import annotations

import pytest

from evolve.engine.vector import LANES
from tests.bench import make_small, numbers_are_sound
from tests.cli import invoke

PARTS = ("perft", "search", "solver", "games", "mcts", "selfplay", "start", "plain")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch)


def test_json() -> None:
    """All parts but the one that starts processes: one document with the machine and the rows."""
    parts = [part for part in PARTS if part != "start"]
    options = [word for part in parts for word in ("--part", part)]
    result = invoke("bench", "--json", *options)
    assert result.code == 0
    document = result.document
    assert list(document) == ["machine", *parts]
    assert document["machine"]["lanes"] == LANES
    assert [row["nodes"] for row in document["perft"]] == [56, 1396]
    assert {row["finds"] for row in document["solver"]} == {"score", "outcome"}
    assert {row["depth"] for row in document["search"]} == {1, 2, 8}
    assert all(row["games_per_second"] > 0 for row in document["games"])
    assert all(row["million_per_second"] > 0 for row in document["mcts"])
    assert all(row["games_per_cpu_minute"] > 0 for row in document["selfplay"])
    assert document["plain"][0]["ratio"] > 1
    for part in parts:
        assert document[part]
        numbers_are_sound(document[part])


def test_text() -> None:
    result = invoke("bench", "--part", "perft")
    assert result.code == 0
    assert "Perft from the start position" in result.out
    assert "1396" in result.out.split()
    assert invoke("bench", "--part", "speed").code == 2
