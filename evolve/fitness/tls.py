"""What proves to a cluster who its client is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tls:
    """Files of the certificate authority, and of this client's certificate and key."""

    ca: Path
    cert: Path
    key: Path
