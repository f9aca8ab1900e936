"""What this user agreed to in a folder, and nobody else."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from evolve.runs.agreements import agree, disagree, not_agreed


def test_the_list_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "new" / "data"))
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
    assert not (tmp_path / "new").exists()
    agree(folder, ["gtp:x", "gtp:y"])
    assert not_agreed(folder, ["gtp:y", "gtp:z", "gtp:x"]) == ["gtp:z"]
    (entry,) = (tmp_path / "new" / "data" / "agreed").iterdir()
    if sys.platform != "win32":
        assert (entry.stat().st_mode & 0o777, entry.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        entry.chmod(0o666)  # others may have written it
        assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
        entry.chmod(0o600)
        entry.parent.chmod(0o777)
        assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
        with pytest.raises(PermissionError, match="users"):
            agree(folder, ["gtp:x"])
        entry.parent.chmod(0o700)
    assert not_agreed(folder, ["gtp:x"]) == []
    disagree(folder)
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
    assert [*folder.iterdir(), *entry.parent.iterdir()] == []


def test_an_agreement_is_for_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a folder names may be looked up beside it, so that a copy is another thing."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    folder, copy = tmp_path / "run", tmp_path / "copy"
    folder.mkdir()
    agree(folder, ["gtp:x"])
    shutil.copytree(folder, copy)
    assert not_agreed(folder, ["gtp:x"]) == []
    assert not_agreed(copy, ["gtp:x"]) == ["gtp:x"]
    (tmp_path / "link").symlink_to(folder)
    assert not_agreed(tmp_path / "link", ["gtp:x"]) == []
    agree(folder, ["gtp:y"])
    assert not_agreed(folder, ["gtp:x", "gtp:y"]) == ["gtp:x"]


@pytest.mark.parametrize("nonce", [None, "", "0" * 32])
def test_a_foreign_folder_at_the_same_path_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonce: str | None
) -> None:
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "run"
    folder.mkdir()
    agree(folder, ["gtp:x"])
    shutil.rmtree(folder)
    folder.mkdir()
    if nonce is not None:
        (folder / ".agreed").write_text(nonce)
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]


def test_an_agreement_of_another_user_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for user in ("one", "other"):
        monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / user))
        found.append(not_agreed(tmp_path, ["gtp:x"]))
        agree(tmp_path, ["gtp:x"])
    assert found == [["gtp:x"]] * 2
