"""`--openings`: what a file of them comes to, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evolve.arena.call import identity_of, openings_for
from tests.cli import done, fails, match, misused


def test_openings_from_a_file(tmp_path: Path) -> None:
    Path("openings.txt").write_text("# two\nf5d6c4d3c2b3b4b5\n\nf5f6e6f4\nf5d6c4d3c2b3b4b5\n")
    found = match("swh", "zero", "--openings", "openings.txt", "--out", "games.csv")
    assert found["games"] == 4, "each once, with both colours"
    table = pd.read_csv("games.csv")
    assert sorted(set(table["opening"])) == ["f5 d6 c4 d3 c2 b3 b4 b5", "f5 f6 e6 f4"]
    assert all(m.startswith(o) for m, o in zip(table["moves"], table["opening"], strict=True))
    assert match("swh", "zero", "--openings", "openings.txt", "--games", 6)["games"] == 6
    cut = match("swh", "zero", "--openings", "openings.txt", "--opening-plies", 4)
    assert cut["games"] == 4


def test_openings_from_games_of_any_kind(first: Path) -> None:
    done("show", first, "--table", "games", "--format", "csv", "-o", "games.csv")
    done("convert", "games.csv", "-o", "games.ggf", "--rules", "reversed")
    one = match("swh", "zero", "--openings", "games.csv", "--opening-plies", 6)
    assert one == match("swh", "zero", "--openings", "games.ggf", "--opening-plies", 6)
    assert one["games"] > 10


@pytest.mark.parametrize(
    ("text", "words"), [("f5d6\nf5f5\n", ["openings.txt", "line 2"]), ("", ["no move string"])]
)
def test_bad_openings(text: str, words: list[str]) -> None:
    Path("openings.txt").write_text(text)
    said = fails("match", "swh", "zero", "--openings", "openings.txt", "--strict")
    for word in words:
        assert word in said
    done("match", "swh", "zero", "--games", 2, "--ggf", "games.ggf")
    assert "ends the game" in fails("match", "swh", "zero", "--openings", "games.ggf")
    said = misused("match", "swh", "zero", "--openings", "nowhere.txt")
    assert "openings: 'nowhere.txt' is neither balanced, random, start nor a file" in said


def test_a_file_is_told_by_what_it_holds() -> None:
    assert [identity_of(word) for word in ("balanced", "random", "start", "none.txt")] == [
        "balanced", "random", "start", "none.txt",
    ]  # fmt: skip
    told = []
    for text in ("f5d6\n", "f5f6\n", "f5d6\n"):
        Path("openings.txt").write_text(text)
        told.append(identity_of("openings.txt"))
    assert told[0] == told[2] != told[1]
    assert told[0].startswith("openings.txt sha256:")


def test_as_many_as_asked_for_or_all_of_a_file_or_the_default() -> None:
    rng = np.random.default_rng(0)
    Path("openings.txt").write_text("f5d6c3\nf5f6e6\nf5d6c5\n")
    for source, pairs, count in (
        ("balanced", None, 5), ("balanced", 2, 2), ("random", None, 5), ("random", 2, 2),
        ("start", None, 5), ("start", 3, 3),
        ("openings.txt", None, 3), ("openings.txt", 2, 2), ("openings.txt", 7, 7),
    ):  # fmt: skip
        assert len(openings_for(source, None, pairs, 5, "standard", rng)) == count
    assert openings_for("openings.txt", 2, None, 5, "standard", rng).texts() == ["f5 d6", "f5 f6"]
