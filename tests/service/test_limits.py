"""What a service keeps and holds, and what it says when something is missing."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from evolve.service import request_limits
from evolve.service.request_limits import Connection
from tests.faults import Failure, hooked, recorded
from tests.service import STREAM, TOKEN, Service, until
from tests.service.inside import Local, serving
from tests.waits import PATIENCE


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_looking_at_individuals_makes_no_file(local: Local) -> None:
    before = files(local.state.place.own)
    for row in local.ask("GET", "runs/small/generations/1/individuals").json()["items"][:3]:
        name = row["individual"]
        assert local.ask("GET", f"runs/small/individuals/{name}").json()["name"] == name
        agent = f"run:small:{name}?depth=1"
        found = local.ask("GET", f"agents/{agent.replace('?', '%3F')}").json()
        assert found["name"] == f"{name}?depth=1"
        asked = {"agent": agent, "position": {"rules": "reversed"}}
        answer = local.ask("POST", "evaluations", asked)
        assert len(answer.json()["moves"]) == 4, answer.text
    assert local.ask("GET", "runs/small/individuals/99-99").status_code == 404
    assert local.ask("GET", "runs/small/generations/1/champion").status_code == 200
    assert files(local.state.place.own) == before


def test_a_job_names_an_individual_without_a_file_of_it(local: Local) -> None:
    before = files(local.state.place.uploads.parent)
    rows = local.ask("GET", "runs/small/generations/0/individuals").json()["items"]
    name = rows[0]["individual"]
    match = {"command": "match", "settings": {"a": f"run:small:{name}?depth=1", "b": "random"}}
    answer = local.ask("POST", "jobs", match)
    assert answer.status_code == 202, answer.text
    words = local.state.lines.of(local.state.jobs.all()[0]).words
    assert f"run:{local.state.place.runs}/small:{name}?depth=1" in words
    assert files(local.state.place.uploads.parent) == before
    for wrong, status in (("99-99", 422), ("x", 422)):
        settings = {"a": f"run:small:{wrong}", "b": "random"}
        answer = local.ask("POST", "commands/match/check", {"settings": settings})
        assert answer.status_code == status, answer.text


def test_a_resume_that_is_answered_507_is_not_done_later(tmp_path: Path) -> None:
    """Wherever it fails: what the next server reads is what the client was told."""
    (tmp_path / "runs").mkdir()
    match = {"command": "match", "settings": {"a": "swh", "b": "zero", "games": 2}}
    with serving(tmp_path / "runs") as local:
        job = local.ask("POST", "jobs", match).json()["id"]
        assert local.ask("POST", f"jobs/{job}/stop").json()["state"] == "cancelled"
        with recorded(tmp_path) as points:
            assert local.ask("POST", f"jobs/{job}/resume").status_code == 202
        local.ask("POST", f"jobs/{job}/stop")
    assert {"write", "rename", "sync"} <= {point.change for point in points}
    for number, point in enumerate(points):
        with serving(tmp_path / "runs") as local:
            with hooked(Failure(number)):
                answer = local.ask("POST", f"jobs/{job}/resume")
            told = "cancelled" if answer.status_code == 507 else answer.json()["state"]
            assert local.ask("GET", f"jobs/{job}").json()["state"] == told, point
        with serving(tmp_path / "runs") as local:
            assert local.ask("GET", f"jobs/{job}").json()["state"] == told, point
            if told == "queued":
                local.ask("POST", f"jobs/{job}/stop")


@contextmanager
def connected(**limits: float) -> Iterator[int]:
    """A server of connections in this process, with other limits; its port."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    with pytest.MonkeyPatch.context() as patch, socket.socket() as listening:
        for name, value in limits.items():
            patch.setattr(request_limits, name, value)
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="error", http=Connection, lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            until(lambda: server.started)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def answered(one: socket.socket) -> bytes:
    """An answer whose body is `ok`."""
    answer = b""
    while not answer.endswith(b"ok"):
        chunk = one.recv(4096)
        assert chunk, answer
        answer += chunk
    return answer


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("DELETE", "Content-Length: 1000000"),
        ("GET", "Transfer-Encoding: chunked"),
        pytest.param("GET", "Content-Length: 1000000", marks=pytest.mark.slow),
        pytest.param("DELETE", "Transfer-Encoding: chunked", marks=pytest.mark.slow),
    ],
)
def test_a_body_that_never_ends_does_not_keep_its_connection(method: str, kind: str) -> None:
    with (
        connected(_WHOLE=0.3) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as one,
    ):
        one.sendall(f"{method} / HTTP/1.1\r\nHost: x\r\n{kind}\r\n\r\n".encode())
        answer = b""
        while chunk := one.recv(4096):
            answer += chunk
        assert answer.endswith(b"ok"), "and then it was closed"


def test_a_whole_body_keeps_it() -> None:
    with (
        connected(_WHOLE=0.1) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as one,
    ):
        for _ in range(2):
            one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
            assert answered(one).startswith(b"HTTP/1.1 200")
            threading.Event().wait(0.2)  # longer than a body may take: nothing is to come here


def test_connections_beyond_the_limit_are_refused() -> None:
    with connected(_MOST=4) as port, ExitStack() as stack:
        ask = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        kept = []
        for _ in range(4):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
            one.sendall(ask)
            assert answered(one).startswith(b"HTTP/1.1 200")
            kept.append(one)
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as refused:
            answer = b""
            while chunk := refused.recv(4096):
                answer += chunk
            assert answer.startswith(b"HTTP/1.1 503")
            assert b"retry-after: 5" in answer
        kept[0].sendall(ask)
        assert answered(kept[0]).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits handles by a shell")
def test_a_server_with_few_handles_and_many_streams(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    service = Service(tmp_path / "runs")
    words = [sys.executable, "-m", "evolve", "serve", str(tmp_path / "runs")]
    words += ["--port", str(service.port), "--token", TOKEN]
    script = 'ulimit -n 64; exec "$@"'
    with service.log.open("wb") as sink:
        child = subprocess.Popen(["sh", "-c", script, "sh", *words], stdout=sink, stderr=sink)
    try:
        until(lambda: "Ctrl-C" in service.log.read_text())
        with ExitStack() as stack:
            for _ in range(120):
                one = stack.enter_context(socket.create_connection(("127.0.0.1", service.port)))
                with suppress(OSError):  # refused already
                    one.sendall(STREAM)
        until(lambda: _answers(service.port) == 200)
        assert service.log.stat().st_size < 10_000
        assert "Traceback" not in service.log.read_text()
    finally:
        child.terminate()
        child.wait(60)
        service.client.close()


def _answers(port: int) -> int | None:
    """The status of an answer; None where there is none."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as one:
            one.sendall(STREAM.replace(b"/events", b"/health"))
            head = one.recv(4096)
    except OSError:
        return None
    return int(head.split()[1]) if head else None
