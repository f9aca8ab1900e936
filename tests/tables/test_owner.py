"""Who started a run: marks that only this user can have made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evolve.tables.owner import agree, not_agreed


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
