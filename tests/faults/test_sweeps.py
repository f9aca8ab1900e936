"""Sweeps that die or fail at any of their changes of files, lines of the journal among them.

Sweeps of other kinds do so at the files that they alone have, each the first time that it is
written, and the last; the folder of an evolution is in `test_runs`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import pytest

import evolve
from tests.cli import ROOT, Result
from tests.faults import (
    Enumeration,
    Failure,
    Point,
    command,
    hooked,
    in_one_line,
    leftovers,
    results,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inside")]

_FEW: Final = ("--panel=swh", "--panel-openings=2", "--final-openings=2", "--finalists=2")
_GENES: Final = (
    *("--fix=depths=1", "--fix=endgame=0", "--fix=weights=100,-25,10,5,-25,1,1,5,2,1"),
    *("--fix=stability=0", "--fix=x_squares=0", "--fix=c_squares=0"),
)
SWEEP: Final = ("alphabeta", *_FEW, *_GENES, "--trials=2", "--startup=1")
JOURNAL: Final = "x/journal.log"

_ENGINE: Final = f"{sys.executable} -I -S {ROOT / 'tests/sweeps/tuned.py'}"
_PROGRAM: Final = ("program", f"gtp:{_ENGINE} --place {{place:0:9=0}}", "--final-openings=2")
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
    "spsa": (
        (*_PROGRAM, "--pairs=2", "--finalists=1", "--trials=6", "--startup=3", "--sampler=spsa"),
        ("journal.log", "x/trials.parquet"),
    ),
    "evolution": ((*_EVOLUTION, "--trials=2"), ("trial-N.json",)),
    "retest": (  # with this seed the defaults do not win
        (*_EVOLUTION, "--trials=2", "--finalists=2", "--retest=1", "--seed=1"),
        ("trial-N.json", "x/retest.parquet"),
    ),
    "mcts": ((*_TREES, "--trials=2"), ("trials/trial-N.npz", "x/champion.npz")),
}
ALL: Final = [
    pytest.param(name, marks=pytest.mark.learning if name == "mcts" else ()) for name in SWEEPS
]


def outcome() -> dict[str, Any]:
    return results(Path("x"))


def sweep(place: Path, *words: object) -> Enumeration:
    return Enumeration(command(("sweep", *words, "--jobs=1", "--out=x"), "x", outcome), place)


def test_a_sweep_may_die_or_fail_at_a_change_of_any_kind(tmp_path: Path) -> None:
    found = sweep(tmp_path, *SWEEP)
    assert len(found.points) >= 70
    assert found.die() >= 40

    def check(point: Point, answer: Result) -> None:
        # A full disk that hits a trial first ends the sweep at the journal, in the same breath.
        in_one_line(point if "trials/" not in point.place else Point("append", JOURNAL), answer)

    # Where the file of a trial alone fails, the trial has failed; the others go on.
    own = found.ends()
    count = found.fail(
        check, lambda p, n: own(p, n) and ("x/trials" not in p.place or p.change == "write")
    )
    assert count >= 19

    # A trial that cannot be kept has failed, and its row says why.
    rename = found.place_of("rename", "x/trials/trial-0000.json")
    with found.inside():
        with hooked(Failure(rename)):
            answer = found.work.begin()
        assert answer.code == 0, answer
        trials = evolve.load_run("x").trials
        assert trials["state"].tolist() == ["FAIL", "COMPLETE", "COMPLETE"]
        assert trials["reason"][0].endswith("x/trials/trial-0000.json: Permission denied")
        assert leftovers(Path()) == []


@pytest.mark.parametrize("name", ALL)
def test_one_may_die_or_fail_at_its_own_files(name: str, tmp_path: Path) -> None:
    words, files = SWEEPS[name]
    found = sweep(tmp_path, *words)
    assert found.die(found.ends(*files)) >= len(files)
    if name == "program":
        own = found.ends("best.json", "best.toml")
        assert found.fail(in_one_line, lambda p, n: own(p, n) and p.change != "sync") >= 4
