"""What do the tests prove, room by room, and how much of it is left after a change?

    python -m benchmarks.assertions              the tests as they stand
    python -m benchmarks.assertions REV          at a revision, and as they stand
    python -m benchmarks.assertions REV REV      at both, side by side

A room is a folder of tests/. `assertions` counts `assert` statements, expected exceptions and
warnings (`pytest.raises`, `pytest.warns`), and calls of helpers that assert by themselves
(functions of the tests whose own body does). `things` are test functions, each of which proves one;
parameters of a test make no further thing. Nothing is run: the sources are read as text.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.size import modules, tree

EXPECTED = {"raises", "warns", "deprecated_call"}


class Proof(NamedTuple):
    """What the tests of one room assert, and how many of them there are."""

    assertions: int
    things: int


def count(root: Path) -> dict[str, Proof]:
    """The proof of each folder of a tree's tests."""
    trees = [(path, ast.parse(text)) for path, text in modules(root, "tests").items()]
    helpers = {
        node.name
        for _, module in trees
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("test")
        and any(_is_assertion(inner) for inner in ast.walk(node))
    }
    assertions: Counter[str] = Counter()
    things: Counter[str] = Counter()
    for path, module in trees:
        room = path.parts[1] if len(path.parts) > 2 else "(top)"
        for node in ast.walk(module):
            assertions[room] += _is_assertion(node) or _calls(node, helpers)
            things[room] += isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef
            ) and node.name.startswith("test")
    return {room: Proof(assertions[room], things[room]) for room in sorted(assertions)}


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or _calls(node, EXPECTED)


def _calls(node: ast.AST, names: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
    return name in names


def main(revisions: list[str]) -> None:
    """Print the table, with its sum."""
    wanted: list[str | None] = list(revisions) or [None]
    if len(wanted) == 1 and wanted[0] is not None:
        wanted.append(None)
    counted = []
    for revision in wanted:
        with tree(revision) as root:
            counted.append(count(root))
    print("| room |" + "".join(f" assertions {r or 'now'} | things |" for r in wanted))
    print("|---|" + "---|---|" * len(wanted))
    rooms = sorted(set().union(*counted))
    nothing = Proof(0, 0)
    for room in rooms:
        cells = [one.get(room, nothing) for one in counted]
        print(f"| {room} |" + "".join(f" {c.assertions} | {c.things} |" for c in cells))
    sums = [Proof(*map(sum, zip(*one.values(), strict=True))) for one in counted]
    print("| all |" + "".join(f" {c.assertions} | {c.things} |" for c in sums))


if __name__ == "__main__":
    main(sys.argv[1:])
