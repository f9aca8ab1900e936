"""No client holds the others up: turns are fair, waiting has an end, reading is apart."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from evolve.service.request_limits import CLIENT, Turns
from evolve.service.responses import ProblemError
from tests.waits import PATIENCE


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
