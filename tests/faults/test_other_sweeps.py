"""Sweeps of each other kind that die or fail at changes of the files that it alone has.

What all sweeps have is looked at change by change in `test_sweeps`, and the folder of an evolution
in `test_runs`. Each file is hit the first time that it is written, and the last.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.faults import Enumeration, command, in_one_line, results

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inside")]

_ENGINE: Final = f"{sys.executable} -I -S {Path(__file__).with_name('engine.py')}"
_PROGRAM: Final = ("program", f"gtp:{_ENGINE} {{place:0:9=0}}", "--final-openings=2")
_PANEL: Final = ("--panel=swh", "--panel-openings=2", "--final-openings=2", "--finalists=1")
_EVOLUTION: Final = (
    *("evolution", "--fix=population=4", "--fix=openings=start", "--fix=panel_every=1000"),
    # Used up by any generation: each trial has one.
    *(*_PANEL, "--budget=0.000001"),
)
_TREES: Final = (
    *("mcts", *_PANEL, "--fix=games=20", "--fix=simulations=4", "--fix=games_per_iteration=10"),
    *("--fix=check_simulations=4", "--fix=play_simulations=4", "--fix=endgame=4"),
    *("--fix=layers=dense 4 relu, dense 1 tanh", "--reports=2"),
)

SWEEPS: Final[dict[str, tuple[tuple[object, ...], tuple[str, ...]]]] = {
    "program": (
        (*_PROGRAM, "--pairs=2", "--finalists=1", "--trials=2", "--startup=1"),
        (".agreed", "best.json", "best.toml", "trial-N.json"),
    ),
    "evolution": (
        (*_EVOLUTION, "--trials=2"),
        ("trials/trial-N", "trial-N/config.toml", "generations/gen-N.parquet", "trial-N.json"),
    ),
    "rungs": (
        (*_EVOLUTION, "--trials=2", "--rungs=2x0.000002", "--retest=2"),
        ("x/rungs/N", "N/trials.parquet", "N/champion.json", "retest/trials.parquet"),
    ),
    "mcts": ((*_TREES, "--trials=2"), ("trials/trial-N.npz", "x/champion.npz")),
}
ALL: Final = [
    pytest.param(name, marks=pytest.mark.learning if name == "mcts" else ()) for name in SWEEPS
]


def enumeration(name: str, place: Path) -> Enumeration:
    words = ("sweep", *SWEEPS[name][0], "--jobs=1", "--out=x")
    return Enumeration(command(words, "x", outcome), place)


def outcome() -> dict[str, Any]:
    return results(Path("x"))


@pytest.mark.parametrize("name", ALL)
def test_one_that_dies_at_its_own_files_ends_as_if_undisturbed(name: str, tmp_path: Path) -> None:
    found = enumeration(name, tmp_path)
    files = SWEEPS[name][1]
    assert found.die(at=found.ends(*files)) >= len(files)
    if name != "rungs":  # the longest, whose files are those of the others
        assert found.die(torn=True, at=found.ends(*files)) >= len(files) - 1


@pytest.mark.parametrize(("name", "files"), [("program", ("best.json", "best.toml"))])
def test_one_in_which_its_own_files_fail_says_so_and_goes_on(
    name: str, files: tuple[str, ...], tmp_path: Path
) -> None:
    found = enumeration(name, tmp_path)
    own = found.ends(*files)

    count = found.fail(
        in_one_line, lambda point, number: own(point, number) and point.change != "sync"
    )
    assert count >= 2 * len(files)
