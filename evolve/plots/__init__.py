"""Pictures of tables, drawn without a display.

matplotlib is imported here first, whatever `MPLBACKEND` says. A notebook sets it for all that it
starts, to a module that may be installed for the notebook alone, and matplotlib raises ValueError
then. Nothing here needs that module: where it can be had, others in this process get it.
"""

import os
import sys
from contextlib import suppress

from evolve.programs.environment import BACKEND

if "matplotlib" not in sys.modules:
    _asked = os.environ.pop(BACKEND, None)
    try:
        import matplotlib
    finally:
        if _asked is not None:
            os.environ[BACKEND] = _asked
    if _asked:
        with suppress(ValueError):
            matplotlib.rcParams["backend"] = _asked
