"""What the tests of record formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from evolve.errors import RecordError


def check_refused(read: Callable[[str], Any], text: str, words: Iterable[str]) -> None:
    """The text is refused in one line, which has these words."""
    with pytest.raises(RecordError) as caught:
        read(text)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)
