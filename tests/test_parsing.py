"""Texts of the command line become values, and layers of settings one."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.errors import OptionsError
from evolve.parsing import (
    are_boundaries,
    laid_over,
    parse_json,
    parse_toml,
    read_document,
    split_integers,
    split_list,
    split_pair,
    split_range,
    split_shares,
)


def test_texts_become_lists_ranges_and_shares() -> None:
    assert split_list(" dense 64  relu, ,dense 1 tanh") == ("dense 64 relu", "dense 1 tanh")
    assert split_integers("3,-4, +5,x") == (3, -4, 5, "x")
    assert split_integers(3) == (3,)
    assert split_range("2:6") == (2, 6)
    assert split_shares("self=0.7,swh?depth=3=0.3") == {"self": "0.7", "swh?depth=3": "0.3"}
    with pytest.raises(ValueError, match="LOW:HIGH"):
        split_range("2-6")
    splits = (split_list, split_integers, split_range, split_shares)
    assert not [split for split in splits if split([1, 2]) != [1, 2]]


def test_a_pair_needs_a_key_and_an_equals_sign() -> None:
    assert split_pair("fix", " depths = 4=5", "NAME=VALUE") == ("depths", "4=5")
    assert split_pair("opponents", "swh?depth=3=0.5", "A=B", last=True) == ("swh?depth=3", "0.5")
    for text in ("depths", "=4"):
        with pytest.raises(OptionsError, match=f"'{text}'"):
            split_pair("fix", text, "NAME=VALUE")


def test_boundaries_ascend_from_5_to_64() -> None:
    assert all(map(are_boundaries, ((), (5,), (5, 20, 64))))
    assert not any(map(are_boundaries, ((4,), (65,), (20, 20), (30, 20))))


def test_later_layers_override_earlier_ones_table_by_table() -> None:
    below, above = {"fix": {"a": 1, "b": 2}, "seed": 1}, {"fix": {"b": 3}, "seed": 2}
    assert laid_over(below, above) == {"fix": {"a": 1, "b": 3}, "seed": 2}
    assert laid_over(below) == below
    assert laid_over() == {}


@pytest.mark.parametrize("text", [str(10**64), str(-(10**64)), "[" * 70 + "]" * 70, b"\xff", "{"])
def test_json_has_bounds(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"^(?!.*sys\.)"):
        parse_json(text)


def test_what_json_and_toml_may_hold() -> None:
    assert parse_json("[" * 60 + "]" * 60) is not None
    assert parse_json(str(10**63)) == 10**63
    assert parse_json(r'{"\ud800": ["a\udfffb", "\ud83d\ude00"]}') == {"?": ["a?b", "\U0001f600"]}
    assert parse_toml(b"a.b.c = 0xff") == {"a": {"b": {"c": 255}}}
    assert parse_toml(b"\xef\xbb\xbfa = 1\r\n") == {"a": 1}
    for text in ("Infinity", "[1e400]", r'"\ud800"'):
        parse_json(text)
        with pytest.raises(ValueError, match=r"JSON|character"):
            parse_json(text, strict=True)
    assert parse_json(r'["\ud83d\ude00", 1.5]', strict=True) == ["\U0001f600", 1.5]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"\\u0061": 1, "a": 2}}]'])
def test_no_key_comes_twice(text: str, strict: bool) -> None:
    with pytest.raises(ValueError, match="'a'"):
        parse_json(text, strict=strict)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"x = 1979-05-27", "date or a time"),
        (b"x = [07:32:00]", "date or a time"),
        (b"x = 0x" + b"f" * 60, "more than 64 digits"),
        (b"x = " + b"[" * 70 + b"]" * 70, "nested more than 64 deep"),
        (b"x = \xff", "utf-8"),
        (b"x = 1\nx = 2", "overwrite"),
    ],
)
def test_toml_that_is_none_for_us(text: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parse_toml(text)
    assert "\n" not in str(caught.value)


def test_documents_have_a_largest_size(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b" " * (16 << 20))
    assert len(read_document(tmp_path / "x")) == 16 << 20
    (tmp_path / "x").write_bytes(b" " * ((16 << 20) + 1))
    with pytest.raises(ValueError, match="MiB"):
        read_document(tmp_path / "x")
    with pytest.raises(FileNotFoundError):
        read_document(tmp_path / "none")
