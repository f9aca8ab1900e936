"""Starting and ending the service, and what it loads."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.cli import fails, misused
from tests.service import Service


def test_it_loads_neither_engine_nor_pandas(service: Service) -> None:
    for path in ("runs/small", "runs/small/generations/1/games?sort=-upset", "agents", "commands"):
        service.get(path)
    service.get("runs/small/lineage/0-1")
    assert service.process is not None
    libraries = Path(f"/proc/{service.process.pid}/maps")
    if libraries.exists():
        loaded = libraries.read_text()
        for name in ("pandas", "llvmlite", "numba", "torch"):
            assert f"/{name}" not in loaded, name
    assert psutil.Process(service.process.pid).memory_info().rss < 160 << 20


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "is not a folder of runs" in fails("serve", tmp_path / "none")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/config.toml").touch()
    assert "is a run" in misused("serve", tmp_path / "run")
    assert "--host nonesuch.invalid" in fails("serve", tmp_path, "--host", "nonesuch.invalid")
    (tmp_path / "what?").mkdir()
    assert "question mark" in fails("serve", tmp_path / "what?")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/.service").symlink_to(tmp_path)
    assert "is a link" in fails("serve", tmp_path / "runs")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir(mode=0o555)
    assert "jobs are kept there" in fails("serve", tmp_path / "runs")


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        said = fails("serve", tmp_path, "--port", one.getsockname()[1])
    assert "try another --port" in said


def test_a_second_one_on_the_same_folder(service: Service, runs: Path) -> None:
    assert "is served already" in fails("serve", runs, "--port", 0)


def test_what_is_no_program(tmp_path: Path) -> None:
    assert "gtp:COMMAND" in misused("serve", tmp_path, "--allow-programs", "sh")


@pytest.mark.slow
def test_programs_meet_in_matches_alone(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    engine = f"gtp:{sys.executable} -m evolve engine swh --protocol gtp"
    service = Service(tmp_path / "runs", "--allow-programs", engine).start()
    try:
        listed = {one["id"]: one["name"] for one in service.get("agents?limit=500")["items"]}
        assert listed["program:1"] == engine
        job = service.order("match", a="program:1", b="random", games=2)
        assert service.wait(job)["result"]["games"] == 2
        asked = {"agent": "program:1", "position": {}}
        service.post("evaluations", asked, 422)
        service.post("plays", {"agent": "program:1"}, 422)
        service.order("match", 422, a="program:2", b="random")
        service.order("match", 422, a=f"gtp:{sys.executable}", b="random")
    finally:
        service.close()


@pytest.mark.slow
def test_ended_by_a_signal(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for how in (signal.SIGINT, signal.SIGTERM):
        service = Service(tmp_path / "runs").start()
        begin = time.monotonic()
        code = service.stop(how)
        service.close()
        assert code == 0
        assert time.monotonic() - begin < 5
        assert "Traceback" not in service.log.read_text()


@pytest.mark.slow
def test_ctrl_c_with_two_hundred_streams(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    service = Service(tmp_path / "runs").start()
    with ExitStack() as stack:
        for _ in range(200):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", service.port)))
            one.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(15) == b"HTTP/1.1 200 OK"
        begin = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - begin < 2
    service.close()
    assert "Traceback" not in service.log.read_text()


def test_without_what_it_needs(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from evolve.cli.main import main\n"
        f"main(['serve', {str(tmp_path)!r}])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "pip install '.[serve]'" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
