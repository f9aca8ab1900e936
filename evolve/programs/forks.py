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
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
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
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    if forks:
        forkserver.set_forkserver_preload([__name__, *modules])
    context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
    process: BaseProcess = context.Process(
        target=_begin, args=(work, arguments, dict(os.environ)), daemon=daemon
    )
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
    """Make this new process one that ends with its parent, with that environment; then work."""
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


class ProcessPool:
    """Processes that do one task at a time, and may die; they begin with the first tasks.

    modules: what they import before; see `start`.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[int, _Worker]] = {}

    def submit(self, number: int, function: Callable[[Any], Any], task: Any) -> None:
        """Let a process do a task, under a number that none has which is not `ready`."""
        while True:
            worker = self._idle.pop() if self._idle else _Worker(self._modules)
            try:
                worker.pipe.send((function, task))
            except OSError:  # it died while it waited for a task
                worker.end()
                continue
            self._busy[worker.pipe] = number, worker
            return

    def ready(self, seconds: float) -> list[tuple[int, Any]]:
        """Return the numbers and results of tasks that end within `seconds`.

        An error in place of a result: WorkerDiedError, or what the task raised.
        """
        done = wait(self._busy, seconds)
        return [self._ended(pipe) for pipe in [one for one in self._busy if one in done]]

    def _ended(self, pipe: Connection) -> tuple[int, Any]:
        number, worker = self._busy.pop(pipe)
        try:
            answer = pipe.recv()
        except (EOFError, OSError):
            answer = WorkerDiedError(worker.death())
            worker.end()
        else:
            self._idle.append(worker)
        return number, answer

    def close(self) -> None:
        """End all processes, whatever they do."""
        for worker in [*self._idle, *(worker for _, worker in self._busy.values())]:
            worker.end()
        self._idle.clear()
        self._busy.clear()


class _Worker:
    """A process of a pool; pipe: for tasks to it, and for what they return or raise."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.pipe, other = multiprocessing.Pipe()
        with other:
            self._process = start(_work_on, (other,), modules, daemon=True)

    def death(self) -> str:
        """Describe how it died, for people."""
        self._process.join()
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"the worker was killed by {signal_name(-code)}"
        return f"the worker ended with {code}"

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _work_on(pipe: Connection) -> None:
    with suppress(EOFError):  # its parent has ended
        while True:
            function, task = pipe.recv()
            try:
                answer = function(task)
            except Exception as error:  # the caller raises it
                error.add_note(traceback.format_exc())
                answer = error
            pipe.send(answer)
