"""Processes of ours that must not outlive the one that started them, nor hear its Ctrl-C."""

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
"""Seconds between two looks at whether the process that forked us is still there."""


def end_with_parent() -> None:
    """End this process when the one that started it has ended, however that happened.

    Also when the one that forked it has, where that is another: nobody would hear of its end.
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
    """Start a process that Ctrl-C does not reach from its first moment on.

    Ctrl-C is for the one who starts it; what is blocked here stays so in the new process.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which would unblock it when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
