"""Unexpected failures: logged once each, under an id to find them by."""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

_MOST: Final = 200
"""How many different failures are remembered; the oldest go first."""
_PAUSE: Final = 1.0
"""Seconds before a failed task begins again."""
_log: Final = logging.getLogger(__name__)
_known: Final[OrderedDict[tuple[str, ...], str]] = OrderedDict()


def noted(what: str, error: BaseException) -> str:
    """Log a failure of `what`; returns its id.

    The first time, the log gets the id and the traceback. The same failure again has the same id
    and no line: what fails twice a second would fill the disk. A disk that is full or refuses gets
    one line, since its message says everything.
    """
    last = traceback.extract_tb(error.__traceback__)[-1:]
    key = (what, type(error).__name__, *(f"{one.filename}:{one.lineno}" for one in last))
    known = _known.get(key)
    if known is not None:
        return known
    name = secrets.token_hex(4)
    _known[key] = name
    while len(_known) > _MOST:
        _known.popitem(last=False)
    if isinstance(error, OSError):
        _log.error("failure %s of %s: %s", name, what, error)
    else:
        _log.error("failure %s of %s", name, what, exc_info=error)
    return name


@contextmanager
def outlived(what: str) -> Iterator[None]:
    """Log what fails inside, and continue after it."""
    try:
        yield
    except Exception as error:
        noted(what, error)


async def kept_going(what: str, work: Callable[[], Awaitable[None]]) -> None:
    """Do endless work, and begin it again whenever it fails."""
    while True:
        try:
            await work()
        except Exception as error:
            noted(what, error)
        else:
            return
        await asyncio.sleep(_PAUSE)
