"""Sweeps over evolutions, and over the genes of an agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from optuna.trial import TrialState

import evolve
from evolve.config.evolution import EvolutionSettings
from evolve.config.sweep import SweepSettings
from evolve.errors import SettingsError
from evolve.population.genome import Genome
from evolve.sweeps.plan import plan_of
from evolve.sweeps.trials import Objective, Task
from tests.sweeps import plan


def settings(**changes: object) -> SweepSettings:
    fixed = {"population": 6, "openings": "start", "panel_every": 1000}
    return SweepSettings(
        kind="evolution",
        rules="standard",
        panel=("random",),
        panel_openings=2,
        fix=fixed,
        **changes,  # type: ignore[arg-type]
    )


def test_seconds_end_an_evolution_and_the_panel_is_the_sweeps() -> None:
    made = plan("evolution", fix={"population": 12}).base
    assert isinstance(made, EvolutionSettings)
    assert made.generations >= 1_000_000
    assert (made.panel, made.population) == ("fixed", 12)
    with pytest.raises(SettingsError, match="generations"):
        _ = plan("evolution", fix={"generations": 3}).base


def test_a_trial_is_the_champion_of_its_seconds(tmp_path: Path) -> None:
    (tmp_path / "trials").mkdir()
    made = plan_of(settings(budget=0.2))
    reports: list[tuple[int, float]] = []
    outcome = made.run(
        Objective(made.sweep, tmp_path),
        Task(3, {}),
        lambda step, score, error: bool(reports.append((step, score))),
    )
    assert outcome.attributes["agent"] == "trials/trial-0003.json"
    assert reports[-1] == (4, outcome.score)
    agent = evolve.load_agent(tmp_path / "trials/trial-0003.json")
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert (agent.name, agent.provenance["trial"]) == ("trial-3", 3)
    run = evolve.load_run(tmp_path / "trials/trial-0003")
    assert run.config["seed"] == made.seed_of(3)
    assert run.generation_count >= 1


def test_a_trial_that_is_ended_leaves_no_agent_and_can_come_again(tmp_path: Path) -> None:
    (tmp_path / "trials").mkdir()
    made = plan_of(settings(budget=5.0, reports=100))
    objective = Objective(made.sweep, tmp_path)
    states, left = [], []
    for _ in range(2):
        states.append(made.run(objective, Task(0, {}), lambda step, score, error: True).state)
        left.append((tmp_path / "trials/trial-0000.json").exists())
    assert (states, left) == ([TrialState.PRUNED] * 2, [False] * 2)


def test_the_defaults_of_alphabeta_are_the_reference_agent() -> None:
    made = plan("alphabeta")
    assert made.defaults is not None
    agent = made.agent(made.defaults, "x")
    swh = made.genome.agent(made.genome.from_agent(agent, "x"), "x")
    assert agent.weights == swh.weights
    assert agent.weights[0][0] == 100
    assert agent.depths == (1, 1, 1)


def test_genes_of_alphabeta_are_held_by_fix() -> None:
    made = plan("alphabeta", fix={"depths": 2, "weights": [100, -25, 10, 5, -25, 1, 1, 5, 2, 1]})
    assert "endgame" in made.space.names
    assert not [n for n in made.space.names if n.startswith(("depths", "weights"))]
    agent = made.agent({p.name: p.example for p in made.space.parameters}, "x")
    assert agent.depths == (2, 2, 2)
    assert isinstance(made.genome, Genome)


def test_single_numbers_of_a_gene_are_held_too() -> None:
    made = plan("alphabeta", fix={"weights.3": 77, "depths.1": 3})
    assert not {"weights.3", "depths.1"} & set(made.space.names)
    agent = made.agent({p.name: p.example for p in made.space.parameters}, "x")
    assert (agent.weights[0][3], agent.depths[1]) == (77, 3)


def test_the_defaults_of_alphabeta_must_lie_in_the_space() -> None:
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 95}}).defaults is None
    assert plan("alphabeta", space={"endgame": {"choices": [3, 5]}}).defaults is None
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 105}}).defaults is not None
    assert plan("alphabeta", require=("mobility.0 > 5",)).defaults is None
    assert plan("alphabeta", require=("weights.0 > 5",)).defaults is not None
