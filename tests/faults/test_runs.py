"""Runs that die, fail or are interrupted at any of their changes of files."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any, Final

import pytest

import evolve
from tests.cli import Result, done
from tests.faults import Enumeration, command, hooked, in_one_line, results, typed_again

SMALL: Final = (
    *("run", "--generations=2", "--population=4", "--hall-of-fame=3", "--panel-openings=2"),
    *("--playoff-openings=2", "--move-budget=100", "--bounds=depths=1:1", "--bounds=endgame=0:2"),
    *("--openings=start", "--jobs=1", "--out=x"),
)
"""A run with a panel, a play-off and a hall of fame: a tenth of a second."""
AGAIN: Final = ("resume", "x", "--jobs=1")
ONCE_MORE: Final = ("resume", "x", "--generations=3", "--jobs=1")


def outcome() -> dict[str, Any]:
    return results(Path("x"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with such a run, finished."""
    folder = tmp_path_factory.mktemp("finished")
    done(*SMALL[:-1], "--out", folder / "x")
    return folder


@pytest.fixture(scope="module")
def half(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, killed in its second generation: with games never committed, and half a file."""
    folder = tmp_path_factory.mktemp("half") / "half"
    shutil.copytree(finished, folder)
    for name in ("generations/gen-0001.parquet", "games/playoff.parquet", "champion.json"):
        (folder / "x" / name).unlink()
    (folder / "x" / "games" / ".writing-0123456789abcdef.parquet").write_bytes(b"half")
    return folder


@pytest.mark.slow
def test_a_run_may_die_or_fail_at_any_change_and_goes_on(tmp_path: Path) -> None:
    found = Enumeration(command(SMALL, "x", outcome), tmp_path)
    assert len(found.points) == 30
    assert found.die() == 12
    assert found.fail(in_one_line) == 30


@pytest.mark.slow
@pytest.mark.parametrize("which", ["resumed", "extended"])
def test_resumes_may_die_or_fail(which: str, half: Path, finished: Path, tmp_path: Path) -> None:
    words, prepared = (AGAIN, half) if which == "resumed" else (ONCE_MORE, finished)
    found = Enumeration(typed_again(words, outcome, prepared), tmp_path)
    changes = {point.change for point in found.points}
    assert {"write", "rename", "sync", "remove"} <= changes
    found.die()
    found.fail(in_one_line)


@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_change(way: signal.Signals, tmp_path: Path) -> None:
    found = Enumeration(command(SMALL, "x", outcome), tmp_path)
    first = found.place_of("write", "x/games/.writing-.parquet")
    last = found.place_of("rename", "x/games/gen-0001.parquet") - 1  # its data comes before

    def check(answer: Result) -> None:
        assert answer.code == (130 if way == signal.SIGINT else 143), answer
        assert "Traceback" not in answer.err
        count = evolve.load_run("x").generation_count if Path("x").exists() else 0
        # Ctrl-C waits for what is under way, and it is kept; SIGTERM does not.
        assert count == 1 if way == signal.SIGINT else count in (0, 1)

    assert found.interrupt(lambda: signal.raise_signal(way), check, range(first, last)) == 9


def test_who_reads_finds_a_whole_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at a run that is being written to sees what is committed, and no error."""
    seen = []

    def look() -> None:
        if Path("x/config.toml").exists():
            run = evolve.load_run("x")
            assert set(run.individuals["generation"]) == set(range(run.generation_count))
            assert set(run.games["generation"]) <= set(range(run.generation_count))
            seen.append(run.generation_count)

    monkeypatch.chdir(tmp_path)
    with hooked(lambda *_: look()):
        done(*SMALL)
    assert sorted(seen) == seen
    assert set(seen) == {0, 1, 2}
