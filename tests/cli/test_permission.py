"""What a stranger's folder would start on this machine: nothing, without leave."""

from __future__ import annotations

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
    snapshot,
)

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
    for fix in (f'opponents = "swh=1,{program}=2"', f'"{program}" = 1', f'x = [["{program}"]]'):
        config.write_text(text.replace("[fix]\n", f"[fix]\n{fix}\n"))
        assert "--allow-programs" in fails("resume", sweep, "--trials=9")
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
