"""Journals of studies."""

from __future__ import annotations

import json
from pathlib import Path

import optuna
import pytest

from evolve.errors import StorageError
from evolve.sweeps.storage import JournalStorage
from tests.sweeps import local, run_one, states


def test_other_programs_open_the_same_journal(tmp_path: Path) -> None:
    run_one(local(tmp_path), 0.5)
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    study = optuna.load_study(study_name="sweep", storage=optuna.storages.JournalStorage(backend))
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
        JournalStorage(path)
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
