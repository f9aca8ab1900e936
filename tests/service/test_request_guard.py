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
JOB = json.dumps({"command": "match", "settings": {"a": "swh", "b": "random", "games": 2}})


def raw(service: Service, *lines: str, body: str = "") -> tuple[int, str]:
    """Status and text of the answer to a request as it is written."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as one:
        one.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin-1"))
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
    status, _ = raw(service, f"{method} /api/v1/runs HTTP/1.1", *hosts, SIGNED, "Connection: close")
    assert 400 <= status < 500


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:99", "[::1]:8765", "LOCALHOST"])
def test_hosts_that_are_ours(service: Service, host: str) -> None:
    status, _ = raw(
        service, "GET /api/v1/runs HTTP/1.1", f"Host: {host}", SIGNED, "Connection: close"
    )
    assert status == 200


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
    lines = [f"{method} {path} HTTP/1.1", GOOD, header, "Content-Type: application/json"]
    lines += [f"Content-Length: {len(JOB)}", "Connection: close"]
    assert raw(service, *lines, body=JOB)[0] == 403


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", None]
)
def test_bodies_of_forms(service: Service, kind: str | None) -> None:
    lines = ["POST /api/v1/jobs HTTP/1.1", GOOD, f"Content-Length: {len(JOB)}", "Connection: close"]
    lines += [] if kind is None else [f"Content-Type: {kind}"]
    assert raw(service, *lines, body=JOB)[0] == 415


def test_bodies_that_are_too_large_or_no_json(service: Service) -> None:
    lines = ["POST /api/v1/jobs HTTP/1.1", GOOD, "Content-Type: application/json"]
    assert raw(service, *lines, f"Content-Length: {1 << 30}", "Connection: close")[0] == 413
    chunked = "".join(f"{1 << 16:x}\r\n{'x' * (1 << 16)}\r\n" for _ in range(20)) + "0\r\n\r\n"
    found = raw(service, *lines, "Transfer-Encoding: chunked", "Connection: close", body=chunked)
    assert found[0] == 413
    assert raw(service, *lines, "Content-Length: 1", "Connection: close", body="{")[0] == 400
    texts = ("[]", "1", '"x"', "null", '{"command": "run", "more": 1}', "[" * 100_000)
    lengths = [f"Content-Length: {len(text)}" for text in texts]
    answers = [
        raw(service, *lines, length, "Connection: close", body=text)
        for text, length in zip(texts, lengths, strict=True)
    ]
    assert {status for status, _ in answers} <= {400, 422}


@pytest.mark.parametrize("form", ["GET /{} HTTP/1.1", "GET / HTTP/1.1\r\nX-Long: {}"])
def test_a_head_that_is_too_long(service: Service, form: str) -> None:
    with suppress(ConnectionResetError):  # closed before all of it was sent
        status, _ = raw(service, form.format("a" * 5_000_000), GOOD, "Connection: close")
        assert status == 400
    service.get("health")


def test_heads_as_browsers_send_them(service: Service) -> None:
    kept = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    headers = {"Cookie": f"a={'b' * 4000}", "Authorization": f"Bearer {TOKEN}"}
    answers = []
    for _ in range(30):  # on one connection, which has no limit
        kept.request("GET", "/api/v1/health", headers=headers)
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
    status, text = raw(service, f"GET {path} HTTP/1.1", GOOD, "Connection: close")
    assert 400 <= status < 500
    assert "root:" not in text
    assert "population" not in text


@pytest.mark.parametrize("path", ["/", "/api/v1/runs", "/api/v1/none"])
def test_every_answer_has_its_policy(service: Service, path: str) -> None:
    headers = service.client.get(f"http://127.0.0.1:{service.port}{path}").headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


def test_head_is_answered_wherever_get_is(service: Service) -> None:
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


def test_methods_that_a_path_takes(service: Service) -> None:
    answer = service.client.put("runs")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is there on Linux")
def test_where_it_listens_everywhere(tmp_path: Path) -> None:
    told = {"Authorization": f"Bearer {TOKEN}"}
    with Service(tmp_path / "runs", "--host", "0.0.0.0").start() as service:
        here = f"127.0.0.2:{service.port}"  # another address of this machine
        assert {
            httpx.get(f"http://{here}/api/v1/health", headers={**told, "Host": host}).status_code
            for host in (here, socket.gethostname(), "localhost")
        } == {200}
        hosts = ("192.0.2.7", "evil.example.org", "0.0.0.0", "[::]", f"0.0.0.0:{service.port}")
        assert {
            httpx.get(f"http://{here}/api/v1/health", headers={**told, "Host": host}).status_code
            for host in hosts
        } == {421}
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
    codes = {one: answer.status_code for one, answer in answers.items()}
    assert codes == dict.fromkeys(codes, 401)
    heads = [answer.headers for answer in answers.values()]
    assert {head["www-authenticate"] for head in heads} == {"Bearer"}
    assert {head["content-type"] for head in heads} == {"application/problem+json"}
    assert not [one for one in answers.values() if DATA.search(one.json()["detail"])]


@pytest.mark.parametrize("path", ["/", "/app.js", "/index.html"])
def test_the_page_s_own_files_are_open_and_hold_nothing(app: App, path: str) -> None:
    answer = app.request("GET", path)
    assert answer.status_code == 200
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    "path", ["//api/v1/runs", "/%61pi/v1/runs", "/./api/v1/runs", "/API/v1/runs"]
)
def test_no_other_spelling_of_a_path_leads_past_the_door(app: App, path: str) -> None:
    assert app.request("GET", f"http://localhost:1{path}").status_code in (401, 404)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR "])
def test_scripts_say_the_token_in_any_case(app: App, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {TOKEN}"}
    assert app.request("GET", f"{API}/runs", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer x"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer é"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN.upper()}"},
        {"Cookie": f"evolve-token={TOKEN}"},
        {"Cookie": f"{Door(TOKEN).cookie_name}={TOKEN}"},
        {"Cookie": f"{Door(TOKEN).cookie_name}=."},
        {"Cookie": f"{Door(TOKEN).cookie_name}="},
        {"Cookie": f"{Door(TOKEN).cookie_name}={Door('another-token-xy').cookie}"},
        {"Cookie": "\x00="},
    ],
)
def test_what_is_not_the_token(app: App, headers: dict[str, str]) -> None:
    encoded = {name: value.encode("latin-1") for name, value in headers.items()}
    assert app.request("GET", f"{API}/runs", headers=encoded).status_code == 401


def test_a_browser_tells_the_token_once(app: App) -> None:
    wrong = app.request("POST", SESSION, json={"token": "x" * 20})
    assert wrong.status_code == 401
    told = app.request("POST", SESSION, json={"token": TOKEN})
    assert told.status_code == 204
    cookie = told.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
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
def test_a_page_of_another_port_is_another_site(
    app: App, host: str, origin: str, status: int
) -> None:
    """404 is of who is let in: there is no such job. Old browsers, and all of them without TLS
    beyond this machine, say no Sec-Fetch-Site."""
    headers = {"Host": host, "Origin": origin, "Authorization": f"Bearer {TOKEN}"}
    path = f"{API}/jobs/20260101-00000001/kill"
    assert app.request("POST", path, headers=headers).status_code == status


def test_the_document_says_who_may(app: App) -> None:
    answer = app.request("GET", f"{API}/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"})
    document = answer.json()
    assert document["paths"][f"{API}/runs"]["get"]["security"] == [{"token": []}, {"browser": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "security" not in document["paths"][SESSION]["post"]
    assert "--no-token" in document["info"]["description"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_token_does_not_reach_what_the_service_starts(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    secret = "the-secret-of-a-variable"
    service = Service(tmp_path / "runs", token=secret)
    service.start()
    try:
        service.post("evaluations", {"agent": "swh?depth=1", "position": {}}, 200)
        job = service.wait(service.order("run", generations=500, population=8), "running")
        assert service.process is not None
        found = Path(f"/proc/{service.process.pid}/task").iterdir()
        children = " ".join((task / "children").read_text() for task in found).split()
        assert str(job["process"]) in children
        paths = [Path(f"/proc/{one}/{name}") for one in children for name in ("environ", "cmdline")]
        assert not [path for path in paths if secret.encode() in path.read_bytes()]
    finally:
        service.close()


def test_the_token_does_not_reach_programs_of_other_commands(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
    program.chmod(0o755)
    environment = {**os.environ, "EVOLVE_TOKEN": "the-secret-of-a-variable"}
    words = [*forks.PROGRAM, "match", f"gtp:{program}", "random", "--games", "2"]
    assert forks.run(words, env=environment).returncode != 0
    assert "PATH=" in seen.read_text()
    assert "EVOLVE_TOKEN" not in seen.read_text()
