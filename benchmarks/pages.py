"""The page as it looks and how soon it is there: pictures of every page, and times of first visits.

python -m benchmarks.pages FOLDER [--out DIR]       every page of a folder of runs
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode

import evolve
from benchmarks.service import served
from evolve.engine.board.squares import square_name

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

WIDTHS = {390: 844, 1280: 900, 2560: 1440}
"""Of the pictures, each with the height of the window."""

_PARTS = {
    "run": ("", "generations", "weights", "lineage", "games", "settings"),
    "train": ("", "checks", "settings"),
    "sweep": ("", "trials", "settings"),
}
_REVIEWED = "f5 d6 c3 d3 c4 f4 c5 b3 c2"
_PLAYERS = "patterns-standard?depth=2", "positional?depth=3"
"""Whose game is in the picture of docs: they make mistakes that the coach marks."""
_PLIES = 26
_PATIENCE = 120.0
"""Seconds in which a page is there, on the busiest machine."""
_THERE = "document.querySelector('main h1') && !document.querySelector('[aria-busy]')"
_NOTE_LIST = """new MutationObserver(() => {
  if (!window.listed && document.querySelector(".runs .run")) window.listed = performance.now();
}).observe(document, { childList: true, subtree: true });"""
_TIMES = "[performance.getEntriesByName('first-contentful-paint')[0].startTime, window.listed]"


def find_chromium() -> str | None:
    """Debian's Chromium, or another that is there."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def open_chromium(path: str) -> Iterator[Browser]:
    """A browser without a window. Root may run it only without its sandbox."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def addresses(get: Callable[[str], Any], play: str | None = None) -> dict[str, str]:
    """The address of every page, by its name, with what a service has to show.

    get: what a path of its API answers; play: the id of a game against an agent.
    """
    found = {"home": "", "new": "new", "play": "play", "agents": "agents", "ratings": "ratings"}
    found |= {"compare": "compare", "missing": "nothing-here", "play-setup": "play/setup"}
    found["play-review"] = f"play/review?{urlencode({'moves': _REVIEWED, 'rules': 'standard'})}"
    for one in get("commands")["items"]:
        found[f"new-{one['command'].replace(' ', '-')}"] = (
            f"new/{one['command'].replace(' ', '%20')}"
        )
    runs = [run for run in get("runs?limit=500&sort=date")["items"] if run["state"] != "damaged"]
    first: dict[str, str] = {}
    for run in runs:
        first.setdefault(run["kind"], run["id"])
    for kind, name in first.items():
        for part in _PARTS.get(kind, ("", "settings")):
            found[f"{kind}-{part or 'curves'}"] = f"run/{name}/{part}"
    if evolution := first.get("run"):
        found |= _of_evolution(get, evolution)
    if evolutions := [("run", run["id"]) for run in runs if run["kind"] == "run"][:2]:
        found["compare-runs"] = f"compare?{urlencode(evolutions)}"
    if play is not None:
        found["play-game"] = f"play/{play}"
    for job in get("jobs?limit=500")["items"]:
        if job["command"] in ("match", "rate") and job["state"] == "done":
            found[f"job-{job['command']}"] = f"job/{job['id']}"
            if job["command"] == "match":
                found["job-game"] = f"job/{job['id']}/games/0"
                found["compare-match"] = f"compare?{urlencode([*evolutions, ('job', job['id'])])}"
            else:
                agents = [("agent", agent) for agent in job["settings"]["agents"]]
                found["ratings-job"] = f"ratings?{urlencode([*agents, ('job', job['id'])])}"
    return found


def _of_evolution(get: Callable[[str], Any], name: str) -> dict[str, str]:
    last = get(f"runs/{name}")["done"] - 1
    best = get(f"runs/{name}/generations/{last}/individuals?limit=1")["items"][0]["individual"]
    game = get(f"runs/{name}/generations/{last}/games?limit=1")["items"][0]["id"]
    found = {
        "run-generation": f"run/{name}/generations/{last}",
        "run-individual": f"run/{name}/individual/{best}",
        "game": f"game/{name}/{game}?ply=20",
        "agent": f"agents/run:{name}",
        "run-fork": f"new/run?from={name}",
    }
    if get(f"runs/{name}")["playoff"]:
        found["run-playoff"] = f"run/{name}/playoff"
    return found


def sign_in(context: BrowserContext, root: str, token: str) -> None:
    """Let a browser into a service, as its page does with the token in its address."""
    answer = context.request.post(f"{root}api/v1/session", data={"token": token})
    assert answer.ok, answer.text()


def visit(page: Page, root: str, address: str) -> None:
    """Open a page by its address, and wait until all of it is there."""
    parts = [unquote(part) for part in address.split("?")[0].split("/") if part]
    title, end = " · ".join([*parts, "evolve"]), time.monotonic() + _PATIENCE
    if page.title() == title:
        page.goto("about:blank")  # else what is there would do for the same page with another query
    page.goto(f"{root}#/{address}")
    # Playwright's own waiting for a function is eval() in the page, which its policy refuses.
    while page.title() != title or not page.evaluate(_THERE):
        if time.monotonic() > end:
            raise TimeoutError(f"{address}: not all of it is there")
        page.wait_for_timeout(20)


def pictures(browser: Browser, root: str, token: str, pages: dict[str, str], out: Path) -> None:
    """Of every page, light and dark, at every width."""
    for width, height in WIDTHS.items():
        for colours in ("light", "dark"):
            folder = out / f"{width}-{colours}"
            folder.mkdir(parents=True, exist_ok=True)
            size: ViewportSize = {"width": width, "height": height}
            with browser.new_context(
                viewport=size, color_scheme=colours, reduced_motion="reduce"
            ) as context:
                sign_in(context, root, token)
                page = context.new_page()
                for name, address in pages.items():
                    visit(page, root, address)
                    page.screenshot(path=folder / f"{name}.png", full_page=True)
    print(f"{len(pages)} pages, {len(WIDTHS)} widths, light and dark → {out}")


def times(browser: Browser, root: str, token: str) -> None:
    """First visits of home: the first content painted, and the list of runs there, in ms."""
    rows = []
    for _ in range(6):
        with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
            sign_in(context, root, token)
            page = context.new_page()
            page.add_init_script(_NOTE_LIST)
            page.goto(root)
            page.locator(".runs .run").first.wait_for()
            rows.append(page.evaluate(_TIMES))
    for index, name in enumerate(("first contentful paint", "list of runs")):
        found = [row[index] for row in rows[1:]]  # the first visit starts the browser as well
        each = ", ".join(f"{value:.0f}" for value in found)
        print(f"{name}: {statistics.median(found):.0f} ms  ({each})")


def run_picture(browser: Browser, server: Any, out: Path) -> None:
    """The page of a folder's best evolution."""
    run = server.get("runs?limit=1&kind=run&sort=-elo")["items"][0]["id"]
    with _signed_in(browser, server) as page:
        visit(page, f"http://127.0.0.1:{server.port}/", f"run/{run}")
        page.locator(".heatboard").first.wait_for()
        page.screenshot(path=out, full_page=True)


