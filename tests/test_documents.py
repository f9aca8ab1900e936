"""JSON and TOML of others: what would break a reader is an error of one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.documents import parse_json, parse_toml, read_document


def test_documents_have_bounds(tmp_path: Path) -> None:
    assert parse_json("[" * 60 + "]" * 60) is not None
    assert parse_json(str(10**63)) == 10**63
    assert parse_json(r'{"\ud800": ["a\udfffb", "\ud83d\ude00"]}') == {"?": ["a?b", "\U0001f600"]}
    assert parse_toml(b"a.b.c = 0xff") == {"a": {"b": {"c": 255}}}
    for text in (str(10**64), str(-(10**64)), "[" * 70 + "]" * 70, b"\xff", "{"):
        with pytest.raises(ValueError, match=r".") as told:
            parse_json(text)
        assert "sys." not in str(told.value)
    (tmp_path / "large").write_bytes(b" " * ((16 << 20) + 1))
    with pytest.raises(ValueError, match="16 MiB"):
        read_document(tmp_path / "large")
