"""Jobs: detached processes, found again, stopped, killed and gone on with."""

from __future__ import annotations

import base64
import os
import signal
from itertools import takewhile
from pathlib import Path

import psutil
import pytest

import evolve
from evolve.config.base import option_words
from tests.cli import done
from tests.service import SMALL, Service, until
from tests.tables.content import outcome

CHAMPION = Path(evolve.__file__).parent / "agents/champions/champion-standard.json"
LONG = {**SMALL, "generations": 60, "population": 16}


def test_a_run_from_its_form_to_its_agent(fresh: Service) -> None:
    with fresh.events() as events:
        job = fresh.order("run", **SMALL)
        assert job["line"].startswith("evolve run --population 8 --generations 3")
        assert job["line"].endswith(f" --out {fresh.runs.name}/{job['run']}")
        over = ("job", "done")
        seen = [*takewhile(lambda one: (one["event"], one["data"].get("state")) != over, events)]
    assert "progress" in [event["event"] for event in seen]
    rows = [event["data"]["row"] for event in seen if event["event"] == "generation"]
    items = fresh.get(f"runs/{job['run']}/generations")["items"]
    assert rows[-1] == items[-1]
    # The strength of a generation is smoothed again with each that follows.
    smoothed = {"rating", "rating_low", "rating_high"}
    assert [{**row, **dict.fromkeys(smoothed)} for row in rows] == [
        {**item, **dict.fromkeys(smoothed)} for item in items
    ]
    assert fresh.get("runs/reversed-001")["state"] == "done"
    agent = fresh.get("agents/run:reversed-001")
    assert agent["kind"] == "alphabeta"
    assert len(next(iter(agent["boards"].values()))) == 64
    found = fresh.get(f"jobs/{job['id']}")
    assert (found["run"], found["process"], found["error"]) == ("reversed-001", None, None)


@pytest.mark.slow
def test_jobs_wait_for_a_slot_in_their_order(fresh: Service) -> None:
    jobs = [fresh.order("run", **SMALL, seed=seed) for seed in range(3)]
    states = [fresh.get(f"jobs/{job['id']}") for job in jobs]
    assert [one["state"] for one in states] == ["running", "queued", "queued"]
    assert [one["place"] for one in states] == [None, 1, 2]
    fresh.act(jobs[1], "stop")
    assert fresh.get(f"jobs/{jobs[1]['id']}")["state"] == "cancelled"
    assert not (fresh.runs / jobs[1]["run"]).exists(), "its name is free again"
    fresh.wait(jobs[2])
    assert fresh.get(f"jobs/{jobs[0]['id']}")["state"] == "done"


@pytest.mark.slow
def test_a_job_that_is_killed_is_interrupted(fresh: Service) -> None:
    job = fresh.order("run", **LONG)
    run = fresh.runs / job["run"]
    until(lambda: (run / "generations/gen-0001.parquet").exists())
    process = fresh.get(f"jobs/{job['id']}")["process"]
    assert psutil.Process(process).nice() > psutil.Process().nice()
    os.kill(process, signal.SIGKILL)
    fresh.wait(job, "interrupted")
    assert fresh.get(f"runs/{run.name}")["state"] == "interrupted"
    until(lambda: fresh.get("runs?state=interrupted")["total"] == 1)  # of the next look
    fresh.act(job, "resume")
    until(lambda: fresh.get(f"jobs/{job['id']}")["state"] == "running")
    fresh.act(job, "kill")
    assert fresh.wait(job, "interrupted")["error"] is None


def test_a_job_that_is_stopped_at_once_is_cancelled(fresh: Service) -> None:
    job = fresh.order("run", **LONG)
    fresh.act(job, "stop")
    fresh.wait(job, "cancelled")
    assert not (fresh.runs / job["run"]).exists()
    assert fresh.client.delete(f"jobs/{job['id']}").status_code == 204
    fresh.get(f"jobs/{job['id']}", 404)


@pytest.mark.slow
def test_a_server_that_is_killed_finds_its_jobs_again(fresh: Service) -> None:
    job = fresh.order("run", **LONG)
    waiting = fresh.order("run", **SMALL)
    run = fresh.runs / job["run"]
    until(lambda: (run / "generations/gen-0000.parquet").exists())
    process = fresh.get(f"jobs/{job['id']}")["process"]
    fresh.stop(signal.SIGKILL)
    assert psutil.pid_exists(process)
    fresh.start()
    found = fresh.get(f"jobs/{job['id']}")
    assert (found["state"], found["process"]) == ("running", process)
    assert fresh.get(f"jobs/{waiting['id']}")["state"] == "queued"
    fresh.stop(signal.SIGKILL)
    os.kill(process, signal.SIGKILL)
    fresh.start()
    assert fresh.get(f"jobs/{job['id']}")["state"] == "interrupted"
    fresh.wait(waiting)
    fresh.act(job, "resume")
    fresh.wait(job)
    assert fresh.get(f"runs/{run.name}")["state"] == "done"
    done("run", *option_words({**LONG, "jobs": 1, "out": str(fresh.runs / "whole")}))
    assert outcome(run) == outcome(fresh.runs / "whole")


@pytest.mark.slow
def test_a_match_and_its_games(fresh: Service) -> None:
    content = {"name": "b.json", "data": base64.b64encode(CHAMPION.read_bytes()).decode()}
    mine = fresh.post("agents", content, 201)["id"]
    job = fresh.order(
        "match", a=mine, b="random", games=20, sprt="0:400:logistic", rules="standard"
    )
    assert "--sprt 0:400:logistic" in job["line"]
    assert "--out" not in job["line"]
    found = fresh.wait(job)
    result = found["result"]
    assert result["wins"] + result["draws"] + result["losses"] == result["games"] > 0
    assert result["sprt"]["verdict"] in ("accepted", "rejected", "undecided")
    assert found["progress"]["done"] == found["progress"]["total"] == result["games"]
    games = fresh.get(f"jobs/{job['id']}/games")
    assert games["total"] == result["games"]
    game = fresh.get(f"jobs/{job['id']}/games/1")
    assert (game["black"], game["white"]) == ("random", mine), "ids, and no paths"
    assert (game["rules"], game["start"], result["rules"]) == ("standard", None, "standard")
    assert {
        fresh.client.get(f"jobs/{job['id']}/files/{name}").status_code
        for name in ("games.csv", "games.parquet", "games.ggf")
    } == {200}
    page = fresh.client.get(f"jobs/{job['id']}/files/report.html").text
    assert f"{result['wins']} won, {result['draws']} drawn, {result['losses']} lost" in page


@pytest.mark.slow
def test_a_job_that_fails_says_why(fresh: Service) -> None:
    job = fresh.order("match", a="champion-standard", b="champion-reversed", games=2)
    found = fresh.wait(job, "failed")
    assert "agents of different rules" in found["error"]
    assert "agents of different rules" in fresh.get(f"jobs/{job['id']}/log")["text"]
