"""What travels to a worker of a cluster whole, so that neither it nor its scheduler needs evolve to
say that it has none, or another one.

What it imports, it imports inside: its code goes along, not its module.
"""

from __future__ import annotations

from typing import Any


def errand(payload: bytes) -> tuple[str, str, Any, float]:
    """Do what the payload asks for. The answer: the worker's address, then `done`, what came of it,
    pickled, and the CPU seconds that it took, or `refused`, why, and 0."""
    import importlib

    from distributed import get_worker

    address = get_worker().address
    try:
        remote = importlib.import_module("evolve.fitness.remote")
    except ImportError as error:
        return address, "refused", f"it has no evolve of this kind: {error}", 0.0
    return address, *remote.work(payload)
