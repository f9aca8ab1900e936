"""The door: whoever has no token gets in nowhere, and who has it is let in by each of its ways."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.service.request_guard import SESSION, Door
from tests import forks
from tests.service import API, TOKEN, Service
from tests.service.inside import App

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
