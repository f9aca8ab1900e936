"""How large is the project, package by package, and what is larger than its rules allow?

    python -m benchmarks.size              the working tree
    python -m benchmarks.size REV          a revision, and the working tree beside it
    python -m benchmarks.size REV REV      two revisions

The first table has a row for each package of evolve/: lines (with blank ones), those of docstrings,
those of code (comments included), modules (without `__init__` and `__main__`), functions and
methods, classes, public top-level names, `raise` and `except`, imports inside functions, and
`isinstance` of a kind of agent, run or study outside agents/. The second has the totals. Below it
stand functions and modules that are longer than they should be. In the totals,

- *strings that point up* are whole strings of evolve/ such as `"evolve.cli.main:main"` that name a
  module on a higher floor of the import contract in pyproject.toml than the one they stand in;
- a *test that holds a wording* has a string of more than one word in `match=`, or left of `in` or
  `not in`; a test *with assert in a loop* has one below a `for` or `while`; both count functions,
  however often they are parametrized;
- *options* are the distinct names of each top-level command with its subcommands, summed, `--help`
  included;
- *words* are those of README.md, CHANGELOG.md and docs/, without what the build of the site writes.

Sources are parsed, never run; only options are asked of the command line itself.
"""

from __future__ import annotations

import ast
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

COLUMNS = (
    "lines", "docstrings", "code", "modules", "functions", "classes", "public", "raise", "except",
    "imports", "isinstance",
)  # fmt: skip
KERNELS = ("engine", "standalone")
"""Packages whose functions are as long as the machine wants them."""
LONGEST_FUNCTION, MOST_PARAMETERS, LONGEST_MODULE = 60, 8, 400
BUILT = ("api", "commands", "rest")
"""Folders of docs/reference that the build of the site writes."""
VAGUE = ("one", "place", "there", "said", "told")
"""Identifiers that name nothing."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_MODULE = r"evolve(\.\w+)+(:\w+)?"
_OPTIONS = """
import click
from evolve.cli.main import cli

def names(command, context):
    found = {p.name for p in command.get_params(context) if isinstance(p, click.Option)}
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found |= names(command.get_command(context, name), context)
    return found

root = click.Context(cli)
own = {p.name for p in cli.get_params(root) if isinstance(p, click.Option)}
commands = [cli.get_command(root, name) for name in cli.list_commands(root)]
print(len(own) + sum(len(names(c, click.Context(c, parent=root))) for c in commands))
"""


@lru_cache(maxsize=1000)
def _parsed(text: str) -> ast.Module:
    """A module of evolve/, which several figures look at; nobody changes it."""
    return ast.parse(text)


@contextmanager
def tree(revision: str | None) -> Iterator[Path]:
    """The project's files at a revision, in a folder that goes afterwards; None: as they stand."""
    if revision is None:
        yield Path.cwd()
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


def modules(root: Path, folder: str) -> dict[Path, str]:
    """The text of each Python module below a folder of the tree."""
    paths = sorted((root / folder).rglob("*.py"))
    return {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}


def lines(root: Path, folder: str) -> int:
    """Lines of Python below a folder of the tree."""
    return sum(text.count("\n") for text in modules(root, folder).values())


def count(root: Path) -> dict[str, Counter[str]]:
    """What the first table says, by package."""
    trees = {path: _parsed(text) for path, text in modules(root, "evolve").items()}
    kinds = _kinds(trees.values())
    packages: dict[str, Counter[str]] = {}
    for path, text in modules(root, "evolve").items():
        package = path.parts[1] if len(path.parts) > 2 else "(top)"
        counts = packages.setdefault(package, Counter())
        counts.update(
            _count_module(path, text, trees[path], kinds if package != "agents" else set())
        )
    return packages


def limited(root: Path) -> dict[str, int]:
    """The totals that tests/test_size.py limits."""
    return {
        "lines": lines(root, "evolve"),
        "modules": len(_sizes(root)),
        "public names": public_names(root),
        "strings that point up": len(upward(root)),
        **count_tests(root),
        "words of docs": words(root),
        "options": options(root),
    }


