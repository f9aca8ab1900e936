"""The workers of a scheduler: which can be used, and how long a task may take on one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import astuple, dataclass, fields
from threading import Lock
from typing import Any, Final

from distributed import Client, KilledWorker

from evolve.cluster.worker_tasks import Make, by_value, worker_facts
from evolve.errors import ClusterError
from evolve.fitness.executor import ensure, in_words, named
from evolve.terminal_text import count_of

_FACTS: Final = by_value(worker_facts)

_ANSWER: Final = 30.0
"""Seconds in which a worker must send its facts: loading evolve takes some of them."""
_LOOK: Final = 1.0
"""Seconds between two checks of which workers are there."""
_LOOK_FOR_SILENCE: Final = 5.0
"""Seconds between two checks of which workers the scheduler hears from: its answer grows with their
number."""
_SILENCE: Final = 15.0
"""Seconds without contact with the scheduler after which a worker is reported as silent. The
scheduler hears from each worker every half second, with a thousand workers every six seconds."""
LEAST_LIMIT: Final = 60.0
"""Seconds that any task may take: compiling kernels takes ten on an idle machine."""
FIRST_LIMIT: Final = 3600.0
"""Seconds for a task if none of its kind has finished yet: the length of its games is unknown."""
LIMIT_FACTOR: Final = 10.0
"""Limit of a task, as a multiple of the longest earlier task."""
LIMIT_GROWTH: Final = 4.0
"""Factor on the limit for each further worker that gets the task. With a constant limit, work would
fail if its tasks became far longer, such as games of deeper agents: no worker would get enough
time."""
MOST_WORKERS: Final = 3
"""Most workers that a task goes to, one after another."""


@dataclass(frozen=True)
class WorkerFacts:
    """Facts of a worker.

    slots: its threads; memory: in bytes, 0 for no limit; why: the reason it is excluded, None if it
    can be used; facts: of its machine, as the worker reports them.
    """

    address: str
    slots: int
    memory: int
    why: str | None
    facts: Mapping[str, Any]


class Workers:
    """The workers of a client's scheduler.

    report: called with a line about each worker that joins, leaves, is silent for long, or is
    refused.
    """

    def __init__(self, client: Client, address: str, report: Callable[[str], None]) -> None:
        self._client: Any = client
        self._address, self._report = address, report
        self.refused: dict[str, str] = {}
        """Excluded workers, and the reasons."""
        self._aside: set[str] = set()
        """Workers that get no more tasks until they answer."""
        self._workers: dict[str, int] = {}
        self._asked = self._heard = -math.inf
        """When the scheduler was last asked which workers are there, and which it hears from."""
        self._last_heard: dict[str, tuple[float, float]] = {}
        """For each worker: when the scheduler last heard from it, by the scheduler's clock, and
        since when that value is unchanged, by ours."""
        self._silent: set[str] = set()
        """Workers that were reported as silent."""
        self._looking = Lock()

    def usable(self) -> dict[str, int]:
        """Return usable workers and their threads, at most a second old.

        Raises ClusterError if the scheduler is gone.
        """
        with self._looking:
            if time.monotonic() - self._asked > _LOOK:
                if self._client.status != "running":
                    raise self.gone()
                try:
                    self._tell_changes(self._client.nthreads())
                except (OSError, TimeoutError) as error:
                    raise self.gone() from error
                except (AttributeError, RuntimeError) as error:
                    # Dask raises these if another thread closes the client in the meantime.
                    if self._client.status == "running":
                        raise
                    raise self.gone() from error
                self._asked = time.monotonic()
        return {place: count for place, count in self._workers.items() if place not in self.refused}

    def free(self) -> dict[str, int]:
        """Return the workers of `usable` without a late answer."""
        there = self.usable()
        with self._looking:
            if not self._aside:  # the usual case, and there may be a thousand workers
                return there
            return {place: count for place, count in there.items() if place not in self._aside}

    def set_aside(self, place: str, why: str) -> None:
        """Give a worker no more tasks until it has answered."""
        with self._looking:
            new = place not in self._aside
            self._aside.add(place)
        if new:
            self._report(f"worker {place} gets no further task until it answers: {why}")

    def take_back(self, place: str) -> None:
        """Use a worker again after `set_aside`."""
        with self._looking:
            self._aside.discard(place)
        self._report(f"worker {place} has answered at last")

    def refuse(self, place: str, why: str) -> None:
        """Exclude a worker from now on; raises ClusterError if no usable one is left."""
        if place not in self.refused:
            self.refused[place] = why
            self._report(f"worker {place} is left out: {why}")
        if not self.usable():
            raise ClusterError(f"no worker can be used; {place}: {why}")

    def gone(self) -> ClusterError:
        """Return the error to raise if the scheduler is gone."""
        return ClusterError(f"the scheduler at {self._address} is gone")

    def facts(self) -> list[WorkerFacts]:
        """Return the facts of all workers, by address, even of those that do not answer in time."""
        there = self._client.scheduler_info(n_workers=-1)["workers"]
        asked = {
            place: self._client.submit(_FACTS, pure=False, workers=[place], priority=1)
            for place in there
        }
        end = time.monotonic() + _ANSWER
        mine = astuple(Make.here())
        found = []
        for place in sorted(there):
            try:
                facts = _facts_in(asked[place].result(timeout=max(0.1, end - time.monotonic())))
            except (OSError, TimeoutError, CancelledError, KilledWorker):
                facts = {"why": f"it has not answered for {_ANSWER:.0f} seconds"}
            except Exception as error:  # unreadable answers can raise any exception
                facts = {"why": f"its answer cannot be used: {in_words(error)}"}
            make = facts.pop("make", None)
            why = facts.pop("why", None)
            if make is not None and make != mine:
                why = f"it has {Make(*make)}, not {Make(*mine)}"
            worker = there[place]
            found.append(WorkerFacts(place, worker["nthreads"], worker["memory_limit"], why, facts))
        self._client.cancel(list(asked.values()), force=True)
        return found

    def _tell_changes(self, workers: dict[str, int]) -> None:
        """Store the current workers; report which joined, left or are silent."""
        before, self._workers = self._workers, workers
        if self._asked > -math.inf:
            for place in sorted(set(workers) - set(before)):
                self._report(f"worker {place} is there, {count_of(workers[place], 'slot')}")
            for place in sorted(set(before) - set(workers)):
                self._report(f"worker {place} is gone; others play its games")
        if time.monotonic() - self._heard >= _LOOK_FOR_SILENCE:
            self._heard = time.monotonic()
            self._tell_silence(self._client.scheduler_info(n_workers=-1)["workers"])

    def _tell_silence(self, workers: Mapping[str, Any]) -> None:
        """Report workers that the scheduler has not heard from for long.

        Its clock may differ from ours, so this measures how long its value for a worker has been
        unchanged.
        """
        now, before = time.monotonic(), self._last_heard
        self._last_heard = {}
        for place, worker in workers.items():
            seen, since = before.get(place, (None, now))
            if seen != worker["last_seen"]:
                since = now
                if place in self._silent:
                    self._silent.remove(place)
                    self._report(f"worker {place} is heard again")
            elif now - since > _SILENCE and place not in self._silent:
                self._silent.add(place)
                self._report(f"worker {place} has not been heard for {now - since:.0f} seconds")
            self._last_heard[place] = worker["last_seen"], since


def _facts_in(found: Any) -> dict[str, Any]:
    """Return the facts that a worker sent, after a check of their types."""
    words, numbers = ("host", "cpu", "python", "dask", "why"), ("cores",)
    ensure(isinstance(found, dict), f"{named(found)} in place of facts")
    facts = {name: found[name] for name in (*words, *numbers, "make") if name in found}
    make = facts.get("make")
    ensure(
        all(isinstance(facts.get(name, ""), str) for name in words)
        and all(type(facts.get(name, 0)) in (int, type(None)) for name in numbers)
        and (make is None) == ("why" in facts)
        and (make is None or _is_make(make)),
        "its facts are of other kinds",
    )
    return facts


def _is_make(found: Any) -> bool:
    """Whether something is a `Make` as `astuple` gives it."""
    return (
        isinstance(found, tuple)
        and len(found) == len(fields(Make))
        and all(isinstance(part, str) for part in found)
    )


class Patience:
    """Record how long tasks took. Thread-safe.

    Times are by this machine's clock, from sending a task until its answer arrives; times that
    workers report are ignored. Functions are the kinds of tasks. Places are workers: a worker that
    answers other tasks in the meantime has those first in its queue, and is not late.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._longest: dict[Callable[..., Any], float] = {}
        self._heard: dict[str, float] = {}

    def heard(self, function: Callable[..., Any], place: str, since: float) -> None:
        """Record the answer to a task that was sent at `since` (time.monotonic())."""
        now = time.monotonic()
        with self._lock:
            self._heard[place] = now
            self._longest[function] = max(self._longest.get(function, 0.0), now - since)

    def longest(self, function: Callable[..., Any]) -> float | None:
        """Return the seconds of the longest task; None if none has finished."""
        with self._lock:
            return self._longest.get(function)

    def limit(self, function: Callable[..., Any], workers: int) -> float:
        """Return the seconds that a task may take; workers: how many had it before."""
        longest = self.longest(function)
        least = FIRST_LIMIT if longest is None else max(LEAST_LIMIT, LIMIT_FACTOR * longest)
        return least * LIMIT_GROWTH**workers

    def since(self, place: str, since: float) -> float:
        """Return the earliest time a worker can have started a task that was sent at `since`."""
        with self._lock:
            return max(since, self._heard.get(place, since))
