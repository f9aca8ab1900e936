"""A hash of the agents that come with evolve: figures and pictures say by it what made them."""

from __future__ import annotations

import hashlib
from pathlib import Path

SHIPPED = Path(__file__).parents[1] / "evolve/agents/champions"


def shipped_weights() -> str:
    """A hash of the agents that come with evolve."""
    digest = hashlib.sha256()
    for path in sorted(SHIPPED.iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
