"""The package as a whole: its public names, how light it starts, and its own rules."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import evolve
from evolve import errors
from evolve.errors import EvolveError
from tests.waits import PATIENCE

ROOT = Path(__file__).parent.parent


def test_public_names() -> None:
    assert sorted(evolve.__all__) == [
        "Agent", "AlphaBetaAgent", "Analysis", "Board", "Description", "DqnAgent", "Encoding",
        "Estimate", "EvolveError", "Gene", "IllegalMoveError", "Limit", "MatchResult",
        "MctsAgent", "Observer", "PatternAgent", "Picture", "RandomAgent", "ResultTable", "Run",
        "RunSummary",
        "Setting", "Solution", "StoredAgent", "Study", "__version__", "compare", "errors",
        "evolve", "load_agent", "load_run", "match", "plot", "rate", "solve", "square",
        "square_name", "study", "summary", "sweep", "train",
    ]  # fmt: skip
    assert not [name for name in evolve.__all__ if getattr(evolve, name) is None]


def test_signatures_name_nothing_private() -> None:
    public = {name: getattr(evolve, name) for name in evolve.__all__}
    for owner, value in [*public.items()]:
        if inspect.isclass(value):
            public |= {
                f"{owner}.{name}": member
                for name, member in inspect.getmembers(value, inspect.isroutine)
                if not name.startswith("_")
                and getattr(member, "__module__", "").startswith("evolve")
            }
    private = re.compile(r"(?<![\w.])_[a-zA-Z]|ForwardRef")
    signatures = {
        name: str(inspect.signature(value))
        for name, value in public.items()
        if callable(value) and not (inspect.isclass(value) and issubclass(value, Exception))
    }
    assert {name: text for name, text in signatures.items() if private.search(text)} == {}


def test_kernels_live_in_the_engine_alone() -> None:
    others = [p for p in modules().values() if not {"engine", "standalone"} & set(p.parts)]
    assert not [path for path in others if "njit" in path.read_text(encoding="utf-8")]


def test_modules_that_import_torch_are_marked_as_learning() -> None:
    """Without the mark they would be skipped where torch is missing, and left out where it is."""
    light = "self_play|learner|patterns|training|duels|kind|tables"
    needs = re.compile(
        rf"^(import torch|from (torch|evolve\.learning\.(?!{light})|benchmarks\.trained))", re.M
    )
    learning = [ROOT / "evolve" / "learning" / f"{module}.py" for module in light.split("|")]
    torch = re.compile(r"^\s*(import torch|from torch)", re.M)
    assert not [path for path in learning if torch.search(path.read_text(encoding="utf-8"))]
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    mark = "\npytestmark = pytest.mark.learning\n"
    assert not [path for path, text in texts.items() if needs.search(text) and mark not in text]


def modules() -> dict[str, Path]:
    """All modules of evolve but the faces of its packages."""
    files = (path for path in (ROOT / "evolve").rglob("*.py") if path.name != "__init__.py")
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in files}


def imported(path: Path, known: set[str]) -> set[str]:
    """The modules that a file imports anywhere: at its top, in functions, for annotations."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found & known


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_circle() -> None:
    """import-linter looks at what is loaded; a reader also meets what annotations name."""
    found = modules()
    graph = {name: imported(path, set(found)) for name, path in found.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


NAMED_AFTER_OTHERS = (
    "cli", "plots", "service/api", "learning", "protocols",
    "config", "engine", "tables",
)  # fmt: skip
"""Rooms whose modules have the names of what they show, offer, teach, speak, set, compute, list."""


def test_no_two_modules_have_one_name() -> None:
    """But for packages whose modules are named after others, `call`, and parts of kinds of runs."""
    packages = defaultdict(set)
    for name, path in modules().items():
        package = path.parent.relative_to(ROOT / "evolve").as_posix()
        if not package.startswith(NAMED_AFTER_OTHERS):
            packages[name.rpartition(".")[2]].add(package)
    twice = {name: found for name, found in packages.items() if len(found) > 1}
    assert set(twice) == {"call", "kind", "tables"}, twice


TESTED_BY = {
    "evolve/cli/trainings.py": "tests/cli/test_train.py",
    "evolve/engine/games/duels.py": "tests/learning/test_duels.py",
    "evolve/engine/games/first_use.py": "tests/engine/games/test_game.py",
    "evolve/engine/networks/forward.py": "tests/engine/networks/test_architecture.py",
    "evolve/evolution/tables.py": "tests/plots/test_lineage.py",
    "evolve/learning/mcts.py": "tests/learning/test_dqn.py",
    "evolve/service/api/generations.py": "tests/service/api/test_runs.py",
    "evolve/service/api/sweeps.py": "tests/service/test_contract.py",
    "evolve/service/api/plays.py": "tests/service/test_play.py",
    "evolve/standalone/part_numba.py": "tests/standalone/test_part_search.py",
    "evolve/studies/remote_runs.py": "tests/cli/test_cluster.py",
    "evolve/sweeps/tables.py": "tests/runs/test_summary.py",
}
"""Modules whose tests neither have their name nor import them."""


def test_every_module_of_a_hundred_lines_has_tests_that_are_easily_found() -> None:
    """By its name, or by what a test of its package imports."""
    missing = []
    for path in sorted(path.relative_to(ROOT) for path in modules().values()):
        if len((ROOT / path).read_text("utf-8").splitlines()) > 100:
            room = ROOT / "tests" / path.parent.relative_to("evolve")
            name = path.with_suffix("").as_posix().replace("/", ".")
            found = [room / f"test_{path.name}", ROOT / TESTED_BY.get(path.as_posix(), "none")]
            found += [test for test in room.rglob("test_*.py") if name in test.read_text("utf-8")]
            missing += [path] * (not any(one.exists() for one in found))
    assert missing == []
    assert not [path for path in TESTED_BY if not (ROOT / path).exists()]


CLOCK = r"(?:monotonic|perf_counter)\(\)"


def bounds_a_time(function: ast.AST) -> bool:
    """Whether it asserts that less than so many seconds have passed, and is not of the clock."""
    text = ast.unparse(function)
    spans = [rf"{CLOCK} - \w+", *re.findall(rf"^ *(\w+) = .*{CLOCK} - \w+$", text, re.M)]
    bounds = re.findall(rf"^ *assert .*(?:{'|'.join(spans)}) <=? ([\d.]+)\b", text, re.M)
    return "mark.clock" not in text and any(float(seconds) < PATIENCE for seconds in bounds)


@pytest.mark.parametrize(
    ("body", "bounds"),
    [
        ("assert time.monotonic() - begin < 25", True),
        ("gone = time.perf_counter() - begin; assert 0.1 < gone <= 2 or idle", True),
        ("assert time.monotonic() - begin < 500", False),
        ("assert time.monotonic() - begin > 1", False),
        ("end = time.monotonic() + 60; assert time.monotonic() < end", False),
    ],
)
def test_what_bounds_a_time_is_seen(body: str, bounds: bool) -> None:
    marks = {"": bounds, "@pytest.mark.clock": False}
    assert {m: bounds_a_time(ast.parse(f"{m}\ndef test(): {body}").body[0]) for m in marks} == marks


def test_only_tests_of_the_clock_bound_a_time() -> None:
    """On a busy machine any other fails now and then; `-m clock` is for an idle one."""
    texts = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")]
    found = [one for t in texts if re.search(CLOCK, t) for one in ast.walk(ast.parse(t))]
    functions = [one for one in found if isinstance(one, ast.FunctionDef)]
    assert not [one.name for one in functions if bounds_a_time(one)]


ALL = {name: found for name, found in vars(errors).items() if isinstance(found, type)}


def test_the_tree_is_whole() -> None:
    assert errors.__doc__ is not None
    drawn = re.findall(r"^ +[│ ]*[├└]── (\w+)", errors.__doc__, re.M)
    assert sorted(drawn) == sorted(ALL.keys() - {"EvolveError"})
    cases = re.findall(r"── (\w+) +\((\w+)\)", errors.__doc__)
    assert not [name for name, base in cases if not issubclass(ALL[name], getattr(builtins, base))]


def test_an_error_is_its_text() -> None:
    """Also those that are an OSError, which makes a number and a text of two arguments."""
    assert not [name for name, error in ALL.items() if not issubclass(error, EvolveError)]
    assert not [name for name, error in ALL.items() if str(error("one line")) != "one line"]
