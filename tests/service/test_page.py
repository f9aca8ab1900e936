"""The page in a real browser: it opens, tells what happens, and can be used by anyone."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

import evolve
from benchmarks.pages import addresses, sign_in, visit
from evolve.number_text import whole
from evolve.programs.examination import Demands, examine
from evolve.tables.trials import write_trials
from tests.service import SMALL, TOKEN, Service, until
from tests.waits import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

NOTHING_YET = "Breed agents that play Reversi"
PHONE = {"width": 360, "height": 740}


def root(service: Service) -> str:
    return f"http://127.0.0.1:{service.port}/"


@contextmanager
def window(
    browser: Browser,
    service: Service,
    address: str | None = None,
    *,
    faulty: bool = False,
    **options: Any,
) -> Iterator[Page]:
    """A page of a browser that has kept nothing but that it was let in; at its end nothing may have
    gone wrong in it, unless `faulty`: the console has refusals, too."""
    faults: list[str] = []

    def ask(request: Any) -> None:
        if not request.url.startswith((root(service), "about:", "data:", "blob:")):
            faults.append(f"a request to {request.url}")

    with browser.new_context(**options) as context:
        sign_in(context, root(service), TOKEN)
        page = context.new_page()
        page.on("console", lambda one: one.type in ("error", "warning") and faults.append(one.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", ask)
        if address is not None:
            visit(page, root(service), address)
        yield page
    assert faulty or faults == []


def pump(page: Page, there: Callable[[], bool]) -> None:
    """Wait until something is so, with the browser's events going on."""

    def after_a_moment() -> bool:
        page.wait_for_timeout(30)
        return there()

    until(after_a_moment)


def begin_play(service: Service, **document: str) -> str:
    return str(service.post("plays", {"rules": "standard", **document}, 201)["id"])


def sees(page: Page, text: str, seconds: float = 30) -> None:
    """Wait until the page says so."""
    page.get_by_text(text).first.wait_for(timeout=1000 * seconds)


def sweep_in(folder: Path, count: int = 30) -> None:
    """A sweep of two settings, its final to come."""
    folder.mkdir()
    ranges = '[space]\n"mobility.0" = {low = 0, high = 9, step = 3}\nendgame = {choices = [8, 9]}\n'
    (folder / "config.toml").write_text(
        f'command = "sweep alphabeta"\nrules = "standard"\nseed = 0\ntrials = {count}\n{ranges}'
    )
    rows = [
        {
            "number": number, "state": "COMPLETE", "score": (number % 10) / 10, "score_error": 0.03,
            "origin": "sampler" if number else "defaults",
            "mobility.0": 3 * (number % 4), "endgame": 8 + number % 2,
        }
        for number in range(count)
    ]  # fmt: skip
    write_trials(folder, rows, {"mobility.0": int, "endgame": int})


def test_runs_are_begun_again_and_compared_and_a_sweep_is_seen(
    fresh: Service, runs: Path, browser: Browser
) -> None:
    for seed in (0, 1):
        folder = Path(shutil.copytree(runs / "small", fresh.runs / f"seed-{seed}"))
        text = (folder / "config.toml").read_text().replace("seed = 0", f"seed = {seed}")
        text = text.replace("[fix]", "[fix]\ndepths = [1, 2, 3]")
        text = text.replace("mobility = [\n    -100", "mobility = [\n    -90")
        (folder / "config.toml").write_text(text)
    sweep_in(fresh.runs / "ranges")
    with window(browser, fresh, "new/run?from=seed-0") as page:
        assert page.locator("#field-fix").input_value() == "depths=1,2,3"
        assert "mobility=-90:100" in page.locator("#field-bounds").input_value()
        visit(page, root(fresh), "run/ranges")
        page.get_by_role("link", name="with other ranges").click()
        assert page.locator("#field-start_from").input_value() == "run:ranges"
        assert page.locator("#field-space").input_value() == "mobility.0=0:9:3\nendgame=8|9"
        sees(page, "--space mobility.0=0:9:3 --space 'endgame=8|9'")
        visit(page, root(fresh), "run/ranges")
        page.get_by_role(
            "img", name=re.compile("^mobility.0: .* from 0 to 9, .* best 3")
        ).wait_for()
        row = '{"agent": "trial-9", "score": 0.75, "wins": 3, "games": 4}'
        (fresh.runs / "ranges/final.json").write_text(f'{{"finalists": [{row}]}}')
        page.get_by_role("columnheader", name="Final so far").wait_for()
        visit(page, root(fresh), "run/ranges/trials")
        sees(page, "Trials over their settings")
        visit(page, root(fresh), "compare?run=seed-0&run=seed-1")
        page.get_by_role("heading", name="Over seeds").wait_for()
        row = page.get_by_role("region", name="over seeds").get_by_role("row").nth(1)
        assert row.get_by_role("cell").all_inner_texts()[:3] == ["elo", "seed-0 and 1 more", "2"]
        visit(page, root(fresh), "compare?run=seed-0")
        pump(page, lambda: page.get_by_role("heading", name="Over seeds").count() == 0)


