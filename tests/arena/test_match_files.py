"""Files of a match: every finished pair is kept, and the same command goes on from them."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from evolve.arena import match_files
from evolve.runs.run_folder import locked
from tests.cli import done, fails, invoke, snapshot
from tests.programs.test_external import source

GOOD = source("gtp", "good")
WHITE = source("gtp", "white")
FOUR = ("match", "swh", "zero", "--games", 4, "--out", "g.parquet")


@pytest.fixture(autouse=True)
def _inside_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("agents", [("swh", "random"), ("swh", WHITE)])
def test_what_is_kept_is_kept(agents: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("match", *agents, "--games", 8, "--out", "g.parquet")
    first = invoke(*words, "--json")
    before = snapshot(Path())
    assert len(before) == 1, "no lock is left"

    def played(*_: object) -> None:
        raise AssertionError("a game was played")

    monkeypatch.setattr("evolve.arena.match.Match._play_round", played)
    assert done(*words, "--json").document == first.document
    assert snapshot(Path()) == before
    text = done(*words).out
    assert ("lost by failure" in text) == (first.document["played"] < 8)


@pytest.mark.parametrize(
    "match",
    [
        ("random", "swh"),
        pytest.param(("swh", GOOD, "--sprt", "-300:300:logistic"), marks=pytest.mark.slow),
        pytest.param((WHITE, "uct?simulations=9"), marks=pytest.mark.slow),
        pytest.param(("zero?depth=2", "swh", "--jobs=2"), marks=pytest.mark.slow),
    ],
)
def test_pairs_that_are_missing_are_played(match: tuple[str, ...]) -> None:
    words = ("match", *match, "--games", 12, "--out", "g.parquet", "--json")
    expected = invoke(*words).document
    whole = pd.read_parquet("g.parquet")
    # Half of a pair counts for nothing.
    whole.iloc[[2, 3, 7, 8, 9, 10]].to_parquet("g.parquet")
    assert invoke(*words).document == expected
    assert pd.read_parquet("g.parquet").equals(whole)


def test_an_agent_file_that_changed_is_another_agent() -> None:
    words = ("match", "swh", "a.json", "--games", 4, "--out", "g.parquet")
    done("export", "zero", "-o", "a.json")
    done(*words)
    done("export", "zero?depth=2", "-o", "a.json", "--force")
    assert "B is another" in fails(*words)


@pytest.mark.parametrize(
    ("column", "row", "value", "word"),
    [
        ("game", 2, 4, "game 4 is none of 4"),
        ("game", 2, 0, "there twice"),
        ("reason", 0, "lost", "'lost' is not a way to end"),
        ("moves", 0, "f5 z6", "game 1"),
        ("plies", 1, None, "game 2"),
    ],
)
def test_damage_is_named(column: str, row: int, value: object, word: str) -> None:
    done(*FOUR)
    games = pd.read_parquet("g.parquet").astype({column: object})
    games.loc[row, column] = value
    games.to_parquet("g.parquet")
    said = fails(*FOUR)
    assert said.startswith("g.parquet, game")
    assert word in said


def test_columns_that_are_missing_are_named() -> None:
    rating = ("rate", "swh", "zero", "--games", 2, "--out", "rating")
    done(*rating)
    pair = Path("rating/games/pair-000-001.parquet")
    pd.read_parquet(pair).drop(columns=["black", "match"]).to_parquet(pair)
    assert "pair-000-001.parquet is taken" in fails(*rating)
    done(*FOUR)
    pd.read_parquet("g.parquet").drop(columns="moves").to_parquet("g.parquet")
    # The openings of a longer match are compared with those of the file.
    longer = ("match", "swh", "zero", "--games", 8, "--out", "g.parquet")
    assert fails(*FOUR) == fails(*longer) == "g.parquet, game 1: it has no 'moves'"


def test_two_writers_are_refused() -> None:
    Path(".g.parquet.keeping").mkdir()
    with locked(Path(".g.parquet.keeping")):
        assert fails(*FOUR) == "g.parquet is being written to by another process"


@pytest.mark.skipif(sys.platform == "win32", reason="its locks are others")
@pytest.mark.parametrize(
    ("word", "out", "named"), [("match", "g.parquet", ""), ("rate", "g", "/.lock")]
)
def test_where_files_cannot_be_locked_it_says_so(
    word: str, out: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", unable)
    said = fails(word, "swh", "zero", "--games", 2, "--out", out)
    assert said.startswith(f"{out}{named}: files cannot be locked there")
    assert not Path(".g.parquet.keeping").exists()


def test_a_file_that_cannot_be_written_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    write, errors = match_files.write_table, [OSError(28, "No space left on device", "g.parquet")]

    def failing(path: Path, games: pa.Table) -> None:
        if errors:
            raise errors.pop()
        write(path, games)

    monkeypatch.setattr(match_files, "write_table", failing)
    ended = invoke("match", "random", "swh", "--games", 200, "--out", "g.parquet", "--json")
    assert "No space left on device" in ended.err
    assert (ended.code, ended.err.count("\n"), errors) == (0, 1, [])
    assert len(pd.read_parquet("g.parquet")) == ended.document["games"] == 200


@pytest.mark.clock
def test_writing_takes_little_of_a_match() -> None:
    """Files are written whole each time, so not after every pair of quick games.

    That would take 60 times as long; less than twice is what users do not notice, and the second
    is for loading what writes tables.
    """
    begin = time.perf_counter()
    done("match", "zero", "swh", "--games", 6000)
    bare = time.perf_counter() - begin
    begin = time.perf_counter()
    done("match", "zero", "swh", "--games", 6000, "--out", "g.parquet")
    assert time.perf_counter() - begin < 2 * bare + 1
