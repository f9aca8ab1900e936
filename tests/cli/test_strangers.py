"""Folders that may come from anybody: nothing in them is run, followed or believed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import evolve
from tests.cli import ROOT, done, fails, invoke, snapshot
from tests.cli.test_sweep import ALPHABETA, QUICK

ENGINE = ROOT / "tests" / "agents" / "engine.py"

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell and links")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished sweep of alpha-beta parameters. Look, do not touch."""
    folder = tmp_path_factory.mktemp("strangers") / "swept"
    done(*ALPHABETA, "--jobs=1", "--out", folder)
    return folder


@pytest.fixture
def sweep(swept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(swept, tmp_path / "sweep"))


@pytest.fixture
def marking(tmp_path: Path) -> tuple[str, Path]:
    """A program that plays, and the file that it leaves when it was run."""
    mark, script = tmp_path / "executed", tmp_path / "program"
    script.write_text(f"#!/bin/sh\ntouch {mark}\nexec {sys.executable} {ENGINE} gtp\n")
    script.chmod(0o755)
    return f"gtp:{script}", mark


def another_user(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """From here on be somebody with a data folder of their own."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(folder))


@posix
def test_programs_of_a_stranger_need_leave(
    tmp_path: Path, marking: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, mark = marking
    options = (*QUICK[1:], "--fix=depths=1", "--fix=endgame=0", "--panel", program, "--jobs=1")
    done("sweep", "alphabeta", *options, "--trials=1", "--out", "mine")
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


@posix
def test_a_run_whose_mark_cannot_be_kept_begins(
    tmp_path: Path, marking: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    another_user(monkeypatch, tmp_path / "file" / "below")
    options = (*QUICK[1:], "--fix=depths=1", "--fix=endgame=0", "--panel", marking[0], "--jobs=1")
    with pytest.warns(RuntimeWarning, match="--allow-programs"):
        assert invoke("sweep", "alphabeta", *options, "--trials=1", "--out", "mine").code == 0


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


@pytest.mark.parametrize("place", ["../outside.json", "trials/../../outside.json", "absolute"])
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
    for arguments in (("resume", sweep), ("resume", sweep, "--trials=6")):
        said = fails(*arguments)
        assert repr(place) in said
        assert "trial" in said
    assert (sweep / "champion.json").read_bytes() == champion


@pytest.mark.parametrize(
    "damage",
    [
        ('"op_code":4', '"op_code":99'),
        ('"trial_id":1', '"trial_id":"x"'),
        ('"trial_id":1', '"trial_id":77'),
        ('"seconds"', '"seconds":[1],"y"'),
        ('"user_attr":', '"no":'),
        ("{", "["),
        ('"op_code"', "[" * 3000),
    ],
)
def test_a_journal_that_optuna_would_fall_over_is_told_in_a_line(
    sweep: Path, damage: tuple[str, str]
) -> None:
    journal = sweep / "journal.log"
    text = journal.read_text()
    assert damage[0] in text
    journal.write_text(text.replace(*damage))
    result = invoke("resume", sweep, "--trials=6", "--jobs=1")
    assert "Traceback" not in result.err
    assert result.code == 0 or result.err.startswith("error: "), result
    assert result.err.count("\n") <= 1


def outside(tmp_path: Path, like: Path) -> Path:
    """Something outside that a link leads to: a copy of what it stands in for."""
    place = tmp_path / "outside"
    place.mkdir()
    if like.is_dir():
        shutil.copytree(like, place / like.name)
        (place / like.name / ".writing-precious").write_text("precious")
        (place / like.name / "gen-0009.parquet").write_text("precious")
    elif like.exists():
        shutil.copy(like, place / like.name)
    else:
        (place / like.name).write_text("precious")
    return place / like.name


@posix
@pytest.mark.parametrize(
    "name",
    ["generations", "games", "champion.json", ".lock", "config.toml", "games/playoff.parquet"],
)
def test_links_in_a_run_are_not_followed(copy: Path, tmp_path: Path, name: str) -> None:
    check_link(copy, tmp_path, name, "--generations=5")


@posix
@pytest.mark.parametrize(
    "name", ["trials", "trials.parquet", "journal.log", "final.json", "trials/trial-0005.json"]
)
def test_links_in_a_sweep_are_not_followed(sweep: Path, tmp_path: Path, name: str) -> None:
    check_link(sweep, tmp_path, name, "--trials=6")


def check_link(folder: Path, tmp_path: Path, name: str, more: str) -> None:
    target = outside(tmp_path, folder / name)
    if (folder / name).is_dir():
        shutil.rmtree(folder / name)
    else:
        (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)
    before = snapshot(target.parent)
    for arguments in (("resume", folder), ("resume", folder, more)):
        said = fails(*arguments)
        assert f"{folder / name} is a link" in said
    assert snapshot(target.parent) == before


@posix
def test_a_new_run_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "generations").symlink_to(tmp_path / "elsewhere")
    assert "taken" in fails("run", "--generations=1", "--population=4", "--out", "new")
    assert not any((tmp_path / "elsewhere").iterdir())


@posix
def test_a_run_may_be_named_by_a_link(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(copy)
    done("resume", "link", "--generations=4")
    assert evolve.load_run(copy).generation_count == 4


@posix
def test_a_rating_follows_no_link(tmp_path: Path) -> None:
    arguments = ("rate", "zero", "swh", "--games=2", "--out", "rated")
    done(*arguments)
    target = outside(tmp_path, tmp_path / "rated" / "games")
    shutil.rmtree(tmp_path / "rated" / "games")
    (tmp_path / "rated" / "games").symlink_to(target)
    assert "is a link" in fails(*arguments)
