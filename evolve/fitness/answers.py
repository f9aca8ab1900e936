"""Check the answers of cluster workers; a wrong answer is refused in a line with its worker.

This finds broken workers, not malicious ones: a worker can invent results that look right, and
its data is unpickled, by Dask and here. So the workers must be trusted as much as the client; see
docs/cluster.md.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from evolve.errors import EvolveError
from evolve.terminal_text import plain

T = TypeVar("T")

Check: TypeAlias = Callable[[T, Any], None]
"""Raises WrongAnswerError if something cannot be the answer to a task."""

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
