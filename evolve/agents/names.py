"""Names of the reference agents, for whoever needs no more than them: no kernel is loaded here."""

from __future__ import annotations

from typing import Final

REFERENCE_NAMES: Final = (
    "random",
    "uct",
    "zero",
    "swh",
    "swh-mobility",
    "positional",
    "anti-swh",
    "anti-swh-mobility",
)
