"""Playing on the page, in a real browser: games, reviews and positions of one's own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from benchmarks.pages import visit
from tests.service import Service
from tests.service.test_page import begin_play, of_focus, pump, root, sees, window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

GAME = "d3 e3 f4 c3 d2 c5 c6 f3 b5 f5 g4 g5 c2 g3 c4 b4 f2 d6 b6 e6 a3 c1 d1 a4 b1 e2 b3 a2 h6 f1"
"""The first half of a game, with mistakes of both sides."""


def live(page: Page) -> str:
    return page.locator("p.live").inner_text()


def says(page: Page, *parts: str) -> None:
    pump(page, lambda: all(part in live(page) for part in parts))


def move(page: Page, which: int = 0) -> None:
    """Make a legal move, and wait for the answer."""
    before = live(page)
    page.locator(".square.may").nth(which).click()
    pump(page, lambda: live(page) != before and live(page).endswith("Your move."))


def moves(page: Page) -> list[str]:
    return [text.split()[0] for text in page.locator(".movelist a").all_inner_texts()]


@pytest.mark.clock
def test_from_the_server_to_the_first_move_in_two_steps(tmp_path: Path, browser: Browser) -> None:
    begin = time.monotonic()
    with (
        Service(tmp_path / "runs").start(real=True) as service,
        window(browser, service, "") as page,
    ):
        page.get_by_role("link", name="Play", exact=True).click()
        move(page)
        assert time.monotonic() - begin < 10
        assert len(moves(page)) == 2
        page.reload()
        says(page, "Your move.")
        assert len(moves(page)) == 2


def test_one_looks_back_in_a_game_and_goes_on(service: Service, browser: Browser) -> None:
    play = begin_play(service, agent="swh")
    with window(browser, service, f"play/{play}") as page:
        for _ in range(3):
            move(page)
        first = moves(page)
        page.locator(".movelist a").nth(1).click()
        says(page, f"Move 2: white played {first[1]}", "continues from this position")
        page.keyboard.press("ArrowLeft")
        says(page, "Move 1:")
        page.keyboard.press("End")
        says(page, "Your move.")
        page.locator(".movelist a").nth(3).click()
        move(page, -1)
        assert play not in page.url
        assert (len(moves(page)), moves(page)[:4]) == (6, first[:4])
        page.go_back()
        pump(page, lambda: moves(page) == first)


def test_hints_resigning_and_taking_back(service: Service, browser: Browser) -> None:
    play = begin_play(service, agent="random", rules="reversed")
    with window(browser, service, f"play/{play}") as page:
        move(page)
        assert page.locator(".best").count() == 0
        page.get_by_role("button", name="Hint").click()
        page.locator(".best").wait_for()
        assert page.locator(".chip").count() == 1
        for answer in ("No", "Resign"):
            page.get_by_role("button", name="Resign …").click()
            page.get_by_role("group", name="Give this game up?").get_by_text(answer).click()
        says(page, "The game is over. You lost")
        sees(page, "by resigning")
        assert page.get_by_text("You lost").count() == 1, "it is said once"
        assert page.locator(".square.may").count() == 0
        page.get_by_role("button", name="Take back").click()
        says(page, "Your move.")
        page.get_by_role("button", name="Resign …").wait_for()
        page.get_by_role("button", name="Take back").click()
        pump(page, lambda: moves(page) == [])
        last = begin_play(service, agent="random", board=f"{'X' * 62}O- X")
        visit(page, root(service), f"play/{last}")
        page.locator(".square.may").click()
        says(page, "The game is over. You won")


def test_a_pasted_game_is_reviewed(service: Service, browser: Browser) -> None:
    with window(browser, service, "play") as page:
        page.get_by_text("Review a game of your own").click()
        page.locator("#paste").fill(GAME)
        page.get_by_role("button", name="Review it").click()
        page.locator(".movelist .mark").first.wait_for()
        assert moves(page) == GAME.split()
        slider = page.get_by_role("slider", name="Move")
        slider.focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowUp")
        says(page, "Move 30: white played f1")
        assert slider.get_attribute("aria-valuenow") == "30"
        assert slider.locator(".badge").count() == page.locator(".movelist .mark").count()
        wide = "all => all.map((one) => one.lastChild.getBBox().width / one.getBBox().width)"
        assert 0.3 < max(page.locator(".badge").evaluate_all(wide)) < 0.9  # of the disc
        fault = page.locator(".movelist a:has(.mark)").first
        lost = fault.inner_text().split()
        fault.click()
        page.locator(".callout", has_text=f"{lost[0]} lost {lost[-1][1:]} discs").wait_for()
        assert page.locator(".badge circle").count() == slider.locator(".badge").count() + 1
        page.get_by_role("checkbox", name="Values").check()
        page.locator(".chip").first.wait_for()
        page.get_by_role("link", name="Show the line").click()
        pump(page, lambda: moves(page)[: len(GAME.split())] != GAME.split())
        better = page.locator(".movelist [aria-current]").inner_text().split()[0]
        page.go_back()
        pump(page, lambda: moves(page) == GAME.split())
        assert better != lost[0]
        page.locator(".square.may").first.click()  # another move than the one that was played
        pump(page, lambda: len(moves(page)) < 30)


def test_what_cannot_be_read_says_why(service: Service, browser: Browser) -> None:
    with window(browser, service, "play", faulty=True) as page:
        page.get_by_text("Review a game of your own").click()
        page.locator("#paste").fill("f5 f5")
        page.get_by_role("button", name="Review it").click()
        sees(page, "f5 is not a legal move for white")
        page.locator("#paste").fill("f5 d6\nf5 f6")
        page.get_by_role("button", name="Review it").click()
        page.get_by_role("link", name="Game 2").click()
        pump(page, lambda: moves(page) == ["f5", "f6"])


def test_a_position_is_set_up_by_clicks_and_keys(service: Service, browser: Browser) -> None:
    with window(browser, service, "play/setup") as page:
        for square, clicks in (("c3", 1), ("b2", 2)):
            for _ in range(clicks):
                page.locator(f"[role=gridcell][aria-label^={square}]").click()
        page.locator("[role=gridcell][aria-label^=d3]").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        pump(page, lambda: of_focus(page, "aria-label") == "e3, black")
        page.get_by_role("button", name="White to move").click()
        cells = "---------O--------X-X------OX------XO--------------------------- O"
        pump(page, lambda: quote(cells).replace("%20", "+") in page.url)
        page.get_by_role("link", name="Play it").click()
        move(page)
        play = service.get(f"plays/{page.url.rpartition('/')[2]}")
        assert (play["start"], play["side"]) == (f"{cells};", "white")


def test_a_move_waits_for_a_server_that_is_gone(fresh: Service, browser: Browser) -> None:
    play = begin_play(fresh, agent="random")
    with window(browser, fresh, f"play/{play}", faulty=True) as page:
        move(page)
        fresh.stop()
        page.locator(".square.may").first.click()
        says(page, "The server does not answer: the move is sent as soon as it is back.")
        fresh.start()
        says(page, "Your move.")
        assert len(moves(page)) == len(fresh.get(f"plays/{play}")["moves"]) == 4


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_levels_are_chosen_by_arrows(service: Service, browser: Browser, rules: str) -> None:
    with window(browser, service, f"play?rules={rules}") as page:
        radios = page.get_by_role("group", name="Level").get_by_role("radio")
        radios.first.wait_for()
        names = radios.evaluate_all("all => all.map(one => one.ariaLabel)")
        levels = service.get("agents?q=level-")["items"]
        ratings = [one for level in levels for one in level["ratings"] if one["rules"] == rules]
        assert [name.replace("\u2212", "-") for name in names] == [
            f"Level {number}, {'' if one['error'] else 'about '}{one['elo']} Elo"
            for number, one in enumerate(ratings, 1)
        ]
        page.get_by_role("radio", name="Level 3,").focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
        sees(page, "Level 4:")
        move(page)
        play = service.get(f"plays/{page.url.rpartition('/')[2]}")
        assert (play["agent"], play["rules"]) == ("level-4", rules)
        visit(page, root(service), "play")  # the browser remembers it
        pump(page, lambda: page.get_by_role("radio", name="Level 4,").is_checked())
