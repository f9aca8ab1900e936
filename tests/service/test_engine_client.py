"""Questions to the engine: what is read waits for no search, and who waits too long is told."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from evolve.service.engine_client import Search
from evolve.service.responses import Pool, ProblemError
from tests.service import Service, until
from tests.service.inside import App
from tests.waits import PATIENCE

LONG = {"agent": "swh?depth=20", "position": {"moves": "f5 d6 c3 d3 c4"}}
SHORT = {"agent": "swh?depth=1", "position": {}}


async def so(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


def test_some_wait_and_more_are_refused_with_when_to_try_again(
    tmp_path: Path, runner: asyncio.Runner
) -> None:
    (tmp_path / "runs").mkdir()
    with App(tmp_path / "runs", runner) as app:
        app.state.search._searching = Pool([], waiting=0, retry=20)
        refused = app.ask("POST", "evaluations", SHORT, below=504)
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "20"
    assert refused.headers["content-type"] == "application/problem+json"


def test_things_are_lent_to_one_at_a_time() -> None:
    async def check() -> None:
        pool, served = Pool("ab", waiting=1, retry=20), list[str]()
        go = asyncio.Event()

        async def use() -> None:
            async with pool.lend("a thing") as thing:
                served.append(thing)
                await go.wait()

        tasks = [asyncio.ensure_future(use()) for _ in range(3)]
        await so(lambda: len(served) == 2)
        with pytest.raises(ProblemError) as refused:
            await use()
        assert (refused.value.status, refused.value.retry) == (503, 20)
        tasks[2].cancel()  # the one that waits leaves, and another may
        await asyncio.gather(tasks[2], return_exceptions=True)
        tasks[2] = asyncio.ensure_future(use())
        await asyncio.sleep(0)
        assert sorted(served) == ["a", "b"]
        go.set()
        await asyncio.gather(*tasks)
        assert len(served) == 3

    asyncio.run(check())


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
        await so(lambda: search._searching._places == 15)
        assert (await search.ask("describe", source="swh"))["name"] == "swh"
        assert len(await search.ask("space", kind="alphabeta")) > 0
        assert not any(one.done() for one in long)
        for one in long:
            one.cancel()
        await search.close()
        await asyncio.gather(*long, return_exceptions=True)

    asyncio.run(check())


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