def test_all_kinds_are_compared(fresh: Service, each_kind: Path, browser: Browser) -> None:
    """Every Elo that the service has of two things stands in the picture of their champions."""
    shutil.copytree(each_kind, fresh.runs, dirs_exist_ok=True)
    compared: list[int] = []
    with window(browser, fresh, "") as page:
        picture = page.get_by_role("img", name=re.compile("^Elo of the champions"))

        def drawn() -> str:
            return " ".join(picture.evaluate_all("all => all.map((one) => one.ariaLabel)"))

        (level,) = (one for one in fresh.get("agents")["items"] if one["id"] == "level-3")
        things = ("run=small", "run=grid", "run=taught", "run=swept", "agent=level-3")
        for pair in itertools.combinations(things, 2):
            words = f"compare?{'&'.join(pair)}"
            runs = fresh.get(words.partition("&agent")[0])["runs"]
            elos = [run["elo"] for run in runs if run["kind"] != "study"]
            seeds = fresh.get(words.partition("&agent")[0].replace("compare", "seeds"))["items"]
            alone = [one for one in seeds if one["setting"] == "grid" and not one["against"]]
            elos += [one["mean"] for one in alone]
            if "agent" in words:
                elos += [one["elo"] for one in level["ratings"] if one["rules"] == runs[0]["rules"]]
            known = [whole(elo).replace("-", "−") for elo in elos if elo is not None]
            visit(page, root(fresh), words)
            page.get_by_role("heading", name="How they rose").wait_for()
            pump(page, lambda: all(elo in drawn() for elo in known))  # noqa: B023
            compared.append(len(known))
    assert compared == [2] * 10


def test_agents_of_some_rules_stand_by_their_elo(service: Service, browser: Browser) -> None:
    elos = {
        agent["id"]: [one["elo"] for one in agent["ratings"] if one["rules"] == "reversed"]
        for agent in service.get("agents?limit=500")["items"]
        if agent["rules"] in (None, "reversed")
    }
    with window(browser, service, "agents?rules=standard") as page:
        page.get_by_role("button", name="Reversed").click()
        page.get_by_role("link", name="patterns-reversed", exact=True).wait_for()
        listed = page.locator(".ladder li a:first-child").all_inner_texts()
    drawn = [elos[name] for name in listed if elos[name]]
    assert drawn == sorted(drawn, reverse=True)
    assert {*listed} == {*elos}
    assert "run:small" in listed


def test_a_first_visit_offers_what_starts_with_one_click(fresh: Service, browser: Browser) -> None:
    with window(browser, fresh, "") as page:
        sees(page, NOTHING_YET)
        page.get_by_role("img", name="a game of the example").wait_for()
        at = page.get_by_text("Move 3")
        moved = at.inner_text()
        pump(page, lambda: at.inner_text() != moved)  # it plays by itself
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Play a game").click()
        page.get_by_role("button", name="Fewest discs win").click()  # asked once
        page.locator(".board[role=grid]").wait_for(timeout=1000 * PATIENCE)
        visit(page, root(fresh), "")
        evolve = page.get_by_role("button", name="Evolve Agents")
        evolve.get_by_text("on 2 cores").wait_for()
        evolve.click()
        page.get_by_role("heading", name="reversed-001").wait_for(timeout=1000 * PATIENCE)
        fresh.act(fresh.get("jobs")["items"][0], "kill")


