"""Workers that answer wrongly, hang, come and go."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from evolve.errors import ClusterError
from evolve.fitness.executor import ensure, named
from tests.cluster.dask import Place, cluster, place
from tests.waits import until

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


def here() -> str:
    """The worker that this is."""
    address: str = distributed.get_worker().address
    return address


def wrong_on(place: str) -> Any:
    """Nothing, on one worker; elsewhere a half."""
    return None if here() == place else 0.5


def is_half(task: Any, answer: Any) -> None:
    ensure(answer == 0.5, f"its answer is {named(answer)} in place of a half")


def test_a_worker_that_answers_wrongly_is_left_out_and_its_tasks_go_elsewhere(
    shared: Place,
) -> None:
    told: list[str] = []
    with cluster(shared, 2, report=told.append) as found:
        one, other = sorted(found.workers.usable())
        told.clear()  # of workers that came after the client
        came = list(found.run(wrong_on, [one] * 12, is_half))
        assert sorted(came) == [(number, 0.5) for number in range(12)]
        assert told == [f"worker {one} is left out: its answer is None in place of a half"]
        assert list(found.workers.usable()) == [other]
        with pytest.raises(ClusterError, match=f"^no worker can be used; {other}: its answer is"):
            list(found.run(wrong_on, [other], is_half))


def hangs_on(task: tuple[list[str], str]) -> str:
    """Hangs on some workers, while they live, until a file is there."""
    places, file = task
    while here() in places and not Path(file).exists():
        time.sleep(0.02)
    return here()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("LEAST_LIMIT", 1.0),
        ("FIRST_LIMIT", 1.0),
        ("LIMIT_GROWTH", 1.0),
        ("LIMIT_FACTOR", 1.0),
    ):
        monkeypatch.setattr(f"evolve.cluster.workers.{name}", value)


@pytest.mark.usefixtures("impatient")
def test_a_worker_that_hangs_while_it_lives_is_not_waited_for(
    shared: Place, tmp_path: Path
) -> None:
    said: list[str] = []
    file = tmp_path / "go"
    with cluster(shared, 2, report=said.append) as found:
        one, other = sorted(found.workers.usable())
        said.clear()  # of workers that came after the client
        try:
            came = list(found.run(hangs_on, [([one], str(file))] * 8))
            assert [place for _, place in came] == [other] * 8
            assert re.fullmatch(
                rf"worker {one} gets no further task until it answers: it has taken \d+ seconds "
                r"for a task; the longest took \d+\.\d",
                next(text for text in said if one in text),
            )
            until(lambda: found.slots == 1)  # on a busy machine the other may seem to hang, too
            assert [place for _, place in found.run(hangs_on, [([one], str(file))] * 4)] == (
                [other] * 4
            )
        finally:
            file.touch()
        until(lambda: f"worker {one} has answered at last" in said)
        assert sum(one in text for text in said) == 2
        until(lambda: found.slots == 2)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_where_all_workers_hang_it_ends(shared: Place, tmp_path: Path) -> None:
    file = tmp_path / "go"
    text = r"^3 times no worker answered in time; tcp://.*: \d+ seconds for a task; none has ended"
    with cluster(shared, 2) as found:
        try:
            with pytest.raises(ClusterError, match=text):
                list(found.run(hangs_on, [(list(found.workers.usable()), str(file))]))
        finally:
            file.touch()


@pytest.mark.usefixtures("impatient")
def test_an_answer_that_comes_late_is_taken_where_there_is_no_other_worker(
    shared: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.cluster.workers.LIMIT_GROWTH", 1000.0)
    file = tmp_path / "go"
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if sum("gets no further task" in one for one in told) == 2:
            file.touch()

    with cluster(shared, 2, report=tell) as found:
        places = list(found.workers.usable())
        came = list(found.run(hangs_on, [(places, str(file))] * 2))
    assert sorted(number for number, _ in came) == [0, 1]


@pytest.mark.slow
def test_who_comes_goes_and_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.cluster.workers._SILENCE", 2.0)
    monkeypatch.setattr("evolve.cluster.workers._LOOK_FOR_SILENCE", 0.5)
    told: list[str] = []

    def wait_for(text: str) -> None:
        end = time.monotonic() + 40
        while not any(re.search(text, line) for line in told):
            assert time.monotonic() < end, told
            assert made.slots
            time.sleep(0.1)

    with place(tmp_path, 1) as found, cluster(found, 1, report=told.append) as made:
        while not made.workers.usable():
            time.sleep(0.1)
        told.clear()
        second = found.worker()
        wait_for(r"^worker tcp://.* is there, 1 slot$")
        stopped = psutil.Process(second.pid)
        stopped.suspend()
        wait_for(r"^worker tcp://.* has not been heard for \d+ seconds$")
        stopped.resume()
        wait_for(r"^worker tcp://.* is heard again$")
        second.kill()
        wait_for(r"^worker tcp://.* is gone; others play its games$")
    address = told[-1].split()[1]
    assert sum(address in line for line in told) == 4, told
