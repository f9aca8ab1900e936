"""`evolve run`: what it makes, what it says, and that its options do what they say."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.fitness.trend import _REST
from tests.cli import QUICK, TINY, UNBOUNDED, done, finish, on_a_terminal, spawn
from tests.tables.content import outcome


def test_its_folder(first: Path) -> None:
    files = {str(p.relative_to(first)) for p in first.rglob("*") if p.is_file()} - {".lock"}
    assert files == {
        "config.toml",
        "champion.json",
        *(f"{part}/gen-000{g}.parquet" for part in ("generations", "games") for g in range(3)),
        "games/playoff.parquet",
    }


def test_config_of_a_run_makes_the_same_run(first: Path, tmp_path: Path) -> None:
    done("run", "--config", first / "config.toml", "--out", "again", "--jobs", 1)
    assert outcome(tmp_path / "again") == outcome(first)


def test_an_odd_population() -> None:
    done("run", *QUICK, "--generations=2", "--population=5", "--out=small")
    individuals = evolve.load_run("small").individuals
    assert individuals.groupby("generation").size().tolist() == [5] * 2


@pytest.mark.parametrize("phases", [1, 61])
def test_phases(phases: int) -> None:
    done("run", *QUICK, "--generations", 2, "--phases", phases, "--out", "phased")
    row = evolve.load_run("phased").individuals.iloc[0]
    assert len(row["weights"]) == 10 * phases
    assert len(row["depths"]) == len(row["mobility"]) == phases
    shown = done("show", "phased/champion.json").out
    assert shown.count("weights, ") == phases


def test_published_preset_plays_from_the_start_with_mobility_alone() -> None:
    small = ("--jobs=1", "--generations=2", "--population=4")
    done("run", *TINY, "--preset=published", *small, "--out=old")
    run = evolve.load_run("old")
    assert run.individuals.groupby("generation").size().tolist() == [4] * 2
    assert (run.config["preset"], run.config["terms"]) == ("published", ["mobility"])
    fitness = run.games[run.games["kind"] == "fitness"]
    assert set(fitness["opening"]) == {""}


def test_openings_of_each_pair_are_new_in_every_generation(first: Path) -> None:
    games = evolve.load_run(first).games
    chosen = games[games["kind"] == "fitness"]
    openings = chosen.groupby("generation")["opening"].apply(set)
    assert [len(found) for found in openings] == [15, 15, 15]
    assert not openings[0] & openings[1]


def test_start_from_a_run(first: Path) -> None:
    for algorithm in ("cma", "ga"):
        options = ("--generations", 1, "--start-from", first, "--algorithm", algorithm)
        done("run", *QUICK, *options, "--out", algorithm)
    agent = evolve.load_agent(first)
    assert evolve.load_run("ga").individuals["weights"][0] == [*chain(*agent.weights)]


def test_the_example_of_start_from_in_the_help_works() -> None:
    shown = next(line for line in done("run", "--help").lines if "--start-from" in line)
    words = shlex.split(shown)[2:]
    small = [option for option in QUICK if "depths" not in option]
    done("run", *small, "--generations=1", *words, "--out=example")


@pytest.mark.slow
def test_run_that_has_come_to_rest_says_so_once_and_ends_only_when_asked_to() -> None:
    # All individuals are alike, so the rating has nothing to rise by, and has games to show it.
    alike = ("--fix=weights=0", "--fix=depths=1", "--bounds=endgame=0:1", "--terms=")
    panel = ("--panel-every=2", "--panel-openings=48")
    options = (*QUICK, *alike, *panel, "--generations", 50)
    said = done("run", *options, "--out", "whole").lines
    offers = [line for line in said if "--until-rest" in line]
    assert len(offers) == 1
    found = re.search(r"since generation \d+ the rating rises by \[(.\d+), (.\d+)\] Elo", offers[0])
    assert int(found[1]) < int(found[2]) < _REST
    rows = evolve.load_run("whole").generations
    first = int(rows.loc[rows["rise_high"] < _REST, "generation"].iloc[0])
    assert len(rows) == 50 > first + 1

    done("run", *options, "--until-rest", "--out", "ended")
    assert len(evolve.load_run("ended").generations) == first + 1
    done("resume", "ended", "--no-until-rest", "--jobs", 1)
    pd.testing.assert_frame_equal(
        *(evolve.load_run(name).generations.drop(columns="seconds") for name in ("whole", "ended"))
    )


def test_nodes_over_the_budget_lose_the_game() -> None:
    options = ("--fix", "depths=4", "--bounds", "depths=1:4", "--generations", 1)
    for name, budget in (("tight", 60), ("free", 0)):
        done("run", *UNBOUNDED, *options, "--move-budget", budget, "--out", name)
    tight, free = (evolve.load_run(name).games for name in ("tight", "free"))
    lost = tight[tight["reason"].str.startswith("over budget")]
    assert (lost["winner"] != lost["reason"].str.removeprefix("over budget: ")).all()
    assert len(lost) > 0
    assert set(free["reason"]) == {"end"}
    assert evolve.load_run("tight").generations["over_budget"][0] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    "words",
    [
        ("run", *QUICK, "--generations", 1),
        pytest.param(("run", *QUICK, "--generations=1", "--seeds=0"), marks=pytest.mark.slow),
        ("match", "swh", "swh?depth=1", "--games", 2),
        ("rate", "swh", "swh?depth=1", "--games", 2),
        *(("hand-in", "nowhere", "-o", "x.py"), ("play", "nowhere")),
    ],
)
def test_a_terminal_says_at_once_that_evolve_loads(tmp_path: Path, words: Sequence[object]) -> None:
    shown = on_a_terminal(tmp_path, *words)
    assert shown.startswith("loading …\r\x1b[K"), "and takes it back"


def test_panel_every_other_generation() -> None:
    done("run", *QUICK, "--panel-every", 2, "--out", "rare")
    panel = evolve.load_run("rare").generations["panel_score"]
    assert panel.isna().tolist() == [False, True, False]


@pytest.mark.slow
def test_a_run_goes_on_when_nobody_reads_its_output(tmp_path: Path) -> None:
    process = spawn(tmp_path, "run", *QUICK, "--out", "unread")
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    ended = finish(process)
    assert (ended.code, ended.err) == (0, "")
    assert evolve.load_run(tmp_path / "unread").generation_count == 3
