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
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

EXPECTED = {"raises", "warns", "deprecated_call"}


class Proof(NamedTuple):
    """What the tests of one room assert, and how many of them there are."""

    assertions: int
    things: int


def sources(revision: str | None) -> Iterator[tuple[str, str]]:
    """Each module of the tests with its text, in the working tree or at a revision."""
    if revision is None:
        for path in sorted(Path("tests").rglob("*.py")):
            yield str(path), path.read_text(encoding="utf-8")
        return
    listed = _git("ls-tree", "-r", "--name-only", revision, "tests")
    for name in listed.splitlines():
        if name.endswith(".py"):
            yield name, _git("show", f"{revision}:{name}")


def count(modules: list[tuple[str, str]]) -> dict[str, Proof]:
    """The proof of each room."""
    trees = [(name, ast.parse(text)) for name, text in modules]
    helpers = {
        node.name
        for _, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("test")
        and any(_is_assertion(inner) for inner in ast.walk(node))
    }
    assertions: Counter[str] = Counter()
    things: Counter[str] = Counter()
    for name, tree in trees:
        room = Path(name).parts[1] if len(Path(name).parts) > 2 else "(top)"
        for node in ast.walk(tree):
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


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def main(revisions: list[str]) -> None:
    """Print the table, with its sum."""
    wanted: list[str | None] = list(revisions) or [None]
    if len(wanted) == 1 and wanted[0] is not None:
        wanted.append(None)
    counted = [count(list(sources(revision))) for revision in wanted]
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
