"""Every public function shows in its docstring how it is called, and the example holds."""

from __future__ import annotations

import doctest
import inspect
import shutil
from pathlib import Path

import pytest

import evolve
from tests.cli.test_kept_run import KEPT

FUNCTIONS = [name for name in evolve.__all__ if inspect.isfunction(getattr(evolve, name))]
SLOW = ("evolve", "study", "sweep", "train")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in (*FUNCTIONS, "Board", "Board.play")
    ],
)
def test_the_example_in_a_docstring(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(KEPT, tmp_path / "runs/first")
    monkeypatch.chdir(tmp_path)
    shown = evolve
    for part in name.split("."):
        shown = getattr(shown, part)
    globs = {"evolve": evolve}
    (found,) = doctest.DocTestFinder(recurse=False).find(shown, name, globs=globs)
    assert found.examples
    report: list[str] = []
    doctest.DocTestRunner().run(found, out=report.append)
    assert not report, "".join(report)
