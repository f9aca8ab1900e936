"""Pictures of tables, drawn without a display.

This imports matplotlib first, whatever `MPLBACKEND` says. A notebook sets that variable for every
process it starts, to a module that may be installed for the notebook alone, and matplotlib then
raises ValueError. Nothing here needs that module; if it can be imported, other code in this process
gets it.
"""

import os
import sys
from contextlib import suppress

from evolve.programs.children import BACKEND

if "matplotlib" not in sys.modules:
    _backend = os.environ.pop(BACKEND, None)
    import matplotlib

    if _backend:
        os.environ[BACKEND] = _backend
        with suppress(ValueError):
            matplotlib.rcParams["backend"] = _backend
