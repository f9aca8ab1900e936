"""Training as a whole: it repeats, goes on after anything, and what comes out plays better."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.arena.match import Match
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from evolve.engine.symmetry import canonical
from evolve.errors import RunError, SettingsError
from evolve.fitness.openings import Part, balanced_openings
from evolve.learning.course import LearningEnding
from evolve.learning.labels import accuracy, fitted, labelled_sets
from evolve.learning.training import Training
from evolve.tables.arrays import read_arrays, write_arrays
from evolve.tables.metrics import read_metrics
from evolve.tables.observer import Silent
from tests import networks, reference

pytestmark = pytest.mark.learning

SMALL: dict[str, Any] = {
    "games": 60,
    "games_per_iteration": 20,
    "check_every": 20,
    "panel_openings": 2,
    "batch": 32,
    "window": 600,
}
MCTS = {**SMALL, "simulations": 8, "layers": "dense 8 relu, dense 1 tanh", "check_simulations": 4}
DQN = {**SMALL, "layers": "dense 8 relu, dueling"}


class Watcher(Silent):
    """An observer that stops after so many checks."""

    def __init__(self, checks: int = 10**9) -> None:
        self.left = checks
        self.rows: list[dict[str, Any]] = []
        self.shares: list[float] = []
        self.told: list[int] = []

    def stage(self, name: str, done: float, total: float) -> None:
        self.shares.append(done / total)
        self.told.append(int(name.removesuffix(" games")))

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))
        self.left -= 1

    def stop(self) -> bool:
        return self.left <= 0


def training(folder: Path, kind: str, jobs: int = 1, **changes: Any) -> Training:
    (folder / "metrics").mkdir(parents=True, exist_ok=True)
    model: Any = MctsSettings if kind == "mcts" else DqnSettings
    presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
    options = {**(MCTS if kind == "mcts" else DQN), **changes}
    return Training(folder, resolve_as(model, presets, options), jobs)


def content(folder: Path) -> Any:
    """The metrics without times, and the champion's weights."""
    table = read_metrics(folder).to_pandas()
    kept = table[[c for c in table if not c.endswith("seconds")]]
    agent = evolve.load_agent(folder)
    assert isinstance(agent, MctsAgent | DqnAgent)
    nets = agent.networks if isinstance(agent, DqnAgent) else (agent.network,)
    return json.loads(kept.to_json(orient="records")), [net.digest for net in nets if net]


VARIANTS = [
    ("mcts", {}),
    ("mcts", {"accept": True, "accept_games": 2, "opponents": {"self": 0.5, "swh": 0.5}}),
    ("mcts", {"input": "planes", "layers": "conv 2 relu norm, dense 8 relu dropout, policy-value"}),
    ("dqn", {}),
    ("dqn", {"networks": 2, "survival": 1, "survival_games": 4, "opponents": {"past": 1.0}}),
    ("dqn", {"steps": 1, "double": True, "target_period": 3, "random_first": 0.5}),
    ("dqn", {"input": "coloured-move", "layers": "dense 8 relu, dense 1", "steps": 2}),
]


