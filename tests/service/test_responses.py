"""Lists in pages: all of a list, once, by cursors that are ours."""

from __future__ import annotations

import pytest

from evolve.service.responses import Cursor, ProblemError, encoded


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 20])
def test_pages_hold_all_once(count: int) -> None:
    seen: list[int] = []
    after: str | None = None
    while True:
        page, after = Cursor.of(7, after).slice(count)
        seen += page
        if after is None:
            break
    assert seen == list(range(count))


@pytest.mark.parametrize("after", ["", "x", "1", "ZnJvbTotMQ", "é", encoded(3) + "=", "ZnJvbTowMw"])
def test_other_texts_are_no_cursors(after: str) -> None:
    with pytest.raises(ProblemError, match="not the cursor"):
        Cursor.of(7, after)


def test_a_place_behind_the_end_is_an_empty_page() -> None:
    assert Cursor.of(7, encoded(99)).slice(5) == (range(5, 5), None)