def test_a_first_visit_is_light(fresh: Service, browser: Browser) -> None:
    with window(browser, fresh) as page:
        sizes: list[int] = []
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda end: sizes.append(end["encodedDataLength"]))
        visit(page, root(fresh), "")
        sees(page, NOTHING_YET)
        page.get_by_role("img", name="a game of the example").wait_for()
    assert 30 < len(sizes) <= 60
    assert sum(sizes) <= 150_000


def test_the_example_is_looked_at(fresh: Service, browser: Browser) -> None:
    with window(browser, fresh, "") as page:
        assert fresh.get("runs")["total"] == 0
        page.get_by_role("button", name="Open").click()
        page.get_by_role("heading", name="example").wait_for()
        sees(page, "beats the shipped champion, 2 plies")
        sees(page, "Its best game")
        page.get_by_role("link", name="Runs").click()
        page.get_by_role("link", name="example", exact=True).wait_for()
        sees(page, NOTHING_YET)


def test_a_chart_is_read_cut_and_saved(service: Service, browser: Browser, tmp_path: Path) -> None:
    desk = {"width": 1280, "height": 900}
    with window(browser, service, "run/small", viewport=desk, accept_downloads=True) as page:
        chart = page.locator("figure", has_text="How strong each generation's best is")
        plot = chart.locator("svg.plot")
        box = plot.bounding_box()
        assert box is not None
        rows = service.get("runs/small/generations")["items"]
        page.mouse.move(box["x"] + 60, box["y"] + 80)
        best = f"{abs(rows[0]['panel_elo']):,.0f}"
        assert best in chart.locator(".tip").inner_html()
        mean = chart.get_by_role("button", name="strength")
        assert plot.locator("polyline").count() == 1
        mean.click()
        assert plot.locator("polyline").count() == 0
        mean.click()
        page.mouse.move(box["x"] + 40, box["y"] + 80)
        page.mouse.down()
        page.mouse.move(box["x"] + 700, box["y"] + 80)
        page.mouse.up()
        chart.get_by_role("button", name="Whole range").click()
        assert chart.get_by_role("button", name="Whole range").count() == 0
        saved = []
        for kind in ("SVG", "PNG", "CSV"):
            chart.get_by_label("More about this chart").click()
            with page.expect_download() as waited:
                chart.get_by_role("button", name=f"Download {kind}").click()
            waited.value.save_as(tmp_path / f"chart.{kind.lower()}")
            saved.append(waited.value.suggested_filename[:26])
        assert saved == ["how-strong-each-generation"] * 3
        drawn = (tmp_path / "chart.svg").read_text()
        assert 'xmlns="http://www.w3.org/2000/svg"' in drawn
        assert "class=" not in drawn
        assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"
        head, *lines = (tmp_path / "chart.csv").read_text().splitlines()
        assert head.startswith("generation,best of a generation,best of a generation low")
        assert [float(line.split(",")[1]) for line in lines] == [row["panel_elo"] for row in rows]
        chart.get_by_label("More about this chart").click()
        chart.get_by_role("button", name="As a table").click()
        chart.get_by_role("region").wait_for()


