"""Record files as bytes and text: the encodings that are met, packed or not, and no text."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path

import pytest

from evolve.errors import RecordError
from evolve.records.packing import ending_of, packed, read_bytes, text_of, unpacked

TEXT = "(;PB[Poül]) f5d6\n"


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"],
)
def test_text_in_the_encodings_that_people_have(encoding: str) -> None:
    assert text_of(TEXT.encode(encoding)) == TEXT
    assert text_of(b"\xfe\xff" + TEXT.encode("utf-16-be")) == TEXT


def test_dos_ended_texts_with_a_sign() -> None:
    assert text_of(b"f5d6\r\n\x1a") == "f5d6\r\n"
    assert text_of(b"") == ""


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"f5\x00", 2), ("é".encode() + b"\x01", 2), (b"\xe9\x07", 1), (b"\xff\xfe\x03\x00", 2)],
)
def test_what_is_no_text_says_where(data: bytes, place: int) -> None:
    with pytest.raises(RecordError, match=rf"this is not text: byte {place} "):
        text_of(data)


def test_half_a_character_of_utf_16() -> None:
    with pytest.raises(RecordError, match="not text in UTF-16-LE: byte 4"):
        text_of(b"\xff\xfef\x00\x00")


@pytest.mark.parametrize("name", ["none", ".", "none.gz"])
def test_what_cannot_be_read_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match=re.escape(str(tmp_path / name))):
        read_bytes(tmp_path / name)


@pytest.mark.parametrize("name", ["g.ggf.gz", "G.GGF.BZ2", "g.b.ggf.gz", "g.ggf"])
def test_packed_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(packed(b"games" * 999, path))
    assert ending_of(path) == ".ggf"
    assert read_bytes(path) == b"games" * 999
    assert (len(path.read_bytes()) < 999) == (name != "g.ggf")


def test_packed_files_that_are_damaged_or_too_large(tmp_path: Path) -> None:
    for name, data in (
        ("a.ggf.gz", b"plain"), ("b.ggf.gz", gzip.compress(b"x" * 99)[:-9]), ("c.ggf.bz2", b"BZh"),
        ("d.ggf.bz2", bz2.compress(b"x" * 99)[:-9]), ("e.gz", b"\x1f\x8b\x08\x00" + b"\xff" * 30),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RecordError, match=rf"{name} cannot be unpacked as \.") as caught:
            read_bytes(tmp_path / name)
        assert "\n" not in str(caught.value)
    for name, data in (
        ("x.gz", gzip.compress(bytes(5 << 20))),
        ("x.bz2", bz2.compress(bytes(5 << 20))),
    ):
        assert len(unpacked(data, Path(name), limit=5 << 20)) == 5 << 20
        with pytest.raises(RecordError, match=rf"{name} has more than 4 MiB once it is unpacked"):
            unpacked(data, Path(name), limit=4 << 20)
