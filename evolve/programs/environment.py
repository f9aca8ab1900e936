"""The environment of the processes that this process starts."""

from __future__ import annotations

import os
from typing import Final

LOG: Final = "EVOLVE_PROGRAM_LOG"
"""The variable that names the log file of the exchange with programs: `--log`.
Workers of a sweep and the runs of a study inherit it, programs do not."""
BACKEND: Final = "MPLBACKEND"
_OF_A_NOTEBOOK: Final = "module://"
"""Prefix of a matplotlib backend that works in a notebook's process alone."""


def inherited() -> dict[str, str]:
    """The variables of this process, without those for this process alone.

    Those are the log, and a notebook's matplotlib backend, which breaks matplotlib where the
    notebook is not installed.
    """
    found = {name: value for name, value in os.environ.items() if name != LOG}
    if found.get(BACKEND, "").startswith(_OF_A_NOTEBOOK):
        del found[BACKEND]
    return found
