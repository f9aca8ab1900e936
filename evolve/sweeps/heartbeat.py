"""Which writer works on a trial, and whether it is still alive.

The folder's own journal has one writer, which holds the folder's lock: any running trial there that
is not the writer's is dead. In a database that machines share, each writer updates a beat every few
seconds. A writer is dead when its beat has not changed for GRACE by the observer's clock, so that
clocks need not agree. It is dead at once when it ran on this machine and its process is gone.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

BEAT: Final = 5.0
"""Seconds between two beats."""
GRACE: Final = 60.0
"""Seconds without a beat after which a writer counts as dead."""


def this_machine() -> str:
    """Return a name for this machine's boot and process namespace; empty if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


class Lease:
    """This process as a writer of a study; its `identity` is stored with its trials."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.identity: dict[str, Any] = {
            "id": uuid.uuid4().hex[:12],
            "name": self.name,
            "pid": os.getpid(),
            "machine": this_machine(),
        }

    @property
    def key(self) -> str:
        """Attribute that holds its beat."""
        return key_of(self.identity)


def key_of(identity: dict[str, Any]) -> str:
    """Return the attribute of the study that holds a writer's beat."""
    return f"beat:{identity['id']}"


def is_gone(identity: dict[str, Any]) -> bool:
    """Return whether a writer ran on this machine and its process no longer exists."""
    here = this_machine()
    if not here or identity["machine"] != here:
        return False
    try:
        os.kill(identity["pid"], 0)
    except ProcessLookupError:
        return True
    except OSError:  # it exists and belongs to another user
        return False
    return False


class Watch:
    """Remembers when each beat last changed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, tuple[int, float]] = {}

    def stands_still(self, key: str, beat: int) -> bool:
        """Return whether a beat has not changed for GRACE; call it repeatedly."""
        now = self._clock()
        before = self._seen.get(key)
        if before is None or before[0] != beat:
            self._seen[key] = (beat, now)
            return False
        return now - before[1] > GRACE


class Heart:
    """Beats in a separate thread while a block runs, whatever else the process does."""

    def __init__(self, beat: Callable[[int], None]) -> None:
        self._beat = beat
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Heart:
        self._beat(0)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        count = 0
        while not self._over.wait(BEAT):
            count += 1
            try:
                self._beat(count)
            except Exception:
                # The next access to the storage reports it; a missed beat alone does no harm.
                continue
