"""Who works on a trial, and whether they are still there."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from evolve.errors import StorageError
from evolve.sweeps import storage
from evolve.sweeps.storage import Lease, is_gone, this_machine
from tests.sweeps import shared
from tests.waits import PATIENCE


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_process_of_this_machine_that_is_gone_is_known_at_once(tmp_path: Path) -> None:
    assert this_machine()
    mine = Lease().identity
    assert not is_gone(mine)
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert is_gone({**mine, "pid": child.pid})
    assert not is_gone({**mine, "pid": child.pid, "machine": "another"})
    assert not is_gone({**mine, "pid": 1, "machine": mine["machine"]})
    one, other = shared(tmp_path), shared(tmp_path)
    one.lease.identity["pid"] = child.pid
    one.take("w")
    assert other.reclaim() == [0]


def test_the_heart_beats_through_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "BEAT", 0.01)
    seen: list[int] = []
    enough = threading.Event()

    def beat(count: int) -> None:
        seen.append(count)
        if count == 2:
            raise StorageError("down for a moment")
        if count == 4:
            enough.set()

    with storage.Heart(beat):
        assert enough.wait(PATIENCE)
    assert seen[:5] == [0, 1, 2, 3, 4]
