"""What nobody foresaw: noted in the log once, under an id by which it is found there."""

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
"""Different ones that are remembered; the oldest go first."""
_PAUSE: Final = 1.0
"""Seconds before a task that failed begins again."""
_log: Final = logging.getLogger(__name__)
_known: Final[OrderedDict[tuple[str, ...], str]] = OrderedDict()


def noted(what: str, error: BaseException) -> str:
    """The id of a failure of `what`. The first time the log gets it, with the id and the traceback;
    the same again has the same id and no line: what fails twice a second would fill the disk. Of a
    disk that is full or refuses, which says all there is to say, it gets a line."""
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
    """Note what fails within, and go on after it."""
    try:
        yield
    except Exception as error:
        noted(what, error)


async def kept_going(what: str, work: Callable[[], Awaitable[None]]) -> None:
    """Do work that has no end, and begin it again whenever it fails."""
    while True:
        try:
            await work()
        except Exception as error:
            noted(what, error)
        else:
            return
        await asyncio.sleep(_PAUSE)
