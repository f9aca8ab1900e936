"""The program of the guide plays, and what the guide says of answers is so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import evolve
from tests.cli import ROOT
from tests.docs.pages import read_page

TEXT = (ROOT / "docs/guides/tune-a-program.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize(
    "word", ["boardsize", "clear_board", "play", "genmove", "list_commands", "time_settings"]
)
def test_its_commands_are_those_that_are_sent(word: str) -> None:
    sent = Path(ROOT / "evolve/programs/sessions.py").read_text(encoding="utf-8")
    assert f"`{word}" in TEXT
    assert word in sent
