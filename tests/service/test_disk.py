"""A disk that fills while jobs work: each says so in one line, and goes on when there is room."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import evolve
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
    (disk / "runs").mkdir()
    service = Service(disk / "runs")
    service.log = tmp_path / "log"
    service.start()
    try:
        job = service.order("run", **LONG)
        run = disk / "runs" / job["run"]
        until((run / "generations/gen-0001.parquet").exists)
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file:
            while True:
                try:
                    file.write(b"x" * 4096)
                except OSError:
                    break
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
    finally:
        service.close()
    run_on_a_full_disk = evolve.load_run(run)
    evolve_words = [f"--{name.replace('_', '-')}={value}" for name, value in LONG.items()]
    plain = tmp_path / "plain"
    words = [sys.executable, "-m", "evolve", "run", *evolve_words, "--out", str(plain)]
    subprocess.run(words, check=True, capture_output=True)
    theirs = evolve.load_run(plain).games
    assert run_on_a_full_disk.games.equals(theirs)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_looking_at_individuals_makes_no_file(local: App) -> None:
    before = files(local.folders.own)
    rows = local.ask("GET", "runs/small/generations/1/individuals").json()["items"][:3]
    names = [row["individual"] for row in rows]
    found = [local.ask("GET", f"runs/small/individuals/{name}").json()["name"] for name in names]
    found += [local.ask("GET", f"agents/run:small:{n}%3Fdepth=1").json()["name"] for n in names]
    assert found == [*names, *(f"{name}?depth=1" for name in names)]
    agents = [f"run:small:{name}?depth=1" for name in names]
    asked = [{"agent": agent, "position": {"rules": "reversed"}} for agent in agents]
    answers = [local.ask("POST", "evaluations", one).json() for one in asked]
    assert [len(answer["moves"]) for answer in answers] == [4] * 3
    assert local.ask("GET", "runs/small/individuals/99-99").status_code == 404
    assert local.ask("GET", "runs/small/generations/1/champion").status_code == 200
    assert files(local.folders.own) == before


@pytest.mark.slow
def test_a_job_names_an_individual_without_a_file_of_it(local: App) -> None:
    before = files(local.folders.uploads.parent)
    rows = local.ask("GET", "runs/small/generations/0/individuals").json()["items"]
    name = rows[0]["individual"]
    match = {"command": "match", "settings": {"a": f"run:small:{name}?depth=1", "b": "random"}}
    answer = local.ask("POST", "jobs", match)
    assert answer.status_code == 202, answer.text
    line = local.state.lines.of(local.state.jobs.all()[0])
    assert (line.file or {})["a"] == f"run:{local.folders.runs}/small:{name}?depth=1"
    assert files(local.folders.uploads.parent) == before
    wrong = [{"settings": {"a": f"run:small:{name}", "b": "random"}} for name in ("99-99", "x")]
    answers = [local.ask("POST", "commands/match/check", one) for one in wrong]
    assert [answer.status_code for answer in answers] == [422] * 2


def test_a_resume_that_is_answered_507_is_not_done_later(
    tmp_path: Path, runner: asyncio.Runner
) -> None:
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
