"""Waiting for what is to happen, in place of for so long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import psutil

PATIENCE = 240.0
"""Seconds that nothing takes which happens at all, on the busiest machine."""


def until(condition: Callable[[], object], pause: float = 0.002) -> None:
    """Look again and again until something is so; pause: seconds between two looks."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(pause)


def gone(number: int) -> bool:
    """Whether a process has ended, waited for or not."""
    try:
        return bool(psutil.Process(number).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def until_within(thread: threading.Thread, name: str) -> None:
    """Wait until a thread is within a function of that name."""
    until(lambda: any(frame.f_code.co_name == name for frame in _frames(thread.ident)))


def until_any_within(room: Path) -> None:
    """Wait until another thread is within a function of a module in that folder."""

    def there() -> bool:
        others = {*sys._current_frames()} - {threading.get_ident()}
        files = (frame.f_code.co_filename for other in others for frame in _frames(other))
        return any(room in Path(file).parents for file in files)

    until(there)


def _frames(thread: int | None) -> Iterator[FrameType]:
    frame = None if thread is None else sys._current_frames().get(thread)
    while frame is not None:
        yield frame
        frame = frame.f_back


class Interrupt:
    """Raises KeyboardInterrupt at the step `left` of what is traced."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, frame: FrameType, event: str, argument: object) -> Interrupt:
        frame.f_trace_opcodes = True
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self
