"""A forked program is as one that was started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import forks
from tests.cli import finish, program, spawn

pty = pytest.importorskip("pty", reason="Windows neither forks nor has such terminals")
KEPT_RUN = Path(__file__).parent / "cli/run-0.2"


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (("show", KEPT_RUN), {"COLUMNS": "60", "PYTHONIOENCODING": "ascii:replace"}),
        pytest.param(("show", "nothing"), {}, marks=pytest.mark.slow),
        pytest.param(("runs", "."), {"PYTHONUNBUFFERED": ""}, marks=pytest.mark.slow),
        (("perft", "x"), {}),
    ],
)
def test_it_writes_and_ends_alike(
    words: tuple[object, ...], changes: dict[str, str], tmp_path: Path
) -> None:
    started = program(tmp_path, *words, real=True, **changes)
    assert program(tmp_path, *words, **changes) == started


@pytest.mark.parametrize(
    ("name", "value"), [("EVOLVE_CACHE_DIR", "cache"), ("PYTHONPATH", f"{forks.ROOT}:x")]
)
def test_what_counts_at_the_start_is_started(tmp_path: Path, name: str, value: str) -> None:
    process = spawn(tmp_path, "--help", **{name: value})
    assert not isinstance(process, forks.Fork)
    assert finish(process).code == 0
