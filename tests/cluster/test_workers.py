"""Workers that come and go are reported."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.cluster.dask import cluster, place

pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


@pytest.mark.slow
def test_who_comes_and_goes_is_told(tmp_path: Path) -> None:
    reported: list[str] = []

    def wait_for(text: str) -> None:
        end = time.monotonic() + 40
        while not any(re.search(text, line) for line in reported):
            assert time.monotonic() < end, reported
            assert made.slots
            time.sleep(0.1)

    with place(tmp_path, 1) as found, cluster(found, 1, report=reported.append) as made:
        while not made.workers.usable():
            time.sleep(0.1)
        reported.clear()
        second = found.worker()
        wait_for(r"^worker tcp://.* joined, 1 slot$")
        second.kill()
        wait_for(r"^worker tcp://.* left; others play its games$")
    address = reported[-1].split()[1]
    assert sum(address in line for line in reported) == 2, reported
