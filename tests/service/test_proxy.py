"""The service behind the reverse proxy that docs show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.cli import ROOT
from tests.service import TOKEN, Service, free_port, until

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
DOCUMENT = Path(ROOT) / "docs/explain/security.md"
MAIN = """
{user} daemon off; pid {folder}/pid; error_log stderr;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  {server}
}}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light"),
]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service by way of the proxy, below a sub-path."""
    folder = tmp_path_factory.mktemp("proxy")
    service = Service(folder / "runs", "--allow-host", "lab.example.org").start()
    (server,) = re.findall(r"```nginx\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    port = free_port()
    server = server.replace("8080", f"127.0.0.1:{port}").replace("8765", str(service.port))
    user = "user root;" if os.geteuid() == 0 else ""  # else it is nobody, who may not write
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, server=server, user=user))
    assert NGINX is not None
    words = [NGINX, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    headers = {"Host": f"lab.example.org:{port}", "Authorization": f"Bearer {TOKEN}"}
    base = f"http://127.0.0.1:{port}/evolve/"
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(words, stderr=log) as nginx,
        httpx.Client(base_url=base, headers=headers) as client,
    ):
        try:

            def answers() -> bool:
                assert nginx.poll() is None, (folder / "log").read_text()
                with suppress(httpx.TransportError):
                    return client.get("api/v1/health").status_code == 200
                return False

            until(answers)
            yield client
        finally:
            nginx.terminate()
            service.close()


def test_the_page_is_below_its_path(proxy: httpx.Client) -> None:
    page = proxy.get("")
    assert page.status_code == 200
    assert {
        proxy.get(name).status_code for name in re.findall(r'(?:href|src)="(\./[^"]+)"', page.text)
    } == {200}


def test_events_come_at_once(proxy: httpx.Client) -> None:
    with proxy.stream("GET", "api/v1/events") as stream:
        lines = stream.iter_lines()
        assert next(line for line in lines if line.startswith("event: ")) == "event: hello"
        match = {"command": "match", "settings": {"a": "swh", "b": "zero", "games": 2}}
        assert proxy.post("api/v1/jobs", json=match).status_code == 202
        assert next(line for line in lines if line.startswith("event: ")) == "event: job"


def test_only_its_page_changes_something(proxy: httpx.Client) -> None:
    job = "api/v1/jobs/20260101-00000001/stop"
    host = proxy.headers["Host"]
    assert proxy.post(job, headers={"Origin": f"http://{host}"}).status_code == 404
    assert proxy.post(job, headers={"Origin": "http://evil.example.org"}).status_code == 403
    assert proxy.get("api/v1/health", headers={"Host": "evil.example.org"}).status_code == 421
    assert proxy.get("api/v1/health", headers={"Authorization": "Bearer x"}).status_code == 401


def test_bodies_have_a_limit(proxy: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    answer = proxy.post("api/v1/jobs", content=b" " * (2 << 20), headers=headers)
    assert answer.json()["status"] == 413, "by the service"
    answer = proxy.post("api/v1/agents", content=b" " * (49 << 20), headers=headers)
    assert answer.status_code == 413
    assert "nginx" in answer.text
