"""Run tasks on threads of this machine, or on other machines; check the answers from there.

The checks of answers find broken workers of a cluster, not malicious ones: a worker can invent
results that look right, and its data is unpickled, by Dask and here. So the workers must be trusted
as much as the client; see docs/guides/clusters.md.
"""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import takewhile
from queue import SimpleQueue
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from evolve.errors import EvolveError
from evolve.terminal_text import plain

T = TypeVar("T")
R = TypeVar("R")

Check: TypeAlias = Callable[[T, Any], None]
"""Raises WrongAnswerError if something cannot be the answer to a task."""

BATCH: Final = 16
"""Games per task: single-game tasks cost 14 % of the time in a prototype."""
_MOST_GAMES: Final = 64
"""Games per task where games are short: 10 generations of the default run take 0.945 of the CPU of
16 games per task, and no less with 256."""
_SHORT_GAME: Final = 0.002
"""Seconds per game below which they are."""
_TASKS_A_THREAD: Final = 16
"""Tasks that a thread gets, if games suffice for it: the last ones end apart."""

TASKS_A_SLOT: Final = 4
"""Tasks per slot of a cluster: with fewer, the last tasks end far apart."""
_MANY_TASKS: Final = 512
"""Most tasks, unless there are more slots: a scheduler takes 0.4 s for them. A slot gets fewer than
four tasks if four would exceed this number."""


def task_size(count: int, slots: int) -> int:
    """Return the number of games per task on a cluster; even."""
    tasks = max(slots, min(TASKS_A_SLOT * slots, _MANY_TASKS))
    share = -(-count // tasks)
    return max(2 * BATCH, share + share % 2)


class Executor(Protocol):
    """Runs tasks in parallel; results do not depend on the executor.

    slots: how many tasks run at a time. threads: threads of this machine, for work that must stay
    on it. elsewhere: CPU seconds that tasks have taken on other machines so far.
    """

    elsewhere: float

    @property
    def slots(self) -> int:
        """See above."""

    @property
    def threads(self) -> int:
        """See above."""

    def games(self, count: int, seconds: float = math.inf) -> int:
        """Return how many of `count` games each task should have; even.

        seconds: what a game takes, infinity where that is not known yet.
        """

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T], check: Check[T] | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Call a function for each task; yield each answer with the task's number when it is ready.

        Tasks are taken as needed; closing the generator drops tasks that have not started.
        check: checks whether answers from other machines can be right.
        """


class Threads:
    """The threads of this process."""

    def __init__(self, count: int) -> None:
        self.slots = self.threads = count
        self.elsewhere = 0.0

    def games(self, count: int, seconds: float = math.inf) -> int:
        if seconds >= _SHORT_GAME:
            return BATCH
        share = count // (_TASKS_A_THREAD * self.slots)
        return min(max(BATCH, share - share % 2), _MOST_GAMES)

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T], check: Check[T] | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """See Executor: results of this process need no check."""
        if self.slots == 1:
            for number, task in enumerate(tasks):
                yield number, function(task)
            return
        import joblib  # imported here: whatever prints in a terminal imports this module

        unwanted = threading.Event()

        def wanted() -> Iterator[tuple[int, T]]:
            return takewhile(lambda _: not unwanted.is_set(), enumerate(tasks))

        def work(number: int, task: T) -> tuple[int, R]:
            if unwanted.is_set():  # joblib hands out some tasks ahead
                raise _UnwantedError
            return number, function(task)

        parallel = joblib.Parallel(
            n_jobs=self.slots, backend="threading", return_as="generator_unordered"
        )
        answers = Background(parallel(joblib.delayed(work)(*numbered) for numbered in wanted()))
        try:
            yield from answers
        finally:
            unwanted.set()


class _UnwantedError(Exception):
    """The remaining tasks are not needed."""


ONE_THREAD: Final = Threads(1)


DONE: Final = "done"
REFUSED: Final = "refused"
RAISED: Final = "raised"
FAILED: Final = "failed"
_KINDS: Final = {DONE: bytes, RAISED: bytes, REFUSED: str, FAILED: str}
_LONGEST_TEXT: Final = 300
_CLOCKS: Final = 1.0
"""Seconds by which the CPU time of a task may exceed the wait for it."""


class WrongAnswerError(Exception):
    """A worker's answer does not match its task. `Cluster` never lets this error out."""


class Reply(NamedTuple):
    """A worker's reply to a task.

    place: its address, as the worker reports it. kind: says what `answer` is: DONE: the result,
    pickled; RAISED: an evolve error, pickled; FAILED: any other error, as text; REFUSED: the
    reason for the refusal. seconds: CPU time on the worker.
    """

    place: str
    kind: str
    answer: Any
    seconds: float


def reply_of(found: Any, waited: float) -> Reply:
    """Check and return the reply to a task that was sent `waited` seconds ago."""
    if not (isinstance(found, tuple) and len(found) == len(Reply._fields)):
        raise WrongAnswerError(f"it has answered {named(found)}, which is not a reply to a task")
    reply = Reply(*found)
    wanted = _KINDS.get(reply.kind) if isinstance(reply.kind, str) else None
    if wanted is None or not isinstance(reply.place, str):
        raise WrongAnswerError("it has answered something that is not a reply to a task")
    if not isinstance(reply.answer, wanted):
        raise WrongAnswerError(f"its answer is {named(reply.answer)} in place of {wanted.__name__}")
    if not is_number(reply.seconds) or not 0 <= reply.seconds <= waited + _CLOCKS:
        raise WrongAnswerError(
            f"it says that it has worked for {reply.seconds!s:.20} seconds on a task that it was "
            f"given {waited:.1f} seconds ago"
        )
    if wanted is str:
        return reply._replace(answer=plain(reply.answer[:_LONGEST_TEXT]))
    return reply


def unpacked(answer: bytes) -> Any:
    """Unpickle a worker's answer."""
    try:
        return pickle.loads(answer)
    except Exception as error:  # garbage can raise any exception
        raise WrongAnswerError(f"its answer cannot be unpacked: {in_words(error)}") from error


def raised(answer: bytes) -> EvolveError:
    """Unpickle the evolve error that a task raised."""
    error = unpacked(answer)
    if not isinstance(error, EvolveError):
        raise WrongAnswerError(f"it says that a task has raised {named(error)}")
    return error


def in_words(error: BaseException) -> str:
    """Format an error as one line."""
    text = " ".join(str(error).split())[:_LONGEST_TEXT]
    return plain(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def named(found: Any) -> str:
    """Return an object's type as text, without its own text, which may be long or raise."""
    return "None" if found is None else f"a {type(found).__name__}"


def is_number(found: Any) -> bool:
    """Whether something is a finite number other than True."""
    return isinstance(found, int | float) and found is not True and math.isfinite(found)


def ensure(right: Any, why: str) -> None:
    """Raise WrongAnswerError with the message `why` unless `right` is true."""
    if not right:
        raise WrongAnswerError(why)


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
