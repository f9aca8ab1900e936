"""Sweeps that die or fail at any of their changes of files, lines of the journal among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.faults import Enumeration, command, in_one_line, results

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inside")]

_FEW: Final = ("--panel=swh", "--panel-openings=2", "--final-openings=2", "--finalists=2")
_GENES: Final = (
    *("--fix=depths=1", "--fix=endgame=0", "--fix=weights=100,-25,10,5,-25,1,1,5,2,1"),
    *("--fix=stability=0", "--fix=x_squares=0", "--fix=c_squares=0"),
)
_ENGINE: Final = Path(__file__).parent.parent / "sweeps" / "tuned.py"
SWEEPS: Final[dict[str, tuple[object, ...]]] = {
    "alphabeta": ("alphabeta", *_FEW, *_GENES, "--trials=3", "--startup=2"),
}


def sweep(name: str) -> tuple[object, ...]:
    return ("sweep", *SWEEPS[name], "--jobs=1", "--out=x")


def outcome() -> dict[str, Any]:
    return results(Path("x"))


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_that_dies_anywhere_ends_as_if_undisturbed(name: str, tmp_path: Path) -> None:
    found = Enumeration(command(sweep(name), "x", outcome), tmp_path)
    print(len(found.points))
    found.die()
    found.die(torn=True)


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_in_which_any_change_fails_says_so_and_goes_on(name: str, tmp_path: Path) -> None:
    found = Enumeration(command(sweep(name), "x", outcome), tmp_path)
    found.fail(in_one_line)
