"""Limits for kernels, settings and files. No numba is loaded here."""

from __future__ import annotations

from typing import Final

MAX_OPENING_PLIES: Final = 20
"""Longest random opening."""
MOST_WEIGHTS: Final = 50_000_000
"""Most weights of a network: 200 MB."""
