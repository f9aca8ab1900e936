"""`evolve match`: figures that add up, and repeat."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import re
import shlex
import signal
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.arena.match import Match
from evolve.cli.terminal import failure_reporter
from evolve.engine.board.rules import RULE_SETS
from evolve.errors import EngineError
from evolve.records.formats import read_games
from tests.cli import command, done, fails, finish, invoke, match, ran, spawn, wait_until
from tests.programs.test_external import source


@pytest.mark.parametrize(
    ("a", "b"), [("swh-mobility", "zero"), ("random", "swh"), ("RUN", "random?seed=3")]
)
def test_figures_add_up(first: Path, a: str, b: str) -> None:
    found = match(a.replace("RUN", str(first)), b, "--games", 20)
    assert found["games"] == found["wins"] + found["draws"] + found["losses"] == 20
    assert found["score"] == pytest.approx((found["wins"] + found["draws"] / 2) / 20)
    assert found["score"] == pytest.approx((found["score_black"] + found["score_white"]) / 2)
    assert found["score_low"] <= found["score"] <= found["score_high"]
    assert abs(found["mean_discs"]) <= 64
    points = sum(count * half for half, count in enumerate(found["pentanomial"]))
    assert (sum(found["pentanomial"]), points / 40) == (10, pytest.approx(found["score"]))
    if 0 < found["score"] < 1:
        assert found["elo"] == pytest.approx(-400 * math.log10(1 / found["score"] - 1))
        assert found["elo_low"] < found["elo"] < found["elo_high"]


def test_elo_of_winning_everything_is_null_and_the_finite_end_is_given() -> None:
    words = ("swh-mobility?depth=4&endgame=8", "random", "--games", 40)
    found = match(*words)
    assert (found["score"], found["elo"], found["elo_high"]) == (1, None, None)
    assert found["elo_low"] > 0
    assert not re.search("None|nan", done("match", *words).out)


def test_the_same_game_again_is_no_further_evidence() -> None:
    two = match("swh", "zero", "--openings", "start", "--games", 2)
    many = match("swh", "zero", "--openings", "start", "--games", 200)
    assert (many["games"], many["score"]) == (200, two["score"])
    assert many["score_low"] == pytest.approx(two["score_low"], abs=1e-6)
    assert sum(many["pentanomial"]) == 1
    found = match("swh", "zero", "--openings", "start", "--sprt", "0:20")
    assert (found["games"], found["sprt"]["verdict"]) == (2, "undecided")


@pytest.mark.slow
def test_a_test_stops_when_it_is_decided() -> None:
    strong, weak, words = "swh-mobility?depth=3", "zero", ("--sprt", "0:30", "--games", 600)
    won, again = (match(strong, weak, *words, "--jobs", jobs) for jobs in (1, 2))
    lost = [match(weak, one, *words) for one in (strong, "swh-mobility?depth=6&endgame=12")]
    verdicts = ["accepted"] * 2 + ["rejected"] * 2
    assert [one["sprt"]["verdict"] for one in (won, again, *lost)] == verdicts
    assert max(won["games"], again["games"]) < 400
    assert won["sprt"]["llr"] >= won["sprt"]["upper"] == pytest.approx(2.944, abs=1e-3)


def test_after_an_interruption_the_games_so_far_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Match, *_: object) -> None:
        self._play_round(range(4), None, None, lambda: None)
        raise KeyboardInterrupt

    monkeypatch.setattr(Match, "play", interrupted)
    ended = invoke("match", "swh", "zero", "--games", 400, "--json", "--out", "games.parquet")
    assert ended.code == 130
    assert ended.document["games"] == len(pd.read_parquet("games.parquet")) == 8
    assert ended.err == "interrupted after 8 games; continue with the same command\n"


def test_an_interruption_makes_no_victory_of_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Match.play

    def interrupted(self: Match, *words: object) -> None:
        with pytest.raises(EngineError):
            play(self, *words)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Match, "play", interrupted)
    ended = invoke("match", "swh", source("gtp", "illegal"), "--games", 4, "--json")
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.splitlines()) == 4 + 1


def test_a_file_that_cannot_be_written_does_not_take_the_result_along() -> None:
    ended = invoke("match", "swh", "zero", "--games", 4, "--json", "--out", "/proc/x.parquet")
    assert ended.code == 1
    assert ended.err.startswith("error: /proc/x.parquet")
    assert not ended.out or ended.document["games"] == 4


def test_a_reader_that_went_away_leaves_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("evolve.cli.match.print_facts", gone)
    with contextlib.suppress(Exception):
        invoke("match", "swh", "zero", "--games", 4, "--out", "games.parquet")
    assert len(pd.read_parquet("games.parquet")) == 4


def exported(rules: str, name: str = "agent.py") -> str:
    """A stand-alone file of ours that plays by these rules."""
    agent = evolve.load_agent("zero").with_rules(rules)  # type: ignore[arg-type]
    Path(name).write_text(agent.python_source())
    return f"python:{name}"


@pytest.mark.slow
def test_rules_travel_with_exported_files() -> None:
    agent = exported("reversed")
    pairs = ((agent, "random"), ("zero", agent))
    found = [match(*pair, "--games", 2, "--out", f"{pair[1]}.parquet") for pair in pairs]
    assert [(one["rules"], one["rules_assumed"]) for one in found] == [("reversed", False)] * 2
    assert set(pd.read_parquet("random.parquet")["rules"]) == {"reversed"}
    said = fails("match", agent, exported("standard", "other.py"), "--games", 2)
    assert said.startswith("python:agent.py plays reversed and python:other.py plays standard")
    printed = done("rate", agent, "random", "zero", "--games", 2).lines[0]
    assert printed == f"reversed ({RULE_SETS['reversed'].goal}), 6 games"


def test_a_program_that_fails_loses() -> None:
    bad = source("gtp", "white")
    ended = invoke("match", "swh", bad, "--games", 4, "--out=g.parquet", "--json")
    found = ended.document
    assert ended.code == 0
    assert (found["games"], found["played"]) == (4, 2)
    assert (found["failures_a"], found["failures_b"]) == (0, 2)
    fault = f"{bad} failed as white: played a1, which is illegal"
    lines = sorted(ended.err.splitlines())
    assert [line.partition(";")[0] for line in lines] == [f"game 1: {fault}", f"game 3: {fault}"]
    table = pd.read_parquet("g.parquet")
    failed = table["reason"].str.startswith("failed: white: played a1, which is illegal; sent")
    assert failed.tolist() == [True, False, True, False]
    assert [record.ending for record in read_games("g.parquet").whole()] == ["resigned", "end"] * 2
    shown = invoke("match", bad, "swh", "--games", 2).out
    assert "1 of 2 to their end, 1 lost by failure" in shown
    assert "A failed" in shown
    assert "in 1 games, the first time as white: played a1, which is illegal" in shown


@pytest.mark.slow
def test_a_program_that_fails_in_every_game_is_no_victory() -> None:
    bad = source("gtp", "illegal")
    head = f"swh against {bad}, standard assumed (most discs wins)\n"
    for more, said in (((), head), (("--json",), ""), (("--out", "g.parquet"), head)):
        ended = invoke("match", "swh", bad, "--games", 4, *more)
        assert (ended.code, ended.out) == (1, said)
        *printed, error = ended.err.splitlines()
        assert len(printed) == 4
        assert error.startswith("error: all 4 games were lost by failures: ")
        assert "the first time as white: played a1, which is illegal" in error
    assert len(pd.read_parquet("g.parquet")) == 4
    ended = invoke("match", bad, bad, "--games", 40)
    assert ended.code == 1
    assert len(ended.err.splitlines()) == 10 + 1 + 1


@pytest.mark.parametrize(
    "words",
    [
        ("match", "swh", "BAD", "--games", 4, "--out", "g.parquet"),
        ("match", "BAD", "swh", "--json"),
        ("rate", "swh", "BAD", "zero", "--games", 4),
        ("sweep", "alphabeta", "--panel", "swh,BAD", "--trials", 2, "--out", "swept"),
    ],
)
def test_a_program_that_cannot_be_used_is_an_error(words: tuple[object, ...]) -> None:
    bad = source("gtp", "deaf")
    said = fails(*(str(word).replace("BAD", bad) for word in words))
    assert said.startswith(f"{bad} cannot be used: at its start: ended with exit code 1: no book")
    assert {path.name for path in Path().iterdir()} <= {"data"}


@pytest.mark.slow
def test_failures_in_a_rating() -> None:
    bad = source("gtp", "white")
    ended = invoke("rate", "swh", bad, "zero", "--games", 4, "--json")
    assert ended.code == 0
    rows = {row["agent"]: row for row in ended.document["agents"]}
    assert [rows[name]["failures"] for name in ("swh", bad, "zero")] == [0, 4, 0]
    worse = source("gtp", "illegal")
    words = ("rate", "zero", "swh", worse, "--games=4", "--out=rated")
    assert [invoke(*words).code for _ in range(2)] == [1, 1]  # such a pair is not kept
    assert [path.name for path in Path("rated/games").iterdir()] == ["pair-000-001.parquet"]


def test_after_ten_failures_they_are_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    report = failure_reporter()
    for game in range(15):
        report(game, "one", "as black: no move in time")
    report(15, "other", "as white: ended")
    printed = capsys.readouterr().err.splitlines()
    assert printed == [
        *(f"game {game}: one failed as black: no move in time" for game in range(1, 11)),
        "further failures of one are only counted",
        "game 16: other failed as white: ended",
    ]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_limit_of_this_system_is_no_failure_of_a_program(tmp_path: Path) -> None:
    """Programs that cannot be started for want of descriptors lost their games."""
    words = ("match", "swh?depth=1", source("gtp"), "--games", 40, "--jobs", 16)
    many = shlex.join(command(*words))
    ended = ran("sh", "-c", f"ulimit -n 40; exec {many}", folder=tmp_path)
    assert ended.code == 1
    assert "failed" not in ended.err
    assert os.strerror(errno.EMFILE) in ended.err.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no processes")
@pytest.mark.slow
def test_time_in_which_evolve_is_stopped_is_not_the_programs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("match", "swh?depth=1", source("gtp", "slow", "?time=0.5"), "--games", 2, "--jobs", 1)
    playing = spawn(tmp_path, *words, "--log", log)
    wait_until(lambda: log.exists() and log.read_text().count("genmove") > 4, playing)
    os.kill(playing.pid, signal.SIGSTOP)
    time.sleep(1.5)
    os.kill(playing.pid, signal.SIGCONT)
    result = finish(playing)
    assert (result.code, result.err) == (0, "")
    assert "lost by failure" not in result.out
