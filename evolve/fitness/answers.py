"""What a worker of a cluster may answer. All else is refused, in a line that names the worker.

This finds workers that are broken, not those that lie: who runs one can make up the results of
games that look right, and what comes over the network is unpickled, by Dask and here. So the
workers have to be trusted as much as the client; see docs/cluster.md.
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
"""Raises WrongAnswerError where something cannot be the answer to a task."""

DONE: Final = "done"
REFUSED: Final = "refused"
RAISED: Final = "raised"
FAILED: Final = "failed"
_KINDS: Final = {DONE: bytes, RAISED: bytes, REFUSED: str, FAILED: str}
_LONGEST_TEXT: Final = 300
_CLOCKS: Final = 1.0
"""Seconds by which the CPU time of a task may seem longer than the wait for it."""


class WrongAnswerError(Exception):
    """What a worker has answered is not what it was asked for. Never leaves `Cluster`."""


class Reply(NamedTuple):
    """What a worker says of a task.

    place: its address, as it says. kind: DONE, answer: what came of it, pickled; RAISED: an error
    of evolve's, pickled; FAILED: any other error, as text; REFUSED: why it does not do it. seconds:
    of its CPU.
    """

    place: str
    kind: str
    answer: Any
    seconds: float


def reply_of(found: Any, waited: float) -> Reply:
    """The reply in what came back of a task, so many seconds after it was given out."""
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
    """What a worker has pickled."""
    try:
        return pickle.loads(answer)
    except Exception as error:  # garbage raises whatever it names
        raise WrongAnswerError(f"its answer cannot be unpacked: {in_words(error)}") from error


def raised(answer: bytes) -> EvolveError:
    """The error of evolve's that a task has raised."""
    error = unpacked(answer)
    if not isinstance(error, EvolveError):
        raise WrongAnswerError(f"it says that a task has raised {named(error)}")
    return error


def in_words(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())[:_LONGEST_TEXT]
    return plain(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def named(found: Any) -> str:
    """What something is, without asking it: its text may be long, or raise."""
    return "None" if found is None else f"a {type(found).__name__}"


def is_number(found: Any) -> bool:
    """Whether something is a finite number, and no bool."""
    return isinstance(found, int | float) and found is not True and math.isfinite(found)


def ensure(right: Any, why: str) -> None:
    """Raise WrongAnswerError, which says why, unless something is right."""
    if not right:
        raise WrongAnswerError(why)
