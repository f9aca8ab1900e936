"""Whose turn it is: runs on a few slots, each generation of which takes its time."""

from __future__ import annotations

import threading
import time

import pytest

from evolve.studies import remote_runs as module
from evolve.studies.remote_runs import Turn, Turns
from tests.waits import PATIENCE, until_within

GENERATION = 0.02


class Work:
    """Runs of so many generations each, which take their turns until all are done."""

    def __init__(self, slots: int, generations: list[int], longest: float = 60.0) -> None:
        self.turns = Turns(lambda: slots, longest)
        self.ends: list[float] = []
        """When runs were done, in generations."""
        self.at_once: list[int] = []
        self.lengths: list[float] = []
        self._lock, self._going = threading.Lock(), 0
        turns = [Turn(count) for count in generations]
        for number, turn in enumerate(turns):
            self.turns.come(turn, len(turns) - number - 1)
        threads = [threading.Thread(target=self._run, args=(turn,)) for turn in turns]
        self._begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _run(self, turn: Turn) -> None:
        done = 0
        while done < turn.generations:
            seconds = self.turns.take(turn, lambda: False)
            assert seconds is not None
            with self._lock:
                self._going += 1
                self.at_once.append(self._going)
                self.lengths.append(seconds)
            end = time.monotonic() + seconds
            while done < turn.generations:
                time.sleep(GENERATION)
                done += 1
                if time.monotonic() >= end:
                    break
            with self._lock:
                self._going -= 1
            self.turns.give_back(turn, done)
        self.turns.go(turn)
        self.ends.append((time.monotonic() - self._begin) / GENERATION)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SHORTEST", 2 * GENERATION)


@pytest.mark.clock
def test_the_last_runs_end_together() -> None:
    # A quarter: turns are of 2 to 5 generations of 45, at the end of one run and the other.
    # One after another three runs of 30 on two slots end at 30, 30 and 60.
    work = Work(2, [30, 30, 30], longest=5 * GENERATION)
    assert max(work.at_once) == 2
    first, *_, last = work.ends
    assert last - first < 0.25 * last


def test_whoever_came_first_is_done_first_while_others_are_to_come() -> None:
    work = Work(1, [3, 3, 3, 3], longest=0.0)
    assert len(work.at_once) == 12
    assert set(work.at_once) == {1}
    # The last ones have most left when all are there; until then nobody is waited for.
    turns = Turns(lambda: 1, 0.0)
    first, second = Turn(5), Turn(9)
    turns.come(first, 3)
    turns.come(second, 2)
    first._played, first._seconds = 1, 1.0
    assert turns._next(1) == [first]
    turns.come(third := Turn(7), 0)
    assert turns._next(2) == [second, third]


def test_turns_are_whole_where_there_is_nobody_to_share_with() -> None:
    assert set(Work(3, [4, 4, 4]).lengths) == {60.0}
    assert set(Work(1, [4, 4, 4]).lengths) == {60.0}


@pytest.mark.clock
def test_turns_are_shorter_where_others_wait() -> None:
    """What a generation takes is measured: 0.02 s where nothing else is done."""
    shared = Work(2, [8, 8, 8, 8, 8, 8]).lengths
    assert shared[:2] == [60.0, 60.0], "nothing is known yet"
    assert min(shared) < 8 * GENERATION
    assert min(shared) >= 2 * GENERATION


def test_whoever_stops_has_no_turn_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK", 1000.0)
    turns, stopping = Turns(lambda: 1), threading.Event()
    going, waiting = Turn(3), Turn(3)
    turns.come(going, 1)
    turns.come(waiting, 0)
    assert turns.take(going, lambda: False) == 60.0
    found: list[float | None] = []
    thread = threading.Thread(target=lambda: found.append(turns.take(waiting, stopping.is_set)))
    thread.start()
    until_within(thread, "wait")
    stopping.set()
    turns.wake()
    thread.join(PATIENCE)
    assert found == [None]


def test_who_fails_leaves_the_slot_to_others() -> None:
    turns = Turns(lambda: 1)
    failed, other = Turn(3), Turn(3)
    turns.come(failed, 1)
    turns.come(other, 0)
    assert turns.take(failed, lambda: False) == 60.0
    turns.go(failed)
    assert turns.take(other, lambda: False) == 60.0


def test_a_slot_that_comes_is_used() -> None:
    slots = [1]
    turns = Turns(lambda: slots[0])
    first, second = Turn(3), Turn(3)
    turns.come(first, 1)
    turns.come(second, 0)
    turns.take(first, lambda: False)
    found: list[float | None] = []
    thread = threading.Thread(target=lambda: found.append(turns.take(second, lambda: False)))
    thread.start()
    slots[0] = 2
    thread.join(PATIENCE)
    assert found == [60.0]
