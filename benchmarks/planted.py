"""Do the tests find a fault? One is planted in each of sixty modules, and those of its area run.

    python -m benchmarks.planted                        all sixty
    python -m benchmarks.planted --only PACKAGE ...     those of these packages alone
    python -m benchmarks.planted --tests REV            the tests of a revision, the same faults

A fault changes one operator or number, outside type hints, in a copy of the tree. A fixed seed
chooses modules from all packages in turn, and the place in each. The default tests of the folder of
tests/ with the package's name, and for `cli` its transcripts, run until the first one fails, which
finds the fault; `no end`: they run past their limit. Some faults change nothing that anyone could
notice: compare two counts.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.size import modules, tree

FAULTS: Final = 60
LIMIT: Final = 600.0
"""Seconds that the tests of a package may take: several times what the slowest of them do."""
_SEED: Final = 2026
_OTHER: Final = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not",
    "is not": "is", "in": "not in", "not in": "in", "+": "-", "-": "+", "*": "+", "/": "*",
    "//": "*", "%": "+", "&": "|", "|": "&", "and": "or", "or": "and",
}  # fmt: skip
_HINTS: Final = ("annotation", "returns")
_LEFT_OUT: Final = (".git", "__pycache__", ".*_cache", "build", "shared", "tests")


class Fault(NamedTuple):
    """In `path`, the bytes from `start` to `end` become `text`."""

    path: Path
    start: int
    end: int
    text: str


def faults(root: Path) -> dict[str, list[Fault]]:
    """A fault in each of sixty modules of the tree, by package."""
    found: dict[str, list[Fault]] = {}
    for path, source in modules(root, "evolve").items():
        places = sorted(Fault(path, *place) for place in _places(source))
        if places and not path.stem.startswith("__"):
            package = path.parts[1] if len(path.parts) > 2 else "(top)"
            found.setdefault(package, []).append(random.Random(f"{_SEED} {path}").choice(places))
    turns = [
        (turn, package, fault)
        for package, each in found.items()
        for turn, fault in enumerate(random.Random(f"{_SEED} {package}").sample(each, len(each)))
    ]
    chosen = sorted(turns, key=lambda one: one[:2])[:FAULTS]
    return {package: [one for _, name, one in chosen if name == package] for package in found}


def _places(source: str) -> Iterator[tuple[int, int, str]]:
    """Where a fault may be: its first and last byte, and what it puts there."""
    module, data = ast.parse(source), source.encode()
    starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
    typed = [getattr(node, name, None) for node in ast.walk(module) for name in _HINTS]
    hints = {node for hint in typed if isinstance(hint, ast.AST) for node in ast.walk(hint)}
    for node in set(ast.walk(module)) - hints:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            start = starts[node.lineno - 1] + node.col_offset
            text = repr(not node.value if isinstance(node.value, bool) else node.value + 1)
            yield start, start + (node.end_col_offset or 0) - node.col_offset, text
        elif isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp):
            left, right, *_ = (n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
            begin = starts[(left.end_lineno or 0) - 1] + (left.end_col_offset or 0)
            gap = data[begin : starts[right.lineno - 1] + right.col_offset].decode()
            found = re.fullmatch(r"[\s)]*(is not|not in|\w+|[^\s\w()]+)[\s(]*", gap)
            if found and found[1] in _OTHER:
                yield begin + found.start(1), begin + found.end(1), _OTHER[found[1]]


def verdict(root: Path, package: str) -> str:
    """What the default tests of a package say of a tree: sound, found, or no end."""
    names = list(root.glob("tests/test_*.py" if package == "(top)" else f"tests/{package}"))
    names += [root / "tests/transcripts"] * (package == "cli")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    own = {"EVOLVE_CACHE_DIR": os.fspath(root / "kernels")} if package == "engine" else {}
    how: dict[str, Any] = {"env": {**os.environ, "PYTHONPATH": os.fspath(root), **own}}
    how |= {"cwd": root, "capture_output": True, "timeout": LIMIT}
    try:
        done = subprocess.run([*command, *names], **how)
    except subprocess.TimeoutExpired:
        return "no end"
    return "found" if done.returncode else "sound"


def main(only: list[str], tests: str | None) -> None:
    """Print what becomes of each fault, and how many are found."""
    said = []
    with tree(tests) as other, tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        shutil.copytree(Path.cwd(), root, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        shutil.copytree(other / "tests", root / "tests")
        for package, planted in faults(root).items():
            if only and package not in only:
                continue
            if verdict(root, package) != "sound":  # what fails without a fault says nothing
                print(f"{package}: its tests fail without a fault", flush=True)
                continue
            for path, start, end, text in planted:
                source = (root / path).read_bytes()
                (root / path).write_bytes(source[:start] + text.encode() + source[end:])
                said.append(verdict(root, package))
                line, was = source[:start].count(b"\n") + 1, source[start:end].decode()
                print(f"{path}:{line}: {was} → {text}: {said[-1]}", flush=True)
                (root / path).write_bytes(source)
    print(f"{len(said) - said.count('sound')} of {len(said)} found")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Do the tests find a fault?")
    parser.add_argument("--only", nargs="+", default=[], metavar="PACKAGE")
    parser.add_argument("--tests", metavar="REV")
    main(**vars(parser.parse_args()))
