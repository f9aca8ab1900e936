"""Starts processes by forking a server that has imported what they need.

A process that imports numba and pandas and loads kernels takes 1.5 s of CPU before it begins; a
fork of such a process takes 0.03 s. The fork server is that of `multiprocessing`. Where there is
no fork (Windows) every process imports for itself.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Final

from evolve.errors import RunError
from evolve.programs.children import end_with

_BLOCKED: Final = {getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)}
_hiding: Final = threading.RLock()
"""Held while the program that runs here is hidden: two threads at once could lose it."""


def start(
    work: Callable[..., None],
    arguments: tuple[Any, ...],
    modules: Sequence[str],
    *,
    daemon: bool = False,
) -> BaseProcess:
    """Call `work` in a new process; a forked one has imported `modules` already.

    The process has this one's environment, folder and interpreter options. Ctrl-C does not reach
    it; other signals have their default handlers. It ends with this process. RunError when it
    cannot be started. modules: those of the first call hold for all. daemon: it ignores SIGINT, and
    is ended where this process ends normally, not waited for.
    """
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
    process: BaseProcess = context.Process(
        target=_begin, args=(work, arguments, dict(os.environ)), daemon=daemon
    )
    if forks:
        forkserver.set_forkserver_preload([__name__, *modules])
    try:
        with _hide_program():
            process.start()
    except (EOFError, ConnectionError) as error:
        raise RunError("the process that runs are forked from has ended: start again") from error
    return process


@contextmanager
def _hide_program() -> Iterator[None]:
    """Hide the program that runs here, Ctrl-C and SIGHUP from a new process.

    multiprocessing would run a script in it once more, to import what it defines, and a script
    without `if __name__ == "__main__"` would begin the same work there. Our work is in modules. The
    signals are for the parent alone, which ends the others in order. What is blocked here stays
    blocked in the new process.
    """
    masks = hasattr(signal, "pthread_sigmask")  # not on Windows
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        if masks:
            resource_tracker.ensure_running()  # its start would unblock the signals
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _BLOCKED)
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            if masks:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(
    work: Callable[..., None], arguments: tuple[Any, ...], environment: Mapping[str, str]
) -> None:
    _end_with_parent()
    daemon = multiprocessing.current_process().daemon
    signal.signal(signal.SIGINT, signal.SIG_IGN if daemon else signal.default_int_handler)
    if hasattr(os, "setsid"):  # not on Windows; elsewhere Ctrl-C is for the parent alone
        os.setsid()
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
        except KeyboardInterrupt:  # it came before `setsid`, or is already for this process
            sys.exit(128 + signal.SIGINT)
    os.environ.clear()
    os.environ.update(environment)
    try:
        work(*arguments)
    finally:
        # Before Python 3.14 a fork does not call exit functions; they end outside programs cleanly.
        atexit._run_exitfuncs()


def _end_with_parent() -> None:
    """End this process when the one that started it ends, or a fork server between them."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    end_with(parent.sentinel)
    forked_by = os.getppid()  # a fork server: after its end nobody would learn of ours
    if forked_by == parent.pid:
        return

    def watch() -> None:
        while os.getppid() == forked_by:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
