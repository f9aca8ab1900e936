"""Runs over a given evaluation: searches evolve, and all else is as in any run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.config.evolution import EvolutionSettings
from evolve.errors import RunError, SettingsError
from evolve.evolution.generation import individual_agent
from evolve.evolution.loop import EvolutionEnding
from evolve.population.genome import Genome
from evolve.runs.run import Run
from tests.agents.conftest import CUTS, pattern_agent
from tests.evolution.conftest import StopAfter, go_on, start

BOUNDS = {"depths": "1:4", "endgame": "2:6", "probcut": "5:20"}
GIVEN: dict[str, Any] = {
    "rules": "standard",
    "generations": 3,
    "population": 6,
    "bounds": BOUNDS,
    "move_budget": 150,
}


GIVEN_NET = pattern_agent(cuts=CUTS)


def tables_of(folder: Path) -> tuple[str, str]:
    run = evolve.load_run(folder)
    generations = run.generations.drop(columns="seconds")
    return run.games.to_csv() + run.individuals.to_csv(), generations.to_csv()


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("net") / "net.npz"
    pattern_agent(cuts=CUTS, depth=2, probcut=1.2, endgame=4).save(path)
    return path


@pytest.fixture(scope="module")
def searched(net: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A whole run. Look, do not touch."""
    folder = tmp_path_factory.mktemp("given") / "run"
    assert start(folder, evaluation=str(net), **GIVEN) is EvolutionEnding.COMPLETE
    return evolve.load_run(folder)


def test_searches_evolve_and_the_evaluation_stays(searched: Run, net: Path) -> None:
    frame = searched.individuals
    assert {"depths", "endgame", "probcut"} <= set(frame)
    assert not {"weights", "mobility", "stability"} & set(frame)
    depths, margins = np.stack(list(frame["depths"])), np.stack(list(frame["probcut"]))
    assert depths.shape[1] == margins.shape[1] == 3
    assert set(np.unique(depths)) == {1, 2, 3, 4}
    assert 5 <= margins.min() <= margins.max() <= 20
    assert frame["endgame"].between(2, 6).all()
    # It starts from the agent's own search.
    first = frame[frame["individual"] == "0-0"].iloc[0]
    assert (first["origin"], list(first["depths"]), first["endgame"]) == ("start", [2, 2, 2], 4)
    assert list(first["probcut"]) == [12, 12, 12]
    # Some search too much for the budget, and lose by it.
    assert 0 < searched.generations["over_budget"].max() < 1
    over = searched.games[searched.games["reason"] != "end"]
    assert set(over["reason"]) <= {"over budget: black", "over budget: white"}
    assert ((over["nodes_black"] > 0) | (over["nodes_white"] > 0)).all()

    champion = evolve.load_agent(searched.path)
    given = evolve.load_agent(net)
    assert isinstance(champion, PatternAgent)
    assert isinstance(given, PatternAgent)
    assert champion.patterns.digest == given.patterns.digest
    assert champion.allocation is not None
    assert champion.allocation.boundaries == (24, 45)
    assert champion.budget == 0
    assert "play-off" in champion.provenance["against"]
    assert not (searched.path / "champion.json").exists()


@pytest.mark.slow
def test_it_goes_on_without_the_file_that_it_was_given(net: Path, searched: Run) -> None:
    folder = searched.path.parent / "stopped"
    taken = net.with_name("taken.npz")
    shutil.copyfile(net, taken)
    assert start(folder, 2, StopAfter(1), evaluation=str(taken), **GIVEN).stopped
    taken.unlink()
    assert go_on(folder) is EvolutionEnding.COMPLETE
    assert tables_of(folder) == tables_of(searched.path)


def test_another_evaluation_is_told(net: Path, searched: Run, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(searched.path, tmp_path / "copy"))
    pattern_agent(7, cuts=CUTS, depth=2, probcut=1.2, endgame=4).save(copy / "evaluation.npz")
    with pytest.raises(RunError, match="generations"):
        go_on(copy, generations=4)
    # The file that the settings name has changed, too, and the run's own is gone.
    before = net.read_bytes()
    shutil.move(copy / "evaluation.npz", net)
    with pytest.raises(RunError, match="generations"):
        go_on(copy, generations=4)
    net.write_bytes(before)
    assert go_on(copy, generations=4) is EvolutionEnding.COMPLETE


def test_an_individual_is_an_agent(searched: Run) -> None:
    row = searched.find("0-3")
    agent = individual_agent(searched.path, "0-3")
    assert isinstance(agent, PatternAgent)
    assert agent.allocation is not None
    assert list(agent.allocation.depths) == list(row["depths"])
    assert agent.allocation.probcuts == tuple(number / 10 for number in row["probcut"])
    assert agent.endgame == row["endgame"]
    text = agent.python_source()
    assert f"DEPTHS = {list(agent.allocation.depths)}" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"evaluation": "swh"}, "swh is not an agent with patterns"),
        ({"evaluation": "nobody"}, "there is no agent 'nobody'"),
        ({"evaluation": "patterns-reversed"}, "has other rules; set rules to reversed"),
        ({"evaluation": "patterns-standard?nodes=500"}, "no limit"),
        ({"bounds": {"probcut": "5:20"}}, "probcut: without an evaluation there is no such gene"),
        ({"fix": {"probcut": "9"}}, "probcut: without an evaluation there is no such gene"),
        (
            {"evaluation": "patterns-standard", "fix": {"weights": "9", "mobility": "1"}},
            "weights: with an evaluation there is no such gene; mobility: with",
        ),
        ({"evaluation": "patterns-standard", "start_from": "swh"}, "start_from"),
        ({"evaluation": "patterns-standard", "terms": "mobility"}, "terms: the evaluation has"),
        ({"evaluation": "patterns-standard", "tie": "weights,depths"}, "only depths"),
        ({"evaluation": "patterns-standard", "panel": "ladder"}, "above the ladder"),
        ({"evaluation": "patterns-standard", "bounds": {"probcut": "0:101"}}, "0 to 100"),
        ({"evaluation": "patterns-standard", "move_budget": 50}, "move_budget: 50 must be 100"),
        ({"evaluation": "patterns-standard", "preset": "published"}, "published is for weights"),
    ],
)
def test_what_cannot_be(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=words):
        start(tmp_path / "run", rules="standard", **options)
    assert not (tmp_path / "run").exists()


def test_settings_of_such_runs() -> None:
    given = EvolutionSettings(evaluation="x.npz")
    assert given.genes == ("depths", "endgame", "probcut")
    assert given.bounds == {"depths": (4, 12), "endgame": (8, 16), "probcut": (5, 30)}
    assert (given.move_budget, given.panel) == (20_000, "fixed")
    assert "probcut" not in EvolutionSettings().genes
    assert "probcut" not in EvolutionSettings().bounds
    assert given.gene_sizes("probcut") == (1, 3)
    assert EvolutionSettings(evaluation="x.npz", tie=("depths",)).gene_sizes("depths") == (1,)
    bare = Genome.of(EvolutionSettings(evaluation="x.npz", fix={"probcut": (0,)}), None, GIVEN_NET)
    agent = bare.agent(bare.from_given(GIVEN_NET), "bare")
    assert isinstance(agent, PatternAgent)
    assert agent.allocation is not None
    assert agent.allocation.probcuts == (0.0, 0.0, 0.0)
