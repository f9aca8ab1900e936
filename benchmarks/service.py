"""What the service costs: start, viewers, values, a large run, and what a viewer costs a run.

python -m benchmarks.service start|viewers|values|large|slowdown
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa

import evolve
from evolve.runs.run_folder import commit_generation
from evolve.service.folders import Folders
from evolve.service.job import JOB_ID, JobRecord
from evolve.tables.individuals import table_metadata


class Server:
    """`evolve serve` on a folder, until it is closed."""

    def __init__(self, runs: Path, *options: str) -> None:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        words = [sys.executable, "-m", "evolve", "serve", str(runs), "--port", str(self.port)]
        words += options
        self.token = secrets.token_urlsafe(24)
        environment = {**os.environ, "EVOLVE_TOKEN": self.token}
        begin = time.perf_counter()
        self.child = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
        while True:
            try:
                self.get("runs")
                break
            except OSError:
                time.sleep(0.01)
        self.seconds = time.perf_counter() - begin
        self.process = psutil.Process(self.child.pid)

    def get(self, path: str) -> Any:
        """What a path answers."""
        return self._ask(path, None)

    def post(self, path: str, document: Any) -> Any:
        """What it answers to a document."""
        return self._ask(path, json.dumps(document).encode())

    def watch(self) -> socket.socket:
        """A stream of its events."""
        stream = socket.create_connection(("127.0.0.1", self.port))
        head = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n"
        stream.sendall(f"{head}Authorization: Bearer {self.token}\r\n\r\n".encode())
        return stream

    def _ask(self, path: str, body: bytes | None) -> Any:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        address = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        request = urllib.request.Request(address, body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    @property
    def cpu(self) -> float:
        """CPU seconds so far."""
        found = self.process.cpu_times()
        return float(found.user + found.system)

    @property
    def megabytes(self) -> float:
        """Memory that it holds."""
        return float(self.process.memory_info().rss / 2**20)

    def share(self, seconds: float) -> float:
        """The share of one core that it takes for a while, in per cent."""
        begin = self.cpu
        time.sleep(seconds)
        return 100 * (self.cpu - begin) / seconds

    def close(self) -> float:
        """End it by Ctrl-C; how long that takes."""
        begin = time.perf_counter()
        self.child.send_signal(signal.SIGINT)
        self.child.wait()
        return time.perf_counter() - begin


@contextmanager
def served(runs: Path) -> Iterator[Server]:
    server = Server(runs)
    try:
        yield server
    finally:
        server.close()


def small_run(folder: Path, *options: str) -> None:
    words = [sys.executable, "-m", "evolve", "run", "--out", str(folder), *options]
    subprocess.run(words, check=True, capture_output=True)


def start(runs: Path) -> None:
    """Five starts: until the first answer, memory, idle share of a core, and the end."""
    small_run(runs / "small", "--generations=3", "--population=8")
    rows = []
    for _ in range(5):
        server = Server(runs)
        rows.append((server.seconds, server.megabytes, server.share(10), server.close()))
    for index, name in enumerate(("first answer s", "MB", "idle %", "end s")):
        found = [row[index] for row in rows]
        each = ", ".join(f"{value:.2f}" for value in found)
        print(f"{name}: {statistics.median(found):.2f}  ({each})")


def _running_job(runs: Path) -> tuple[subprocess.Popen[bytes], Path]:
    """A job of this user's service whose process only sleeps, and the file of its progress."""
    place = Folders(runs)
    record = JobRecord.new(command="match", settings={"a": "swh", "b": "random"})
    sleeper = subprocess.Popen(["sleep", "1000"], env={**os.environ, JOB_ID: record.id})
    record.state, record.started = "running", record.created
    record.process = sleeper.pid
    (place.jobs / record.id).mkdir(parents=True)
    record.save(place)
    return sleeper, place.jobs / record.id / "progress.jsonl"


def _tell(path: Path, count: int, pause: float) -> None:
    with path.open("ab", buffering=0) as file:
        for number in range(count):
            event = {"event": "progress", "time": time.time(), "stage": "games"}
            file.write(json.dumps({**event, "done": number, "total": count}).encode() + b"\n")
            if pause:
                time.sleep(pause)


def viewers(runs: Path) -> None:
    """Shares of a core with 0, 1 and 200 viewers at three events a second; memory after 50 000."""
    sleeper, path = _running_job(runs)
    with served(runs) as server, ExitStack() as stack:
        teller = threading.Thread(target=_tell, args=(path, 300, 1 / 3), daemon=True)
        teller.start()
        got = [0]

        def read(stream: socket.socket) -> None:
            with suppress(OSError):  # closed, at the end
                while data := stream.recv(1 << 16):
                    got[0] += data.count(b"event: progress")

        open_now = 0
        for count in (0, 1, 200):
            while open_now < count:
                stream = stack.enter_context(server.watch())
                threading.Thread(target=read, args=(stream,), daemon=True).start()
                open_now += 1
            time.sleep(1)
            before = got[0]
            share = server.share(20)
            print(
                f"{count} viewers: {share:.2f} % of a core, {(got[0] - before) / 20:.0f} events/s"
            )
        teller.join()
        memory = server.megabytes
        _tell(path, 50_000, 0.0)
        time.sleep(15)
        print(f"memory: {memory:.1f} MB, after 50 000 events more {server.megabytes:.1f}")
    sleeper.kill()


