"""A run's folder for its writer: made, locked and swept, and never through links."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.runs import run_folder
from evolve.runs.run import load_run
from evolve.service.folders import Folders
from evolve.tables.parquet import read_table
from evolve.tables.paths import games_file, generation_file, playoff_file
from tests.cli import snapshot

if sys.platform != "win32":
    import fcntl

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links")


@posix
def test_a_link_is_thrown_away_without_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "kept" / "sub").mkdir(parents=True)
    (tmp_path / "kept" / "sub" / "file").write_text("precious")
    before = snapshot(tmp_path / "kept")
    (tmp_path / "link").symlink_to("kept")
    run_folder.discard(tmp_path / "link", made=True)
    assert not os.path.lexists(tmp_path / "link")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "generations").symlink_to(tmp_path / "kept" / "sub")
    run_folder.discard(tmp_path / "run", made=True)
    assert not (tmp_path / "run").exists()
    assert snapshot(tmp_path / "kept") == before


@pytest.mark.skipif(sys.platform == "win32", reason="its locks are others")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL])
def test_a_disk_without_locks(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a file that another kind of lock left."""

    def unable(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", unable)
    for _ in range(2):
        with pytest.raises(RunError, match=r"\.lock") as caught:
            run_folder.locked(tmp_path).__enter__()
        assert str(tmp_path) in str(caught.value)
        (tmp_path / ".lock").touch()
        assert not run_folder.is_locked(tmp_path)
    with pytest.raises(RunError, match="files"):
        Folders(tmp_path).claim()


def test_looking_at_the_lock_hinders_no_writer(tmp_path: Path) -> None:
    end = threading.Event()

    def look() -> None:
        while not end.is_set():
            run_folder.is_locked(tmp_path)

    with ThreadPoolExecutor() as pool:
        looking = pool.submit(look)
        try:
            for _ in range(50):
                with run_folder.locked(tmp_path):
                    pass
        finally:
            end.set()
        looking.result()


def test_new_runs_are_numbered_each_for_one_caller(tmp_path: Path) -> None:
    parent = tmp_path / "runs"
    run_folder.claim(parent, "reversed")
    (parent / "reversed-002").write_text("")
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: run_folder.claim(parent, "reversed").name, range(4)))
    assert sorted(made) == [f"reversed-00{number}" for number in (3, 4, 5, 6)]


def test_a_run_is_made_where_nothing_of_anyone_is(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run_folder.check_new(folder)
    folder.mkdir()
    # What a run leaves that was killed before its config.toml.
    (folder / "games").mkdir()
    (folder / ".lock").touch()
    (folder / ".writing-x").touch()
    run_folder.create(folder, "seed = 1\n")
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock", "config.toml", "games", "generations",
    ]  # fmt: skip
    with pytest.raises(RunError, match="taken;"):
        run_folder.check_new(folder)


@pytest.mark.parametrize("name", ["notes.txt", "games/mine", "sub/file"])
def test_what_is_somebodys_is_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(RunError, match=r"taken$"):
        run_folder.create(tmp_path, "seed = 1\n")
    assert (tmp_path / name).read_text() == "mine"


def test_a_requested_one_needs_a_folder_to_lie_in(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert run_folder.claimed(runs, "standard", None) == (runs / "standard-001", True)
    requested = tmp_path / "mine"
    assert run_folder.claimed(runs, "standard", str(requested)) == (requested, True)
    assert run_folder.claimed(runs, "standard", str(requested)) == (requested, False)
    with pytest.raises(RunError, match="folder"):
        run_folder.claimed(runs, "standard", str(tmp_path / "missing" / "mine"))


@pytest.mark.skipif(sys.platform == "win32", reason="its locks are not shared")
def test_a_look_is_no_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / ".lock"
    with run_folder.locked(tmp_path):
        assert run_folder.is_locked(tmp_path)
    with lock.open("rb") as looked_at:
        fcntl.flock(looked_at, fcntl.LOCK_SH)
        assert not run_folder.is_locked(tmp_path)
    lock.unlink()
    monkeypatch.setattr(Path, "is_file", lambda path: True)  # it was there an instant ago
    assert not run_folder.is_locked(tmp_path)
    assert not lock.exists()


def test_games_without_their_generation_are_swept(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "run"))
    before = snapshot(folder)
    games, individuals = games_file(folder, 1), generation_file(folder, 1)
    shutil.copy(games, games_file(folder, 2))
    (folder / "generations" / ".writing-x").touch()
    run_folder.sweep_orphans(folder)
    assert snapshot(folder) == before
    individuals.unlink()
    run_folder.sweep_orphans(folder)
    assert not games.exists()
    assert playoff_file(folder).exists()


def test_the_games_of_a_generation_are_there_before_it_is(made: Path, tmp_path: Path) -> None:
    """A kill between the two leaves a generation that never was."""
    individuals, games = load_run(made).individuals_table(0), load_run(made).games_table(0)
    (tmp_path / "games").mkdir()
    with pytest.raises(OSError, match="gen-0000"):  # there is no folder of generations
        run_folder.commit_generation(tmp_path, 0, individuals, games)
    assert read_table(games_file(tmp_path, 0)).equals(games)
