"""Files made to break their reader, and places that cannot be written to: a line, no traceback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import evolve
from evolve.records.formats import read_games
from tests.cli import Result, command, done, environment, fails, misused, posix, snapshot


@posix
def test_a_device_without_an_end_is_no_agent() -> None:
    assert "MiB" in fails("match", "/dev/zero", "swh")


def shell(folder: Path, line: str) -> Result:
    """A line of sh, `evolve` in it being this one."""
    words = " ".join(command())
    ended = subprocess.run(
        ["sh", "-c", f'evolve() {{ {words} "$@"; }}; {line}'],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(ended.returncode, ended.stdout, ended.stderr)


RUN = "run --generations 1 --population 4 --openings start --panel-openings 2 --playoff-openings 2"


@posix
@pytest.mark.parametrize(
    ("what", "closed"),
    [
        ("runs .", "<&- >&- 2>&-"),
        pytest.param(f"{RUN} --out new", ">&-", marks=pytest.mark.slow),
    ],
)
def test_a_closed_standard_output(copy: Path, tmp_path: Path, what: str, closed: str) -> None:
    assert shell(tmp_path, f"evolve {what} {closed}") == (0, "", "")
    # Nothing that was opened later got the place, and the lines, of standard output.
    assert not [*filter(lambda path: "evolve" in path.read_text()[:6], tmp_path.rglob("*.toml"))]


@posix
def test_a_reader_that_wants_one_line(copy: Path, tmp_path: Path) -> None:
    line = "{ evolve show copy --table games; echo $? >code; } | head -n 1 >/dev/null; cat code"
    ended = shell(tmp_path, line)
    assert (ended.out.strip(), ended.err) == ("0", "")


@posix
def test_pipes_and_devices_are_no_files_of_commands() -> None:
    os.mkfifo("pipe")
    for name in ("pipe", "/dev/null"):
        for option in ("-o", "--progress"):
            words = ("export", "swh") if option == "-o" else ("match", "swh", "zero")
            assert f"{name} is a pipe or a device" in fails(*words, option, name)
    for words in (("show", "pipe"), ("convert", "pipe", "-o", "x.txt")):
        assert "pipe is a pipe: give - for standard input" in misused(*words)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("what", "unbuffered"),
    [("show copy --table games", ""), ("--help", "1")],
)
def test_a_full_standard_output(copy: Path, tmp_path: Path, what: str, unbuffered: str) -> None:
    line = f"export PYTHONUNBUFFERED={unbuffered}; evolve {what} >/dev/full"
    assert shell(tmp_path, line) == (1, "", "error: No space left on device\n")


@posix
@pytest.mark.parametrize(
    "what",
    [
        pytest.param("plot copy -o x.pdf", marks=pytest.mark.slow),
        pytest.param("convert copy/games/gen-0000.parquet -o x.csv", marks=pytest.mark.slow),
        f"{RUN} --out x",
    ],
)
def test_a_writer_on_a_full_disk(copy: Path, tmp_path: Path, what: str) -> None:
    """A limit to the size of files stands in for it: their writer fails, and fails again while
    it closes."""
    before = snapshot(tmp_path)
    ended = shell(tmp_path, f"ulimit -f 1; evolve {what}")
    assert ended.code == 1
    assert ended.err.count("\n") == 1, ended.err
    assert ended.err.startswith("error: x"), ended.err
    assert ended.err.endswith("File too large\n")
    assert snapshot(tmp_path) == before


def test_names_that_would_be_formulas_come_back(tmp_path: Path) -> None:
    agent = evolve.load_agent("swh")
    names = {"=1+1.json", "@x.json"}
    for name in names:
        agent.save(name)  # type: ignore[union-attr]
    done("match", *sorted(names), "--games=2", "--out", "games.parquet")
    done("convert", "games.parquet", "-o", "games.csv")
    text = Path("games.csv").read_text()
    assert "'=1+1.json," in text
    assert "'@x.json," in text
    game = read_games("games.csv").records[0]
    assert {game.black, game.white} == names