def values(runs: Path) -> None:
    """How long the values of all legal moves of 100 positions take, by a run's champion."""
    small_run(runs / "default", "--generations=30")
    run = evolve.load_run(runs / "default")
    games = run.games["moves"].sample(25, random_state=1)
    asked = [" ".join(moves.split()[:count]) for moves in games for count in (12, 24, 36, 44)]
    with served(runs) as server:
        seconds = []
        for moves in asked:
            begin = time.perf_counter()
            position = {"moves": moves, "rules": "reversed"}
            server.post("evaluations", {"agent": "run:default", "position": position})
            seconds.append(time.perf_counter() - begin)
    print(f"first {seconds[0]:.2f} s, with the engine's start")
    ranked = sorted(seconds[1:])
    median, late = ranked[len(ranked) // 2], ranked[int(0.95 * len(ranked))]
    print(f"p50 {1000 * median:.1f} ms, p95 {1000 * late:.1f} ms, most {1000 * ranked[-1]:.0f} ms")


def _many(source: Path, folder: Path, generations: int, games: int) -> None:
    """A run of so many generations, each a copy of one of another run's, and so many games each."""
    run = evolve.Run(source)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("gen-*", "playoff*", ".lock"))
    config = folder / "config.toml"
    lines = config.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("generations =")]
    config.write_text("\n".join([kept[0], f"generations = {generations}", *kept[1:]]) + "\n")
    count = run.generation_count
    for number in range(generations):
        table, played = run.individuals_table(number % count), run.games_table(number % count)
        row, checkpoint = table_metadata(table, run.path)
        same = pa.array([number] * len(table), pa.int32())
        table = table.set_column(0, "generation", same)
        document = {"generation": {**row, "generation": number}, "checkpoint": checkpoint}
        table = table.replace_schema_metadata({b"evolve": json.dumps(document).encode()})
        played = played.slice(0, games)
        played = played.set_column(0, "generation", pa.array([number] * len(played), pa.int32()))
        commit_generation(folder, number, table, played)


def large(runs: Path) -> None:
    """First answers of a run of 5000 generations and 3 million games, and among 2000 runs."""
    small_run(runs / "small", "--generations=4", "--population=24")
    _many(runs / "small", runs / "large", 5000, 600)
    for number in range(2000):
        shutil.copytree(runs / "small", runs / f"copy-{number:04d}")
    paths = [
        "runs?limit=50",
        "runs/large",
        "runs/large/generations?points=300",
        "runs/large/generations?limit=50",
        "runs/large/generations/4321/individuals",
        "runs/large/generations/4321/games?limit=50&sort=-upset",
        "runs/large/generations/4321/crosstable",
        "runs/large/games/4321:77",
        "runs/large/lineage/0-3",
        "runs?limit=50&sort=-score",
        "compare?run=large&run=small",
    ]
    with served(runs) as server:
        print(f"first answer after {server.seconds:.2f} s")
        for path in paths:
            times = []
            for _ in range(2):
                begin = time.perf_counter()
                server.get(path)
                times.append(time.perf_counter() - begin)
            print(f"{path}: {times[0]:.3f} s, again {times[1]:.3f} s")
        print(f"{server.megabytes:.0f} MB; idle {server.share(20):.2f} % of a core")


def slowdown(runs: Path) -> None:
    """Five pairs of equal runs, one watched by a viewer and one not: the ratio of their times."""
    ratios = []
    for pair in range(5):
        spent = []
        for watched in ((False, True), (True, False))[pair % 2]:
            folder = runs / f"{pair}-{watched}"
            with served(runs) as server, ExitStack() as stack:
                if watched:
                    stack.enter_context(server.watch())
                begin = time.perf_counter()
                small_run(folder, "--generations=40", "--population=32")
                spent.append((watched, time.perf_counter() - begin))
        by = dict(spent)
        ratios.append(by[True] / by[False])
        print(f"{by[True]:.2f} s watched, {by[False]:.2f} s not: {ratios[-1]:.4f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.4f}")


PARTS = {one.__name__: one for one in (start, viewers, values, large, slowdown)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    with tempfile.TemporaryDirectory() as scratch:
        chosen = PARTS[parser.parse_args().part]
        place = Path(scratch) / "runs"
        place.mkdir()
        chosen(place)
