"""The winner of a sweep of a program, to paste."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from evolve.cli.output import print_winner


def test_the_winner_is_one_line_to_paste(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_winner(tmp_path)
    assert capsys.readouterr().out == ""
    best = {"program": "gtp:./my engine --x 3", "environment": {"corner": "a b"}}
    (tmp_path / "best.json").write_text(json.dumps(best))
    print_winner(tmp_path)
    words = shlex.split(capsys.readouterr().out.removeprefix("paste: "))
    assert words[:4] == ["corner=a b", "evolve", "match", "gtp:./my engine --x 3"]
    (tmp_path / "best.json").write_text(json.dumps({"program": "gtp:x", "commands": ["set y 3"]}))
    print_winner(tmp_path)
    assert capsys.readouterr().out.endswith("at its start: set y 3\n"), "no line plays it"
