"""Programs that fail in a match or cannot be used at all: what is told, and what counts."""

from __future__ import annotations

import errno
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from evolve.cli.terminal import failure_reporter
from evolve.records.formats import read_games
from tests.cli import command, environment, fails, finish, invoke, spawn, wait_until
from tests.programs.test_external import source


def test_a_program_that_fails_loses() -> None:
    bad = source("gtp", "white")
    ended = invoke("match", "swh", bad, "--games", 4, "--out=g.parquet", "--json")
    found = ended.document
    assert ended.code == 0
    assert (found["games"], found["played"]) == (4, 2)
    assert (found["failures_a"], found["failures_b"]) == (0, 2)
    told = f"{bad} failed as white: played a1, which is illegal"
    said = sorted(ended.err.splitlines())
    assert [line.partition(";")[0] for line in said] == [f"game 1: {told}", f"game 3: {told}"]
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
    for more in ((), ("--json",), ("--out", "g.parquet")):
        ended = invoke("match", "swh", bad, "--games", 4, *more)
        header = (
            "" if "--json" in more else f"swh against {bad}, standard assumed (most discs wins)\n"
        )
        assert (ended.code, ended.out) == (1, header)
        *told, error = ended.err.splitlines()
        assert len(told) == 4
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
    ended = [invoke("rate", "zero", "swh", worse, "--games=4", "--out=rated") for _ in range(2)]
    assert [one.code for one in ended] == [1, 1]  # such a pair is not kept
    assert [path.name for path in Path("rated/games").iterdir()] == ["pair-000-001.parquet"]


def test_after_ten_failures_of_a_program_they_are_only_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = failure_reporter()
    for game in range(15):
        report(game, "one", "as black: no move in time")
    report(15, "other", "as white: ended")
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "game 1: one failed as black: no move in time"
    assert told[9].startswith("game 10: one failed")
    assert told[10:] == [
        "further failures of one are only counted",
        "game 16: other failed as white: ended",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
@pytest.mark.parametrize("words", [("match", "swh?depth=1"), ("rate", "swh?depth=1", "random")])
def test_a_limit_of_this_system_is_no_failure_of_a_program(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """Programs that cannot be started for want of descriptors lost their games."""
    many = shlex.join(command(*words, source("gtp"), "--games", 40, "--jobs", 16))
    ended = subprocess.run(
        ["sh", "-c", f"ulimit -n 40; exec {many}"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "failed" not in ended.stderr
    assert os.strerror(errno.EMFILE) in ended.stderr.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no processes")
def test_time_in_which_evolve_is_stopped_is_not_the_programs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    playing = spawn(
        *(tmp_path, "match", "swh?depth=1", source("gtp", "slow", "?time=0.5")),
        *("--games", 2, "--jobs", 1, "--log", log),
    )
    wait_until(lambda: log.exists() and log.read_text().count("genmove") > 4, playing)
    os.kill(playing.pid, signal.SIGSTOP)
    time.sleep(1.5)
    os.kill(playing.pid, signal.SIGCONT)
    result = finish(playing)
    assert (result.code, result.err) == (0, "")
    assert "lost by failure" not in result.out
