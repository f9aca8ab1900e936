"""Read the new lines of a file that a command writes with `--progress`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evolve.files.folder import FolderPath
from evolve.safe_parsing import parse_json

_MOST: Final = 1 << 20
"""Bytes read at once, at most."""


class Tail:
    """The end of a file that grows."""

    def __init__(self, path: FolderPath) -> None:
        self._path = path
        self._place = 0
        self._rest = b""

    def read(self) -> Iterator[dict[str, Any]]:
        """Complete new lines, at most 1 MiB per call.

        Lines that are not events are skipped; so is a missing file.
        """
        if not self.is_behind:
            return
        try:
            with self._path.open("rb") as file:
                file.seek(self._place)
                content = file.read(_MOST)
        except OSError:
            return
        self._place += len(content)
        *lines, rest = (self._rest + content).split(b"\n")
        self._rest = rest if len(rest) <= _MOST else b""  # no event is that long
        for line in lines:
            if (event := _event(line)) is not None:
                yield event

    def rest(self) -> Iterator[dict[str, Any]]:
        """All complete new lines."""
        while self.is_behind:
            before = self._place
            yield from self.read()
            if self._place == before:  # the file cannot be read
                return

    @property
    def is_behind(self) -> bool:
        """Whether the file has more to read."""
        try:
            return self._path.stat().st_size > self._place
        except OSError:
            return False


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        found = parse_json(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("event"), str) else None
