"""What comes from elsewhere, door by door: one line that names the file, nothing else changes."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import evolve
from evolve.cli.main import COMMANDS
from tests.agents.conftest import mcts_agent
from tests.cli import (
    ALPHABETA,
    QUICK,
    ROOT,
    Result,
    command,
    done,
    fails,
    invoke,
    posix,
    ran,
    snapshot,
)
from tests.test_terminal_text import HOSTILE, harmless


class Door(NamedTuple):
    """A file, and the command that reads it; `ours`: in a folder that evolve made."""

    file: str
    words: tuple[str, ...]
    ours: bool = True


_RATED: Final = ("rate", "zero", "random", "--games=2", "--out=rated")
_MATCH: Final = ("match", "zero", "random", "--games=2", "--out=match.parquet")
WRITTEN: Final = ("csv", "ggf", "pgn", "json", "ggf.gz")
DOORS: Final[dict[str, Door]] = {
    "run": Door("run/config.toml", ("show", "run")),
    "run to resume": Door("run/config.toml", ("resume", "run", "--generations=4")),
    "champion": Door("run/champion.json", ("export", "run", "-o", "out.json")),
    "individuals": Door("run/generations/gen-0001.parquet", ("show", "run", "--table=individuals")),
    "generation to resume": Door(
        "run/generations/gen-0002.parquet", ("resume", "run", "--generations=4")
    ),
    "games": Door("run/games/gen-0001.parquet", ("show", "run", "--table=games", "-o", "out.csv")),
    "game": Door("run/games/gen-0001.parquet", ("replay", "run", "1:3")),
    "play-off": Door("run/games/playoff.parquet", ("show", "run", "--table=games")),
    "sweep": Door("sweep/config.toml", ("resume", "sweep")),
    "trials": Door("sweep/trials.parquet", ("show", "sweep")),
    "journal": Door("sweep/journal.log", ("resume", "sweep", "--trials=6")),
    "final": Door("sweep/final.json", ("show", "sweep", "--table=final")),
    "study": Door("study/study.toml", ("compare", "study")),
    "rating": Door("rated/rating.json", _RATED),
    "games of a rating": Door("rated/games/pair-000-001.parquet", _RATED),
    "match": Door("match.parquet", _MATCH),
    "settings": Door(
        "settings.toml", ("run", *QUICK, "--config=settings.toml", "--out=new"), ours=False
    ),
    "agent": Door("agent.json", ("match", "agent.json", "zero", "--games=2"), ours=False),
    "agent to start from": Door(
        "agent.json", ("run", *QUICK, "--start-from=agent.json", "--out=new"), ours=False
    ),
    "network": Door("net.npz", ("show", "net.npz"), ours=False),
    **{
        f"record .{end}": Door(f"games.{end}", ("convert", f"games.{end}", "-o", "o.txt"), False)
        for end in ("parquet", *WRITTEN)
    },
}


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    elsewhere = Path(f"elsewhere{path.suffix}").absolute()
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


DAMAGES: Final[dict[str, Callable[[Path], object]]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(path.stat().st_size)),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "foreign": lambda path: path.write_text("[1]\n"),
    "hostile": lambda path: path.write_text("".join(HOSTILE), "utf-8", "replace", newline=""),
    "a folder": _folder,
    "a pipe": _pipe,
    "a link": _link,
}
BEARABLE: Final = {
    *(("match", one) for one in ("emptied", "a link")),
    *((f"record .{end}", "cut in half") for end in WRITTEN),
    *((name, "a link") for name, door in DOORS.items() if not door.ours),
    ("settings", "emptied"), ("settings", "cut in half"),
    ("games of a rating", "emptied"),
    ("journal", "emptied"),
    ("journal", "zeros"), ("journal", "cut in half"),
}  # fmt: skip
"""What remains is right, or is what its user may name: the command works, or names the file."""


@pytest.fixture(scope="module")
def samples(quick: Path, swept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sound file at every door. Look, do not touch."""
    place = tmp_path_factory.mktemp("samples")
    shutil.copytree(quick, place / "run")
    shutil.copytree(swept, place / "sweep")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("EVOLVE_DATA_DIR", str(place / "data"))
        done("run", *QUICK, "--seeds=0-1", "--out=study")
        done(*_RATED)
        done(*_MATCH)
        done("export", "swh", "-o", "agent.json")
        mcts_agent().save("net.npz")
        (place / "settings.toml").write_text("population = 6\nseed = 3\n[fix]\ndepths = 2\n")
        for end in WRITTEN:
            done("convert", "match.parquet", "-o", f"games.{end}")
        shutil.copy("match.parquet", "games.parquet")
    return place


@posix
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", DOORS)
def test_a_line_names_the_file_and_nothing_else_changes(
    samples: Path, tmp_path: Path, name: str, damage: str
) -> None:
    door = DOORS[name]
    top = Path(door.file).parts[0]
    (shutil.copytree if (samples / top).is_dir() else shutil.copy)(samples / top, tmp_path / top)
    DAMAGES[damage](tmp_path / door.file)
    before = snapshot(tmp_path)
    result = invoke(*door.words)
    if (name, damage) in BEARABLE and result.code == 0:
        return
    assert (result.code, result.err.count("\n")) in ((1, 1), (2, 1)), result
    assert result.err.startswith("error: ")
    assert [part for part in Path(door.file).parts[-2:] if part in result.err]
    assert harmless(result.err + result.out)
    after = snapshot(tmp_path)
    if name == "journal":  # a last line that is half written is cut off before anything is read
        before[door.file] = after[door.file]
    assert after == before


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command: str, option: str) -> None:
    said = done(command, option).out
    assert said.startswith(f"Usage: evolve {command}")
    assert "Example" in said


