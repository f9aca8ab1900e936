"""The benchmark of the time left that commands show first."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from benchmarks import estimates

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
SHOWN = [
    (1.0, "compiling 3/8 0:00:01\r\n"),
    (2.0, "run 0/20 2 s elapsed\x1b[2K"),
    (3.0, "run 1/20 3 s elapsed, \x1b[33mabout 2 m"),
    (3.1, "in left\x1b[0m"),
    (4.0, "about 7 s left"),
]


@pytest.mark.parametrize(("count", "expected"), [(2, None), (5, (3.1, 120.0))])
def test_the_first_time_left_counts(count: int, expected: tuple[float, float] | None) -> None:
    assert estimates.first_estimate(SHOWN[:count]) == expected


def test_a_command_that_fails_is_no_figure() -> None:
    assert "failed" in estimates.measure("bad", ("run", "--generations", "none"), warm=True)


@pytest.mark.slow
def test_a_command_is_run_to_its_end(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    words = ("run", "--generations", "3", "--population", "8")
    monkeypatch.setattr(estimates, "COMMANDS", {"small": words})
    monkeypatch.setattr("sys.argv", ["estimates", "small"])
    estimates.main()
    cells = capsys.readouterr().out.splitlines()[-1].split("|")
    assert cells[1].strip() == "small"
    assert [cell for cell in cells[2:9] if float(cell) < 0] == []
