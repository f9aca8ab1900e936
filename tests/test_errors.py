"""Errors: each is ours, and the built-in one that its tree says."""

from __future__ import annotations

import builtins
import re

import pytest

from evolve import errors
from evolve.errors import EvolveError

ALL = {name: found for name, found in vars(errors).items() if isinstance(found, type)}


def test_the_tree_is_whole() -> None:
    assert errors.__doc__ is not None
    drawn = re.findall(r"^ +[│ ]*[├└]── (\w+)", errors.__doc__, re.M)
    assert sorted(drawn) == sorted(ALL.keys() - {"EvolveError"})
    for name, base in re.findall(r"── (\w+) +\((\w+)\)", errors.__doc__):
        assert issubclass(ALL[name], getattr(builtins, base)), name


@pytest.mark.parametrize("name", ALL)
def test_an_error_is_its_text(name: str) -> None:
    """Also those that are an OSError, which makes a number and a text of two arguments."""
    assert issubclass(ALL[name], EvolveError)
    assert str(ALL[name]("one line")) == "one line"