def test_debug_shows_where_an_error_comes_from() -> None:
    for arguments in (("--debug", "show", "nowhere"), ("show", "nowhere", "--debug")):
        with pytest.raises(ValueError, match="nowhere"):
            invoke(*arguments)


@posix
def test_a_device_without_an_end_is_no_agent() -> None:
    assert "MiB" in fails("match", "/dev/zero", "swh")


def shell(folder: Path, line: str) -> Result:
    """A line of sh, `evolve` in it being this one."""
    words = " ".join(command())
    return ran("sh", "-c", f'evolve() {{ {words} "$@"; }}; {line}', folder=folder)


RUN = "run --generations 1 --population 4 --openings start --panel-openings 2 --playoff-openings 2"


@posix
@pytest.mark.parametrize(
    ("what", "closed"),
    [("runs .", "<&- >&- 2>&-"), pytest.param(f"{RUN} --out new", ">&-", marks=pytest.mark.slow)],
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


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(("what", "unbuffered"), [("show copy --table games", ""), ("--help", "1")])
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
    assert re.fullmatch("error: x.*File too large\n", ended.err), ended.err
    assert snapshot(tmp_path) == before


@posix
def test_folders_pipes_and_devices_are_written_to_by_no_command() -> None:
    assert fails("export", "swh", "-o", ".") == ". is a folder; name a file in it"
    os.mkfifo("pipe")
    commands = (("export", "swh", "-o"), ("match", "swh", "zero", "--progress"))
    cases = [(words, name) for words in commands for name in ("pipe", "/dev/null")]
    said = [fails(*words, name).partition(" is ")[::2] for words, name in cases]
    assert said == [(name, "a pipe or a device, not a file") for _, name in cases]


def test_agents_of_a_journal_stay_inside(sweep: Path, tmp_path: Path) -> None:
    """What it says of their files is not read: their numbers name them."""
    outside = tmp_path / "outside.json"
    done("export", "swh", "-o", outside)
    champion = (sweep / "champion.json").read_bytes()
    journal = sweep / "journal.log"
    journal.write_text(re.sub(r"trials/trial-000\d\.json", str(outside), journal.read_text()))
    assert str(outside) in journal.read_text()
    (sweep / "final.json").unlink()
    done("resume", sweep)
    assert (sweep / "champion.json").read_bytes() == champion


@posix
def test_what_the_user_names_may_be_a_link(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first, tmp_path / "real")
    links = {"link": "real", "agent.json": "real/champion.json", "config.toml": "real/config.toml"}
    for name, target in {**links, "out.csv": "there.csv", "runs": "."}.items():
        (tmp_path / name).symlink_to(target)
    done("show", "link", "-o", "out.csv")
    assert (tmp_path / "there.csv").exists()
    done("show", "agent.json")
    done("match", "link", "agent.json", "--games=2")
    done("resume", "link")
    assert [row["run"] for row in done("runs", "--json").document if row["preset"]] == ["runs/real"]


@posix
def test_a_new_run_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "generations").symlink_to(tmp_path / "elsewhere")
    assert "taken" in fails("run", "--generations=1", "--population=4", "--out", "new")
    assert not any((tmp_path / "elsewhere").iterdir())


SWEEP = (*ALPHABETA, "--panel-openings=2", "--final-openings=2", "--jobs=1", "--out=mine")
ENGINE = ROOT / "tests" / "programs" / "engine.py"


@pytest.fixture
def marking(tmp_path: Path) -> tuple[str, Path]:
    """A program that plays, and the file that it leaves when it was run."""
    mark, script = tmp_path / "executed", tmp_path / "program"
    script.write_text(f"#!/bin/sh\ntouch {mark}\nexec {sys.executable} {ENGINE} gtp\n")
    script.chmod(0o755)
    return f"gtp:{script}", mark


@pytest.mark.slow
@posix
def test_programs_of_a_stranger_need_leave(
    tmp_path: Path, marking: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, mark = marking
    done(*SWEEP, "--panel", program, "--trials=1")
    assert mark.exists()
    # Mine, where I started it: nothing is asked.
    done("resume", "mine", "--trials=2")
    # Theirs: what it names is not run, and nothing is changed.
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "other"))
    mark.unlink()
    before = snapshot(tmp_path / "mine")
    said = fails("resume", "mine", "--trials=3")
    assert [word in said for word in (program, "--allow-programs", "config.toml")] == [True] * 3
    assert (mark.exists(), snapshot(tmp_path / "mine")) == (False, before)
    # With leave it goes on, and leave is given once.
    done("resume", "mine", "--trials=3", "--allow-programs")
    assert mark.exists()
    done("resume", "mine", "--trials=4")
    assert len(evolve.load_run("mine").trials) == 4
    # Of which user, place and programs the mark is: tests/runs/test_life_cycle.py.


@posix
def test_a_program_hidden_in_any_setting_is_found(sweep: Path, marking: tuple[str, Path]) -> None:
    program, mark = marking
    config = sweep / "config.toml"
    text = config.read_text()
    said = []
    for fix in (f'opponents = "swh=1,{program}=2"', f'"{program}" = 1', f'x = [["{program}"]]'):
        config.write_text(text.replace("[fix]\n", f"[fix]\n{fix}\n"))
        said.append("--allow-programs" in fails("resume", sweep, "--trials=9"))
    assert said == [True] * 3
    assert not mark.exists()


@pytest.mark.slow
@posix
def test_a_run_whose_mark_cannot_be_kept_begins(
    tmp_path: Path, marking: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "file" / "below"))
    with pytest.warns(RuntimeWarning, match="--allow-programs"):
        assert invoke(*SWEEP, "--panel", marking[0], "--trials=1").code == 0
