"""Errors: each is ours, and the built-in one that its tree says."""

from __future__ import annotations

import ast
import builtins
import re
from pathlib import Path

import pytest

import evolve
from evolve import errors
from evolve.errors import EvolveError

ALL = {name: found for name, found in vars(errors).items() if isinstance(found, type)}


def test_the_tree_is_whole() -> None:
    assert errors.__doc__ is not None
    drawn = re.findall(r"^ +[│ ]*[├└]── (\w+)", errors.__doc__, re.M)
    assert sorted(drawn) == sorted(ALL.keys() - {"EvolveError"})
    cases = re.findall(r"── (\w+) +\((\w+)\)", errors.__doc__)
    assert not [name for name, base in cases if not issubclass(ALL[name], getattr(builtins, base))]


@pytest.mark.parametrize("name", ALL)
def test_an_error_is_its_text(name: str) -> None:
    """Also those that are an OSError, which makes a number and a text of two arguments."""
    assert issubclass(ALL[name], EvolveError)
    assert str(ALL[name]("one line")) == "one line"


@pytest.mark.slow
def test_errors_say_what_is_not_so_in_plain_english() -> None:
    """Not "x is no move" but "x is not a move"; "there is no move" is well."""
    said = [
        f"{path.name}: {text.value}"
        for path in Path(evolve.__path__[0]).rglob("*.py")
        for raised in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(raised, ast.Raise)
        for text in ast.walk(raised)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
    ]
    assert len(said) > 200
    awkward = re.compile(r"(?<!there )\b(is|are) no (?!longer|better|worse)")
    assert [text for text in said if awkward.search(text)] == []
