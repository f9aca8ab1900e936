"""Starts processes by _forking a server that has imported what they need.

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
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Final

from evolve.errors import RunError, WorkerDiedError
from evolve.programs.children import blocked, end_with
from evolve.programs.process import signal_name

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
    with _forking(modules) as context:
        process: BaseProcess = context.Process(
            target=_begin, args=(work, arguments, dict(os.environ)), daemon=daemon
        )
        process.start()
    return process


@contextmanager
def _forking(modules: Sequence[str]) -> Iterator[Any]:
    """Give the context of `multiprocessing` in which the block starts processes, as in `start`."""
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    if forks:
        forkserver.set_forkserver_preload([__name__, *modules])
    try:
        with _hide_program():
            yield multiprocessing.get_context("forkserver" if forks else "spawn")
    except (EOFError, ConnectionError) as error:
        raise RunError("the process that runs are forked from has ended: start again") from error


@contextmanager
def _hide_program() -> Iterator[None]:
    """Hide the program that runs here, Ctrl-C and SIGHUP from a new process.

    multiprocessing would run a script in it once more, to import what it defines, and a script
    without `if __name__ == "__main__"` would begin the same work there. Our work is in modules. The
    signals are for the parent alone, which ends the others in order. What is blocked here stays
    blocked in the new process.
    """
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # its start would unblock the signals
        try:
            with blocked(_BLOCKED):
                yield
        finally:
            sys.modules["__main__"] = main


def _begin(
    work: Callable[..., None], arguments: tuple[Any, ...], environment: Mapping[str, str]
) -> None:
    daemon = multiprocessing.current_process().daemon
    _settle(environment, signal.SIG_IGN if daemon else signal.default_int_handler)
    try:
        work(*arguments)
    finally:
        # Before Python 3.14 a fork does not call exit functions; they end outside programs cleanly.
        atexit._run_exitfuncs()


def _settle(environment: Mapping[str, str], interrupted: Any = signal.SIG_IGN) -> None:
    """Make a new process one that ends with its parent, with that environment.

    interrupted: what it does at SIGINT.
    """
    _end_with_parent()
    signal.signal(signal.SIGINT, interrupted)
    if hasattr(os, "setsid"):  # not on Windows; elsewhere Ctrl-C is for the parent alone
        os.setsid()
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
        except KeyboardInterrupt:  # it came before `setsid`, or is already for this process
            sys.exit(128 + signal.SIGINT)
    os.environ.clear()
    os.environ.update(environment)


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


class ProcessPool:
    """Processes that do one task at a time, and may die; they begin with the first tasks.

    Each is an executor of `concurrent.futures` with one process: a pool with several would lose the
    tasks of all when one dies, and not say which. modules: what they import before; see `start`.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules
        self._idle: list[_Process] = []
        self._busy: dict[Future[Any], tuple[int, _Process]] = {}

    def submit(self, number: int, function: Callable[[Any], Any], task: Any) -> None:
        """Let a process do a task, under a number that none has which is not `ready`."""
        while True:
            process = self._idle.pop() if self._idle else _Process(self._modules)
            try:
                future = process.executor.submit(function, task)
            except BrokenProcessPool:  # it died while it waited for a task
                process.end()
                continue
            self._busy[future] = number, process
            return

    def ready(self, seconds: float) -> list[tuple[int, Any]]:
        """Return the numbers and results of tasks that end within `seconds`.

        An error in place of a result: WorkerDiedError, or what the task raised.
        """
        done, _ = wait(self._busy, seconds, FIRST_COMPLETED)
        return [self._ended(future) for future in [one for one in self._busy if one in done]]

    def _ended(self, future: Future[Any]) -> tuple[int, Any]:
        number, process = self._busy.pop(future)
        try:
            answer = future.result()
        except BrokenProcessPool:
            answer = WorkerDiedError(process.death())
        except Exception as error:  # the caller raises it
            answer = error
        if isinstance(answer, WorkerDiedError):
            process.end()
        else:
            self._idle.append(process)
        return number, answer

    def close(self) -> None:
        """End all processes, whatever they do."""
        for process in [*self._idle, *(process for _, process in self._busy.values())]:
            process.end()
        self._idle.clear()
        self._busy.clear()


class _Process:
    def __init__(self, modules: Sequence[str]) -> None:
        with _forking(modules) as context:
            self.executor = ProcessPoolExecutor(
                1, mp_context=context, initializer=_settle, initargs=(dict(os.environ),)
            )
            before = set(multiprocessing.active_children())
            self.executor.submit(int)  # this starts it
            (self._process,) = set(multiprocessing.active_children()) - before

    def death(self) -> str:
        """Describe how it died, for people."""
        process: BaseProcess = self._process
        # The executor's thread asks, too, and of two who ask at the same time one gets 255.
        self.executor.shutdown(wait=True, cancel_futures=True)
        code = process.exitcode
        if code is not None and code < 0:
            return f"the worker was killed by {signal_name(-code)}"
        return f"the worker ended with {code}"

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.executor.shutdown(wait=True, cancel_futures=True)
