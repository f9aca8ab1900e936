"""The program of the guide is one, and what the guide says of answers is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import evolve
from tests.cli import ROOT

TEXT = (ROOT / "docs/guides/tune-a-program.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.skipif(not CODE, reason="without its documents")
def test_the_example_plays_whole_games(tmp_path: Path) -> None:
    assert len(CODE) == 1
    assert CODE[0].count("\n") <= 45
    file = tmp_path / "my engine.py"
    file.write_text(CODE[0], encoding="utf-8")
    named = f"gtp:{sys.executable} '{file}'?time=20"
    result = evolve.match(named, "random", games=6, jobs=2)
    assert (result.games, result.played) == (6, 6)


def test_its_commands_are_those_that_are_sent() -> None:
    sent = Path(ROOT / "evolve/programs/sessions.py").read_text(encoding="utf-8")
    for word in ("boardsize", "clear_board", "play", "genmove", "list_commands", "time_settings"):
        assert f"`{word}" in TEXT
        assert word in sent
