"""Studies that die or fail at any change of files, of their own and of their runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli import Result
from tests.faults import Enumeration, Point, Work, command, named, results
from tests.faults.test_runs import SMALL

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inside")]

STUDY: Final = (*SMALL[:-1], "--generations=1", "--seeds=0-1", "--out=x")


def study() -> Work:
    def outcome() -> dict[str, Any]:
        assert not list(Path("x/logs").glob("*.progress"))
        return {name: results(Path("x", name)) for name in ("seed-0", "seed-1")}

    return command(STUDY, "x", outcome, "study.toml")


def test_a_study_may_die_or_fail_at_any_change_and_goes_on(tmp_path: Path) -> None:
    """Changes of its runs' own tables fail in `test_runs`, each of them."""
    found = Enumeration(study(), tmp_path)
    assert found.die() >= 15

    def where(point: Point, number: int) -> bool:
        return not re.match(
            r"x/seed-./(games|generations|champion)", named(found.points, number).place
        )

    def check(point: Point, answer: Result) -> None:
        # What ends a run is in its log, which the study names.
        assert "Traceback" not in answer.err + answer.out
        if answer.code == 1:
            assert answer.err.startswith("error: ") or "seed-" in answer.out, answer
        else:  # where only the report of a run fails, the run does not
            assert (answer.code, ".progress" in point.place) == (0, True), answer

    assert found.fail(check, where) >= 30
