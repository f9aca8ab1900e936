"""What depends on the shipped weights is of them, and is made again by one command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("PIL.Image")
from benchmarks import figures, refresh


@pytest.mark.parametrize("name", refresh.STEPS)
def test_what_depends_on_the_shipped_weights_is_of_them(name: str) -> None:
    old = refresh.STEPS[name].old()
    assert not old, f"older than the shipped weights: {old}: python -m benchmarks.refresh"


class Calls:
    """What refresh would start; a call may fail."""

    def __init__(self) -> None:
        self.words: list[list[str]] = []
        self.failing = ""

    def run(self, words: list[str], cwd: Path, check: bool) -> SimpleNamespace:
        self.words.append(words[2:])
        return SimpleNamespace(returncode=int(bool(self.failing) and self.failing in words))


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Steps of two files and of two commands, in a folder of their own."""
    found = Calls()
    weights = {"a": "old", "b": "new"}
    monkeypatch.setattr(refresh, "FOLDER", tmp_path / "refresh")
    monkeypatch.setattr(refresh, "shipped_weights", lambda: weights["b"])
    monkeypatch.setattr(refresh.subprocess, "run", found.run)
    monkeypatch.setattr(figures, "mark", lambda: found.words.append(["mark"]))
    steps = {
        "books": refresh.Step(lambda: weights, lambda old: [["books", name] for name in old]),
        "ratings": refresh.Step(
            lambda: {"all": weights["a"]},
            lambda old: [["levels", "--games", "4"], ["levels", "page"]],
            whole=True,
        ),
    }
    monkeypatch.setattr(refresh, "STEPS", steps)
    return found


def start(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["refresh", "--jobs", "1", *words])
    refresh.main()


def test_only_what_is_older_is_made(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start(monkeypatch, "--list")
    assert capsys.readouterr().out.splitlines() == ["books      older: a", "ratings    older: all"]
    assert not calls.words
    start(monkeypatch)
    levels = "benchmarks.levels"
    assert calls.words == [
        ["benchmarks.books", "a"], [levels, "--games", "4", "--jobs", "1"], [levels, "page"],
        ["mark"],
    ]  # fmt: skip
    assert "benchmarks.outputs --runs" in capsys.readouterr().out


def test_a_call_that_failed_goes_on_where_it_was(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls.failing = "page"
    with pytest.raises(SystemExit, match="ratings"):
        start(monkeypatch, "--only", "ratings")
    state = json.loads((refresh.FOLDER / "state.json").read_text())
    assert state == {"weights": "new", "done": ["levels --games 4"]}
    calls.failing = ""
    calls.words.clear()
    start(monkeypatch, "--only", "ratings")
    assert calls.words == [["benchmarks.levels", "page"], ["mark"]]
    assert refresh.done() == []
