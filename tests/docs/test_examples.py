"""Examples hold: those of docstrings, and the program of the guide, which plays as it says."""

from __future__ import annotations

import doctest
import inspect
import shutil
import sys
from operator import attrgetter
from pathlib import Path

import pytest

import evolve
from tests.cli import ROOT
from tests.cli.test_resume import KEPT
from tests.docs.pages import read_page

FUNCTIONS = [name for name in evolve.__all__ if inspect.isfunction(getattr(evolve, name))]
SLOW = ("evolve", "study", "sweep", "train")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in (*FUNCTIONS, "Board", "Board.play")
    ],
)
def test_examples_of_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(KEPT, tmp_path / "runs/first")
    monkeypatch.chdir(tmp_path)
    shown, globs = attrgetter(name)(evolve), {"evolve": evolve}
    (found,) = doctest.DocTestFinder(recurse=False).find(shown, name, globs=globs)
    assert found.examples
    report: list[str] = []
    doctest.DocTestRunner().run(found, out=report.append)
    assert not report, "".join(report)


EXAMPLE = ROOT / "examples/engine.py"


def test_the_tutorial_shows_the_example() -> None:
    page = read_page(ROOT / "docs/tutorials/tune-engine.md")
    shown = [text for language, text in page.blocks if language == "python"]
    assert shown == ["# file: engine.py\n" + EXAMPLE.read_text(encoding="utf-8")]


def test_the_example_plays_whole_games(tmp_path: Path) -> None:
    file = tmp_path / "my engine.py"
    file.write_bytes(EXAMPLE.read_bytes())
    named = f"gtp:{sys.executable} '{file}'?time=20"
    result = evolve.match(named, "random", games=6, jobs=2)
    assert (result.games, result.played) == (6, 6)


def test_its_commands_are_those_that_are_sent() -> None:
    text = (ROOT / "docs/guides/tune-a-program.md").read_text(encoding="utf-8")
    sent = (ROOT / "evolve/programs/sessions.py").read_text(encoding="utf-8")
    words = ("boardsize", "clear_board", "play", "genmove", "list_commands", "time_settings")
    assert not [word for word in words if f"`{word}" not in text or word not in sent]
