"""Ends child processes with their parent, and keeps Ctrl-C from them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Final

from evolve.programs.life import end_with
from evolve.programs.orphans import PROGRAMS

_LOOK: Final = 1.0
"""Seconds between two checks whether the process that forked us still runs."""


def end_with_parent() -> None:
    """End this process when the one that started it ends, however that happens.

    Also when the process that forked it ends, where that is another one (the fork server).
    Otherwise nobody would learn of this process's end.
    """
    PROGRAMS.claim()
    parent = multiprocessing.parent_process()
    assert parent is not None
    end_with(parent.sentinel)
    forked_by = os.getppid()
    if forked_by == parent.pid:
        return

    def watch() -> None:
        while os.getppid() == forked_by:
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Block Ctrl-C, so that it never reaches a process that starts within.

    Ctrl-C is for the parent alone; a signal that is blocked here stays blocked in the new process.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
