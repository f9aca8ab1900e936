"""Lists in pages: all of a list, once."""

from __future__ import annotations

import pytest

from evolve.service.responses import Cursor


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 20])
def test_pages_hold_all_once(count: int) -> None:
    seen: list[int] = []
    after: str | None = "0"
    while after is not None:
        page, after = Cursor(7, int(after)).slice(count)
        seen += page
    assert seen == list(range(count))
    assert Cursor(7, 99).slice(count) == (range(count, count), None)
