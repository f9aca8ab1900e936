"""A soak: a server with a run, a sweep and five tabs of a browser, watched once a minute.

python -m benchmarks.soak [--minutes 60]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.pages import find_chromium, open_chromium, sign_in, visit
from benchmarks.service import Server

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

JOBS: tuple[dict[str, Any], ...] = (
    {
        "command": "run",
        "name": "run",
        "settings": {"generations": 9999, "population": 32, "patience": 9999},
    },
    {
        "command": "sweep",
        "name": "sweep",
        "settings": {"kind": "alphabeta", "trials": 9999, "panel_openings": 10},
    },
)
TABS = ("", "run/run", "run/run/games", "run/sweep", "run/sweep/trials")
_FIRST = 120
"""Seconds until both jobs have written what the tabs show."""


def main(minutes: int) -> None:
    """Print a line a minute, and at the end how all of it ended."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("error: there is no Chromium here")
    with tempfile.TemporaryDirectory() as scratch, open_chromium(chromium) as browser:
        server = Server(Path(scratch), "--slots=2")
        ids = [server.post("jobs", job)["id"] for job in JOBS]
        time.sleep(_FIRST)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        sign_in(context, f"http://127.0.0.1:{server.port}/", server.token)
        tabs, sessions, wrong = [], [], []
        for address in TABS:
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.extend([str(error)]))
            page.on("console", lambda said: wrong.extend([said.text] * (said.type == "error")))
            visit(page, f"http://127.0.0.1:{server.port}/", address)
            tabs.append(page)
            sessions.append(context.new_cdp_session(page))
        print("minute  server MB  CPU %  heaps MB  nodes  generations  trials", flush=True)
        begin = time.monotonic()
        for minute in range(minutes + 1):
            share = server.share(max(1.0, begin + 60 * minute - time.monotonic()))
            heaps, nodes = zip(*map(_weight, sessions), strict=True)
            done = [server.get(f"runs/{name}")["done"] for name in ("run", "sweep")]
            row = (minute, server.megabytes, share, sum(heaps), sum(nodes), *done)
            print("{:6}  {:9.1f}  {:5.2f}  {:8.2f}  {:5}  {:11}  {:6}".format(*row), flush=True)
        shown = tabs[1].locator("main").inner_text()
        print(f"the run's tab shows generation {done[0] - 1}: {str(done[0]) in shown}")
        for one in ids:
            server.post(f"jobs/{one}/stop", {})
        while any(server.get(f"jobs/{one}")["state"] in ("running", "stopping") for one in ids):
            time.sleep(0.5)
        print("jobs:", ", ".join(server.get(f"jobs/{one}")["state"] for one in ids))
        print(f"errors in the tabs: {len(wrong)} {wrong[:3]}; Ctrl-C {server.close():.2f} s")


def _weight(session: CDPSession) -> tuple[float, int]:
    """The heap of a tab in MB, and its nodes, after its garbage was collected."""
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return found["JSHeapUsedSize"] / 2**20, int(found["Nodes"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=60)
    main(parser.parse_args().minutes)
