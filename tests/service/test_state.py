"""Streams of events: whole, in order, gone on with, and ended."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from evolve.service import state
from evolve.service.state import Events
from tests.service import STREAM, Service


async def stream(events: Events, last: str, count: int = 1) -> list[tuple[str, str, Any]]:
    """The first events that a stream brings, as name, id and data."""
    found: list[tuple[str, str, Any]] = []
    async for part in events.stream(last):
        lines = dict(line.split(": ", 1) for line in part.decode().splitlines() if line)
        if "event" in lines:
            found.append((lines["event"], lines["id"], json.loads(lines["data"])))
        if len(found) == count:
            break
    return found


def test_what_was_missed_comes_first() -> None:
    async def check() -> None:
        events = Events()
        for number in range(5):
            events.tell("step", {"n": number})
        ((name, place, data),) = await stream(events, "")
        assert (name, place, data["boot"]) == ("hello", f"{events.boot}-5", events.boot)
        found = await stream(events, f"{events.boot}-2", 3)
        assert [data["n"] for _, _, data in found] == [2, 3, 4]
        lasts = ("other-2", f"{events.boot}-99", f"{events.boot}-x")
        names = [name for last in lasts for name, _, _ in await stream(events, last)]
        assert names == ["hello", "reset", "hello"]
        for number in range(3000):
            events.tell("step", {"n": number})
        assert [name for name, _, _ in await stream(events, lasts[1])] == ["reset"]

    asyncio.run(check())


def test_a_slow_reader_is_told_to_fetch_again() -> None:
    async def check() -> None:
        events = Events()
        reader = events.stream("")
        assert [await anext(reader) for _ in range(2)][1].startswith(b"event: hello")
        events.tell("step", {})
        assert (await anext(reader)).startswith(b"event: step")
        for _ in range(5000):
            events.tell("step", {})
        assert (await anext(reader)).startswith(b"event: reset")
        events.close()
        assert [part async for part in reader] == []

    asyncio.run(check())


def test_a_quiet_reader_gets_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_PING", 0.01)

    async def check() -> None:
        reader = Events().stream("")
        assert [await anext(reader) for _ in range(4)][2:] == [b": ping\n\n"] * 2

    asyncio.run(check())


def test_a_reader_that_leaves_with_a_backlog_fills_no_log(tmp_path: Path) -> None:
    with Service(tmp_path / "runs").start() as service:
        job = service.order("run", generations=40, population=8)
        heads = []
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", service.port)) as reader:
                reader.sendall(STREAM.replace(b"\r\n\r\n", b"\r\nLast-Event-ID: x-1\r\n\r\n"))
                heads.append(reader.recv(15))
        assert heads == [b"HTTP/1.1 200 OK"] * 20
        service.act(job, "kill")
    assert "Traceback" not in service.log.read_text()
