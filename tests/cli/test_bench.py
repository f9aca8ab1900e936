"""`evolve bench`: the document and the tables, at sizes that take a moment."""

from __future__ import annotations

import pytest

from evolve.engine.compiled.intrinsics import LANES
from tests.bench import make_small, numbers_are_sound
from tests.cli import invoke

PARTS = ("perft", "search", "solver", "games")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch)


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
    for part in PARTS:
        assert document[part]
        numbers_are_sound(document[part])


def test_text() -> None:
    result = invoke("bench", "--part", "perft")
    assert result.code == 0
    assert "Perft from the start position" in result.out
    assert "1396" in result.out.split()
    assert invoke("bench", "--part", "speed").code == 2
