"""What holds for all tests: those of learning are skipped, with their reason, without PyTorch."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

_NO_TORCH: Final = (
    "needs PyTorch: pip install torch --index-url https://download.pytorch.org/whl/cpu"
)
_MISSING: Final = importlib.util.find_spec("torch") is None
_LONG: Final = (
    "docs/test_guides.py", "service/test_page.py", "docs/test_commands.py", "test_extending.py",
    "learning/test_training.py", "cluster/test_client.py", "service/test_jobs.py",
    "cli/test_cluster.py", "cli/test_train.py", "learning/test_dqn.py", "service/test_play.py",
    "cli/test_sweep_program.py", "faults/test_sweeps.py", "cli/test_sweep.py",
    "faults/test_trainings.py", "transcripts/test_transcripts.py", "test_going_on.py",
    "service/test_contract.py", "docs/test_site.py", "engine/patterns/test_pattern_search.py",
    "cli/test_signals.py", "cli/test_report.py", "studies/test_running.py", "cli/test_doors.py",
    "cli/test_match.py", "cli/test_terminal.py", "cluster/test_worker_tasks.py",
    "service/test_disk.py", "faults/test_requests.py", "sweeps/test_study.py",
    "standalone/test_part_patterns.py", "test_notebooks.py", "engine/patterns/test_pattern_sums.py",
)  # fmt: skip
"""Modules whose tests take longest, the longest first."""
_MEMORY: Final = Path("/dev/shm")
"""Where Linux keeps files in memory: what is safe on a disk after 3 ms is safe here at once."""
_ROOM: Final = 4 << 30
"""Bytes, many times as many as tests have there at once."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update`: what commands print now is what tests/transcripts expect."""
    parser.addoption("--update", action="store_true", help="write tests/transcripts again")


def pytest_configure() -> None:
    """Ctrl-C is heard, also in the background of a script, where it is ignored, and so is SIGHUP,
    also under nohup: programs that tests start, and the processes that these are forked from, would
    inherit that, and their tests wait for minutes."""
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
    if _has_room(_MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", os.fspath(_MEMORY))


def _has_room(folder: Path) -> bool:
    """Whether all temporary folders fit there, and programs in them may be started."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= _ROOM and not found.f_flag & os.ST_NOEXEC


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that take longest, then those of many tests: a process gets a module
    at a time, and one of two minutes that came last left the others idle."""
    counts = Counter(item.path for item in items)
    here = Path(__file__).parent

    def rank(item: pytest.Item) -> tuple[int, int, str]:
        name = item.path.relative_to(here).as_posix()
        place = _LONG.index(name) if name in _LONG else len(_LONG)
        return place, -counts[item.path], name

    items.sort(key=rank)
    if _MISSING:
        for item in items:
            if item.get_closest_marker("learning"):
                item.add_marker(pytest.mark.skip(reason=_NO_TORCH))


def pytest_collection_finish() -> None:
    """What the collection made stays to the end: no later search for garbage goes through it."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that imports what imports torch is skipped, and no error, where there is none."""
    report = yield
    if _MISSING and report.failed and "No module named 'torch'" in str(report.longrepr):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 1, f"Skipped: {_NO_TORCH}")
    return report
