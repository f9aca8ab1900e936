"""Files of a match: every finished pair is kept, and the same command goes on from them."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from evolve.arena import match_files
from evolve.records.formats import read_games
from evolve.runs.run_folder import locked
from tests.cli import (
    QUICK,
    Result,
    done,
    fails,
    finish,
    invoke,
    match,
    misused,
    snapshot,
    spawn,
    wait_until,
)
from tests.programs.test_external import source

KILLS = 8
"""Kills of each match in the long proof, each at any moment."""

GOOD = source("gtp", "good")
WHITE = source("gtp", "white")
MATCHES = {
    "kernels": ("swh?depth=5", "swh-mobility?depth=5", "--games", 60),
    "one by one": ("uct?simulations=400", "swh?depth=3", "--games", 20),
    "program": ("swh-mobility?depth=3", GOOD, "--games", 24),
    "failing": (WHITE, "uct?simulations=100", "--games", 16),
    "test": ("swh?depth=4", GOOD, "--sprt", 0, 30, "--games", 60),
    "test of kernels": ("zero?depth=5", "swh?depth=5", "--sprt", 0, 30, "--games", 400),
}
BOTH = ("--out", "games.csv", "--ggf", "games.ggf", "--json")


@pytest.fixture(autouse=True)
def _inside_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def whole(folder: Path, words: Sequence[object], files: Sequence[object] = BOTH) -> Result:
    """The match without a disturbance, its files in a folder of its own."""
    folder.mkdir()
    with contextlib.chdir(folder):
        return invoke("match", *words, *files)


def killed(folder: Path, words: Sequence[object], pause: float, jobs: int) -> None:
    """Begin or go on with the match, and kill it a while after its first pair is there."""
    process = spawn(folder, "match", *words, *BOTH, "--jobs", jobs)
    try:
        wait_until((folder / "games.csv").exists, process)
        process.wait(pause)
    except (AssertionError, subprocess.TimeoutExpired):  # it was done before
        process.kill()
    finish(process)


def assert_goes_on(tmp_path: Path, words: Sequence[object], pauses: Sequence[float]) -> None:
    expected = whole(tmp_path / "whole", words)
    folder = tmp_path / "killed"
    folder.mkdir()
    for number, pause in enumerate(pauses):
        killed(folder, words, pause, jobs=1 + number % 2)
        games = pd.read_csv(folder / "games.csv")
        assert (games.groupby(games["game"] // 2).size() == 2).all(), "only whole pairs"
    with contextlib.chdir(folder):
        ended = invoke("match", *words, *BOTH)
    assert (ended.code, ended.out) == (expected.code, expected.out), ended
    assert sorted(path.name for path in folder.iterdir()) == ["games.csv", "games.ggf"]
    for name in ("games.csv", "games.ggf"):
        assert (folder / name).read_text() == (tmp_path / "whole" / name).read_text()


@pytest.mark.slow
def test_a_killed_match_goes_on(tmp_path: Path) -> None:
    assert_goes_on(tmp_path, MATCHES["program"], [0.0])


@pytest.mark.slow
@pytest.mark.parametrize("kind", MATCHES)
def test_a_match_that_is_killed_often_goes_on(kind: str, tmp_path: Path) -> None:
    draw = random.Random(kind)
    assert_goes_on(tmp_path, MATCHES[kind], [draw.uniform(0.0, 0.6) for _ in range(KILLS)])


@pytest.mark.parametrize(
    ("files", "agents"),
    [
        (("--out", "g.csv"), ("swh", "random")),
        (("--out", "g.parquet"), ("swh", WHITE)),
        (BOTH[:4], ("swh", WHITE)),
        *(
            pytest.param(files, agents, marks=pytest.mark.slow)
            for files, agents in (
                (("--out", "g.csv"), ("swh", WHITE)),
                (("--out", "g.parquet"), ("swh", "random")),
                (BOTH[:4], ("swh", "random")),
            )
        ),
    ],
)
def test_what_is_kept_is_not_played_again(
    files: tuple[str, ...], agents: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("match", *agents, "--games", 8, *files)
    first = invoke(*words, "--json")
    before = snapshot(Path())
    assert len(before) == len(files) // 2, "no lock is left"

    def played(*_: object) -> None:
        raise AssertionError("a game was played")

    monkeypatch.setattr("evolve.arena.match.Match._play_round", played)
    assert done(*words, "--json").document == first.document
    assert snapshot(Path()) == before
    text = done(*words).out
    assert ("lost by failure" in text) == (first.document["played"] < 8)


def test_pairs_that_are_missing_are_played() -> None:
    words = ("match", "random", "swh", "--games", 12, "--out", "g.csv", "--json")
    expected = done(*words).document
    lines = Path("g.csv").read_text().splitlines(keepends=True)
    # Half of a pair counts for nothing.
    Path("g.csv").write_text("".join([lines[0], *lines[3:5], *lines[8:12]]))
    assert done(*words).document == expected
    assert Path("g.csv").read_text() == "".join(lines)


def test_records_are_written_from_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("match", "random", "swh", "--games", 12, "--out", "g.parquet")
    done(*words, "--ggf", "one.ggf")
    monkeypatch.setattr("evolve.arena.match.Match._play_round", None)
    done(*words, "--ggf", "other.ggf")
    assert Path("one.ggf").read_text() == Path("other.ggf").read_text()
    assert pd.read_parquet("g.parquet")["game"].tolist() == list(range(12))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "word"),
    [
        (("swh", "zero", "--games", 2), "games 4, not 2"),
        (("swh", "zero", "--games", 4, "--seed", 1), "seed 0, not 1"),
        (("swh", "zero", "--games", 4, "--rules", "reversed"), "rules standard, not reversed"),
        (("swh", "zero", "--games", 4, "--openings", "start"), "openings balanced, not start"),
        (("swh", "zero", "--games", 4, "--opening-plies", 6), "opening-plies all, not 6"),
        (("swh", "zero", "--games", 4, "--sprt", 0, 10), "sprt none, not 0,10,0.05,0.05"),
        (("zero", "swh", "--games", 4), "A is another agent, or has changed; B is another"),
        (("swh?depth=2", "zero", "--games", 4), "A is another agent"),
        (("swh", "a.json", "--games", 4), "B is another agent"),
    ],
)
@pytest.mark.parametrize("name", ["g.csv", "g.ggf"])
def test_a_file_of_another_match_is_refused(
    name: str, changes: tuple[object, ...], word: str
) -> None:
    done("export", "zero", "-o", "a.json")
    option = "--ggf" if name == "g.ggf" else "--out"
    done("match", "swh", "zero", "--games", 4, option, name)
    before = snapshot(Path())
    said = fails("match", *changes, option, name)
    assert said.startswith(f"{name} holds another match: ")
    assert word in said
    assert snapshot(Path()) == before


def test_an_agent_file_that_changed_is_another_agent() -> None:
    done("export", "zero", "-o", "a.json")
    done("match", "swh", "a.json", "--games", 4, "--out", "g.csv")
    done("export", "zero?depth=2", "-o", "a.json", "--force")
    assert "B is another" in fails("match", "swh", "a.json", "--games", 4, "--out", "g.csv")


def test_files_that_are_no_match_are_left_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = tmp_path_factory.mktemp("elsewhere") / "run"
    done("run", *QUICK, "--generations", 1, "--out", run)
    done("show", run, "--table", "games", "--format", "csv", "-o", "games.csv")
    done("convert", "games.csv", "-o", "games.ggf", "--rules", "reversed")
    shutil.copy(run / "games" / "gen-0000.parquet", "run.parquet")
    Path("notes.csv").write_text("to do\nmilk\n")
    Path("cut.parquet").write_bytes(b"PAR1")
    Path("other.ggf").write_text("nothing of the kind\n")
    before = snapshot(Path())
    options = {name: "--ggf" if name.endswith("ggf") else "--out" for name in before}
    said = {n: fails("match", "swh", "zero", "--games", 4, o, n) for n, o in options.items()}
    assert not [name for name in before if name not in said[name]]
    assert snapshot(Path()) == before
    Path("empty.csv").touch()
    done("match", "swh", "zero", "--games", 4, "--out", "empty.csv")


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("0,match,2,", "0,match,4,", "game 4 is none of 4"),
        ("0,match,2,", "0,match,0,", "there twice"),
        ("0,match,2,", "0,match,x,", "game 3"),
        (",end,", ",lost,", "'lost' is not a way to end"),
        (",f5 d6 ", ",f5 z6 ", "game 1"),
    ],
)
def test_damage_is_named(old: str, new: str, word: str) -> None:
    Path("openings.txt").write_text("f5d6c3\nf5f6e6\n")
    words = ("match", "swh", "zero", "--openings", "openings.txt", "--out", "g.csv")
    done(*words)
    text = Path("g.csv").read_text()
    assert old in text
    Path("g.csv").write_text(text.replace(old, new, 2 if "z6" in new else 1))
    said = fails(*words)
    assert said.startswith("g.csv, game")
    assert word in said


def test_columns_that_are_missing_are_named() -> None:
    rating = ("rate", "swh", "zero", "--games", 2, "--out", "rating")
    done(*rating)
    pair = Path("rating/games/pair-000-001.parquet")
    pd.read_parquet(pair).drop(columns=["black", "match"]).to_parquet(pair)
    assert "pair-000-001.parquet is taken" in fails(*rating)
    done("match", "swh", "zero", "--games", 2, "--out", "g.csv")
    pd.read_csv("g.csv").drop(columns="moves").to_csv("g.csv", index=False)
    # The openings of a longer match are compared with those of the file
    assert {
        fails("match", "swh", "zero", "--games", games, "--out", "g.csv") for games in (2, 4)
    } == {"g.csv, game 1: it has no 'moves'"}


def test_two_writers_are_refused() -> None:
    Path(".g.csv.keeping").mkdir()
    with locked(Path(".g.csv.keeping")):
        said = fails("match", "swh", "zero", "--games", 4, "--out", "g.csv")
    assert said == "g.csv is being written to by another process"


def test_a_file_that_cannot_be_written_meanwhile_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write, times = match_files.write_bytes, [0]

    def failing(path: Path, data: bytes) -> None:
        times[0] += 1
        if times[0] == 1:
            raise OSError(28, "No space left on device", str(path))
        write(path, data)

    monkeypatch.setattr(match_files, "write_bytes", failing)
    ended = invoke("match", "random", "swh", "--games", 200, "--out", "g.csv", "--json")
    assert ended.code == 0
    assert "No space left on device" in ended.err
    assert ended.err.count("\n") == 1
    assert len(pd.read_csv("g.csv")) == ended.document["games"] == 200


@pytest.mark.clock
def test_writing_takes_little_of_a_match(tmp_path: Path) -> None:
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


def test_games_are_kept() -> None:
    found = match("swh", "zero", "--games", 20, "--out", "g.parquet", "--ggf", "g.ggf")
    table = pd.read_parquet("g.parquet")
    won = (table["winner"] == "black") & (table["black"] == "swh")
    won |= (table["winner"] == "white") & (table["white"] == "swh")
    assert won.sum() == found["wins"]
    assert set(table["kind"]) == {"match"}
    records = read_games("g.ggf").whole()
    assert [r.winner for r in records] == table["winner"].tolist()
    assert {records[0].black, records[0].white} == {"swh", "zero"}
    assert "g.txt" in misused("match", "swh", "zero", "--out", "g.txt")
    assert "nowhere" in fails("match", "swh", "zero", "--ggf", "nowhere/g.ggf")


def test_ggf_in_a_text_file_is_replaced_and_goes_to_a_device() -> None:
    for _ in range(2):
        done("match", "swh", "zero", "--games", 2, "--ggf", "games.txt")
    assert Path("games.txt").read_text().startswith("(;GM[Othello]")
    done("match", "swh", "zero", "--games", 2, "--ggf", os.devnull)
