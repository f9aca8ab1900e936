"""A disk that fills while jobs work: each says so in one line, and goes on when there is room."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import evolve
from evolve.config.base import option_words
from tests.cli import done
from tests.faults import Failure, hooked, recorded
from tests.service import SMALL, Service, until
from tests.service.inside import App

LONG = {**SMALL, "generations": 20, "population": 16}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk, and not everywhere")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.slow
def test_a_disk_that_fills(disk: Path, tmp_path: Path) -> None:
    service = Service(disk / "runs")
    service.log = tmp_path / "log"
    with service.start():
        job = service.order("run", **LONG)
        run = disk / "runs" / job["run"]
        until((run / "generations/gen-0001.parquet").exists)
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        failed = service.wait(job, "failed")
        assert "No space left on device" in failed["error"]
        refused = service.client.post("jobs", json={"command": "run", "settings": SMALL})
        assert refused.status_code == 507
        assert "No space left" in refused.json()["detail"]
        assert service.get("health")["status"] == "ok"
        assert service.get(f"runs/{job['run']}/generations")["total"] >= 2

        filler.unlink()
        service.wait(service.act(job, "resume"))
        assert "Traceback" not in service.log.read_text()
    games = evolve.load_run(run).games
    done("run", *option_words({**LONG, "jobs": 1, "out": str(tmp_path / "plain")}))
    assert games.equals(evolve.load_run(tmp_path / "plain").games)


def test_a_resume_answered_507_is_not_done_later(tmp_path: Path, runner: asyncio.Runner) -> None:
    """Wherever it fails: what the next server reads is what the client was told."""
    match = {"command": "match", "settings": {"a": "swh", "b": "zero", "games": 2}}
    with App(tmp_path / "runs", runner, idle=True) as local:
        job = local.ask("POST", "jobs", match).json()["id"]
        assert local.ask("POST", f"jobs/{job}/stop").json()["state"] == "cancelled"
        with recorded(tmp_path) as points:
            assert local.ask("POST", f"jobs/{job}/resume").status_code == 202
        local.ask("POST", f"jobs/{job}/stop")
    assert {"write", "rename", "sync"} <= {point.change for point in points}
    for number, point in enumerate(points):
        with App(tmp_path / "runs", runner, idle=True) as local:
            with hooked(Failure(number)):
                answer = local.ask("POST", f"jobs/{job}/resume", below=508)
            told = "cancelled" if answer.status_code == 507 else answer.json()["state"]
            assert local.ask("GET", f"jobs/{job}").json()["state"] == told, point
        with App(tmp_path / "runs", runner, idle=True) as local:
            assert local.ask("GET", f"jobs/{job}").json()["state"] == told, point
            if told == "queued":
                local.ask("POST", f"jobs/{job}/stop")
