"""No client holds the others up: turns are fair, waiting has an end, reading is apart."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from evolve.service.engine_client import Search
from evolve.service.folders import Place
from evolve.service.request_limits import CLIENT, Turns
from evolve.service.responses import ProblemError
from evolve.service.server import API, make_app
from evolve.service.state import ServiceState
from tests.service import Service, until
from tests.waits import PATIENCE

LONG = {"agent": "swh?depth=20", "position": {"moves": "f5 d6 c3 d3 c4"}}
SHORT = {"agent": "swh?depth=1", "position": {}}


async def so(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


class Crowd:
    """Clients that want turns; `served` are those who got one, in order."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.served: list[str] = []
        self.done: dict[str, asyncio.Event] = {}

    def come(self, name: str) -> asyncio.Task[None]:
        """Let a request `A1` of a client `A` come."""

        async def work() -> None:
            CLIENT.set(name[0])
            async with self.turns.turn("a turn"):
                self.served.append(name)
                await self.done[name].wait()

        self.done[name] = asyncio.Event()
        return asyncio.ensure_future(work())

    async def end(self, name: str) -> None:
        self.done[name].set()
        await asyncio.sleep(0)
        await asyncio.sleep(0.005)


def run(check: Awaitable[None]) -> None:
    async def all_of_it() -> None:
        await check

    asyncio.run(all_of_it())


def test_who_has_none_comes_before_who_has_one() -> None:
    async def check() -> None:
        crowd = Crowd(Turns(2, each=1, most=8, after=20))
        tasks = []
        for name in ("A1", "A2", "A3", "B1", "C1"):
            tasks.append(crowd.come(name))
            await asyncio.sleep(0)
        await so(lambda: len(crowd.served) == 2)
        await crowd.end("A1")
        assert crowd.served[2:] == ["B1"], "A has one at work, and came first"
        await crowd.end("B1")
        assert crowd.served[3:] == ["C1"]
        await crowd.end("A2")
        assert crowd.served[4:] == ["A3"]
        for name in ("C1", "A3"):
            await crowd.end(name)
        await asyncio.gather(*tasks)
        tasks.append(crowd.come("A4"))
        await so(lambda: crowd.served[-1] == "A4")
        await crowd.end("A4")

    run(check())


def test_a_client_waits_with_one_and_others_are_refused_when_many_wait() -> None:
    async def check() -> None:
        crowd = Crowd(Turns(1, each=1, most=2, after=20))
        tasks = [crowd.come("A1")]
        await so(lambda: crowd.served == ["A1"])
        tasks.append(crowd.come("A2"))
        await asyncio.sleep(0)
        with pytest.raises(ProblemError) as told:
            await crowd.come("A3")
        assert (told.value.status, told.value.retry) == (429, 20)
        tasks.append(crowd.come("B1"))
        await asyncio.sleep(0)
        with pytest.raises(ProblemError) as told:
            await crowd.come("C1")
        assert (told.value.status, told.value.retry) == (503, 20)
        for name in ("A1", "A2", "B1"):
            await so(lambda name=name: name in crowd.served)
            await crowd.end(name)
        await asyncio.gather(*tasks)

    run(check())


@pytest.mark.parametrize("when", ["waiting", "given"])
def test_who_leaves_while_waiting_takes_no_turn_along(when: str) -> None:
    async def check() -> None:
        crowd = Crowd(Turns(1, each=1, most=8, after=20))
        first, second, third = crowd.come("A1"), crowd.come("B1"), None
        await so(lambda: crowd.served == ["A1"])
        await asyncio.sleep(0)
        if when == "waiting":
            second.cancel()
            await asyncio.sleep(0)
        third = crowd.come("C1")
        await asyncio.sleep(0)
        crowd.done["A1"].set()
        if when == "given":  # the place is B's, whose task has not gone on yet
            await asyncio.sleep(0)
            second.cancel()
        await so(lambda: crowd.served[-1] == "C1")
        await crowd.end("C1")
        await asyncio.gather(first, third)
        assert second.cancelled()

    run(check())


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


def test_what_waits_knows_its_client() -> None:
    """A browser by its own number, scripts by where they are."""
    seen: list[str] = []

    async def check() -> None:
        from evolve.service.request_guard import Door, Guard

        door = Door("a-token-of-the-tests")

        async def app(scope: Any, receive: Any, send: Any) -> None:
            seen.append(CLIENT.get())

        guard = Guard(app, (), door)
        for header in (
            (b"authorization", b"bearer a-token-of-the-tests"),
            (b"cookie", f"{door.cookie_name}={door.new_cookie()}".encode()),
            (b"cookie", f"{door.cookie_name}={door.new_cookie()}".encode()),
        ):
            scope = {"type": "http", "method": "GET", "path": "/api/v1/runs"}
            headers = [(b"host", b"localhost"), header]
            await guard({**scope, "headers": headers, "client": ("192.0.2.1", 5)}, None, None)  # type: ignore[arg-type]

    run(check())
    assert seen[0] == "script 192.0.2.1"
    assert len(set(seen)) == 3
