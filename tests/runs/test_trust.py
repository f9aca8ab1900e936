"""Who started a run: marks that only this user can have made."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from evolve.runs.run_folder import agree, not_agreed


def test_the_secret_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "new" / "data"))
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
    assert not (tmp_path / "new").exists()
    agree(folder, ["gtp:x", "gtp:y"])
    assert not_agreed(folder, ["gtp:y", "gtp:z", "gtp:x"]) == ["gtp:z"]
    secret = tmp_path / "new" / "data" / "key"
    assert len(secret.read_bytes()) == 32
    if sys.platform != "win32":
        assert (secret.stat().st_mode & 0o777, secret.parent.stat().st_mode & 0o777) == (
            0o600,
            0o700,
        )
        secret.chmod(0o666)  # others may have written it
        assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
        with pytest.raises(PermissionError, match="other users can write"):
            agree(folder, ["gtp:x"])


def test_a_mark_goes_for_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_mark_of_another_user_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user in ("one", "other"):
        monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / user))
        assert not_agreed(tmp_path, ["gtp:x"]) == ["gtp:x"]
        agree(tmp_path, ["gtp:x"])