def totals(root: Path) -> dict[str, int | float]:
    """What the second table says."""
    names = Counter(
        token.string
        for text in modules(root, "evolve").values()
        for token in tokenize.generate_tokens(iter(text.splitlines(keepends=True)).__next__)
        if token.type == tokenize.NAME
    )
    return {
        **limited(root),
        "median module": statistics.median(_sizes(root)),
        f"modules over {LONGEST_MODULE} lines": sum(size > LONGEST_MODULE for size in _sizes(root)),
        "lines of benchmarks": lines(root, "benchmarks"),
        **{f"identifier {name}": names[name] for name in VAGUE},
        f"functions over {LONGEST_FUNCTION} lines": len(long_functions(root)),
        f"functions of over {MOST_PARAMETERS} parameters": len(wide_functions(root)),
    }


def public_names(root: Path) -> int:
    """How many names at the top of modules of evolve/ begin with no underscore."""
    trees = map(_parsed, modules(root, "evolve").values())
    return sum(not name.startswith("_") for module in trees for name in _top_level(module))


def upward(root: Path) -> list[str]:
    """Strings of evolve/ that name a module on a higher floor than the one they stand in."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["type"] == "layers")
    floors = {
        name: -number for number, layer in enumerate(layers) for name in re.split(r" [|:] ", layer)
    }

    def floor(module: str) -> int | None:
        return floors.get(".".join(module.split(".")[:2]))

    found = []
    for path, text in modules(root, "evolve").items():
        here = floor(".".join(path.with_suffix("").parts))
        for node in ast.walk(_parsed(text)):
            named = node.value if isinstance(node, ast.Constant) else None
            if isinstance(named, str) and re.fullmatch(_MODULE, named):
                there = floor(named.partition(":")[0])
                if here is not None and there is not None and there > here:
                    found.append(f"{path}: {named}")
    return found


def count_tests(root: Path) -> dict[str, int]:
    """How many files and lines the tests have, and how many of them do what they should not."""
    texts = modules(root, "tests")
    tests = [
        node
        for text in texts.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test")
    ]
    return {
        "lines of tests": sum(text.count("\n") for text in texts.values()),
        "test files": sum(path.name.startswith("test_") for path in texts),
        "tests": len(tests),
        "tests that hold a wording": sum(map(_holds_wording, tests)),
        "tests with assert in a loop": sum(map(_asserts_in_loop, tests)),
    }


def words(root: Path) -> int:
    """Words of README, CHANGELOG and docs/, but for pages that the build of the site writes."""
    papers = [root / "README.md", root / "CHANGELOG.md"]
    papers += [path for path in root.glob("docs/**/*.md") if path.parent.name not in BUILT]
    return sum(len(path.read_text().split()) for path in papers)


def options(root: Path) -> int:
    """Distinct options of each top-level command with its subcommands, summed."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", _OPTIONS]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=root
    )
    return int(done.stdout)


def long_functions(root: Path) -> list[str]:
    """Functions that are too long, kernels left out, each with its length."""
    return [
        f"{name} ({length})"
        for name, node in _functions(root)
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]


def wide_functions(root: Path) -> list[str]:
    """Functions that take too much, kernels and commands left out, each with its parameters."""
    return [
        f"{name} ({taken})"
        for name, node in _functions(root)
        if (taken := _parameters(node)) > MOST_PARAMETERS
        and not any(re.search(r"\bcommand\(", ast.unparse(d)) for d in node.decorator_list)
    ]


def _sizes(root: Path) -> list[int]:
    texts = modules(root, "evolve").items()
    return [text.count("\n") for path, text in texts if not path.stem.startswith("__")]


