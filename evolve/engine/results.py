"""The results of a finished game from kernels, a row of numbers; no numba, for use in tables."""

from __future__ import annotations

from typing import Final

# Columns of a game's result; OUTCOME is 1, 0 or −1 for black, by the rules and the last position.
DISCS_BLACK, DISCS_WHITE, PLIES, NODES_BLACK, NODES_WHITE, REASON, OUTCOME = range(7)
RESULT_COLUMNS: Final = 7

# Reasons for the end of a game.
END: Final = 0
OVER_BUDGET_BLACK: Final = 1
OVER_BUDGET_WHITE: Final = 2
FAILED_BLACK: Final = 3
FAILED_WHITE: Final = 4
"""An outside program crashed, hung or played an illegal move: never in games of kernels."""
