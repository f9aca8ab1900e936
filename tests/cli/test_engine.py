"""`evolve engine` as a program: through pipes, flushed line by line, whatever is sent."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import forks
from tests.cli import command, fails, finish, match, misused, spawn
from tests.waits import PATIENCE


def session(folder: Path, *arguments: object) -> subprocess.Popen[bytes]:
    return forks.start(
        command("engine", *arguments),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_every_answer_comes_at_once(tmp_path: Path) -> None:
    process = session(tmp_path, "swh?depth=3", "--protocol", "gtp", "--rules", "standard")
    assert process.stdin is not None
    assert process.stdout is not None
    for asked, answer in (("name", "= evolve swh?depth=3"), ("genmove black", "= D3")):
        process.stdin.write(asked.encode() + b"\r\n")
        process.stdin.flush()
        assert process.stdout.readline().decode().rstrip("\n") == answer
        assert process.stdout.readline() == b"\n"
    process.stdin.write(b"quit\n")
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, err, process.returncode) == (b"=\n\n", b"", 0)


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_any_bytes_at_all(tmp_path: Path, protocol: str) -> None:
    noise = random.Random(0).randbytes(300_000)
    if protocol == "nboard":
        noise += b"\nset depth 2\ngo\nping 9\n"
    process = session(tmp_path, "swh", "--protocol", protocol)
    out, err = process.communicate(noise + b"\nname\n", timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"swh: standard assumed; --rules says otherwise\n")
    assert (b"= evolve swh\n" if protocol == "gtp" else b"pong 9\n") in out


@pytest.mark.slow
def test_the_end_of_the_input_and_of_the_reader(tmp_path: Path) -> None:
    process = session(tmp_path, "swh", "--protocol", "nboard")
    out, _ = process.communicate(b"nboard 2\nset depth 4\ngo\n", timeout=PATIENCE)
    assert b"=== " in out, "what was asked before the end is answered"
    process = session(tmp_path, "anti-swh", "--protocol", "gtp")
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.close()
    process.stdin.write(b"name\n" * 3)
    process.stdin.close()
    assert process.wait(30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.clock
def test_a_clock_that_is_short(tmp_path: Path) -> None:
    process = session(tmp_path, "swh-mobility?endgame=20", "--protocol", "gtp")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"time_settings 2 0 0\n")
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.readline()
    spent = {"black": 0.0, "white": 0.0}
    for move in range(70):
        side = ("black", "white")[move % 2]
        begin = time.monotonic()
        process.stdin.write(f"genmove {side}\n".encode())
        process.stdin.flush()
        answer = process.stdout.readline()
        process.stdout.readline()
        spent[side] += time.monotonic() - begin
        assert answer.startswith(b"= "), answer
    process.communicate(b"quit\n", timeout=PATIENCE)
    assert max(spent.values()) < 2
    assert min(spent.values()) > 0.5, "time is for using"


def test_wrong_use(tmp_path: Path) -> None:
    assert "--protocol" in misused("engine", "swh")
    assert "--protocol" in misused("engine", "swh", "--protocol", "uci")
    assert "nobody" in fails("engine", "nobody", "--protocol", "gtp")
    ended = finish(spawn(tmp_path, "engine", "anti-swh", "--protocol", "gtp", "--rules", "odd"))
    assert ended.code == 2


OURS = f"{sys.executable} -m evolve engine"


@pytest.mark.slow
def test_our_engine_as_a_program_is_the_same_agent() -> None:
    """Over both protocols, one after the other: the first use compiles, for half a minute."""
    wanted = match("swh-mobility", "swh?depth=2", "--games", 6, "--seed", 3)
    # Longer than a match gives a program to start.
    finish(spawn(Path(), "engine", "swh?depth=2", "--protocol", "gtp"))
    for protocol in ("gtp", "nboard"):
        program = f"{protocol}:{OURS} swh?depth=2 --protocol {protocol}"
        # A program for each job: one starts in half the time.
        found = match("swh-mobility", program, "--games", 6, "--seed", 3, "--jobs", 1)
        assert {**found, "b": ""} == {**wanted, "b": ""}
        program = f"{protocol}:{OURS} anti-swh --protocol {protocol}"
        found = match("zero", program, "--games", 2, "--jobs", 1)
        assert (found["rules"], found["rules_assumed"]) == ("reversed", False)
