"""`evolve match` beyond two agents of ours: files of openings, tests, records, programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evolve.arena.match import Match
from evolve.errors import EngineError
from evolve.records.ggf import read_ggf
from tests.agents.test_external import source
from tests.cli import done, fails, finish, invoke, misused, spawn

RHINO = shutil.which("gtp-rhino", path=os.environ.get("PATH", "") + ":/usr/games")
OURS = f"{sys.executable} -m evolve engine"


def match(*arguments: object) -> dict[str, Any]:
    document = done("match", *arguments, "--json").document
    assert isinstance(document, dict)
    return document


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
    ("text", "words"),
    [("f5d6\nf5f5\n", ["openings.txt", "line 2"]), ("", ["no move string"])],
)
def test_bad_openings(text: str, words: list[str]) -> None:
    Path("openings.txt").write_text(text)
    said = fails("match", "swh", "zero", "--openings", "openings.txt")
    for word in words:
        assert word in said
    done("match", "swh", "zero", "--games", 2, "--ggf", "games.ggf")
    assert "ends the game" in fails("match", "swh", "zero", "--openings", "games.ggf")
    assert "--openings" in misused("match", "swh", "zero", "--openings", "nowhere.txt")


def test_a_test_stops_when_it_is_decided() -> None:
    strong, weak = "swh-mobility?depth=3", "zero"
    for jobs in (1, 2):
        won = match(strong, weak, "--sprt", 0, 30, "--games", 600, "--jobs", jobs)
        assert won["sprt"]["verdict"] == "accepted"
        assert won["games"] < 400
    lost = match(weak, strong, "--sprt", 0, 30, "--games", 600)
    assert lost["sprt"]["verdict"] == "rejected"
    assert won["sprt"]["llr"] >= won["sprt"]["upper"] == pytest.approx(2.944, abs=1e-3)
    cut = match(strong, strong, "--sprt", 0, 1, "--games", 64)
    assert (cut["games"], cut["sprt"]["verdict"]) == (64, "undecided")
    assert "undecided" in done("match", strong, strong, "--sprt", 0, 1, "--games", 64).out
    all_lost = match("zero", "swh-mobility?depth=6&endgame=12", "--sprt", 0, 30, "--games", 600)
    assert all_lost["sprt"]["verdict"] == "rejected"


def test_a_test_that_is_none() -> None:
    assert "ELO0" in misused("match", "swh", "zero", "--sprt", 5, 5)
    assert "alpha" in misused("match", "swh", "zero", "--sprt", 0, 5, "--alpha", 0.7)


def test_games_are_kept() -> None:
    found = match("swh", "zero", "--games", 20, "--out", "g.parquet", "--ggf", "g.ggf")
    table = pd.read_parquet("g.parquet")
    won = (table["winner"] == "black") & (table["black"] == "swh")
    won |= (table["winner"] == "white") & (table["white"] == "swh")
    assert won.sum() == found["wins"]
    assert set(table["kind"]) == {"match"}
    records = read_ggf(Path("g.ggf"))
    assert [r.winner for r in records] == table["winner"].tolist()
    assert {records[0].black, records[0].white} == {"swh", "zero"}
    assert "g.txt" in misused("match", "swh", "zero", "--out", "g.txt")
    assert "nowhere" in fails("match", "swh", "zero", "--ggf", "nowhere/g.ggf")


def test_superiority_and_pairs() -> None:
    found = match("swh-mobility", "zero", "--games", 40)
    assert sum(found["pentanomial"]) == 20
    points = sum(count * half for half, count in enumerate(found["pentanomial"]))
    assert points / 80 == pytest.approx(found["score"])
    assert found["superiority"] > 0.99
    same = match("swh", "swh", "--games", 40)
    assert same["superiority"] == pytest.approx(0.5)
    assert same["pentanomial"] == [0, 0, 20, 0, 0]


def test_random_against_random_is_within_its_interval() -> None:
    hits = 0
    for seed in range(100):
        found = match("random", "random", "--games", 12, "--openings", "start", "--seed", seed)
        hits += found["score_low"] <= 0.5 <= found["score_high"]
    assert hits >= 90


def test_a_program_that_fails_loses() -> None:
    bad = source("gtp", "white")
    ended = invoke("match", "swh", bad, "--games", 4, "--out=g.csv", "--ggf=g.ggf", "--json")
    found = ended.document
    assert ended.code == 0
    assert (found["games"], found["played"]) == (4, 2)
    assert (found["failures_a"], found["failures_b"]) == (0, 2)
    told = f"{bad} failed as white: played a1, which is illegal"
    assert sorted(ended.err.splitlines()) == [f"game 1: {told}", f"game 3: {told}"]
    table = pd.read_csv("g.csv")
    failed = table["reason"] == "failed: white: played a1, which is illegal"
    assert failed.tolist() == [True, False, True, False]
    assert [record.ending for record in read_ggf(Path("g.ggf"))] == ["resigned", "end"] * 2
    shown = invoke("match", bad, "swh", "--games", 2).out
    assert "1 of 2 to their end, 1 lost by failure" in shown
    assert "A failed" in shown
    assert "in 1 games, the first time as white: played a1, which is illegal" in shown


def test_a_program_that_fails_in_every_game_is_no_victory() -> None:
    bad = source("gtp", "illegal")
    for more in ((), ("--json",), ("--out", "g.csv")):
        ended = invoke("match", "swh", bad, "--games", 4, *more)
        assert (ended.code, ended.out) == (1, "")
        *told, error = ended.err.splitlines()
        assert len(told) == 4
        assert error.startswith("error: all 4 games were lost by failures: ")
        assert ("the games are in g.csv" in error) == ("--out" in more)
        assert "the first time as white: played a1, which is illegal" in error
    assert len(pd.read_csv("g.csv")) == 4
    ended = invoke("match", bad, bad, "--games", 40)
    assert ended.code == 1
    assert len(ended.err.splitlines()) == 10 + 1 + 1
    assert "are only counted" in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("match", "swh", "BAD", "--games", 4, "--out", "g.csv"),
        ("match", "BAD", "swh", "--json"),
        ("rate", "swh", "BAD", "zero", "--games", 4),
        ("sweep", "alphabeta", "--panel", "swh,BAD", "--trials", 2, "--out", "swept"),
    ],
)
def test_a_program_that_cannot_be_used_is_an_error(words: tuple[object, ...]) -> None:
    bad = source("gtp", "deaf")
    said = fails(*(str(word).replace("BAD", bad) for word in words))
    assert said.startswith(f"{bad} cannot be used: at its start: ended with exit code 1: no book")
    assert list(Path().iterdir()) == []


def test_failures_in_a_rating() -> None:
    bad = source("gtp", "white")
    ended = invoke("rate", "swh", bad, "zero", "--games", 4, "--json")
    assert ended.code == 0
    rows = {row["agent"]: row for row in ended.document["agents"]}
    assert [rows[name]["failures"] for name in ("swh", bad, "zero")] == [0, 4, 0]
    assert f"{bad} failed against swh as white: played a1" in ended.err
    assert f"{bad} lost 2 of 4 games by failure" in invoke("rate", "swh", bad, "--games", 4).out
    worse = source("gtp", "illegal")
    for _ in range(2):  # such a pair is not kept
        ended = invoke("rate", "zero", "swh", worse, "--games", 4, "--out", "rated")
        assert (ended.code, ended.out) == (1, "")
        assert "error: all 4 games were lost by failures" in ended.err
    assert [path.name for path in Path("rated/games").iterdir()] == ["pair-000-001.parquet"]


def test_after_an_interruption_the_games_so_far_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Match, *_: object) -> None:
        for finished in self._play_kernels(range(4)):
            self._finished[finished] = True
        raise KeyboardInterrupt

    monkeypatch.setattr(Match, "play", interrupted)
    ended = invoke("match", "swh", "zero", "--games", 400, "--json", "--out", "games.csv")
    assert ended.code == 130
    assert ended.document["games"] == len(pd.read_csv("games.csv")) == 8
    assert ended.err == "interrupted after 8 games; go on with the same command\n"


def test_an_interruption_makes_no_victory_of_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Match.play

    def interrupted(self: Match, *words: object) -> None:
        with pytest.raises(EngineError):
            play(self, *words)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Match, "play", interrupted)
    ended = invoke("match", "swh", source("gtp", "illegal"), "--games", 4, "--json")
    assert (ended.code, ended.out) == (1, "")
    assert "error: all 4 games were lost by failures" in ended.err


def test_our_engine_as_a_program_is_the_same_agent() -> None:
    """Over both protocols, one after the other: the first use compiles, for half a minute."""
    wanted = match("swh-mobility", "swh?depth=2", "--games", 6, "--seed", 3)
    for protocol in ("gtp", "nboard"):
        program = f"{protocol}:{OURS} swh?depth=2 --protocol {protocol}"
        # Longer than a match gives a program to start.
        finish(spawn(Path(), "engine", "swh?depth=2", "--protocol", protocol))
        found = match("swh-mobility", program, "--games", 6, "--seed", 3)
        assert {**found, "b": ""} == {**wanted, "b": ""}


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino (Debian's package grhino) is not installed")
def test_whole_matches_against_grhino() -> None:
    found = match("swh-mobility?depth=4&endgame=8", f"gtp:{RHINO} --level=1", "--games", 40)
    assert found["failures_a"] == found["failures_b"] == 0
    assert found["games"] == 40


def test_games_that_may_differ_all_count() -> None:
    found = match("random", "zero", "--games", 40, "--openings", "start")
    assert sum(found["pentanomial"]) == 20
    assert found["score_low"] <= found["score"] <= found["score_high"]
    same = match("swh", "zero", "--games", 40, "--openings", "start")
    assert sum(same["pentanomial"]) == 1


def test_a_test_ends_when_there_is_nothing_new_to_play() -> None:
    found = match("swh", "zero", "--openings", "start", "--sprt", 0, 20)
    assert (found["games"], found["sprt"]["verdict"]) == (2, "undecided")


def test_a_file_that_cannot_be_written_does_not_take_the_result_along() -> None:
    ended = invoke("match", "swh", "zero", "--games", 4, "--json", "--out", "/proc/x.csv")
    assert ended.code == 1
    assert ended.err.startswith("error: /proc/x.csv")
    assert not ended.out or ended.document["games"] == 4


def test_a_reader_that_went_away_does_not_take_the_games_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("evolve.cli.match.print_facts", gone)
    with contextlib.suppress(Exception):
        invoke("match", "swh", "zero", "--games", 4, "--out", "games.csv")
    assert len(pd.read_csv("games.csv")) == 4


def test_names_that_are_not_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xff.json")
    done("export", "swh", "-o", name)
    process = spawn(
        tmp_path, "match", name, "zero", "--games", 2, "--out", "g.csv", "--ggf", "g.ggf"
    )
    ended = finish(process)
    assert (ended.code, ended.err) == (0, "")
    assert "b?.json" in (tmp_path / "g.ggf").read_text()


def test_agents_that_play_by_nothing_we_know() -> None:
    assert "no-such" in fails("match", "swh", "gtp:no-such-program")
    assert invoke("match", "--help").code == 0
