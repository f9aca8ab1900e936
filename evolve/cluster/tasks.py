"""Functions pickled by value, so that a worker or scheduler without evolve can run them.

A worker can then report that its evolve is missing or differs. The functions do their imports
inside: their code is sent, not their module.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import FunctionType
from typing import Any


def whole(function: Callable[..., Any]) -> FunctionType:
    """Return a copy of the function without a module, so that it is pickled by value.

    Pickled by module name, it would crash a worker without evolve.
    """
    assert isinstance(function, FunctionType)
    found = FunctionType(function.__code__, {"__builtins__": builtins}, function.__name__)
    found.__module__ = "__main__"
    return found


def run_task(payload: bytes) -> tuple[str, str, Any, float]:
    """Run the task in the payload; return a `Reply`, as a plain tuple."""
    import importlib

    from distributed import get_worker

    address = get_worker().address
    try:
        remote = importlib.import_module("evolve.cluster.remote")
    except ImportError as error:
        return address, "refused", f"it has no evolve of this kind: {error}", 0.0
    try:
        return address, *remote.work(payload)
    except Exception as error:  # of a broken evolve, which cannot report it itself
        return address, "failed", f"{type(error).__name__}: {error}", 0.0


def facts() -> dict[str, Any]:
    """Return facts of a worker: its machine, and its evolve or why it has none."""
    import importlib
    import os
    import platform
    import re
    from dataclasses import astuple
    from pathlib import Path

    processor = platform.processor() or platform.machine()
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    named = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    found = {
        "host": platform.node(),
        "cpu": named[1] if named else processor,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "dask": importlib.import_module("distributed").__version__,
    }
    try:
        remote = importlib.import_module("evolve.cluster.remote")
    except ImportError as error:
        return {**found, "why": f"it has no evolve of this kind: {error}"}
    return {**found, "make": astuple(remote.Make.here())}
