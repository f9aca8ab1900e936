"""`evolve sweep`: the folder it leaves, going on with it, and all that takes its result."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.fitness.executor import processors
from tests.cli import (
    ALPHABETA,
    QUICK_SWEEP,
    done,
    fails,
    invoke,
    misused,
)
from tests.evolution.conftest import TINY

TIMES = ["seconds", "worker"]


def finished(folder: Path) -> int:
    if not (folder / "trials.parquet").exists():
        return 0
    return int(evolve.load_run(folder).trials["state"].isin(["COMPLETE", "PRUNED"]).sum())


def assert_exactly(folder: Path, count: int) -> pd.DataFrame:
    trials = evolve.load_run(folder).trials
    assert finished(folder) == count
    assert set(trials["state"]) <= {"COMPLETE", "PRUNED", "FAIL"}
    assert trials["number"].tolist() == list(range(len(trials)))
    return trials


def test_the_table_of_trials(swept: Path) -> None:
    trials = assert_exactly(swept, 5)
    assert trials.columns[:5].tolist() == ["number", "state", "score", "score_error", "seconds"]
    assert {"weights.0", "mobility.2", "agent", "reports", "origin"} <= set(trials.columns)
    assert not {"depths.0", "endgame"} & set(trials.columns)
    assert trials["origin"].tolist() == ["defaults"] + ["sampler"] * 4
    assert trials["score"].between(0, 1).all()
    assert (trials["score_error"] > 0).all()
    for row in trials.itertuples():
        agent = evolve.load_agent(swept / row.agent)
        assert isinstance(agent, evolve.AlphaBetaAgent)
        assert agent.provenance["trial"] == row.number
        assert agent.provenance["score"] == row.score
        assert agent.depths == (1, 1, 1)
    final = json.loads((swept / "final.json").read_text())
    assert final["trials"] == 5
    assert final["finalists"][0]["games"] == 8 * (len(final["finalists"]) - 1), "as was asked for"
    champion = evolve.load_agent(swept)
    assert champion.name == f"trial-{final['winner']}"


@pytest.mark.slow
def test_the_end_names_the_champions_elo(sweep: Path) -> None:
    shown = done("resume", sweep, "--trials=6").out
    assert re.search(r"^champion trial-\d+: -?\d+ ± \d+ Elo on the ladder → ", shown, re.M)


@pytest.mark.slow
def test_what_shows_it(swept: Path, tmp_path: Path) -> None:
    shown = done("show", swept).out
    assert "champion trial-" in shown
    rows = done("show", swept, "--table", "trials", "--format", "json").document
    assert [row["number"] for row in rows] == [0, 1, 2, 3, 4]
    best = done("show", swept, "--top", 1, "--format", "json").document
    assert best[0]["score"] == max(row["score"] for row in rows)
    listed = done("runs", swept.parent, "--json").document[0]
    assert (listed["command"], listed["trials"]) == ("sweep alphabeta", 5)
    assert (listed["target"], listed["state"]) == (5, "done")
    assert "sweep alphabeta" in done("compare", swept, swept).out
    run = evolve.evolve(tmp_path / "run", **TINY, rules="standard")
    found = evolve.compare(swept, run)  # without a metric: both have an Elo
    assert found["metric"].unique().tolist() == ["elo"]
    assert done("compare", swept, run.path).lines[-1] == found.words
    said = fails("show", swept, "--table", "generations")
    assert "has no generations; it has trials" in said
    assert "it has no generations" in fails("replay", swept, "0:1")
    done("plot", swept, "-o", tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes()[:4] == b"\x89PNG"


def test_the_same_seed_gives_the_same_table_and_going_on_changes_nothing(
    swept: Path, tmp_path: Path
) -> None:
    done(*ALPHABETA, "--jobs=1", "--trials=2", "--out", "parts")
    assert_exactly(Path("parts"), 2)
    assert "is finished, 2 trials" in done("resume", "parts").out
    Path("parts").rename("moved")
    # Without --jobs: a worker for each core would draw other parameters.
    assert "; 1 worker; " in done("resume", "moved", "--trials", 5).out
    expected = evolve.load_run(swept).trials.drop(columns=TIMES)
    pd.testing.assert_frame_equal(evolve.load_run("moved").trials.drop(columns=TIMES), expected)
    assert evolve.load_run("moved").config["trials"] == 5


@pytest.mark.slow
def test_a_sweep_keeps_how_many_workers_it_had(sweep: Path) -> None:
    jobs = processors() + 1  # what nobody gets who does not ask for it
    said = done("resume", sweep, "--trials=6", "--jobs", jobs).out
    assert f"; {jobs} workers; " in said
    assert f"{jobs} workers from now on, 1 before" in said
    assert evolve.load_run(sweep).config["jobs"] == jobs
    said = done("resume", sweep, "--trials=7").out
    assert f"; {jobs} workers; " in said
    assert "from now on" not in said
    assert "is finished, 7 trials" in done("resume", sweep, "--jobs=1").out
    assert evolve.load_run(sweep).config["jobs"] == jobs, "nothing was done with one"


@pytest.mark.slow
def test_the_best_of_a_sweep_that_goes_on_is_that_of_all_trials(sweep: Path) -> None:
    before = evolve.load_run(sweep).trials["score"].max()
    done("resume", sweep, "--trials=7", "--progress=events.jsonl")
    rows = [json.loads(line).get("row") for line in Path("events.jsonl").read_text().splitlines()]
    told = [row["best"] for row in rows if row is not None]
    scores = evolve.load_run(sweep).trials["score"].tolist()
    assert told == [max(scores[:6]), max(scores)]
    assert told[0] >= before


@pytest.mark.slow
def test_the_sweeps_of_a_study_keep_how_many_workers_they_had(tmp_path: Path) -> None:
    few = (*ALPHABETA[:-1], "--trials=1")
    said = done(*few, "--seeds=0-1", "--jobs=4", "--out=both").out
    assert "2 at a time, 2 workers each; 4 threads" in said
    found = evolve.load_run("both")
    assert isinstance(found, evolve.Study)
    assert found.design.settings["jobs"] == 2
    members = [found.path / f"seed-{seed}" for seed in (0, 1)]
    assert [evolve.load_run(one).config["jobs"] for one in members] == [2, 2]
    said = done("resume", "both", "--trials=2", "--jobs=3").out
    assert "1 at a time, 2 workers each; 3 threads" in said
    assert [evolve.load_run(one).config["jobs"] for one in members] == [2, 2]


@pytest.mark.clock
def test_the_time_runs_out(tmp_path: Path) -> None:
    ended = done(*ALPHABETA, "--jobs=1", "--trials=100000", "--timeout=2", "--out=short")
    assert "the time is up" in ended.out
    assert "\n100 000 trials, the same games each; " in ended.out
    assert "; 1 worker; " in ended.out
    assert (tmp_path / "short" / "champion.json").exists()
    trials = evolve.load_run("short").trials
    assert 1 <= len(trials) < 1000
    assert set(trials["state"]) == {"COMPLETE"}
    assert "the time is up" in done("resume", "short").out
    assert evolve.load_run("short").config["timeout"] == 2.0


@pytest.mark.learning
def test_a_sweep_of_dqn(tmp_path: Path) -> None:
    held = ("--fix=games=40", "--fix=games_per_iteration=20", "--fix=layers=dense 8 relu, dense 64")
    done("sweep", "dqn", *QUICK_SWEEP, *held, "--reports=2", "--trials=2", "--jobs=1", "--out=dqn")
    trials = assert_exactly(Path("dqn"), 2)
    assert [len(reports) for reports in trials["reports"]] == [2, 2]
    assert isinstance(evolve.load_agent("dqn"), evolve.DqnAgent)


@pytest.mark.slow
def test_a_database_serves_as_well(tmp_path: Path) -> None:
    options = (*ALPHABETA, "--jobs=1", "--storage=sqlite:///study.db", "--study=mine")
    few = ("--fix=weights=100,-25,10,5,-25,1,1,5,2,1", "--fix=stability=0", "--fix=x_squares=0")
    done(*options, *few, "--trials=2", "--out=one")
    done(*options, *few, "--trials=3", "--out=two")
    assert_exactly(Path("two"), 3)
    assert not Path("two/journal.log").exists()
    with contextlib.closing(sqlite3.connect("study.db")) as database:
        assert database.execute("SELECT count(*) FROM trials").fetchone() == (3,)
    error = fails(*options, "--panel-openings=5", "--out=three")
    assert "of another sweep" in error
    assert not Path("three").exists()
    wrong = invoke("resume", "two", "--storage", "sqlite:///other.db")
    assert (wrong.code, "has its study in" in wrong.err) == (2, True)
    assert not Path("other.db").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--panel=nobody"], "there is no agent 'nobody'"),
        (["--space=worse.toml"], "low <= high"),
        (["--storage=nonsense"], "is not a URL"),
    ],
)
def test_sweeps_that_cannot_be(options: list[str], words: str, tmp_path: Path) -> None:
    Path("worse.toml").write_text("[endgame]\nlow = 9\nhigh = 5\n")
    result = invoke("sweep", "alphabeta", *options, "--trials=1")
    assert result.code in (1, 2)
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    assert words in result.err
    assert not Path("runs").exists()


def test_wrong_usage(sweep: Path, tmp_path: Path) -> None:
    assert "NAME=VALUE" in misused("sweep", "dqn", "--fix=gamma")
    assert "'sarsa'" in misused("sweep", "sarsa")
    assert "--games is not for" in misused("resume", sweep, "--games", 5)
    assert "is taken" in fails("sweep", "alphabeta", "--out", sweep)
    assert "in its own journal" in invoke("resume", sweep, "--storage", "sqlite:///n.db").err
    assert not Path("n.db").exists()
    for option in ("--budget=3", "--pruner=race", "--reports=2"):
        assert "no such option" in misused("sweep", "alphabeta", option)
    assert "jobs = 0: it must" in misused("sweep", "alphabeta", "--jobs=0")


def test_the_list_of_parameters() -> None:
    listed = done("sweep", "dqn", "--list", "--fix=width=128").out
    assert "learning_rate" in listed
    assert "0.0001 to 0.005, log" in listed
    assert "width" not in listed.replace("width of", "")


@pytest.mark.slow
def test_rungs_from_the_first_trial_to_the_retest(tmp_path: Path) -> None:
    little = ("--fix=population=4", "--fix=openings=start", "--fix=panel_every=1000")
    options = ("--trials=3", "--budget=0.02", "--panel=random,swh", "--panel-openings=2")
    rungs = ("--rungs=2x0.03,1x0.04x2", "--retest=2", "--final-openings=3", "--jobs=2")
    said = done("sweep", "evolution", *little, *options, *rungs, "--out", "climbed").out
    assert "rung 1: 3 settings learn for 0.03 CPU seconds" in said
    assert "the last rung, scores against the panel:" in said
    assert ("2 fresh seeds" in said) != ("the defaults won" in said)
    shown = done("show", "climbed", "--table", "rungs").out
    assert "defaults" in shown
    rows = done("show", "climbed", "--table", "rungs", "--format", "json").document
    assert [row["rung"] for row in rows][:7] == ["1"] * 3 + ["2"] * 4
    assert "is finished, 3 trials" in done("resume", "climbed").out
    listed = done("runs", ".", "--json").document[0]
    assert (listed["trials"], listed["state"]) == (3, "done")
    assert "rungs" in fails("show", "climbed", "--table", "games")
