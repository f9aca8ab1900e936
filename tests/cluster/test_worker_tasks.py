"""Tasks at a worker: only for one of the same versions."""

from __future__ import annotations

import pickle
import re
import shutil
from pathlib import Path

import pytest

from evolve.cluster.worker_tasks import in_words, payload_of, work
from evolve.errors import ClusterError, EvolveError
from evolve.fitness.executor import ONE_THREAD
from tests.cli import ROOT
from tests.cluster.dask import cluster, place
from tests.cluster.test_client import assert_same, round_robin
from tests.waits import until

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own

pytest.importorskip("distributed")


def doubled(task: int) -> int:
    if task < 0:
        raise EvolveError("it is negative")
    return task * 2


def test_a_task_is_done_only_where_versions_match(monkeypatch: pytest.MonkeyPatch) -> None:
    payload = payload_of(doubled, 3)
    kind, answer, seconds = work(payload)
    assert (kind, pickle.loads(answer)) == ("done", (6, [], False))
    assert seconds >= 0.0
    kind, answer, _ = work(payload_of(doubled, -1))
    assert kind == "raised"
    assert str(pickle.loads(answer)) == "it is negative"
    kind, answer, _ = work(payload_of(doubled, None))
    assert kind == "failed"
    assert answer.startswith("TypeError: ")
    assert "(test_worker_tasks.py, line " in answer
    monkeypatch.setattr("evolve.cluster.worker_tasks.__version__", "0.0")
    kind, answer, _ = work(payload)
    assert kind == "refused"
    assert answer.startswith("it has evolve 0.0, ")


def test_an_error_in_words_is_fit_to_be_shown() -> None:
    text = in_words(ValueError("\x1b[31m\n" + "x" * 1000))
    assert text.startswith("ValueError: \\x1b[31m xxx")
    assert len(text) < 330


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


@pytest.mark.slow
def test_who_comes_and_goes_is_told(tmp_path: Path) -> None:
    reported: list[str] = []

    def wait_for(text: str) -> None:
        until(lambda: made.slots and any(re.search(text, line) for line in reported), pause=0.1)

    with place(tmp_path, 1) as found, cluster(found, 1, report=reported.append) as made:
        until(made.workers.usable, pause=0.1)
        reported.clear()
        second = found.worker()
        wait_for(r"^worker tcp://.* joined, 1 slot$")
        second.kill()
        wait_for(r"^worker tcp://.* left; others play its games$")
    address = reported[-1].split()[1]
    assert sum(address in line for line in reported) == 2, reported
