"""Texts of the command line become values, and layers of settings one."""

from __future__ import annotations

import pytest

from evolve.errors import OptionsError
from evolve.parsing import (
    are_boundaries,
    laid_over,
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