def test_odd_addresses(service: Service, browser: Browser) -> None:
    game = service.get("runs/small/generations/2/games?limit=1")["items"][0]["id"]
    odd = (
        f"game/small/{game}?ply=x", f"game/small/{game}?ply=1.5", "job", "run", "game", "nonsense",
    )  # fmt: skip
    heads = []
    with window(browser, service) as page:
        for address in odd:
            visit(page, root(service), address)
            heads.append(page.locator("h1").inner_text())
        assert not [head for head in heads if "wrong" in head]
        visit(page, root(service), "ratings?agent=swh")
        assert page.get_by_role("button", name="Start").is_disabled()
        visit(page, root(service), "ratings?agent=swh&against=random")
        assert page.get_by_role("button", name="Start").is_enabled()
    with window(browser, service, faulty=True) as page:
        for address in ("job/x", "run/x", "play/x", "game/small/99:1", "run/small/individual/9-9"):
            visit(page, root(service), address)
            sees(page, "there is no")


def test_the_printed_address_signs_a_browser_in(browser: Browser, tmp_path: Path) -> None:
    with Service(tmp_path / "runs").start() as service, browser.new_context() as context:
        page = context.new_page()
        page.goto(root(service))
        page.get_by_label("This server wants its token").wait_for()
        assert not page.get_by_role("heading", name="Runs").is_visible()
        assert not page.get_by_text("The server is gone").is_visible()
        page.goto(f"{root(service)}?token={TOKEN}")
        page.get_by_role("heading", name="Runs").wait_for()
        assert page.url == f"{root(service)}#/"
        (cookie,) = context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert TOKEN not in cookie["value"]
        service.stop()
        service.start()
        page.goto("about:blank")
        visit(page, root(service), "")
        sees(page, NOTHING_YET)


def test_a_game_is_stepped_through_by_keys(service: Service, browser: Browser) -> None:
    game = service.get("runs/small/generations/2/games?limit=1")["items"][0]
    moves = game["moves"].split()
    with window(browser, service, f"game/small/{game['id']}") as page:
        status = page.locator("p.live")
        page.wait_for_timeout(200)  # it listens to keys once it is painted
        for key, said in (
            ("Home", "The start."),
            ("ArrowRight", f"Move 1: black played {moves[0]}"),
            ("ArrowRight", f"Move 2: white played {moves[1]}"),
            ("ArrowLeft", f"Move 1: black played {moves[0]}"),
            ("End", f"Move {len(moves)}: "),
        ):
            page.keyboard.press(key)
            pump(page, lambda said=said: status.inner_text().startswith(said))
        assert status.inner_text().endswith("The game is over.")
        assert f"ply={len(moves)}" in page.url
        page.keyboard.press("Home")
        event = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
        page.evaluate(f"for (const _ of [1, 2, 3]) document.dispatchEvent({event})")  # at once
        sees(page, "Move 3: ")
        start = f"{'-' * 27}OX{'-' * 6}XO{'-' * 27} X;"  # the usual one
        page.route("**/games/2:99", lambda route: route.fulfill(json={**game, "start": start}))
        visit(page, root(service), "game/small/2:99?ply=0")
        links = [
            page.get_by_role("link", name=name) for name in ("Play on from here", "Try other moves")
        ]
        boards = [parse_qs(str(link.get_attribute("href")))["board"] for link in links]
        assert boards == [[start.removesuffix(";")]] * 2


def test_a_match_is_chosen_by_clicks_and_errors_begin_with_what_is_wrong(
    service: Service, browser: Browser
) -> None:
    desk = {"width": 1440, "height": 900}
    with window(browser, service, "new/match", faulty=True, viewport=desk) as page:
        page.get_by_role("group", name="Levels").nth(1).wait_for()
        inputs = [*page.locator(".in-row input").all(), page.get_by_role("button", name="Start")]
        middles = [box["y"] + box["height"] / 2 for box in (one.bounding_box() for one in inputs)]
        assert len(middles) == 4
        assert max(middles) - min(middles) < 6
        page.get_by_role("group", name="Levels").nth(0).get_by_label("level-1", exact=True).click()
        page.get_by_role("group", name="Recent").nth(1).get_by_label("run:small").click()
        page.get_by_label("Games").fill("4")
        sees(page, "evolve match level-1 runs/small --games 4")
        assert not page.get_by_label("Seed").is_visible()
        page.get_by_label("Games").fill("none")
        page.get_by_role("button", name="Start").click()
        assert page.get_by_role("alert").inner_text().lower().startswith("games")
        page.get_by_role("button", name="Is my champion of small stronger than level 1?").click()
        page.get_by_label("Games").fill("")
        sees(page, "evolve match runs/small level-1")
        visit(page, root(service), "ratings")
        page.get_by_role("group", name="Levels").first.get_by_label("level-2", exact=True).click()
        sees(page, "level-2")
        page.get_by_role("button", name="How strong is my champion of small?").click()
        sees(page, "evolve rate runs/small --against level-1")


