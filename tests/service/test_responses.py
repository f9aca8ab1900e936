"""Lists in pages: all of a list, once."""

from __future__ import annotations

import pytest

from evolve.service.responses import Cursor
from tests.service import Service


@pytest.mark.parametrize("count", [0, 1, 6, 7, 8, 20])
def test_pages_hold_all_once(count: int) -> None:
    seen: list[int] = []
    after: str | None = "0"
    while after is not None:
        page, after = Cursor(7, int(after)).slice(count)
        seen += page
    assert seen == list(range(count))
    assert Cursor(7, 99).slice(count) == (range(count, count), None)


def test_pages_hold_each_row_once(service: Service) -> None:
    pages, after = [], ""
    while True:
        page = service.get(f"runs/small/generations/1/games?limit=7{after}")
        pages.append([game["id"] for game in page["items"]])
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert max(map(len, pages)) <= 7
    rows = [game for games in pages for game in games]
    assert len(rows) == len(set(rows)) == page["total"]


def test_points_are_thinned_evenly_with_both_ends(service: Service) -> None:
    rows = service.get("runs/small/generations?points=2")["items"]
    assert [row["generation"] for row in rows] == [0, 2]
    rows = service.get("runs/small/generations?since=1&limit=1")["items"]
    assert [row["generation"] for row in rows] == [1]
