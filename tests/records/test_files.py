"""Record files as bytes and text, with errors that say where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evolve.errors import RecordError
from evolve.records.files import read_bytes, read_text


def test_text_is_read_with_or_without_its_mark(tmp_path: Path) -> None:
    for name, encoding in (("plain", "utf-8"), ("marked", "utf-8-sig")):
        (tmp_path / name).write_text("f5 – é", encoding=encoding)
        assert read_text(tmp_path / name, "a GGF file") == "f5 – é"


def test_what_is_no_text_says_where(tmp_path: Path) -> None:
    path = tmp_path / "x.ggf"
    path.write_bytes(b"f5\xff")
    assert read_bytes(path) == b"f5\xff"
    with pytest.raises(RecordError, match=r"x\.ggf is not a GGF file: byte 2 is not text"):
        read_text(path, "a GGF file")


@pytest.mark.parametrize("name", ["none", "."])
def test_what_cannot_be_read_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match=re.escape(str(tmp_path / name))):
        read_bytes(tmp_path / name)
