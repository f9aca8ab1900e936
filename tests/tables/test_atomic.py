"""Files that are replaced whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.tables.atomic import replacing


def test_what_cannot_be_written_is_told_by_its_name(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"No space left.*wanted\.txt"),
        replacing(tmp_path / "wanted.txt"),
    ):
        raise OSError(28, "No space left on device")
    assert not any(tmp_path.iterdir())
