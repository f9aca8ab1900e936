"""Streams of events: whole, in order, gone on with, and ended."""

from __future__ import annotations

import asyncio
import inspect
import json
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import uvicorn

from evolve.service.server import _Server
from evolve.service.state import Events
from tests.service import STREAM, Service
from tests.waits import PATIENCE


async def stream(events: Events, last: str, until: int) -> list[tuple[str, str, Any]]:
    """The first events that a stream brings, as name, id and data."""
    parts: list[bytes] = []
    gone = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not parts:
            return {"type": "http.request", "body": b""}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        parts.append(message.get("body", b""))
        if b"".join(parts).count(b"event: ") >= until:
            gone.set()

    headers = [(b"last-event-id", last.encode())] if last else []
    await asyncio.wait_for(events({"type": "http", "headers": headers}, receive, send), 5)
    found = []
    for block in b"".join(parts).decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in lines:
            found.append((lines["event"], lines["id"], json.loads(lines["data"])))
    return found


def test_what_was_missed_comes_first() -> None:
    async def check() -> None:
        events = Events("1", ("generation",))
        for number in range(5):
            events.tell("step", {"n": number})
        ((name, first, data),) = await stream(events, "", 1)
        assert (name, data["boot"]) == ("hello", events.boot)
        assert first == f"{events.boot}-5"
        found = await stream(events, f"{events.boot}-2", 3)
        assert [data["n"] for _, _, data in found] == [2, 3, 4]
        assert [name for name, _, _ in await stream(events, "other-2", 1)] == ["hello"]
        assert [name for name, _, _ in await stream(events, f"{events.boot}-99", 1)] == ["reset"]
        assert [name for name, _, _ in await stream(events, f"{events.boot}-x", 1)] == ["hello"]
        for number in range(3000):
            events.tell("step", {"n": number})
        assert [name for name, _, _ in await stream(events, f"{events.boot}-2", 1)] == ["reset"]

    asyncio.run(check())


async def connected() -> dict[str, Any]:
    """What a client sends that stays."""
    await asyncio.Event().wait()
    raise AssertionError


async def so(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0)


def test_a_slow_reader_is_told_to_fetch_again() -> None:
    async def check() -> None:
        events, sent, go = Events("1", ("generation",)), list[bytes](), asyncio.Event()

        async def send(message: Any) -> None:
            sent.append(message.get("body", b""))
            if len(sent) == 3:
                await go.wait()

        task = asyncio.ensure_future(events({"type": "http", "headers": []}, connected, send))
        await so(lambda: len(sent) == 2)
        events.tell("step", {})
        await so(lambda: len(sent) == 3)
        for _ in range(5000):
            events.tell("step", {})
        go.set()
        await so(lambda: len(sent) == 4)
        assert b"event: reset" in sent[3]
        events.close()
        await asyncio.wait_for(task, PATIENCE)
        assert sent[4:] == [b""], "and no more than its end"

    asyncio.run(check())


def test_ctrl_c_with_streams_open(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    service = Service(tmp_path / "runs").start()
    with ExitStack() as stack:
        stack.callback(service.close)
        streams = [
            stack.enter_context(socket.create_connection(("127.0.0.1", service.port)))
            for _ in range(200)
        ]
        for one in streams:
            one.sendall(STREAM)
        for one in streams:
            assert b"200 OK" in one.recv(4096)
        assert service.stop(signal.SIGINT) == 0
        assert "Traceback" not in service.log.read_text()


def test_a_signal_between_a_stream_s_look_and_its_wait_ends_it() -> None:
    lines, first = inspect.getsourcelines(asyncio.Event.wait)
    waits = first + next(k for k, line in enumerate(lines) if "create_future" in line)

    async def check() -> None:
        events = Events("1", ("generation",))
        config = uvicorn.Config("none:app")
        config.load_app = lambda: None  # type: ignore[method-assign,assignment,return-value]
        config.load()
        server = _Server(config, SimpleNamespace(events=events))  # type: ignore[arg-type]
        signalled = 0

        def trace(frame: FrameType, what: str, _: Any) -> Any:
            nonlocal signalled
            if frame.f_code is not asyncio.Event.wait.__code__:
                return None
            if what == "line" and frame.f_lineno == waits and not signalled:
                signalled += 1
                server.handle_exit(signal.SIGINT, None)
            return trace

        async def send(_: Any) -> None:
            pass

        server._loop = asyncio.get_running_loop()
        running = asyncio.ensure_future(server.main_loop())
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            stream = events({"type": "http", "headers": []}, connected, send)
            await asyncio.wait_for(stream, PATIENCE)
        finally:
            sys.settrace(before)
        assert signalled == 1
        await asyncio.wait_for(running, PATIENCE)

    asyncio.run(check())
