"""Storages: journals, databases, and writers that may be gone."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from pathlib import Path

import optuna
import pytest

from evolve.errors import SettingsError, StorageError
from evolve.sweeps import storage
from evolve.sweeps.storage import open_database, without_password
from evolve.sweeps.trials import TrialResult
from tests.sweeps import local, run_one, shared, states, take
from tests.waits import PATIENCE


def test_other_programs_open_the_same_journal(tmp_path: Path) -> None:
    run_one(local(tmp_path), 0.5)
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    study = optuna.load_study(study_name="s", storage=optuna.storages.JournalStorage(backend))
    assert study.best_value == 0.5
    study.set_user_attr("note", "from the dashboard")
    assert local(tmp_path).study.user_attrs["note"] == "from the dashboard"


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
