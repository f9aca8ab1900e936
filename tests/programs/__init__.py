"""Programs that the tests speak to, and how long they wait for them."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from evolve.programs.sessions import ProgramSession

S = TypeVar("S", bound=ProgramSession)


def soon(seconds: float = 20.0) -> float:
    """A deadline that nothing good misses on a busy machine."""
    return time.monotonic() + seconds


def python(code: str) -> list[str]:
    """A program of some lines of Python."""
    return [sys.executable, "-I", "-S", "-u", "-c", code]


@contextmanager
def begun(session: S) -> Iterator[S]:
    """A session that has begun, until the end of the block."""
    try:
        session.begin(soon())
        yield session
    finally:
        session.program.end()


def hold_the_lock() -> None:
    """What a child of multiprocessing does that is to end in the middle of it."""
    from evolve.programs.forks import _end_with_parent

    _end_with_parent()
    print(os.getpid(), flush=True)
    ctypes.PyDLL(None).sleep(1000)
