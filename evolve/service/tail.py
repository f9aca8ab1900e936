"""What a command has told of its work since one last looked: lines of JSON at a file's end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

_MOST: Final = 4 << 20
"""Bytes read at once."""


class Tail:
    """The end of a file that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = 0
        self._rest = b""

    def read(self) -> list[dict[str, Any]]:
        """Whole lines that are new; what is no document is left out, as is a file not there yet."""
        try:
            if self._path.stat().st_size <= self._place:
                return []
            with self._path.open("rb") as file:
                file.seek(self._place)
                content = file.read(_MOST)
        except OSError:
            return []
        self._place += len(content)
        *lines, self._rest = (self._rest + content).split(b"\n")
        return [event for line in lines if (event := _event(line)) is not None]


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("event"), str) else None
