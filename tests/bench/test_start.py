"""How long it takes to start, with real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.bench import start
from evolve.errors import BenchError


@pytest.mark.slow
def test_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real processes, with one kernel to compile in place of all that a run needs."""
    monkeypatch.setattr(start, "REPEATS", 1)
    monkeypatch.setattr(start, "_RUN", ("--version",))
    kernel = "from evolve.engine.perft import perft\n"
    kernel += "from evolve.engine.bits import START_OPP, START_OWN\n"
    monkeypatch.setattr(start, "_KERNELS", f"{kernel}perft(START_OWN, START_OPP, 1)\n")
    rows = {row["what"]: row for row in start.start_rows()}
    assert list(rows) == ["evolve --help", "imports", "first use", "later use", "evolve run"]
    assert rows["first use"]["cpu_seconds"] > rows["later use"]["cpu_seconds"]
    assert rows["evolve run"]["wall_seconds"] > 0 < rows["imports"]["wall_seconds"]
    with pytest.raises(BenchError, match=r"SystemExit\(3\) failed"):
        start._measure(["-c", "raise SystemExit(3)"], Path("none"))
