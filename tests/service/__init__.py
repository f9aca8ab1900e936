"""The service as clients meet it: a real server on a real port, real jobs."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx

from tests import forks, waits

API: Final = "/api/v1"
TOKEN: Final = "a-token-of-the-tests"
SIGNED: Final = f"Authorization: Bearer {TOKEN}"
"""The header of a request that is written by hand."""
STREAM: Final = f"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n{SIGNED}\r\n\r\n".encode()
SMALL: Final = {"population": 8, "generations": 3, "panel_openings": 2, "playoff_openings": 2}
"""An evolution of seconds."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Service:
    """`evolve serve` in a process of its own; its client has the token, unless `token` is None."""

    def __init__(self, runs: Path, *options: str, token: str | None = TOKEN) -> None:
        self.runs, self.options, self.port, self.token = runs, options, free_port(), token
        runs.mkdir(exist_ok=True)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        base = f"http://127.0.0.1:{self.port}{API}/"
        self.client = httpx.Client(base_url=base, headers=headers, timeout=waits.PATIENCE)
        self.log = runs.parent / f"serve-{self.port}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, real: bool = False) -> Service:
        """Start it, with the token in its environment."""
        words = [*forks.PROGRAM, "serve", str(self.runs), "--port", str(self.port)]
        environment = dict(os.environ)
        if self.token is None:
            words.append("--no-token")
        else:
            environment["EVOLVE_TOKEN"] = self.token
        with self.log.open("ab") as sink:
            self.process = forks.start(
                [*words, *self.options],
                real=real,
                stdout=sink,
                stderr=sink,
                env=environment,
                start_new_session=True,
            )

        def answers() -> bool:
            assert self.process is not None
            assert self.process.poll() is None, self.log.read_text()
            with contextlib.suppress(httpx.HTTPError):
                self.client.get("health")
                return True
            return False

        until(answers)
        return self

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def stop(self, how: int = signal.SIGINT) -> int:
        assert self.process is not None
        self.process.send_signal(how)
        return self.process.wait(waits.PATIENCE)

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            for job in self.get("jobs?limit=500")["items"]:
                if job["process"] is not None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(job["process"], signal.SIGKILL)
            self.stop()
        self.client.close()

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, document: Any, status: int = 202) -> Any:
        answer = self.client.post(path, json=document)
        assert answer.status_code == status, answer.text
        return answer.json()

    def act(self, job: dict[str, Any], what: str) -> Any:
        return self.post(f"jobs/{job['id']}/{what}", None)

    def order(self, command: str, status: int = 202, **settings: Any) -> dict[str, Any]:
        job: dict[str, Any] = self.post("jobs", {"command": command, "settings": settings}, status)
        return job

    def wait(self, job: dict[str, Any], *states: str) -> dict[str, Any]:
        """The job, once it is in one of the states, or over."""
        over = {"done", "stopped", "interrupted", "failed", "cancelled"}
        found: dict[str, Any] = {}

        def there() -> bool:
            found.update(self.get(f"jobs/{job['id']}"))
            return found["state"] in (states or over) or found["state"] in over

        until(there)
        assert found["state"] in (states or ("done",)), found
        return found

    @contextlib.contextmanager
    def events(self) -> Iterator[Iterator[dict[str, Any]]]:
        """The stream of events after the first, each with `event` and `data`."""
        with self.client.stream("GET", "events") as answer:
            assert answer.status_code == 200
            events = _events(answer)
            assert next(events)["event"] == "hello"
            yield events


def _events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    name = ""
    for line in answer.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield {"event": name, "data": json.loads(value)}


def until(there: Callable[[], bool]) -> None:
    """Wait until something is so that a server is asked about."""
    waits.until(there, pause=0.05)
