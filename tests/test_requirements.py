"""What pyproject.toml declares is what the sources import, each with its lowest version."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from evolve import __version__
from evolve.extras import DISTRIBUTION, install_hint

ROOT: Final = Path(__file__).parent.parent
WHOLE: Final[Mapping[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT: Final[Mapping[str, Any]] = WHOLE["project"]
EXTRAS: Final[Mapping[str, list[str]]] = PROJECT["optional-dependencies"]
REQUIREMENT: Final = re.compile(r"([A-Za-z0-9_-]+)(?:\[[a-z,]+\])?>=([0-9]+(?:\.[0-9]+)+)")

CALLED: Final = {
    "axe_playwright_python": "axe-playwright-python",
    "PIL": "pillow",
    "pyspiel": "open-spiel",
    "yaml": "pyyaml",
}
"""Distributions that are not called as what is imported of them."""

WHERE: Final[Mapping[str, tuple[str, ...]]] = {
    "serve": ("evolve/service/", "evolve/cli/serve.py"),
    "learn": ("evolve/learning/",),
    "cluster": ("evolve/cluster/",),
}
"""What of the package may import of an extra. All else must do without."""

NOT_IMPORTED: Final = {
    "pandas-stubs": "mypy reads it",
    "mypy": "a command",
    "ruff": "a command",
    "import-linter": "a command",
    "pytest-xdist": "pytest loads it, for -n",
    "ipykernel": "nbclient starts it",
    "schemathesis": "Python runs it, by -m",
    **dict.fromkeys(
        ("furo", "myst-nb", "sphinx", "sphinx-click", "sphinx-copybutton", "sphinx-design"),
        "docs/conf.py names it",
    ),
}
"""Of the declared ones, with the reason why they are."""

BY_NAME: Final = ("import_module", "importorskip")
"""Functions that are given a module as a text."""
LIKE_AN_IMPORT: Final = re.compile(
    rf"^[ \t]*(?:from|import)[ \t]+(\w+)|(?:{'|'.join(BY_NAME)})\([ \t]*[\"'](\w+)", re.MULTILINE
)


def plain(name: str) -> str:
    return name.lower().replace("_", "-")


def declared(requirements: list[str]) -> dict[str, tuple[int, ...]]:
    """Distributions with their lowest versions."""
    found = {}
    for one in requirements:
        match = REQUIREMENT.fullmatch(one.partition(";")[0])
        assert match, f"{one}: it must be NAME>=VERSION, the lowest version that works"
        found[plain(match[1])] = tuple(map(int, match[2].split(".")))
    return found


ALWAYS: Final = declared(PROJECT["dependencies"])
OF: Final = {name: declared(requirements) for name, requirements in EXTRAS.items()}


def distribution(module: str) -> str | None:
    """What a module is of; None of Python itself, and of this project."""
    top = module.partition(".")[0]
    ours = top in sys.stdlib_module_names or (ROOT / top).is_dir()
    return None if ours else plain(CALLED.get(top, top))


def mentioned(path: Path) -> set[str]:
    """Distributions that a source imports, and what only looks so, in a docstring."""
    found = LIKE_AN_IMPORT.findall(path.read_text("utf-8"))
    return {name for pair in found for module in pair if module and (name := distribution(module))}


def imports(path: Path, but: set[str]) -> Iterator[str]:
    """Distributions that a source imports anywhere in it, with the lines, but for some."""
    if mentioned(path) <= but:
        return  # to parse all of them takes five seconds
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [str(node.module)]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "attr", getattr(node.func, "id", None))
            names = [str(node.args[0].value)] if called in BY_NAME else []
        for name in filter(None, map(distribution, names)):
            if name not in but:
                yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: {name}"


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "runs" not in path.relative_to(ROOT).parts[:1])


def test_the_package_imports_what_is_declared_where_it_may() -> None:
    wrong: list[str] = []
    for path in sources("evolve"):
        place = path.relative_to(ROOT).as_posix()
        extras = (OF[name] for name, at in WHERE.items() if place.startswith(at))
        wrong += imports(path, set(ALWAYS).union(*extras))
    assert not wrong


def test_tests_and_benchmarks_import_what_their_extras_declare() -> None:
    allowed = set(ALWAYS).union(*OF.values())
    wrong = [one for path in sources("tests", "benchmarks") for one in imports(path, allowed)]
    assert not wrong


def test_nothing_is_declared_for_nothing() -> None:
    package = set().union(*map(mentioned, sources("evolve")))
    others = set().union(*map(mentioned, sources("tests", "benchmarks")))
    assert set(ALWAYS) <= package
    assert not [
        extra
        for extra, names in OF.items()
        if not set(names) <= (package if extra in WHERE else package | others) | set(NOT_IMPORTED)
    ]
    assert set(NOT_IMPORTED) <= set().union(*OF.values()) - package - others


def test_tests_have_the_extras_that_they_test_in_no_older_versions() -> None:
    needed = {**OF["serve"], **OF["cluster"]}  # PyTorch is apart: see README.md
    assert not [name for name, lowest in needed.items() if OF["test"][name] < lowest]


def test_hints_name_what_is_published() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert all(f"/{DISTRIBUTION}/" in address for address in PROJECT["urls"].values())
    hint = re.compile(re.escape("pip install '") + rf"(\.|{DISTRIBUTION})\[")
    assert not [one for one in sources("evolve") if hint.search(one.read_text("utf-8"))]
    assert install_hint("serve") == "pip install 'evolve-reversi[serve]'"


def test_licences_of_what_is_not_ours_are_in_the_wheel() -> None:
    """PEP 639: their files stand in its metadata, and the expression names them."""
    named = {path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)}
    assert named == {ROOT / "LICENSE", *(ROOT / "evolve").rglob("LICENSE*")}
    heads = [path.read_text("utf-8")[:200] for path in named]
    kinds = {"Apache-2.0" if "Apache License" in head else "MIT" for head in heads}
    assert kinds <= {*PROJECT["license"].split(" AND ")}


def test_the_source_archive_has_what_tests_read() -> None:
    patterns = WHOLE["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    kept = {path for pattern in patterns for path in ROOT.glob(pattern.removeprefix("/"))}
    names = ("deploy", "docs", "tests", "benchmarks", "README.md", "CHANGELOG.md", ".ci")
    assert not [name for name in names if ROOT / name not in kept]
    assert ROOT / "runs/README.md" in kept
    assert all(any(ROOT.glob(pattern.removeprefix("/"))) for pattern in patterns)


def test_who_cites_it_cites_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert str(cited["version"]) == __version__.partition(".dev")[0]
    assert cited["authors"] == PROJECT["authors"]


def test_files_that_the_checks_name_are_there() -> None:
    text = (ROOT / ".ci/run").read_text(encoding="utf-8")
    named = set(re.findall(r"tests/[a-z_/]+\.py", text))
    assert sorted(file for file in named if not (ROOT / file).is_file()) == []
    assert len(named) > 3
