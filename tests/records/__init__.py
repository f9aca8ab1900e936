"""What the tests of record formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from evolve.errors import RecordError
from evolve.records.formats import read_games


def check_refused(read: Callable[[str], Any], text: str, words: Iterable[str]) -> None:
    """The text is refused in one line, which has these words."""
    with pytest.raises(RecordError) as caught:
        read(text)
    assert not [word for word in words if word not in str(caught.value)]
    assert "\n" not in str(caught.value)


def check_file_refused(path: Path, content: str | bytes | None, words: Iterable[str]) -> None:
    """The same of a file, which is named; None: there is none."""
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    check_refused(lambda _: read_games(path, strict=True), "", [path.name, *words])
