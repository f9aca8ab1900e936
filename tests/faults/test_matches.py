"""Matches that keep their games, and ratings, that die or fail at any of their changes of files."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli import Result
from tests.faults import Enumeration, Point, in_one_line, results, typed_again

pytestmark = pytest.mark.slow

MATCH: Final = (
    *("match", "swh?depth=1", "uct?simulations=4", "--games=4", "--json", "--jobs=1"),
    "--out=g.parquet",
)
RATING: Final = ("rate", "swh", "zero", "random", "--games=4", "--json", "--jobs=1", "--out=x")


def kept() -> dict[str, Any]:
    assert os.listdir() == ["g.parquet"]
    return {"g.parquet": Path("g.parquet").read_bytes()}


@pytest.fixture(autouse=True)
def _kept_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A match writes after each pair, and a rating after each match, however long that takes."""
    monkeypatch.setattr("evolve.arena.match_files._REST", 0)
    monkeypatch.setattr("evolve.arena.match_files._QUICK", math.inf)


def test_a_match_that_dies_anywhere_ends_as_if_undisturbed(tmp_path: Path) -> None:
    assert Enumeration(typed_again(MATCH, kept), tmp_path).die() >= 6


def test_a_rating_may_die_or_fail_at_any_change_and_goes_on(tmp_path: Path) -> None:
    found = Enumeration(typed_again(RATING, lambda: results(Path("x"))), tmp_path)
    assert found.die() >= 6
    assert found.fail(in_one_line) >= 10


def test_a_match_in_which_any_change_fails_loses_no_game(tmp_path: Path) -> None:
    """While it goes on it warns and tries again; what cannot be written at its end is an error."""
    found = Enumeration(typed_again(MATCH, kept), tmp_path)
    seen = set()

    def check(point: Point, answer: Result) -> None:
        said = answer.err.splitlines()
        if point.change == "remove":  # of the hidden folder, when all is done
            assert (answer.code, said) == (0, []), answer
            return
        assert "g.parquet" in said[-1], answer
        if answer.code == 0:
            assert said[-1].startswith("the games are not kept for now: "), answer
            assert json.loads(answer.out)["played"] == 4
        else:
            assert (answer.code, said[-1][:7]) == (1, "error: "), answer
        seen.add(answer.code)

    assert found.fail(check) >= 12
    assert seen == {0, 1}
