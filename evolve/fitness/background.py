"""Work in another thread, awaited here without locks that Ctrl-C could leave locked."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class _End(NamedTuple):
    """The iterable has ended, or raised an error."""

    error: BaseException | None = None


class Background(Iterator[T]):
    """The items of an iterable, computed by a thread of its own, which starts at once.

    What the iterable raises is raised here. Interruptions are raised in the main thread alone, so
    the iterable's own locks are safe. They are not in the main thread: a second Ctrl-C while joblib
    ended its pool left a semaphore locked, and the match did not end. The same can happen to
    everything built on `threading.Condition`, such as futures.
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._answers: SimpleQueue[T | _End] = SimpleQueue()  # its lock is in C, and safe
        threading.Thread(target=self._work, args=(items,), daemon=True).start()

    def _work(self, items: Iterable[T]) -> None:
        end = _End()
        try:
            for item in items:
                self._answers.put(item)
        except BaseException as error:
            end = _End(error)
        self._answers.put(end)

    def __next__(self) -> T:
        answer = self._answers.get()
        if not isinstance(answer, _End):
            return answer
        self._answers.put(answer)  # for the next call
        raise StopIteration if answer.error is None else answer.error

    def wait(self) -> None:
        """Wait for the end; drop items and errors that nobody took."""
        while not isinstance(answer := self._answers.get(), _End):
            pass
        self._answers.put(answer)
