"""The command line in a process that kills itself: `python -m tests.faults N torn|whole WORDS…`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from evolve.cli.main import main
from evolve.files import changes
from evolve.files.changes import Change
from tests.faults import Fault, tear


class RealDeath(Fault):
    """`kill -9` at a point, or in the middle of it."""

    def __init__(self, at: int, *, torn: bool) -> None:
        super().__init__(at)
        self._torn = torn

    def act(self, change: Change, path: Path, piece: bytes) -> None:
        if self._torn:
            tear(change, path, piece)
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    changes.hook = RealDeath(int(sys.argv[1]), torn=sys.argv[2] == "torn")
    main(sys.argv[3:])
