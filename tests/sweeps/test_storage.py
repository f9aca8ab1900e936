"""Storages: journals, databases, and writers that may be gone."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import optuna
import pytest

import evolve
from evolve.errors import SettingsError, StorageError
from evolve.runs.life_cycle import without_password
from evolve.sweeps import storage
from evolve.sweeps.storage import open_database, open_journal
from evolve.sweeps.trials import TrialResult
from tests.cli import done, finish, spawn, wait_until
from tests.sweeps import local, run_one, shared, states, take
from tests.waits import PATIENCE


def test_other_programs_open_the_same_journal(tmp_path: Path) -> None:
    run_one(local(tmp_path), 0.5)
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    study = optuna.load_study(study_name="s", storage=optuna.storages.JournalStorage(backend))
    assert study.best_value == 0.5
    study.set_user_attr("note", "from the dashboard")
    assert local(tmp_path).study.user_attrs["note"] == "from the dashboard"


@pytest.mark.parametrize("content", [bytes(9), b"notes\nof mine", b"\n{}\n"])
def test_a_file_that_is_no_journal_is_refused_and_left_as_it_is(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "journal.log"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"journal\.log"):
        open_journal(path)
    assert path.read_bytes() == content


def test_a_line_half_written_is_cut_off(tmp_path: Path) -> None:
    study = local(tmp_path)
    run_one(study, 0.5)
    journal = tmp_path / "journal.log"
    before = journal.read_bytes()
    journal.write_bytes(before + b'{"op_code":4,"worker')
    again = local(tmp_path)
    after = journal.read_bytes()
    assert after.startswith(before)
    assert all(isinstance(json.loads(line), dict) for line in after.splitlines())
    run_one(again, 0.6)
    assert states(local(tmp_path)) == {"COMPLETE": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "error", "words"),
    [
        ("postgresql://user:secret@127.0.0.1:1/x", StorageError, "does not answer"),
        ("sqlite:////no/such/folder/x.db", StorageError, "unable to open"),
        ("redis://127.0.0.1", SettingsError, "is not a URL of a database"),
        ("nonsense", SettingsError, "is not a URL of a database"),
        ("postgresql+nodriver://x/y", SettingsError, "nodriver"),
    ],
)
def test_storages_that_do_not_answer(url: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        open_database(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("broken", ["postgresql:/u:secret@h/db", "postgresql://u:secret@h:abc/db"])
def test_passwords_of_broken_addresses_are_not_shown(broken: str) -> None:
    assert "secret" not in without_password(broken)
    with pytest.raises(SettingsError) as caught:
        open_database(broken)
    assert "secret" not in str(caught.value)


def test_passwords_are_not_shown() -> None:
    shown = without_password("postgresql://user:secret@host:5/db")
    assert shown == "postgresql://user@host:5/db"
    assert without_password("nonsense") == "nonsense"
    shown = without_password("postgresql://u@h/db?password=secret&sslpassword=secret&sslmode=x")
    assert shown == "postgresql://u@h/db?sslmode=x"


def test_a_database_that_goes_down_in_between(tmp_path: Path) -> None:
    study = shared(tmp_path)
    taken = take(study)
    with contextlib.closing(sqlite3.connect(tmp_path / "study.db")) as database:
        database.execute("DROP TABLE trial_values")
        database.execute("DROP TABLE trial_user_attributes")
    with pytest.raises(StorageError, match="answer"), storage.storage_errors("x"):
        study.end(taken.number, TrialResult.complete(0.5, 0.1, "x"))
    assert os.path.exists(tmp_path / "study.db")


def test_the_heart_beats_through_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "BEAT", 0.01)
    seen: list[int] = []
    enough = threading.Event()

    def beat(count: int) -> None:
        seen.append(count)
        if count == 2:
            raise StorageError("down for a moment")
        if count == 4:
            enough.set()

    with storage.beating(beat):
        assert enough.wait(PATIENCE)
    assert seen[:5] == [0, 1, 2, 3, 4]


OPTIONS = (
    "sweep",
    "alphabeta",
    "--panel=random,positional?depth=5",
    "--panel-openings=24",
    "--final-openings=4",
    "--startup=2",
    "--fix=depths=1",
    "--fix=endgame=0",
    "--fix=weights=100,-25,10,5,-25,1,1,5,2,1",
    *(f"--fix={gene}=0" for gene in ("mobility", "stability", "x_squares", "c_squares")),
    "--jobs=1",
    "--study=shared",
)


def binaries() -> Path | None:
    """Where the server's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database on loopback, made for these tests."""
    pytest.importorskip("psycopg", reason="needs psycopg")
    found = binaries()
    if found is None:
        pytest.skip("needs PostgreSQL's initdb, of Debian's package postgresql")
    folder = tmp_path_factory.mktemp("postgres")
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        if shutil.which("runuser") is None or "\npostgres:" not in Path("/etc/passwd").read_text():
            pytest.skip("needs a user postgres to run the server, which refuses root")
        as_user = ["runuser", "-u", "postgres", "--"]
        folder = Path("/tmp") / f"evolve-postgres-{os.getpid()}"
        folder.mkdir()
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    control = [*as_user, str(found / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
    where = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
    quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL}
    try:
        initdb = [*as_user, str(found / "initdb"), "-D", str(data), "-A", "trust", "-U", "evolve"]
        subprocess.run(initdb, **quiet)  # type: ignore[call-overload]
        subprocess.run([*control, "-o", where, "start"], **quiet)  # type: ignore[call-overload]
        yield f"postgresql://evolve@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def finished(folder: Path) -> int:
    if not (folder / "trials.parquet").exists():
        return 0
    return int(evolve.load_run(folder).trials["state"].isin(["COMPLETE", "PRUNED"]).sum())


@pytest.mark.slow
def test_two_join_one_is_killed_and_the_number_is_exact(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = (*OPTIONS, f"--storage={server}", "--trials=16")
    one = spawn(tmp_path, *options, "--out=one")
    wait_until(lambda: finished(Path("one")) >= 1, one)
    two = spawn(tmp_path, *options, "--out=two")
    wait_until(lambda: finished(Path("two")) >= 3, two)
    one.kill()
    finish(one)
    result = finish(two)
    assert result.code == 0, result
    done("resume", "one", "--jobs", 1)  # nothing is left but its final
    for folder in ("one", "two"):
        trials = evolve.load_run(folder).trials
        assert finished(Path(folder)) == 16
        assert set(trials["state"]) <= {"COMPLETE", "PRUNED", "FAIL"}
        assert trials["number"].tolist() == list(range(len(trials)))
        assert trials["worker"].str.rpartition("/")[0].nunique() == 2
        assert isinstance(evolve.load_agent(folder), evolve.AlphaBetaAgent)
    # What one had made is there for the other's final, and both come to the same champion.
    trials = evolve.load_run("two").trials
    best = trials[trials["state"] == "COMPLETE"].sort_values("score", ascending=False)
    assert (Path("two") / best["agent"].iloc[0]).exists()
    assert (Path("one") / best["agent"].iloc[0]).exists()
    assert evolve.load_agent("one").name == evolve.load_agent("two").name
