"""evolve: an evolutionary tuning service for Reversi agents.

Public names load on first use, so that `import evolve` and `evolve --help` stay light. The stub
beside this module, which type checkers read, says where each is defined.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from evolve import errors as errors
from evolve.version import __version__

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOMES = {
    name: (module, name)
    for module, name in re.findall(r"^from (\S+) import (\w+) as \w+$", _STUB, re.M)
} | {"square": ("evolve.engine.board.squares", "parse_square")}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own_name = _HOMES[name]
    return getattr(import_module(module), own_name)


def __dir__() -> list[str]:
    return sorted(__all__)
