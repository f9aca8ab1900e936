"""Sweeps of each other kind that die or fail at changes of the files that it alone has.

What all sweeps have is looked at change by change in `test_sweeps`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli import Result, done, invoke
from tests.faults import Enumeration, Point, Work, command, in_one_line, results

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
_AGREED: Final = (".agreed", "data/key")
_BEST: Final = ("best.json", "best.toml", "final.json")
_RUN: Final = "x/trials/trial-N/"

SWEEPS: Final[dict[str, tuple[tuple[object, ...], tuple[str, ...]]]] = {
    "program": (
        (*_PROGRAM, "--pairs=2", "--finalists=1", "--trials=2", "--startup=1"),
        (*_AGREED, *_BEST, "trial-N.json"),
    ),
    "population": (
        (*_PROGRAM, "--algorithm=ga", "--population=4", "--generation-openings=1", "--trials=4"),
        ("generation-N.json", "trial-N.json", *_BEST),
    ),
    "evolution": (
        (*_EVOLUTION, "--trials=2"),
        (
            *(f"{_RUN}{name}" for name in ("config.toml", "champion.json")),
            *(f"{_RUN}{name}/gen-N.parquet" for name in ("games", "generations")),
            *("trials/trial-N", "trials/trial-N.json", "x/champion.json", "x/final.json"),
        ),
    ),
    "rungs": (
        (*_EVOLUTION, "--trials=1", "--rungs=1x0.000002", "--retest=2"),
        ("x/rungs", "rungs.parquet", "x/champion.json", "x/final.json"),
    ),
    "mcts": ((*_TREES, "--trials=2"), ("trials/trial-N.npz", "x/agent.npz", "x/final.json")),
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
    assert found.die(torn=True, at=found.ends(*files)) >= len(files) - 1
