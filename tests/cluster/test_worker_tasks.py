"""Tasks at a worker: only for one of the same versions, and garbage is told."""

from __future__ import annotations

import pickle
import re
import shutil
from dataclasses import astuple
from pathlib import Path

import pytest

from evolve.errors import ClusterError, EvolveError
from evolve.fitness.executor import DONE, FAILED, ONE_THREAD, RAISED, REFUSED
from tests.cli import QUICK, ROOT, spawn
from tests.cluster.dask import cluster, place
from tests.cluster.test_client import assert_same, round_robin
from tests.waits import PATIENCE

pytest.importorskip("distributed")
from evolve.cluster.worker_tasks import Make, payload_of, work, worker_facts

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


def doubled(task: int) -> int:
    if task < 0:
        raise EvolveError("it is negative")
    return task * 2


def test_a_task_is_done_only_where_versions_match(monkeypatch: pytest.MonkeyPatch) -> None:
    payload = payload_of(doubled, 3)
    kind, answer, seconds = work(payload)
    assert (kind, pickle.loads(answer)) == (DONE, 6)
    assert seconds >= 0.0
    kind, answer, _ = work(payload_of(doubled, -1))
    assert kind == RAISED
    assert str(pickle.loads(answer)) == "it is negative"
    kind, answer, _ = work(payload_of(doubled, None))
    assert kind == FAILED
    assert answer.startswith("TypeError: ")
    assert "(test_worker_tasks.py, line " in answer
    monkeypatch.setattr("evolve.cluster.worker_tasks.__version__", "0.0")
    kind, answer, _ = work(payload)
    assert kind == REFUSED
    assert answer.startswith("it has evolve 0.0, ")


def test_facts_of_a_worker_say_its_versions() -> None:
    found = worker_facts()
    assert found["make"] == astuple(Make.here())
    assert found["cores"] >= 1
    assert "why" not in found


WRONG = """
import distributed.worker as worker
from pathlib import Path

class Bomb:
    def __reduce__(self):
        return int, ("not a number",)

def answer(*given, whole=worker._run_task):
    said = whole(*given)
    reply = said.get("result")
    if isinstance(reply, tuple) and len(reply) == 4 and Path({file!r}).exists():
        said["result"] = {reply}
    return said

worker._run_task = answer
"""
"""A worker that goes wrong once a file is there."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("None", "no worker can be used; WORKER: it has answered None, which is not a reply"),
        ("{1: 2}", "no worker can be used; WORKER: it has answered a dict, which is not a reply"),
        ("(*reply[:2], b'garbage', 0.0)", "no worker can be used; WORKER: .* cannot be unpacked: "),
        ("(*reply[:2], None, 0.0)", "no worker can be used; WORKER: its answer is None in place"),
        ("Bomb()", "no worker can be used; WORKER: .* cannot be unpacked: ValueError: invalid"),
        ("(reply[0], 'failed', 'no disk', 0.0)", "failed 3 times, lastly on WORKER: no disk$"),
    ],
)
def test_garbage_of_a_worker_is_told_in_a_line_and_the_run_can_go_on(
    tmp_path: Path, reply: str, text: str
) -> None:
    run = tmp_path / "run"
    preload = tmp_path / "wrong.py"
    file = str(run / "generations/gen-0000.parquet")
    preload.write_text(WRONG.replace("{file!r}", repr(file)).replace("{reply}", reply))
    with place(tmp_path, 0) as found:
        found.worker(DASK_DISTRIBUTED__WORKER__PRELOAD=str(preload))
        cluster(found, 1).close()
        process = spawn(tmp_path, "run", *QUICK, "--scheduler", found.address, "--out", run)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, (out, err)
    assert "Traceback" not in out + err
    assert err.splitlines()[-1].startswith("error: ")
    assert re.search(text.replace("WORKER", r"tcp://127.0.0.1:\d+"), err.splitlines()[-1]), err
    assert out.splitlines()[-1] == f"go on with: evolve resume {run}"


@pytest.mark.slow
def test_workers_that_are_others_play_no_game(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "evolve", other / "evolve")
    with (other / "evolve/engine/board/rules.py").open("a") as file:
        file.write("# another engine\n")
    none = tmp_path / "none/evolve"
    none.mkdir(parents=True)
    (none / "__init__.py").write_text("raise ImportError('it was never installed')\n")
    told: list[str] = []
    with place(tmp_path, 0) as found:
        found.worker(PYTHONPATH=str(other))
        found.worker(PYTHONPATH=str(none.parent))
        refused = pytest.raises(ClusterError, match="no worker can be used")
        with cluster(found, 2, report=told.append) as made, refused:
            round_robin(made)
        assert sum("left out" in text for text in told) == 2
        told.clear()
        found.worker()
        with cluster(found, 3, report=told.append) as made:
            assert_same(round_robin(made), round_robin(ONE_THREAD))
            assert made.slots == 1
    assert sum("left out" in text for text in told) == 2
    assert any("another engine" not in text and "engine" in text for text in told)
    assert any("it has no evolve of this kind: it was never installed" in text for text in told)
