"""Sweeps that die or fail at any of their changes of files, lines of the journal among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

import evolve
from tests.cli import Result
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
_OPTIONS: Final = (*_FEW, *_GENES, "--trials=2", "--startup=1", "--jobs=1", "--out=x")
SWEEP: Final = ("sweep", "alphabeta", *_OPTIONS)
JOURNAL: Final = "x/journal.log"


def outcome() -> dict[str, Any]:
    return results(Path("x"))


def test_a_sweep_that_dies_anywhere_ends_as_if_undisturbed(tmp_path: Path) -> None:
    found = Enumeration(command(SWEEP, "x", outcome), tmp_path)
    assert len(found.points) >= 70
    assert found.die() >= 40
    assert found.die(torn=True) >= 40


def test_a_sweep_in_which_any_change_fails_says_so_and_goes_on(tmp_path: Path) -> None:
    found = Enumeration(command(SWEEP, "x", outcome), tmp_path)

    def check(point: Point, answer: Result) -> None:
        # A full disk that hits a trial first ends the sweep at the journal, in the same breath.
        in_one_line(point if "trials/" not in point.place else Point("append", JOURNAL), answer)

    # Where the file of a trial alone fails, the trial has failed; the others go on.
    assert (
        found.fail(check, lambda p, number: "x/trials" not in p.place or p.change == "write") >= 60
    )


def test_a_trial_that_cannot_be_kept_has_failed_and_its_row_says_why(tmp_path: Path) -> None:
    found = Enumeration(command(SWEEP, "x", outcome), tmp_path)
    with found.inside():
        rename = found.place_of("rename", "x/trials/trial-0000.json")
        with hooked(Failure(rename)):
            answer = found.work.begin()
        assert answer.code == 0, answer
        trials = evolve.load_run("x").trials
        assert trials["state"].tolist() == ["FAIL", "COMPLETE", "COMPLETE"]
        assert trials["reason"][0].endswith("x/trials/trial-0000.json: Permission denied")
        assert leftovers(Path()) == []
