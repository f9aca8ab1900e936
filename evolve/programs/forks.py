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
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Final

from evolve.errors import RunError
from evolve.programs.children import PROGRAMS, end_with
from evolve.terminal_text import plain

_MODULES: Final = "EVOLVE_FORKS_IMPORT"
"""The environment variable with the modules that the server imports: it takes no arguments."""
_LOOK: Final = 1.0
"""Seconds between two checks whether the process that forked us still runs."""

_hiding: Final = threading.RLock()
"""Held while the program that runs here is hidden: two threads at once could lose it."""
_warnings: list[str] = []
"""Warnings of the server's imports; each of its processes repeats them in its own output."""


def start(
    work: Callable[..., None], arguments: tuple[Any, ...], modules: Sequence[str]
) -> BaseProcess:
    """Call `work` in a new process; a forked one has imported `modules` already.

    The process has this one's environment, folder and interpreter options. Ctrl-C does not reach
    it; other signals have their default handlers. It ends with this process. RunError when it
    cannot be started. modules: those of the first call hold for all.
    """
    call = (work, arguments, dict(os.environ))
    if "forkserver" not in multiprocessing.get_all_start_methods():
        spawned = multiprocessing.get_context("spawn").Process(target=_begin, args=call)
        with without_main():
            spawned.start()
        return spawned
    context = multiprocessing.get_context("forkserver")
    forked = context.Process(target=_begin, args=call)
    _ensure_server(modules)
    try:
        with without_main():
            forked.start()
    except (EOFError, ConnectionError) as error:
        raise RunError("the process that runs are forked from has ended: start again") from error
    return forked


@contextmanager
def without_main() -> Iterator[None]:
    """Hide the program that runs here from a new process.

    multiprocessing would run a script in it once more, to import what it defines, and a script
    without `if __name__ == "__main__"` would begin the same work there. Our work is in modules.
    """
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _ensure_server(modules: Sequence[str]) -> None:
    """Start a server unless one runs; it also replaces a killed one."""
    forkserver.set_forkserver_preload([__name__])
    os.environ[_MODULES] = " ".join(modules)
    try:
        with without_ctrl_c():
            forkserver.ensure_running()
    finally:
        del os.environ[_MODULES]


def _begin(
    work: Callable[..., None], arguments: tuple[Any, ...], environment: Mapping[str, str]
) -> None:
    """Set up a new process, and call `work` in it."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(os, "setsid"):  # not on Windows; elsewhere Ctrl-C is for the parent alone
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ.clear()
    os.environ.update(environment)
    try:
        work(*arguments)
    finally:
        # Before Python 3.14 a fork does not call exit functions; they end outside programs cleanly.
        atexit._run_exitfuncs()


def repeat_warnings() -> None:
    """Write the warnings of the server's imports to standard error."""
    for text in _warnings:
        print(f"warning: {plain(text)}", file=sys.stderr)


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


def _serve(modules: Sequence[str]) -> None:
    """Prepare the server, before it serves: import `modules`, and leave no thread running.

    The server gets a session of its own, so that a closing terminal does not end it before
    processes that are still ending. OpenBLAS has threads, and ends them itself when a process
    forks.
    """
    os.setsid()

    def keep(message: Warning | str, *_: Any, **__: Any) -> None:
        _warnings.append(str(message))

    before, warnings.showwarning = warnings.showwarning, keep
    for name in modules:
        with suppress(Exception):  # a process that needs it imports it again, and fails there
            import_module(name)
    # With a process's first kernel numba registers all its types, most of the cost of kernels.
    # This kernel compiles in a moment where none are cached. Those of a search take 20 s, during
    # which a server without a parent would go on.
    with suppress(Exception):
        move_texts = import_module("evolve.tables.games").move_texts
        move_texts(import_module("numpy").zeros((0, 60), "int8"))
    warnings.showwarning = before


if _MODULES in os.environ:
    _serve(os.environ.pop(_MODULES).split())
