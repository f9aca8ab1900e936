"""Training as a whole: it repeats, goes on after anything, and what comes out plays better."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.arena.match import Match
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from evolve.errors import RunError, SettingsError
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.learning.training import LearningEnding, Training
from evolve.tables.metrics import read_metrics
from tests import networks
from tests.learning import Watcher, training

pytestmark = pytest.mark.learning


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


def test_a_training_of_before_goes_on(tmp_path: Path) -> None:
    """A checkpoint that does not know today's settings is of those with their defaults."""
    run = training(tmp_path, "dqn")
    run.run(Watcher(checks=1))
    path = tmp_path / "checkpoint.npz"
    arrays = read_arrays(path)
    facts = json.loads(str(arrays["facts"]))
    del facts["identity"]["both_sides"]
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
    assert Match(after, before, openings, "standard", executor=Threads(2)).play().score.low > 0.6
    anyone = evolve.load_agent("random")
    assert Match(after, anyone, openings, "standard", executor=Threads(2)).play().score.value > 0.75


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


def test_a_budget_without_room_for_a_game_is_an_error(tmp_path: Path) -> None:
    run = training(tmp_path, "mcts", games=None, budget=1e-9)
    with pytest.raises(
        SettingsError, match="1e-09 CPU seconds are too few for a game; the default"
    ):
        run.run(Watcher())
    assert not any((tmp_path / "metrics").iterdir())


def test_what_a_budget_ends_after_a_check_is_checked_once_more(tmp_path: Path) -> None:
    """The last iteration may end before one more game is over, and have learned all the same."""
    run = training(tmp_path, "mcts", budget=1000.0)
    assert run.run(Watcher(checks=1)) is LearningEnding.STOPPED
    run.spent = 1000.0
    observer = Watcher()
    assert run.run(observer) is LearningEnding.BUDGET
    assert [row["games"] for row in observer.rows] == [20]
    assert read_metrics(tmp_path).to_pandas()["cpu_seconds"].iloc[-1] >= 1000.0
    again = training(tmp_path, "mcts", budget=1000.0)
    again.restore()
    assert again.run(observer) is LearningEnding.BUDGET
    assert len(observer.rows) == 1


def test_less_than_two_rounds_teach_little(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn")
    found = []
    while run.finished is None:
        found.append(run.taught_little)
        run.iterate(lambda games, share: None)
    assert found == [True, True, False]


def test_patience_ends_what_no_longer_gets_better(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn", games=10_000, updates=1e-9, patience=2)
    observer = Watcher()
    assert run.run(observer) is LearningEnding.PATIENCE
    assert len(observer.rows) == 3


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
