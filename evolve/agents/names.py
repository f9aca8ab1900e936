"""Names of the reference agents, for whoever needs no more than them: no kernel is loaded here."""

from __future__ import annotations

from typing import Final

CHAMPION_NAMES: Final = (
    "champion-standard",
    "champion-reversed",
    "published-standard",
    "published-reversed",
)
"""Evolved agents that come with the package."""
REFERENCE_NAMES: Final = (
    "random",
    "uct",
    "zero",
    "swh",
    "swh-mobility",
    "positional",
    "anti-swh",
    "anti-swh-mobility",
    *CHAMPION_NAMES,
)
