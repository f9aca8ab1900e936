"""Processes of ours, forked from one that has imported what they need.

A process that imports numba and pandas and loads kernels takes 1.5 s of CPU before it begins; a
fork of one that has done so takes 0.03 s. `multiprocessing` has such a fork server. Where there is
no fork (Windows) processes start from the beginning.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from typing import Any, Final

from evolve.errors import RunError
from evolve.programs.parent import end_with_parent, without_ctrl_c
from evolve.terminal_text import plain

_MODULES: Final = "EVOLVE_FORKS_IMPORT"
"""The variable of the server's environment that names what it imports: it takes no arguments."""

_warnings: list[str] = []
"""What the server would have warned of: its processes say so, each in its own output."""


def start(
    work: Callable[..., None], arguments: tuple[Any, ...], modules: Sequence[str]
) -> BaseProcess:
    """Call `work` in a new process, which has imported `modules` where it can be forked.

    It has the environment, folder and interpreter's options of this one, no Ctrl-C of its own but
    default signals otherwise, and ends with this process. RunError when it cannot be started.
    modules: those of the first call hold for all.
    """
    call = (work, arguments, dict(os.environ))
    if "forkserver" not in multiprocessing.get_all_start_methods():
        spawned = multiprocessing.get_context("spawn").Process(target=_begin, args=call)
        spawned.start()
        return spawned
    context = multiprocessing.get_context("forkserver")
    forked = context.Process(target=_begin, args=call)
    _ensure_server(modules)
    try:
        forked.start()
    except (EOFError, ConnectionError) as error:
        raise RunError("the process that runs are forked from has ended: start again") from error
    return forked


def _ensure_server(modules: Sequence[str]) -> None:
    """Start a server unless there is one; also in place of one that was killed."""
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
    """What a new process does."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(os, "setsid"):  # not on Windows; elsewhere Ctrl-C is for the one that started it
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ.clear()
    os.environ.update(environment)
    try:
        work(*arguments)
    finally:
        # A fork ends without them before Python 3.14, and they end outside programs in peace.
        atexit._run_exitfuncs()


def repeat_warnings() -> None:
    """Write what importing modules has warned of to standard error."""
    for text in _warnings:
        print(f"warning: {plain(text)}", file=sys.stderr)


def _serve(modules: Sequence[str]) -> None:
    """Be the server, before it serves: import, and leave no thread behind.

    In a session of its own, so that a terminal that goes away does not end it before the processes
    that are still ending. OpenBLAS has threads, and ends them itself when a process forks.
    """
    os.setsid()

    def keep(message: Warning | str, *_: Any, **__: Any) -> None:
        _warnings.append(str(message))

    before, warnings.showwarning = warnings.showwarning, keep
    for name in modules:
        with suppress(Exception):  # it is imported again where it is needed, and fails there
            import_module(name)
    # With the first kernel of a process numba registers all that it knows, which is most of what
    # kernels cost. This one is compiled in a moment where none are kept; those of a search take
    # 20 s, in which a server that is left alone would go on.
    with suppress(Exception):
        move_texts = import_module("evolve.tables.games").move_texts
        move_texts(import_module("numpy").zeros((0, 60), "int8"))
    warnings.showwarning = before


if _MODULES in os.environ:
    _serve(os.environ.pop(_MODULES).split())