def test_an_upload_in_the_page(fresh: Service, browser: Browser, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    evolve.load_agent("swh-mobility").save(good)
    bad.write_text('{"format": "evolve-agent", "version": 99}')
    with window(browser, fresh, "agents") as page:
        page.get_by_label("Agent file").set_input_files(good)
        page.get_by_role("button", name="Upload").click()
        page.get_by_role("status").get_by_role("link", name="swh-mobility").click()
        page.get_by_role("heading", name="swh-mobility").wait_for()
    with window(browser, fresh, "agents", faulty=True) as page:
        page.get_by_label("Agent file").set_input_files(bad)
        page.get_by_role("button", name="Upload").click()
        sees(page, "version 99")


def test_a_run_whose_folder_is_removed(fresh: Service, runs: Path, browser: Browser) -> None:
    for name in ("first", "second"):
        shutil.copytree(runs / "small", fresh.runs / name)
    with window(browser, fresh, faulty=True) as page:
        home = page.context.new_page()
        visit(home, root(fresh), "")
        home.get_by_role("link", name="second", exact=True).wait_for()
        visit(page, root(fresh), "run/first/games")
        shutil.rmtree(fresh.runs / "first")
        sees(page, "This run is no longer there.")
        pump(home, lambda: home.get_by_role("link", name="first", exact=True).count() == 0)
        assert home.get_by_role("link", name="second", exact=True).count() == 1


def test_later_generations_smooth_earlier_ones_at_once(fresh: Service, browser: Browser) -> None:
    with window(browser, fresh) as page:
        job = fresh.order("run", **{**SMALL, "generations": 500})
        pump(page, lambda: fresh.client.get(f"runs/{job['run']}").is_success)
        process = fresh.wait(job, "running")["process"]
        os.killpg(process, signal.SIGSTOP)  # or a busy machine opens a page of a long table
        visit(page, root(fresh), f"run/{job['run']}/generations")
        os.killpg(process, signal.SIGCONT)
        rows = page.get_by_role("region", name="generations").get_by_role("row")
        pump(page, lambda: rows.count() > 5)
        os.killpg(process, signal.SIGSTOP)
        heads = rows.first.get_by_role("columnheader").all_inner_texts()
        shown = rows.locator(f"td:nth-child({heads.index('strength, smoothed Elo') + 1})")

        def agree() -> bool:
            items = fresh.get(f"runs/{job['run']}/generations")["items"]
            wanted = [whole(row["rating"]).replace("-", "\u2212") for row in items]
            return [text.split()[0] for text in shown.all_inner_texts()] == wanted

        pump(page, agree)
        fresh.act(job, "kill")


def test_generations_in_words_and_ancestors_drawn(service: Service, browser: Browser) -> None:
    rows = service.get("runs/small/generations")["items"]
    nodes = service.get(f"runs/small/lineage/{rows[-1]['best']}?depth=99")["items"]
    line = [node["individual"] for node in nodes if node["main"]]
    with window(browser, service, "run/small/generations") as page:
        table = page.get_by_role("region", name="generations")
        heads = table.get_by_role("columnheader").all_inner_texts()
        assert heads[:2] == ["generation", "the best"]
        assert not [head for head in heads if head.endswith((" low", " high"))]
        assert "games" not in heads
        sees(page, f"games {rows[0]['games']}")
        visit(page, root(service), f"run/small/individual/{rows[-1]['best']}")
        drawing = page.get_by_role("img", name=f"{len(nodes)} ancestors by generation and Elo")
        drawing.wait_for()
        boxes = drawing.locator("text.series").evaluate_all(
            "all => all.map((one) => { const { x, y, width } = one.getBBox();"
            " return [one.textContent, x, y, width]; })"
        )
        drawing.locator("circle.open").click()
        page.wait_for_url(f"**/individual/{rows[-1]['best']}")
    assert {line[0]} <= {name for name, *_ in boxes} <= {*line}
    assert [
        (one, other)
        for (one, x, y, wide), (other, left, top, width) in itertools.combinations(boxes, 2)
        if abs(y - top) < 12 and x < left + width and left < x + wide
    ] == [], "names that cover each other"


def test_a_game_of_a_run_shows_what_its_players_think(service: Service, browser: Browser) -> None:
    games = service.get("runs/small/generations/2/games?limit=1&kind=fitness&sort=-plies")
    (game,) = games["items"]
    with window(browser, service, f"game/small/{game['id']}?ply=10") as page:
        page.locator(".board .chip").first.wait_for(timeout=1000 * PATIENCE)
        first = page.get_by_text("thinks").inner_text()
        page.keyboard.press("ArrowRight")
        pump(page, lambda: page.get_by_text("thinks").inner_text() != first)
        names = {first, page.get_by_text("thinks").inner_text()}
    assert names == {f"What {game[side]} thinks" for side in ("black", "white")}


def test_a_browser_without_events(fresh: Service, runs: Path, browser: Browser) -> None:
    with window(browser, fresh, faulty=True) as page:
        page.add_init_script("delete window.SharedWorker; delete window.EventSource")
        visit(page, root(fresh), "")
        sees(page, "This browser follows no events")
        shutil.copytree(runs / "small", fresh.runs / "late")
        page.get_by_role("link", name="late", exact=True).wait_for(timeout=1000 * PATIENCE)


def test_an_older_document_loses_no_event(fresh: Service, runs: Path, browser: Browser) -> None:
    with window(browser, fresh) as page:
        older: list[Any] = []
        page.route("**/api/v1/runs?*", lambda route: older.append((route, route.fetch())), times=1)
        page.goto(root(fresh))
        pump(page, lambda: older)
        event = "new EventSource('api/v1/events').addEventListener('run', came)"
        page.evaluate(f"void (window.came = new Promise(came => {event}))")
        shutil.copytree(runs / "small", fresh.runs / "late")
        page.evaluate("window.came.then(() => {})")
        ((route, answer),) = older
        route.fulfill(response=answer)
        page.get_by_role("link", name="late", exact=True).wait_for(timeout=1000 * PATIENCE)


def test_it_says_when_the_server_is_gone_and_comes_back(fresh: Service, browser: Browser) -> None:
    with window(browser, fresh, "", faulty=True) as page:
        sees(page, NOTHING_YET)
        fresh.stop()
        sees(page, "The server is gone; trying again.")
        job = fresh.start().order("run", **SMALL)
        sees(page, "Live again.")
        page.get_by_role("link", name=job["run"]).wait_for()
        fresh.act(job, "kill")


@pytest.mark.slow
def test_a_goal_is_chosen_and_started(fresh: Service, browser: Browser) -> None:
    """New says what each goal brings and costs; a start leads to the run."""
    with window(browser, fresh, "new", faulty=True) as page:
        page.get_by_role("button", name="Fewest discs win").click()
        radios = page.get_by_role("radio")
        page.get_by_role("group", name="Evolve").get_by_text("about 620 Elo").wait_for()
        assert radios.nth(0).is_checked()
        page.get_by_text("evolve run --generations 20").wait_for()
        page.get_by_role("button", name="Most discs win").click()
        page.get_by_text("evolve run --generations 20 --rules standard").wait_for()
        page.get_by_role("radio", name="Study").check()
        page.get_by_text("--seeds 0-3 --grid crossover=blend,uniform").wait_for()
        page.get_by_role("link", name=re.compile(r"All \d+ settings")).click()
        assert page.get_by_label("Grid").input_value() == "crossover=blend,uniform"
        page.goto(f"{root(fresh)}#/new/run")  # the rules are remembered
        page.get_by_text("evolve run --rules standard").wait_for()
        assert page.get_by_label("Rules").input_value() == "standard"
        page.go_back()
        page.get_by_label("Grid").fill("crossover=blend,nope")
        sees(page, "Not yet: crossover=nope")
        page.get_by_label("Seeds").fill("0")
        for name, value in SMALL.items():
            group = page.locator("details", has=page.locator(f"#field-{name}"))
            if not group.evaluate("one => one.open"):
                group.locator("summary").click()
            page.locator(f"#field-{name}").fill(str(value))
        page.get_by_label("Grid").fill("crossover=blend,uniform")
        sees(page, "2 runs")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("heading", name="study-001").wait_for(timeout=1000 * PATIENCE)
        page.get_by_text("says nothing of chance").wait_for(timeout=1000 * PATIENCE)
        grid = page.get_by_role("region", name="settings and seeds")
        assert grid.get_by_role("rowheader").all_inner_texts() == ["Blend", "Uniform"]
        grid.get_by_role("link").first.click()
        page.get_by_role("heading", name="study-001+").wait_for()


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with something of each kind."""
    folder = tmp_path_factory.mktemp("full") / "runs"
    folder.mkdir()
    with Service(folder, "--slots=2").start() as service:
        for command, settings in (
            ("run", SMALL),
            ("run", {**SMALL, "seed": 1}),
            ("train", {"kind": "patterns", "budget": 1, "panel_openings": 2}),
            ("sweep", {"kind": "alphabeta", "trials": 4, "panel_openings": 2, "final_openings": 2}),
            ("match", {"a": "swh", "b": "random", "games": 8, "sprt": "0:9"}),
            ("rate", {"agents": ["swh", "random", "zero"], "games": 10}),
        ):
            service.wait(service.order(command, **settings))
        study = {"command": "run", "settings": SMALL, "seeds": "0-1"}
        service.wait(service.post("jobs", {**study, "grid": {"crossover": ["blend", "uniform"]}}))
        yield service


@pytest.mark.slow
def test_axe_finds_nothing_and_it_fits_a_phone(full: Service, browser: Browser) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    play = begin_play(full, agent="swh", side="white")
    desk = {"width": 1280, "height": 900}
    wrong = []
    (rating,) = (job for job in full.get("jobs")["items"] if job["command"] == "rate")
    with window(browser, full, f"job/{rating['id']}") as page:
        said = page.locator(".words").inner_text()
        assert said == f"{rating['result']['words'][0]}.", "how far it adds up"
        for name, address in addresses(full.get, play).items():
            visit(page, root(full), address)
            page.evaluate(
                "document.querySelectorAll('main details').forEach(one => { one.open = true; })"
            )
            assert page.get_by_role("alert").count() == 0, name
            for button in page.get_by_role("button", name="Hand in").all():
                button.click()
            # All but the contrast is the same in the dark.
            for colours, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
                page.emulate_media(color_scheme=colours)
                page.wait_for_timeout(50)
                options = {**rules, "resultTypes": ["violations"]}
                for one in axe.run(page, options=options).response["violations"]:
                    nodes = [node["html"][:200] for node in one["nodes"][:2]]
                    wrong.append(f"{name}, {colours}: {one['id']}: {len(one['nodes'])}, as {nodes}")
            page.set_viewport_size(PHONE)
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > PHONE["width"]:  # one must scroll sideways
                wrong.append(f"{name}: {width} px wide on a phone")
            page.set_viewport_size(desk)
    assert wrong == []


def of_focus(page: Page, what: str) -> str:
    """What has the focus: its text, or an attribute."""
    script = "what => document.activeElement.getAttribute(what) ?? document.activeElement[what]"
    return str(page.evaluate(script, what))


def play_by_keys(page: Page) -> None:
    """Play a legal move without a pointer, as one who hears the page does."""
    for _ in range(60):
        if of_focus(page, "role") == "gridcell":
            break
        page.keyboard.press("Tab")
    status = page.locator("p.live")
    pump(page, lambda: status.inner_text().endswith("Your move."))
    cells = page.locator("[role=gridcell]")
    labels = cells.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    goal = next(place for place, one in enumerate(labels) if "legal" in one)
    here, said = labels.index(of_focus(page, "aria-label")), status.inner_text()
    down, right = goal // 8 - here // 8, goal % 8 - here % 8
    for key, steps in (("Up", -down), ("Down", down), ("Left", -right), ("Right", right)):
        for _ in range(steps):
            page.keyboard.press(f"Arrow{key}")
    assert of_focus(page, "aria-label") == labels[goal]
    page.keyboard.press("Enter")
    pump(page, lambda: status.inner_text() != said)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "alone"])
def test_tabs_are_live(fresh: Service, browser: Browser, shared: bool) -> None:
    """Eight of one browser, which allows six connections; one where each has its own."""
    with window(browser, fresh, faulty=True) as page:
        if not shared:
            page.add_init_script("delete window.SharedWorker")
        tabs = [page, *(page.context.new_page() for _ in range(7 if shared else 0))]
        for tab in tabs:
            visit(tab, root(fresh), "")
            sees(tab, NOTHING_YET)
        fresh.wait(fresh.order("run", **SMALL))
        for tab in tabs:
            sees(tab, "3 of 3 generations")
            pump(tab, lambda tab=tab: tab.locator("main .state").count() == 0)


@pytest.mark.slow
def test_the_way_of_a_newcomer(tmp_path: Path, browser: Browser) -> None:
    """From an empty folder to a file to hand in."""
    with (
        Service(tmp_path / "runs").start() as service,
        window(browser, service, "", accept_downloads=True) as page,
    ):
        page.goto(f"{root(service)}#/new/run")
        page.get_by_role("textbox", name="Population", exact=True).fill("8")
        page.get_by_role("textbox", name="Generations", exact=True).fill("200")
        sees(page, "evolve run --generations 200 --population 8")
        page.get_by_role("button", name="Start", exact=True).click()

        page.get_by_role("heading", name="reversed-001").wait_for(timeout=1000 * PATIENCE)
        page.get_by_role("link", name="Generations", exact=True).click()
        page.get_by_role("link", name="2", exact=True).wait_for(timeout=1000 * PATIENCE)
        page.get_by_role("button", name="Stop", exact=True).click()
        chip = page.locator("main .state").first
        pump(page, lambda: chip.inner_text() == "stopped")
        before = service.get("runs/reversed-001")["done"]
        assert 3 <= before < 200

        page.get_by_label("More about this run").click()
        page.get_by_text("Resume with changes …", exact=True).click()
        page.get_by_role("textbox", name="Generations", exact=True).fill(str(before + 2))
        page.get_by_role("button", name="Resume", exact=True).last.click()
        pump(page, lambda: chip.inner_text() == "done")
        assert service.get("runs/reversed-001")["done"] == before + 2

        page.goto(f"{root(service)}#/run/reversed-001")
        page.get_by_role("link", name="Play it", exact=True).first.click()
        page.get_by_role("button", name="Play", exact=True).click()
        page.get_by_role("button", name="Resign").wait_for()
        play_by_keys(page)

        page.goto(f"{root(service)}#/run/reversed-001")
        page.get_by_role("button", name="Hand in").click()
        page.get_by_label("Seconds a move").fill("1")
        page.get_by_role("button", name="Make and check it").click()
        sees(page, "hand in agent.py: runs/reversed-001", PATIENCE)
        with page.expect_download() as waited:
            page.get_by_role("link", name="agent.py").click()
        waited.value.save_as(tmp_path / "agent.py")
    demands = Demands(seconds=1.0)
    assert all(one.good for one in examine(tmp_path / "agent.py", demands=demands, games=0))
