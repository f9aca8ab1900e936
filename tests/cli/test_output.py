"""Agents as a person wants to see them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli import done


def test_an_agent_as_boards(first: Path) -> None:
    shown = done("show", first / "champion.json").out
    assert shown.count("weights, ") == 3
    for word in ("depth", "mobility", "ancestry", "seed: 0", "reversed"):
        assert word in shown
    assert "100" in done("show", "swh").out
    assert "  3 " in done("show", "swh?depth=3").out


def test_names_in_agent_files_are_shown_as_text(copy: Path) -> None:
    path = copy / "champion.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["name"] = "[bold]a[/bold] [red"
    path.write_text(json.dumps(document), encoding="utf-8")
    for arguments in (("show", path), ("show", copy), ("compare", copy)):
        assert "[bold]a[/bold] [red" in done(*arguments).out