def play_picture(browser: Browser, server: Any, out: Path) -> None:
    """A game with values and marks."""
    game = {"agent": "level-5", "side": "black", "rules": "standard", "moves": _game()}
    play = server.post("plays", game)["id"]
    with _signed_in(browser, server) as page:
        visit(page, f"http://127.0.0.1:{server.port}/", f"play/{play}")
        page.get_by_label("Values").check()
        page.locator(".chip").first.wait_for(timeout=1000 * _PATIENCE)
        page.locator(".movelist .mark").first.wait_for(timeout=1000 * _PATIENCE)
        page.wait_for_timeout(1000)
        page.screenshot(path=out, full_page=True)


@contextmanager
def _signed_in(browser: Browser, server: Any) -> Iterator[Page]:
    size: ViewportSize = {"width": 1280, "height": 960}
    with browser.new_context(
        viewport=size, color_scheme="light", reduced_motion="reduce"
    ) as context:
        sign_in(context, f"http://127.0.0.1:{server.port}/", server.token)
        yield context.new_page()


def _game() -> str:
    """The moves of two agents, which make some mistakes."""
    players = [evolve.load_agent(name) for name in _PLAYERS]
    board = evolve.Board.start()
    moves: list[str] = []
    while len(moves) < _PLIES:
        analysis = players[len(moves) % 2].analyse(board)
        assert analysis is not None
        square = next(iter(analysis.values))  # the best comes first
        moves.append(square_name(square))
        board = board.play(square)
    return " ".join(moves)


def main(runs: Path, out: Path) -> None:
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("error: there is no Chromium here")
    with open_chromium(chromium) as browser:
        with tempfile.TemporaryDirectory() as empty, served(Path(empty)) as server:
            root = f"http://127.0.0.1:{server.port}/"
            pictures(browser, root, server.token, {"home-empty": ""}, out)
        with served(runs) as server:
            _of_folder(browser, server, out)


def _of_folder(browser: Browser, server: Any, out: Path) -> None:
    root = f"http://127.0.0.1:{server.port}/"
    times(browser, root, server.token)
    play = server.post("plays", {"agent": "random", "side": "black", "rules": "standard"})
    pictures(browser, root, server.token, addresses(server.get, play["id"]), out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("pictures"))
    given = parser.parse_args()
    main(given.folder, given.out)
