"""`evolve sweep`: the folder it leaves, going on with it, and all that takes its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import evolve
from evolve.fitness.executor import processors
from evolve.tables.parquet import write_table
from evolve.tables.paths import JOURNAL_FILE, TRIALS_FILE
from evolve.tables.trials import read_trials
from tests.cli import ALPHABETA, QUICK_SWEEP, done
from tests.evolution.conftest import TINY


def test_the_table_of_trials(swept: Path) -> None:
    trials = evolve.load_run(swept).trials
    rows = zip(trials["number"], trials["state"], strict=True)
    assert [*rows] == [(number, "COMPLETE") for number in range(5)]
    assert trials.columns[:5].tolist() == ["number", "state", "score", "score_error", "seconds"]
    assert {"weights.0", "mobility.2", "agent", "reports", "origin"} <= set(trials.columns)
    assert not {"depths.0", "endgame"} & set(trials.columns)
    assert trials["origin"].tolist() == ["defaults"] + ["sampler"] * 4
    assert trials["score"].between(0, 1).all()
    assert (trials["score_error"] > 0).all()
    agents: list[Any] = [evolve.load_agent(swept / name) for name in trials["agent"]]
    known = [(agent.provenance["trial"], agent.provenance["score"]) for agent in agents]
    assert known == [*zip(trials["number"], trials["score"], strict=True)]
    assert {agent.depths for agent in agents} == {(1, 1, 1)}
    final = json.loads((swept / "final.json").read_text())
    assert final["trials"] == 5
    assert final["finalists"][0]["games"] == 8 * (len(final["finalists"]) - 1), "as was asked for"
    assert evolve.load_agent(swept).name == f"trial-{final['winner']}"


def test_the_study_opens_in_optuna_dashboard(swept: Path) -> None:
    """Its importances are what `evolve` leaves to it."""
    dashboard = pytest.importorskip("optuna_dashboard")
    storage = JournalStorage(JournalFileBackend(str(swept / JOURNAL_FILE)))
    client = httpx.Client(transport=httpx.WSGITransport(dashboard.wsgi(storage)))
    (study,) = client.get("http://x/api/studies").json()["study_summaries"]
    found = client.get(f"http://x/api/studies/{study['study_id']}/param_importances").json()
    names = {one["name"] for one in found["param_importances"][0]}
    assert names == set(evolve.load_run(swept).trials.columns[5:-11])


@pytest.mark.slow
def test_the_top_of_its_trials_are_complete(sweep: Path) -> None:
    rows = read_trials(sweep)
    best = max(rows.to_pylist(), key=lambda row: row["score"])
    state = pa.array(["PRUNED" if row == best else row["state"] for row in rows.to_pylist()])
    at = rows.column_names.index("state")
    write_table(sweep / TRIALS_FILE, rows.set_column(at, rows.schema.field(at), state))
    shown = done("show", sweep, "--table", "trials", "--top", 9, "--format", "json").document
    assert shown[-1]["number"] == best["number"]
    scores = [row["score"] for row in shown[:-1]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
def test_it_is_drawn_and_compared_with_runs(swept: Path, tmp_path: Path) -> None:
    run = evolve.evolve(tmp_path / "run", **TINY, rules="standard")
    found = evolve.compare(swept, run)  # without a metric: both have an Elo
    assert found["metric"].unique().tolist() == ["elo"]
    assert done("compare", swept, run.path).lines[-1] == found.words
    done("plot", swept, "-o", tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_a_sweep_keeps_how_many_workers_it_had(sweep: Path) -> None:
    jobs = processors() + 1  # what nobody gets who does not ask for it
    done("resume", sweep, "--trials=6", "--jobs", jobs)
    assert evolve.load_run(sweep).config["jobs"] == jobs
    done("resume", sweep, "--trials=7")
    assert "finished," in done("resume", sweep, "--jobs=1").out
    assert evolve.load_run(sweep).config["jobs"] == jobs, "nothing was done with one"


@pytest.mark.slow
def test_the_best_of_a_sweep_that_goes_on_is_that_of_all_trials(sweep: Path) -> None:
    before = evolve.load_run(sweep).trials["score"].max()
    done("resume", sweep, "--trials=7", "--progress=events.jsonl")
    events = map(json.loads, Path("events.jsonl").read_text().splitlines())
    said = [event["row"]["best"] for event in events if "row" in event]
    scores = evolve.load_run(sweep).trials["score"].tolist()
    assert said == [max(scores[:6]), max(scores)]
    assert said[0] >= before


@pytest.mark.slow
def test_the_sweeps_of_a_study_keep_how_many_workers_they_had() -> None:
    few = (*ALPHABETA[:-1], "--trials=1")
    done(*few, "--seeds=0-1", "--jobs=4", "--out=both")
    found = evolve.load_run("both")
    assert found.design.settings["jobs"] == 2
    members = [found.path / f"seed-{seed}" for seed in (0, 1)]
    assert [evolve.load_run(one).config["jobs"] for one in members] == [2, 2]
    done("resume", "both", "--trials=2", "--jobs=3")
    assert [evolve.load_run(one).config["jobs"] for one in members] == [2, 2]


@pytest.mark.clock
def test_the_time_runs_out(tmp_path: Path) -> None:
    done(*ALPHABETA, "--jobs=1", "--trials=100000", "--timeout=2", "--out=short")
    assert (tmp_path / "short" / "champion.json").exists()
    trials = evolve.load_run("short").trials
    assert 1 <= len(trials) < 1000
    assert set(trials["state"]) == {"COMPLETE"}
    done("resume", "short")
    assert evolve.load_run("short").config["timeout"] == 2.0


@pytest.mark.slow
@pytest.mark.learning
def test_a_sweep_of_dqn() -> None:
    held = ("--fix=games=40", "--fix=games_per_iteration=20", "--fix=layers=dense 8 relu, dense 64")
    done("sweep", "dqn", *QUICK_SWEEP, *held, "--reports=2", "--trials=2", "--jobs=1", "--out=dqn")
    trials = evolve.load_run("dqn").trials
    assert trials["state"].isin(["COMPLETE", "PRUNED"]).sum() == 2
    assert [len(reports) for reports in trials["reports"]] == [2, 2]
    assert isinstance(evolve.load_agent("dqn"), evolve.DqnAgent)