@pytest.mark.parametrize(("kind", "changes"), VARIANTS)
def test_stopped_and_gone_on_with_it_ends_the_same(
    kind: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    observer = Watcher()
    whole = training(tmp_path / "whole", kind, **changes)
    assert whole.run(observer) is LearningEnding.GAMES
    assert [row["games"] for row in observer.rows] == [20, 40, 60]
    assert observer.shares[-1] == 1.0
    first = training(tmp_path / "parts", kind, jobs=2, **changes)
    assert first.run(Watcher(checks=1)) is LearningEnding.STOPPED
    second = training(tmp_path / "parts", kind, jobs=2, **changes)
    second.restore()
    assert second.games == 20
    assert second.run(Watcher()) is LearningEnding.GAMES
    assert content(tmp_path / "parts") == content(tmp_path / "whole")
    third = training(tmp_path / "parts", kind, **changes)
    third.restore()
    assert third.finished is LearningEnding.GAMES


@pytest.mark.parametrize("name", [n for n in DQN_PRESETS if n != "default"])
def test_every_published_dqn_learns_and_plays(name: str, tmp_path: Path) -> None:
    settings = resolve_as(
        DqnSettings,
        DQN_PRESETS,
        {"preset": name, "games": 4, "games_per_iteration": 2, "panel_openings": 2, "batch": 16},
    )
    (tmp_path / "metrics").mkdir()
    run = Training(tmp_path, settings, 1)
    observer = Watcher()
    run.run(observer)
    assert observer.rows[-1]["steps"] > 0
    agent = evolve.load_agent(tmp_path)
    assert agent.choose(evolve.Board.start()) in evolve.Board.start().legal_moves()


def test_the_published_trees_learn_and_play(tmp_path: Path) -> None:
    """The policy-value one with fewer channels: the published ones are for GPUs."""
    for name, changes in (
        ("s4-reversiv", {}),
        (
            "s3-mcts",
            {
                "layers": "conv 4 relu norm, conv 4 relu norm, dense 16 relu norm dropout, "
                "policy-value",
                "simulations": 4,
            },
        ),
    ):
        folder = tmp_path / name
        run = training(folder, "mcts", preset=name, games=8, games_per_iteration=4, **changes)
        observer = Watcher()
        run.run(observer)
        assert observer.rows[-1]["steps"] > 0
        agent = evolve.load_agent(folder)
        assert agent.choose(evolve.Board.start()) in evolve.Board.start().legal_moves()


def budgeted(folder: Path, kind: str, budget: float, **changes: Any) -> dict[str, Any]:
    """The last row of a training by CPU seconds."""
    quick = {"budget": budget, "games": None, "check_every": 10**6, "panel_openings": 2, **changes}
    (folder / "metrics").mkdir(parents=True)
    model: Any = MctsSettings if kind == "mcts" else DqnSettings
    presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
    run, observer = Training(folder, resolve_as(model, presets, quick), 2), Watcher()
    assert run.run(observer) is LearningEnding.BUDGET
    assert max(observer.told) == run.games
    return observer.rows[-1]


CONVOLUTION = {"input": "planes", "layers": "conv 4 relu, policy-value", "simulations": 200}
LONG = {"games_per_iteration": 20_000, "window": 10**6}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("mcts", {"updates": 1000.0}),
        ("mcts", LONG),
        ("mcts", {"accept": True, "accept_games": 4000, "games_per_iteration": 10}),
        ("mcts", {**CONVOLUTION, **LONG}),
        ("mcts", {**CONVOLUTION, "games_per_iteration": 20}),
        ("dqn", {"updates": 1000.0}),
        ("dqn", {"opponents": {"swh": 1.0}, **LONG}),
        ("dqn", {"survival": 1, "survival_games": 4000, "games_per_iteration": 10}),
    ],
)
def test_a_budget_ends_iterations_that_would_take_longer(
    kind: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    """The first iterations of each would take a minute and more."""
    row = budgeted(tmp_path / "run", kind, 2.0, **changes)
    assert 1.8 <= row["cpu_seconds"] <= 2.2
    assert row["steps"] > 0
    chooses = "accept" in changes or "survival" in changes
    assert (row["accept_seconds"] > 0.5) == chooses


PRESETS = [("mcts", n) for n in MCTS_PRESETS] + [("dqn", n) for n in DQN_PRESETS]
SECONDS = {"s3-mcts": 30.0}
"""A step of learning takes its network a second."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_every_preset_keeps_its_budget(kind: str, preset: str, tmp_path: Path) -> None:
    budget = SECONDS.get(preset, 6.0)
    quick = {"check_simulations": 2} if kind == "mcts" else {}
    row = budgeted(tmp_path / "run", kind, budget, preset=preset, **quick)
    assert 0.9 * budget <= row["cpu_seconds"] <= 1.1 * budget
    assert row["steps"] > 0


@pytest.mark.parametrize(("both", "expected"), [(True, 4096), (False, 2048)])
def test_a_game_of_s5_is_learned_by_4096_samples_of_both_sides(
    both: bool, expected: int, tmp_path: Path
) -> None:
    run = training(
        tmp_path, "dqn", preset="s5-network2", both_sides=both, games=40, batch=64, window=4096,
        games_per_iteration=1, layers="dense 64 sigmoid, dense 64 sigmoid",
    )  # fmt: skip
    run.run(Watcher())
    assert run.learner.steps * 64 / 40 == pytest.approx(expected, rel=0.05)


def test_a_training_of_before_goes_on(tmp_path: Path) -> None:
    """A checkpoint that does not know today's settings is of those with their defaults."""
    run = training(tmp_path, "dqn")
    run.run(Watcher(checks=1))
    path = tmp_path / "checkpoint.npz"
    arrays = read_arrays(path)
    facts = json.loads(str(arrays["facts"]))
    del facts["identity"]["both_sides"], facts["learner"]["accept_seconds"]
    write_arrays(path, {**arrays, "facts": np.array(json.dumps(facts))}, packed=False)
    again = training(tmp_path, "dqn")
    again.restore()
    assert again.games == 20
    with pytest.raises(RunError, match="other settings"):
        training(tmp_path, "dqn", both_sides=True).restore()


@pytest.mark.parametrize(("kind", "games"), [("mcts", 600), ("dqn", 1500)])
def test_what_it_learns_wins(kind: str, games: int, tmp_path: Path) -> None:
    """A few seconds of learning against the same network before it."""
    (tmp_path / "metrics").mkdir()
    model: Any = MctsSettings if kind == "mcts" else DqnSettings
    options: dict[str, Any] = {"games": games, "check_every": 10**6, "panel_openings": 2}
    # What learns fastest at first.
    options.update({"simulations": 30} if kind == "mcts" else {"bootstrap": "own", "steps": 60})
    presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
    run = Training(tmp_path, resolve_as(model, presets, options), 2)
    before: Any = run.learner.agent()
    run.run(Watcher())
    after: Any = run.learner.agent()
    if kind == "mcts":
        before = MctsAgent(
            50, network=networks.random_network(after.network.architecture), selection="puct"
        )
        after = MctsAgent(50, network=after.network, selection="puct")
    openings = balanced_openings(30, Part.MATCH, "standard", np.random.default_rng(3))
    assert Match(after, before, openings, "standard", jobs=2).play().score.low > 0.6
    anyone = evolve.load_agent("random")
    assert Match(after, anyone, openings, "standard", jobs=2).play().score.score > 0.75


def test_reversed_rules_are_learned(tmp_path: Path) -> None:
    """Fewest discs win, so that the same rewards teach the opposite."""
    (tmp_path / "metrics").mkdir()
    options = {"games": 1500, "rules": "reversed", "bootstrap": "own", "steps": 60}
    settings = resolve_as(
        DqnSettings, DQN_PRESETS, {**options, "check_every": 10**6, "panel_openings": 2}
    )
    run = Training(tmp_path, settings, 2)
    run.run(Watcher())
    openings = balanced_openings(30, Part.MATCH, "reversed", np.random.default_rng(3))
    anyone = evolve.load_agent("random")
    agent = run.learner.agent()
    assert Match(agent, anyone, openings, "reversed", jobs=2).play().score.score > 0.65


def test_a_model_that_does_not_survive_takes_its_targets_along(tmp_path: Path) -> None:
    """Learning goes on from the model before, and the count of steps with it."""
    run = training(
        tmp_path, "dqn", survival=1, survival_games=2, steps=1, target_period=7, games=400
    )
    learner: Any = run.learner
    rng = np.random.default_rng(0)
    steps, rejected = 0, 0
    for _ in range(12):
        survived = learner.survived
        learner.iterate(rng, 20, lambda: 0.0, lambda games: None, lambda: math.inf)
        assert learner.steps > steps
        steps = learner.steps
        if learner.survived == survived:
            rejected += 1
            model, target = learner.models[0].state(), learner.targets[0].state()
            for name in model:
                if name.startswith("module/"):
                    assert (model[name] == target[name]).all()
    assert rejected > 0


def test_a_match_for_survival_without_time_changes_nothing(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn", survival=1, survival_games=40, games=400)
    learner: Any = run.learner
    rng, left = np.random.default_rng(0), iter([*[1.0] * 60, *[-1.0] * 10_000])
    steps = learner.steps
    learner.iterate(rng, 20, lambda: 0.0, lambda games: None, lambda: next(left))
    assert learner.steps > steps
    assert learner.survived == 0
    played, learned = learner.agent().networks, learner._networks()
    assert [net.digest for net in played] == [net.digest for net in learned]
    survivor = learner._survivor[0]
    assert any((survivor[name] != array).any() for name, array in learner.models[0].state().items())


@pytest.mark.parametrize("number", [0, 1])
def test_with_two_networks_each_move_is_valued_by_the_one_that_plays_it(
    number: int, tmp_path: Path
) -> None:
    learner: Any = training(tmp_path, "dqn", networks=2).learner
    boards = reference.random_boards(random.Random(0), 30, 10, 40)
    positions = np.array([b for b in boards if reference.legal_moves(*b)], np.uint64)
    sides = np.where(np.arange(len(positions)) % 3 == 0, 1, -1).astype(np.int8)
    found = learner._bootstrap.best(number, positions, sides)
    for row, (own, opp) in enumerate(positions.tolist()):
        target = learner.targets[0 if sides[row] == 1 else 1].network()
        values = target.outputs(positions[row : row + 1])[0]
        best = max(values[square] for square in reference.legal_moves(own, opp))
        assert float(found[row]) == pytest.approx(float(best), abs=1e-5)


def test_killed_in_the_first_check_it_starts_anew(tmp_path: Path) -> None:
    whole = training(tmp_path / "whole", "dqn")
    whole.run(Watcher())
    half = training(tmp_path / "half", "dqn")
    half.run(Watcher(checks=1))
    (tmp_path / "half" / "checkpoint.npz").unlink()
    again = training(tmp_path / "half", "dqn")
    again.restore()
    assert again.games == 0
    again.run(Watcher())
    assert content(tmp_path / "half") == content(tmp_path / "whole")


def test_nothing_learned_yet_is_an_agent_all_the_same(tmp_path: Path) -> None:
    observer = Watcher()
    run = training(tmp_path, "mcts", games=5, batch=4096, check_every=5)
    assert run.run(observer) is LearningEnding.GAMES
    assert [row["games"] for row in observer.rows] == [5]
    assert observer.rows[0]["steps"] == 0
    assert isinstance(evolve.load_agent(tmp_path), MctsAgent)


def test_patience_ends_what_no_longer_gets_better(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn", games=10_000, updates=1e-9, patience=2)
    observer = Watcher()
    assert run.run(observer) is LearningEnding.PATIENCE
    assert len(observer.rows) == 3


def test_opponents_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="uct is no alpha-beta agent"):
        training(tmp_path, "mcts", opponents={"uct": 1.0})


def test_checkpoints_that_are_damaged_or_of_other_settings(tmp_path: Path) -> None:
    training(tmp_path, "dqn").run(Watcher(checks=1))
    with pytest.raises(RunError, match="other settings"):
        training(tmp_path, "dqn", gamma=0.5).restore()
    path = tmp_path / "checkpoint.npz"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match="damaged"):
        training(tmp_path, "dqn").restore()
    path.unlink()
    metrics = tmp_path / "metrics"
    (metrics / "check-0001.parquet").write_bytes((metrics / "check-0000.parquet").read_bytes())
    with pytest.raises(RunError, match="missing"):
        training(tmp_path, "dqn").restore()


def test_the_label_sets_share_no_position_and_are_learned() -> None:
    train, test = labelled_sets(3000, 600, discs=56, seed=3, jobs=2)
    assert len(train) > 2900
    assert len(test) > 580
    both = np.concatenate([canonical(train.positions), canonical(test.positions)])
    assert len(np.unique(both, axis=0)) == len(both)
    discs = np.bitwise_count(both[:, 0] | both[:, 1])
    assert (discs == 56).all()
    seen: list[int] = []
    network = fitted(networks.MOBILE, train, epochs=4, progress=lambda e, _: seen.append(e))
    assert seen == [0, 1, 2, 3]
    assert accuracy(network, test) > 0.75
    assert 0.3 < accuracy(networks.random_network(networks.MOBILE), test) < 0.7
