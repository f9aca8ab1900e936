"""Folders that may come from anybody: nothing in them is run without leave, or followed."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import evolve
from tests.cli import (
    ALPHABETA,
    QUICK_SWEEP,
    ROOT,
    another_user,
    done,
    fails,
    invoke,
    posix,
    program,
    snapshot,
)


@pytest.mark.parametrize(
    "place", [pytest.param("trials/../../outside.json", marks=pytest.mark.slow), "absolute"]
)
def test_agents_of_a_journal_stay_inside(sweep: Path, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside.json"
    evolve.load_agent("swh").save(outside)  # type: ignore[union-attr]
    place = str(outside) if place == "absolute" else place
    champion = (sweep / "champion.json").read_bytes()
    journal = sweep / "journal.log"
    text = journal.read_text()
    for number in range(5):
        text = text.replace(f"trials/trial-{number:04d}.json", place)
    journal.write_text(text)
    (sweep / "final.json").unlink()
    said = [fails("resume", sweep, *more) for more in ((), ("--trials=6",))]
    assert not [line for line in said if repr(place) not in line or "trial" not in line]
    assert (sweep / "champion.json").read_bytes() == champion


def outside(tmp_path: Path, like: Path) -> Path:
    """Something outside that a link leads to: a copy of what it stands in for."""
    place = tmp_path / "outside" / like.name
    place.parent.mkdir()
    if like.is_dir():
        shutil.copytree(like, place)
        (place / ".writing-precious").write_text("precious")
    else:
        shutil.copy(like, place)
    return place


MARK = "stolen"


GENERATION = "generations/gen-0001.parquet"


def link_in(folder: Path, tmp_path: Path, name: str) -> Path:
    """Let something in a folder be a link to a copy of it, all of whose text says so."""
    target = outside(tmp_path, folder / name)
    if target.suffix in (".json", ".toml"):
        text = target.read_text().replace('"name": "', f'"name": "{MARK}-')
        target.write_text(text.replace("standard", MARK))
    if (folder / name).is_dir():
        shutil.rmtree(folder / name)
    else:
        (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)
    return target


@posix
def test_readers_follow_no_link(copy: Path, first: Path, tmp_path: Path) -> None:
    (tmp_path / "first").symlink_to(first)  # what its user names may be one
    (copy / "champion.json").unlink()
    (copy / "champion.json").symlink_to(first / "champion.json")
    link_in(copy, tmp_path, GENERATION)
    looks = (
        ("show", "copy", "--table=individuals"),
        ("show", "copy", "--table=games", "-o", "games.csv"),
        ("export", "copy", "--to=python", "-o", "agent.py"),
        ("plot", "copy", "-o", "plot.png"),
        ("compare", "first", "copy"),
        ("lineage", "copy", "0-1"),
        ("replay", "copy", "1:0"),
        ("match", "copy", "swh", "--games=2"),
        ("rate", "copy", "swh", "random", "--games=2"),
        ("resume", "copy", "--generations=9"),
    )
    told = [fails(*arguments) for arguments in looks]
    assert not [one for one in told if not re.search(f"copy/(champion.json|{GENERATION}) ", one)]
    left = {path.name for path in tmp_path.iterdir()} - {"data"}
    assert left == {"copy", "first", "outside"}, "nothing is made"


@posix
@pytest.mark.parametrize("name", ["config.toml", "generations/gen-0002.parquet", ""])
def test_a_run_with_a_link_is_a_line_in_the_list(
    copy: Path, first: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "all").mkdir()
    shutil.copytree(first, tmp_path / "all" / "fine")
    shutil.copytree(copy, tmp_path / "all" / "odd")
    target = copy
    if name:
        target = link_in(tmp_path / "all" / "odd", tmp_path, name)
    else:
        shutil.rmtree(tmp_path / "all" / "odd")
        (tmp_path / "all" / "odd").symlink_to(copy)
    rows = {Path(row["run"]).name: row for row in done("runs", "all", "--json").document}
    assert rows["fine"]["state"] == "done"
    assert f"{target}" in rows["odd"]["state"]
    assert MARK not in done("runs", "all").out


@posix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target"), [("config.toml", "pipe"), ("games/gen-0001.parquet", "/dev/zero")]
)
def test_real_programs_wait_for_no_pipe_and_no_device(
    copy: Path, tmp_path: Path, name: str, target: str
) -> None:
    (copy / name).unlink()
    if target == "pipe":
        os.mkfifo(copy / name)
    else:
        (copy / name).symlink_to(target)
    ended = [program(tmp_path, word, "copy", real=True) for word in ("show", "resume")]
    assert [(one.code, one.err.count("\n")) for one in ended] == [(1, 1)] * 2
    ended.append(program(tmp_path, "runs", ".", "--json", real=True))
    assert not [one for one in ended if f"copy/{name}" not in one.err + one.out]


@posix
def test_what_the_user_names_may_be_a_link(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first, tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "agent.json").symlink_to("real/champion.json")
    (tmp_path / "config.toml").symlink_to("real/config.toml")
    (tmp_path / "out.csv").symlink_to("there.csv")
    (tmp_path / "runs").symlink_to(".")
    done("show", "link", "-o", "out.csv")
    assert (tmp_path / "there.csv").exists()
    done("show", "agent.json")
    done("match", "link", "agent.json", "--games=2")
    done("resume", "link")
    assert [row["run"] for row in done("runs", "--json").document if "preset" in row] == [
        "runs/real"
    ]


@posix
def test_a_new_run_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "generations").symlink_to(tmp_path / "elsewhere")
    assert "taken" in fails("run", "--generations=1", "--population=4", "--out", "new")
    assert not any((tmp_path / "elsewhere").iterdir())


@posix
def test_a_rating_follows_no_link(tmp_path: Path) -> None:
    arguments = ("rate", "zero", "swh", "--games=2", "--out", "rated")
    done(*arguments)
    target = outside(tmp_path, tmp_path / "rated" / "games")
    shutil.rmtree(tmp_path / "rated" / "games")
    (tmp_path / "rated" / "games").symlink_to(target)
    assert "link" in fails(*arguments)


OPTIONS = (
    *QUICK_SWEEP[1:], "--fix=depths=1", "--fix=endgame=0", "--panel-openings=2",
    "--final-openings=2", "--jobs=1",
)  # fmt: skip
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
    done("sweep", "alphabeta", *OPTIONS, "--panel", program, "--trials=1", "--out", "mine")
    assert mark.exists()
    # Mine, where I started it: nothing is asked.
    done("resume", "mine", "--trials=2")
    # Theirs: what it names is not run, and nothing is changed.
    mine = tmp_path / "data"
    another_user(monkeypatch, tmp_path / "other")
    mark.unlink()
    before = snapshot(tmp_path / "mine")
    said = fails("resume", "mine", "--trials=3")
    assert program in said
    assert "--allow-programs" in said
    assert "config.toml" in said
    assert (mark.exists(), snapshot(tmp_path / "mine")) == (False, before)
    # With leave it goes on, and leave is given once.
    done("resume", "mine", "--trials=3", "--allow-programs")
    assert mark.exists()
    done("resume", "mine", "--trials=4")
    assert len(evolve.load_run("mine").trials) == 4
    # The mark is of one user, one place and these very programs.
    another_user(monkeypatch, mine)
    assert "--allow-programs" in fails("resume", "mine", "--trials=5")
    another_user(monkeypatch, tmp_path / "other")
    (tmp_path / "mine").rename(tmp_path / "moved")
    assert "--allow-programs" in fails("resume", "moved", "--trials=5")
    (tmp_path / "moved").rename(tmp_path / "mine")
    config = tmp_path / "mine/config.toml"
    config.write_text(config.read_text().replace(program, f"{program} -v"))
    mark.unlink()
    assert f"{program} -v" in fails("resume", "mine", "--trials=5")
    assert not mark.exists()


@posix
def test_a_program_hidden_in_any_setting_is_found(sweep: Path, marking: tuple[str, Path]) -> None:
    program, mark = marking
    config = sweep / "config.toml"
    text = config.read_text()
    said = []
    for fix in (f'opponents = "swh=1,{program}=2"', f'"{program}" = 1', f'x = [["{program}"]]'):
        config.write_text(text.replace("[fix]\n", f"[fix]\n{fix}\n"))
        said.append(fails("resume", sweep, "--trials=9"))
    assert ["--allow-programs" in line for line in said] == [True] * 3
    assert not mark.exists()


@pytest.mark.slow
@posix
def test_a_run_whose_mark_cannot_be_kept_begins(
    tmp_path: Path, marking: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    another_user(monkeypatch, tmp_path / "file" / "below")
    words = (*OPTIONS, "--panel", marking[0], "--trials=1")
    with pytest.warns(RuntimeWarning, match="--allow-programs"):
        assert invoke("sweep", "alphabeta", *words, "--out", "mine").code == 0


@pytest.mark.slow
def test_a_storage_of_a_stranger_needs_to_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    few = ("--fix=weights=10", "--fix=terms=mobility", "--trials=1", "--jobs=1")
    done(*ALPHABETA[:-1], *few, "--storage", url, "--out", "mine")
    assert "finished" in done("resume", "mine").out
    another_user(monkeypatch, tmp_path / "other")
    (tmp_path / "study.db").rename(tmp_path / "away.db")
    assert f"--storage {url}" in fails("resume", "mine")
    assert not (tmp_path / "study.db").exists()
    (tmp_path / "away.db").rename(tmp_path / "study.db")
    assert "finished" in done("resume", "mine", "--storage", url).out
    assert "finished" in done("resume", "mine").out
