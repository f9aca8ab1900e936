"""The settings of Python calls: known to type checkers, and named where they are misspelled."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import benchmarks
import evolve
from benchmarks import keywords
from tests.cli import ran

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "populaton population": (evolve.evolve, ("run",)),
    "mutaton_rate mutation_rate": (lambda *a, **k: evolve.study(*a, seeds=[0], **k), ("study",)),
    "lerning_rate learning_rate": (evolve.train, ("dqn", "run")),
    "trace_ trace": (evolve.train, ("patterns", "run")),
    "trails trials": (evolve.sweep, ("alphabeta", "run")),
    "gmes games": (evolve.match, ("swh", "zero")),
    "agianst against": (evolve.rate, (["swh", "zero"],)),
    "job jobs": (evolve.evolve, ("run",)),
    "progres progress": (evolve.evolve, ("run",)),
    "observr observer": (evolve.train, ("patterns", "run")),
    "progrss progress": (evolve.sweep, ("alphabeta", "run")),
    "grids grid": (lambda *a, **k: evolve.study(*a, seeds=[0], **k), ("study",)),
    "jobbs jobs": (evolve.match, ("swh", "zero")),
    "jbs jobs": (evolve.rate, (["swh", "zero"],)),
}


def test_the_types_are_those_of_the_models() -> None:
    stored = keywords.FILE.read_text(encoding="utf-8")
    assert stored == keywords.text(), "python -m benchmarks.keywords"


@pytest.mark.parametrize("words", CALLS)
def test_misspelled_settings(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (call, arguments), (wrong, right) = CALLS[words], words.split()
    if arguments[0] == "dqn":
        pytest.importorskip("torch")
    with pytest.raises(evolve.errors.SettingsError, match=f"{right}\\?"):
        call(*arguments, **{wrong: 1})
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_type_checker_knows_the_settings(tmp_path: Path) -> None:
    (tmp_path / "call.py").write_text(
        "import evolve\n"
        'evolve.train("dqn", "run", learning_rate=0.1, preset="quick")\n'
        'evolve.evolve("run", selection=max, boundaries=(20, 40), populaton=8)\n'
    )
    words = [sys.executable, "-m", "mypy", "--strict", tmp_path / "call.py"]
    done = ran(*words, folder=keywords.FILE.parents[1])
    assert 'call.py:3: error: Unexpected keyword argument "populaton" for "evolve"' in done.out
    assert "Found 1 error in 1 file" in done.out


NAMES = sorted(path.stem for path in Path(benchmarks.__path__[0]).glob("[!_]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_what_exists(name: str) -> None:
    try:
        import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("benchmarks", "evolve", "tests"):
            raise
        pytest.skip(f"{error.name} is not installed")
