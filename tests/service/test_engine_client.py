"""Questions to the engine: what is read waits for no search, and who waits too long is told."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import httpx
import pytest

from evolve.service.engine_client import Search
from evolve.service.folders import Place
from evolve.service.server import API, make_app
from evolve.service.state import ServiceState
from tests.service import Service, until
from tests.service.test_request_limits import run, so

LONG = {"agent": "swh?depth=20", "position": {"moves": "f5 d6 c3 d3 c4"}}
SHORT = {"agent": "swh?depth=1", "position": {}}


def test_a_search_that_must_not_wait_is_refused_with_when_to_try_again(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    state = ServiceState(Place(tmp_path / "runs"), 0, ())
    state.place.claim()
    app = make_app(state, token="a-token-of-the-tests")
    headers = {"Authorization": "Bearer a-token-of-the-tests"}

    async def check() -> None:
        transport = httpx.ASGITransport(app)
        base = f"http://localhost{API}/"
        async with httpx.AsyncClient(transport=transport, base_url=base, headers=headers) as client:
            searching = state.search._searching
            async with searching.turn("a test"), searching.turn("a test"):
                waits = asyncio.ensure_future(client.post("evaluations", json=SHORT))
                await so(lambda: len(searching._waiting) == 1)
                refused = await client.post("evaluations", json=SHORT)
                assert refused.status_code == 429
                assert refused.headers["retry-after"] == "20"
                assert refused.headers["content-type"] == "application/problem+json"
                waits.cancel()
        await state.search.close()

    run(check())
    state.place.release()


@pytest.mark.slow
def test_reading_never_waits_behind_a_search() -> None:
    async def check() -> None:
        search = Search()
        long = [
            asyncio.ensure_future(
                search.ask("evaluate", source=LONG["agent"], rules="standard", **LONG["position"])
            )
            for _ in range(3)
        ]
        await so(lambda: len(search._searching._waiting) == 1)
        assert (await search.ask("describe", source="swh"))["name"] == "swh"
        assert len(await search.ask("space", kind="alphabeta")) > 0
        assert not any(one.done() for one in long)
        for one in long:
            one.cancel()
        await search.close()
        await asyncio.gather(*long, return_exceptions=True)

    run(check())


@pytest.mark.clock
@pytest.mark.slow
def test_a_short_question_behind_two_long_ones(fresh: Service) -> None:
    """At most 20 s for the one before it, a start of the process that was ended, and itself."""
    fresh.post("evaluations", SHORT, 200)
    statuses: list[int] = []

    def ask() -> None:
        with httpx.Client(
            base_url=fresh.client.base_url, headers=fresh.client.headers, timeout=120
        ) as client:
            statuses.append(client.post("evaluations", json=LONG).status_code)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert fresh.process is not None
    until(lambda: fresh.get("agents/swh")["name"] == "swh")
    time.sleep(2)  # both are at work: nothing says so
    begin = time.monotonic()
    fresh.post("evaluations", SHORT, 200)
    assert time.monotonic() - begin <= 25
    begin = time.monotonic()
    fresh.get("agents/zero")
    assert time.monotonic() - begin <= 5
    for thread in threads:
        thread.join()
    assert statuses == [504, 504]


def test_an_estimate_keeps_nobody_from_reading() -> None:
    search = Search()
    asked: list[str] = []

    def worker(name: str) -> object:
        class Answers:
            async def ask(self, question: object) -> dict[str, object]:
                asked.append(name)
                return {"ok": None}

        return Answers()

    search._reader, search._measurer = worker("reader"), worker("measurer")  # type: ignore[assignment]

    async def check() -> None:
        async with search._measuring.turn("a test"):
            await search.ask("load")
        await search.ask("cost")

    run(check())
    assert asked == ["reader", "measurer"]
