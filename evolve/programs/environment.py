"""The environment of what this process starts."""

from __future__ import annotations

import os
from typing import Final

LOG: Final = "EVOLVE_PROGRAM_LOG"
"""The variable that names the file of all that is said to programs and by them: `--log`. Workers of
a sweep and the runs of a study inherit it, programs do not."""
BACKEND: Final = "MPLBACKEND"
_OF_A_NOTEBOOK: Final = "module://"
"""How a backend of matplotlib's begins that lives in the process of a notebook alone."""


def inherited() -> dict[str, str]:
    """The variables of this process, but for those that say something of itself alone: where a
    notebook draws, which breaks matplotlib where the notebook is not installed, and the log."""
    found = {name: value for name, value in os.environ.items() if name != LOG}
    if found.get(BACKEND, "").startswith(_OF_A_NOTEBOOK):
        del found[BACKEND]
    return found
