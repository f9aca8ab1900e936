"""How long a move may be given, by whatever keeps a clock."""

from __future__ import annotations

from typing import Final

from evolve.errors import AgentError

SHORTEST: Final = 0.02
LONGEST: Final = 86400.0


def check_seconds(seconds: float) -> None:
    """Raise AgentError unless a move can be given so many seconds."""
    if not SHORTEST <= seconds <= LONGEST:
        raise AgentError(f"time {seconds:g} must be {SHORTEST:g} to {LONGEST:g} seconds")
