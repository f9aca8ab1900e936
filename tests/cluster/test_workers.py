"""Workers that come and go are reported."""

from __future__ import annotations

import re
import time
from pathlib import Path

import psutil
import pytest

from tests.cli import invoke
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


@pytest.mark.slow
def test_one_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.cluster.workers._PATIENCE", 2.0)
    with place(tmp_path, 2) as found, cluster(found, 2):
        stopped = psutil.Process(found.workers[0].pid)
        stopped.suspend()
        ended = invoke("cluster", "check", "--scheduler", found.address)
        stopped.resume()
    assert ended.code == 1
    assert "is left out: it does not answer\n" in ended.out
    assert re.match("error: tcp://.* does not answer: games there wait", ended.err)
