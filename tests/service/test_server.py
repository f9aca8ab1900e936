"""Starting and ending the service, and what it loads."""

from __future__ import annotations

import posixpath
import re
import shutil
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from importlib.resources import files
from pathlib import Path

import psutil
import pytest

from tests.cli import fails
from tests.service import STREAM, Service, until
from tests.waits import PATIENCE


def test_it_loads_no_engine(service: Service) -> None:
    games = "runs/small/generations/1/games?sort=-upset"
    winner, reason = "&individual=0-1&winner=black", "&reason=end&kind=fitness"
    for path in (
        *("runs/small", "agents", "commands", games, games + winner, games + reason),
        *("runs/small/generations", "runs/small/generations/1/individuals"),
        *("runs/small/generations/1/crosstable", "runs/small/games/1:2", "runs/small/lineage/0-1"),
    ):
        service.get(path)
    assert service.process is not None
    libraries = Path(f"/proc/{service.process.pid}/maps")
    if libraries.exists():
        loaded = libraries.read_text()
        assert not [name for name in ("llvmlite", "numba", "torch") if f"/{name}" in loaded]


def test_a_second_one_on_the_same_folder(service: Service, runs: Path) -> None:
    assert "is served already" in fails("serve", runs, "--port", 0)


@pytest.mark.slow
def test_programs_meet_in_matches_alone(tmp_path: Path) -> None:
    engine = f"gtp:{sys.executable} -m evolve engine swh --protocol gtp"
    with Service(tmp_path / "runs", "--allow-programs", engine).start() as service:
        listed = {one["id"]: one["name"] for one in service.get("agents?limit=500")["items"]}
        assert listed["program:1"] == engine
        job = service.order("match", a="program:1", b="random", games=2)
        assert service.wait(job)["result"]["games"] == 2
        service.post("evaluations", {"agent": "program:1", "position": {}}, 422)
        service.post("plays", {"agent": "program:1"}, 422)
        service.order("match", 422, a="program:2", b="random")
        service.order("match", 422, a=f"gtp:{sys.executable}", b="random")


@pytest.mark.clock
def test_ended_by_sigterm(tmp_path: Path) -> None:
    """It waits a second for requests under way, and there are none."""
    service = Service(tmp_path / "runs").start()
    begin = time.monotonic()
    assert service.stop(signal.SIGTERM) == 0
    assert time.monotonic() - begin < 5
    service.close()
    assert "Traceback" not in service.log.read_text()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread of theirs watches")
def test_what_it_has_started_ends_with_it_amid_a_question(runs: Path, tmp_path: Path) -> None:
    """But for jobs, of which there are none."""
    shutil.copytree(runs / "small", tmp_path / "runs" / "small")
    service = Service(tmp_path / "runs").start()
    assert service.process is not None
    server, children = psutil.Process(service.process.pid), []

    def started(count: int) -> bool:
        children[:] = server.children(recursive=True)
        return len(children) == count

    def question(depth: int) -> None:
        service.post("evaluations", {"agent": f"swh?depth={depth}", "position": {}}, 200)

    try:
        question(1)
        assert started(1)
        (searcher,) = children
        begin = searcher.cpu_times().user
        with ThreadPoolExecutor() as threads:  # neither gets an answer
            threads.submit(question, 20)
            until(lambda: searcher.cpu_times().user > begin + 0.2)
            threads.submit(service.client.get, "runs/small/files/games.csv")
            until(lambda: started(3))  # with a guard and what writes the file
            (guard,) = {*server.children()} - {searcher}
            for one in guard.children():
                one.suspend()
            service.stop(signal.SIGKILL)
        _, alive = psutil.wait_procs(children, timeout=PATIENCE)
        assert not alive
    finally:
        service.client.close()
        for one in children:
            with suppress(psutil.NoSuchProcess):
                one.kill()


@pytest.mark.clock
def test_ctrl_c_with_two_hundred_streams(tmp_path: Path) -> None:
    """They end at once: no second is waited for them as for other requests under way."""
    service = Service(tmp_path / "runs").start()
    with ExitStack() as stack:
        heads = []
        for _ in range(200):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", service.port)))
            one.sendall(STREAM)
            heads.append(one.recv(15))
        assert heads == [b"HTTP/1.1 200 OK"] * 200
        begin = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - begin < 2
    service.close()
    assert "Traceback" not in service.log.read_text()


WEB = Path(str(files("evolve.service"))) / "web"


def test_the_first_page_names_all_that_it_needs() -> None:
    """So a browser fetches its modules at once, rather than each after those that import it."""
    waiting, needed = ["app.js", "pages/home.js", "pages/welcome.js"], set()
    while waiting:
        module = waiting.pop()
        needed.add(module)
        imports = re.findall(r'from ?"(\.[^"]+)"', (WEB / module).read_text("utf-8"))
        folder = posixpath.dirname(module)
        found = {posixpath.normpath(posixpath.join(folder, name)) for name in imports}
        waiting += found - needed
    index = (WEB / "index.html").read_text("utf-8")
    named = re.findall(r'<link rel="modulepreload" href="./(.+)">', index)
    assert sorted([*named, "app.js"]) == sorted(needed)
    styles = re.findall(r'<link rel="stylesheet" href="./(.+)">', index)
    assert sorted(styles) == sorted(p.relative_to(WEB).as_posix() for p in WEB.rglob("*.css"))


def test_browsers_get_files_as_they_are_and_check_them(service: Service) -> None:
    url = f"http://127.0.0.1:{service.port}/app.js"
    got = service.client.get(url)
    assert got.text == (WEB / "app.js").read_text(encoding="utf-8")
    assert got.headers["content-encoding"] == "gzip"
    assert got.headers["cache-control"] == "no-cache"
    again = service.client.get(url, headers={"if-none-match": got.headers["etag"]})
    assert again.status_code == 304
    plain = service.client.get(url, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


def test_addresses_are_encoded_by_one_function() -> None:
    """A query written by hand lost the `+` in the name of a run of a study."""
    scripts = [path for path in WEB.rglob("*.js") if "vendor" not in path.parts]
    by_hand = re.compile(r"[?&]\w+=\$\{(?!encode)")
    assert not [path for path in scripts if by_hand.search(path.read_text())]