def _count_module(path: Path, text: str, module: ast.Module, kinds: set[str]) -> Counter[str]:
    nodes = list(ast.walk(module))
    spans = [span for node in nodes if (span := _docstring(node))]
    documented = {number for first, last in spans for number in range(first, last + 1)}
    written = [number for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    functions = [node for node in nodes if isinstance(node, _FUNCTIONS)]
    return Counter(
        {
            "lines": text.count("\n"),
            "docstrings": len(documented),
            "code": len(set(written) - documented),
            "modules": int(not path.stem.startswith("__")),
            "functions": len(functions),
            "classes": sum(isinstance(node, ast.ClassDef) for node in nodes),
            "public": sum(not name.startswith("_") for name in _top_level(module)),
            "raise": sum(isinstance(node, ast.Raise) for node in nodes),
            "except": sum(isinstance(node, ast.ExceptHandler) for node in nodes),
            "imports": sum(isinstance(i, _IMPORTS) for f in functions for i in ast.walk(f)),
            "isinstance": sum(_asks_kind(node, kinds) for node in nodes),
        }
    )


def _docstring(node: ast.AST) -> tuple[int, int] | None:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if ast.get_docstring(node, clean=False) is None:
        return None
    text = node.body[0]
    return text.lineno, text.end_lineno or text.lineno


def _top_level(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (name.id for name in node.targets if isinstance(name, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _kinds(trees: Iterable[ast.Module]) -> set[str]:
    """Run, Study, Agent, and all classes that are an Agent."""
    classes = [
        node for module in trees for node in ast.walk(module) if isinstance(node, ast.ClassDef)
    ]
    kinds = {"Agent"}
    while (
        more := {node.name for node in classes for base in node.bases if ast.unparse(base) in kinds}
        - kinds
    ):
        kinds |= more
    return kinds | {"Run", "Study"}


def _asks_kind(node: ast.AST, kinds: set[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and bool(kinds & set(re.findall(r"\w+", ast.unparse(node.args[1]))))
    )


def _holds_wording(test: ast.AST) -> bool:
    for node in ast.walk(test):
        if isinstance(node, ast.keyword) and node.arg == "match" and _has_words(node.value):
            return True
        if isinstance(node, ast.Compare):
            sides = zip([node.left, *node.comparators], node.ops, strict=False)
            if any(isinstance(by, ast.In | ast.NotIn) and _has_words(left) for left, by in sides):
                return True
    return False


def _has_words(value: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value.split()) > 1
        for node in ast.walk(value)
    )


def _asserts_in_loop(test: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Assert)
        for loop in ast.walk(test)
        if isinstance(loop, ast.For | ast.AsyncFor | ast.While)
        for node in ast.walk(loop)
    )


def _functions(root: Path) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, text in modules(root, "evolve").items():
        if path.parts[1] not in KERNELS:
            for node in ast.walk(_parsed(text)):
                if isinstance(node, _FUNCTIONS):
                    yield f"{path}: {node.name}", node


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    taken = node.args
    return len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)


def main(revisions: list[str]) -> None:
    """Print both tables for each tree, then what is too long in the last one."""
    wanted: list[str | None] = list(revisions) or [None]
    if len(wanted) == 1 and wanted[0] is not None:
        wanted.append(None)
    counted, summed = [], []
    for revision in wanted:
        with tree(revision) as root:
            counted.append(count(root))
            summed.append(totals(root))
            too_long, too_wide = long_functions(root), wide_functions(root)
    print("| package |" + "".join(f" {column} |" for column in COLUMNS))
    print("|---|" + "---|" * len(COLUMNS))
    for package in [*sorted(set().union(*counted)), "all"]:
        rows = [
            sum(c.values(), Counter()) if package == "all" else c.get(package, Counter())
            for c in counted
        ]
        cells = (" → ".join(str(row[column]) for row in rows) for column in COLUMNS)
        print(f"| {package} |" + "".join(f" {cell} |" for cell in cells))
    print("\n| in all |" + "".join(f" {revision or 'now'} |" for revision in wanted))
    print("|---|" + "---|" * len(wanted))
    for name in summed[0]:
        print(f"| {name} |" + "".join(f" {total[name]} |" for total in summed))
    print("\n" + "\n".join(too_long + too_wide))


if __name__ == "__main__":
    main(sys.argv[1:])
