"""Hostile requests: each is refused, and nothing is written."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import socket
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from evolve.service.request_guard import SESSION, Door
from tests import forks
from tests.cli import misused
from tests.service import API, SIGNED, TOKEN, Service
from tests.service.inside import App

GOOD = f"Host: 127.0.0.1:1\r\n{SIGNED}"
JSON = "Content-Type: application/json"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
JOB = json.dumps({"command": "match", "settings": {"a": "swh", "b": "random", "games": 2}})


def raw(service: Service, first: str, *lines: str, body: str = "") -> tuple[int, str]:
    """Status and text of the answer to a request as it is written."""
    if body and "Transfer-Encoding: chunked" not in lines:
        lines = (*lines, f"Content-Length: {len(body)}")
    head = "\r\n".join((f"{first} HTTP/1.1", "Connection: close", *lines))
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as one:
        one.sendall(f"{head}\r\n\r\n{body}".encode("latin-1"))
        answer = b""
        while chunk := one.recv(65536):
            answer += chunk
    head, _, rest = answer.decode("latin-1").partition("\r\n\r\n")
    return int(head.split()[1]), head + rest


@pytest.fixture(autouse=True)
def nothing_is_written(service: Service, runs: Path) -> Iterator[None]:
    def there() -> list[str]:
        return sorted(str(path) for path in runs.rglob("*") if ".service/tmp" not in str(path))

    before = there()
    yield
    assert there() == before


@pytest.mark.parametrize(
    "hosts",
    [
        [], ["Host: example.org"], ["Host: 127.0.0.1", "Host: example.org"],
        ["Host: 127.0.0.1", "Host: 127.0.0.1"], ["Host: 127.0.0.1.example.org"], ["Host: 0.0.0.0"],
        ["Host: localhost@example.org"], ["Host: 127.0.0.1:1:2"], ["Host: "], ["Host: 2130706433"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS", "POST"])
def test_hosts_that_are_not_ours(service: Service, method: str, hosts: list[str]) -> None:
    assert 400 <= raw(service, f"{method} /api/v1/runs", *hosts, SIGNED)[0] < 500


def test_hosts_that_are_ours(service: Service) -> None:
    hosts = ("127.0.0.1", "localhost:99", "[::1]:8765", "LOCALHOST")
    found = [raw(service, "GET /api/v1/runs", f"Host: {host}", SIGNED)[0] for host in hosts]
    assert found == [200] * 4


@pytest.mark.parametrize(
    "header",
    [
        "Sec-Fetch-Site: cross-site",
        "Origin: http://127.0.0.1:1\r\nSec-Fetch-Site: cross-site",
        "Origin: http://127.0.0.1:1\r\nOrigin: https://example.org",
    ],
)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_other_sites_change_nothing(service: Service, method: str, header: str) -> None:
    path = "/api/v1/jobs" if method == "POST" else "/api/v1/runs/small"
    assert raw(service, f"{method} {path}", GOOD, header, JSON, body=JOB)[0] == 403


def test_bodies_of_forms(service: Service) -> None:
    kinds = ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data")
    heads = [(GOOD,), *((GOOD, f"Content-Type: {kind}") for kind in kinds)]
    assert {raw(service, "POST /api/v1/jobs", *head, body=JOB)[0] for head in heads} == {415}


def test_bodies_that_are_too_large_or_no_json(service: Service) -> None:
    lines = ("POST /api/v1/jobs", GOOD, JSON)
    assert raw(service, *lines, f"Content-Length: {1 << 30}")[0] == 413
    chunked = "".join(f"{1 << 16:x}\r\n{'x' * (1 << 16)}\r\n" for _ in range(20)) + "0\r\n\r\n"
    assert raw(service, *lines, "Transfer-Encoding: chunked", body=chunked)[0] == 413
    assert raw(service, *lines, body="{")[0] == 400
    texts = ("[]", "1", '"x"', "null", '{"command": "run", "more": 1}', "[" * 100_000)
    assert {raw(service, *lines, body=text)[0] for text in texts} <= {400, 422}


@pytest.mark.parametrize("lines", [("GET /{}",), ("GET /", "X-Long: {}")])
def test_a_head_that_is_too_long(service: Service, lines: tuple[str, ...]) -> None:
    with suppress(ConnectionResetError):  # closed before all of it was sent
        first, *more = (line.format("a" * 5_000_000) for line in lines)
        assert raw(service, first, *more, GOOD)[0] == 400
    service.get("health")


def test_heads_as_browsers_send_them(service: Service) -> None:
    kept = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    answers = []
    for _ in range(30):  # on one connection, which has no limit
        kept.request("GET", "/api/v1/health", headers={"Cookie": f"a={'b' * 4000}", **BEARER})
        answer = kept.getresponse()
        answers.append((answer.status, answer.read()[:1]))
    assert answers == [(200, b"{")] * 30
    kept.close()


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd",
        "/api/v1/runs/..", "/api/v1/runs/.service", "/api/v1/runs/small%2f..%2f.service",
        "/api/v1/runs/small/files/%2e%2e%2fconfig.toml", "/api/v1/jobs/..%2f..%2fsmall",
        "/api/v1/agents/..%2fsmall", "/api/v1/agents/gtp:sh", "/api/v1/agents/run:..",
        "/api/v1/plays/..%2f..%2fsmall%2fconfig",
    ],
)  # fmt: skip
def test_paths_lead_nowhere_else(service: Service, path: str) -> None:
    status, text = raw(service, f"GET {path}", GOOD)
    assert 400 <= status < 500
    assert not re.search("root:|population", text)


@pytest.mark.parametrize("path", ["/", "/api/v1/runs", "/api/v1/none"])
def test_every_answer_has_its_policy(service: Service, path: str) -> None:
    headers = service.client.get(f"http://127.0.0.1:{service.port}{path}").headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


@pytest.mark.slow
def test_head_is_answered_wherever_get_is_and_no_other_method(service: Service) -> None:
    """Also where the body has no end, as that of events."""
    known = {
        "run": "small", "generation": "0", "number": "0", "command": "run", "name": "games.csv",
    }  # fmt: skip
    paths = [
        path.removeprefix("/api/v1/").format_map(defaultdict(lambda: "none", known))
        for path, methods in service.get("openapi.json")["paths"].items()
        if "get" in methods
    ]
    found = {path: service.client.head(path) for path in [*paths, "events"]}
    usual = {path: service.client.get(path).status_code for path in paths} | {"events": 200}
    assert {path: answer.status_code for path, answer in found.items()} == usual
    assert 200 in usual.values()
    assert not any(answer.content for answer in found.values())
    answer = service.client.put("runs")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is there on Linux")
def test_where_it_listens_everywhere(tmp_path: Path) -> None:
    with Service(tmp_path / "runs", "--host", "0.0.0.0").start() as service:
        here = f"127.0.0.2:{service.port}"  # another address of this machine
        ours = (here, socket.gethostname(), "localhost")
        others = ("192.0.2.7", "evil.example.org", "0.0.0.0", "[::]", f"0.0.0.0:{service.port}")
        url = f"http://{here}/api/v1/health"
        found = {host: httpx.get(url, headers={**BEARER, "Host": host}) for host in ours + others}
        statuses = {host: answer.status_code for host, answer in found.items()}
        assert statuses == dict.fromkeys(ours, 200) | dict.fromkeys(others, 421)
        page = f"http://{socket.gethostname()}:{service.port}/?token={TOKEN}"
        assert page in service.log.read_text()


@pytest.mark.parametrize(
    ("token", "options", "said"),
    [
        ("a b of sixteen ...", (), "a token has"),
        ("x" * 15, (), "16 characters or more"),
        ("x" * 16, ("--no-token",), "says the opposite"),
    ],
)
def test_tokens_that_it_does_not_take(
    tmp_path: Path, token: str, options: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_TOKEN", token)
    assert said in misused("serve", tmp_path, *options)


DATA = re.compile(r"run|swh|items|version|openapi")


@pytest.fixture
def app(tmp_path: Path, runner: asyncio.Runner) -> Iterator[App]:
    """The application on an empty folder, whose jobs wait for ever."""
    options = {"hosts": ["lab.example.org"], "token": TOKEN}
    with App(tmp_path / "runs", runner, idle=True, **options) as app:
        yield app


def test_another_account_gets_in_nowhere(app: App) -> None:
    documented = [
        (method.upper(), re.sub(r"\{\w+\}", "1", path))
        for path, methods in app.app.openapi()["paths"].items()
        for method in methods
    ]
    asked = [*documented, ("GET", f"{API}/events"), ("GET", f"{API}/openapi.json")]
    asked += [("GET", "/api/none"), ("DELETE", f"{API}/none"), ("OPTIONS", f"{API}/runs")]
    assert len(asked) > 40
    answers = {
        (method, path): app.request(method, path, json={} if method == "POST" else None)
        for method, path in asked
    }
    assert answers.pop(("POST", SESSION)).status_code == 422, "its document lacks the token"
    names = ("www-authenticate", "content-type")
    refused = (401, "Bearer", "application/problem+json")
    found = {
        one: (answer.status_code, *map(answer.headers.get, names))
        for one, answer in answers.items()
    }
    assert found == dict.fromkeys(found, refused)
    assert not [one for one in answers.values() if DATA.search(one.json()["detail"])]
    pages = ("/", "/app.js", "/index.html")
    assert [app.request("GET", path).status_code for path in pages] == [200] * 3


def test_no_other_spelling_of_a_path_leads_past_the_door(app: App) -> None:
    paths = ("//api/v1/runs", "/%61pi/v1/runs", "/./api/v1/runs", "/API/v1/runs")
    found = {app.request("GET", f"http://localhost:1{path}").status_code for path in paths}
    assert found <= {401, 404}


def status_of(app: App, name: str, value: str) -> int:
    """The answer to who proves the token in a header."""
    headers = {name: value.encode("latin-1")}
    return app.request("GET", f"{API}/runs", headers=headers).status_code


def test_what_is_the_token_and_what_is_not(app: App) -> None:
    schemes = ("Bearer", "bearer", "BEARER", "bEaReR ")
    said = [status_of(app, "Authorization", f"{scheme} {TOKEN}") for scheme in schemes]
    assert said == [200] * 4
    own, other = Door(TOKEN), Door("another-token-xy")
    words = ("Bearer x", "Bearer", "Bearer é", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x")
    said = [status_of(app, "Authorization", text) for text in (*words, f"Bearer {TOKEN.upper()}")]
    assert said == [401] * 7
    cookies = [f"{own.cookie_name}={value}" for value in (TOKEN, ".", "", other.cookie)]
    cookies += [f"evolve-token={TOKEN}", "\x00="]
    assert [status_of(app, "Cookie", cookie) for cookie in cookies] == [401] * 6


def test_a_browser_says_the_token_once(app: App) -> None:
    assert app.request("POST", SESSION, json={"token": "x" * 20}).status_code == 401
    answer = app.request("POST", SESSION, json={"token": TOKEN})
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert {"httponly", "samesite=strict"} <= {*cookie.lower().split("; ")}
    assert TOKEN not in cookie
    headers = {"Cookie": cookie.partition(";")[0]}
    assert app.request("GET", f"{API}/runs", headers=headers).status_code == 200
    foreign = {**headers, "Sec-Fetch-Site": "same-site"}  # a page of another port of this name
    assert app.request("DELETE", f"{API}/runs/x", headers=foreign).status_code == 403


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:1", "http://localhost:1", 404),
        ("localhost:1", "http://localhost:2", 403),
        ("localhost:1", "http://localhost", 403),
        ("localhost:1", "http://127.0.0.1:1", 403),
        ("localhost:1", "null", 403),
        ("lab.example.org", "https://lab.example.org", 404),
        ("lab.example.org", "http://lab.example.org:8080", 403),
        ("127.0.0.1:1", "https://lab.example.org", 404),  # a proxy that rewrites Host
        ("127.0.0.1:1", "https://lab.example.org:8080", 403),
        ("127.0.0.1:1", "https://evil.example.org", 403),
    ],
)
def test_another_port_is_another_site(app: App, host: str, origin: str, status: int) -> None:
    """404 is of who is let in: there is no such job. Old browsers, and all of them without TLS
    beyond this machine, say no Sec-Fetch-Site."""
    headers = {"Host": host, "Origin": origin, **BEARER}
    path = f"{API}/jobs/20260101-00000001/kill"
    assert app.request("POST", path, headers=headers).status_code == status


def test_the_document_says_who_may(app: App) -> None:
    document = app.request("GET", f"{API}/openapi.json", headers=BEARER).json()
    assert document["paths"][f"{API}/runs"]["get"]["security"] == [{"token": []}, {"browser": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "security" not in document["paths"][SESSION]["post"]
    assert "--no-token" in document["info"]["description"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_token_does_not_reach_what_the_service_starts(tmp_path: Path) -> None:
    secret = "the-secret-of-a-variable"
    with Service(tmp_path / "runs", token=secret).start() as service:
        service.post("evaluations", {"agent": "swh?depth=1", "position": {}}, 200)
        job = service.wait(service.order("run", generations=500, population=8), "running")
        assert service.process is not None
        found = Path(f"/proc/{service.process.pid}/task").iterdir()
        children = " ".join((task / "children").read_text() for task in found).split()
        assert str(job["process"]) in children
        paths = [Path(f"/proc/{one}/{name}") for one in children for name in ("environ", "cmdline")]
        assert not [path for path in paths if secret.encode() in path.read_bytes()]


def test_the_token_does_not_reach_programs_of_other_commands(tmp_path: Path) -> None:
    seen, program = tmp_path / "seen", tmp_path / "program"
    program.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
    program.chmod(0o755)
    environment = {**os.environ, "EVOLVE_TOKEN": "the-secret-of-a-variable"}
    words = [*forks.PROGRAM, "match", f"gtp:{program}", "random", "--games", "2"]
    assert forks.run(words, env=environment).returncode != 0
    assert "PATH=" in seen.read_text()
    assert "EVOLVE_TOKEN" not in seen.read_text()
