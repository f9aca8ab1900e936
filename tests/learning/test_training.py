"""Training as a whole: it repeats, goes on after anything, and what comes out plays better."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.mcts import MctsAgent
from evolve.arena.judges import Judgement
from evolve.arena.match import Match
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.toml import resolve_as
from evolve.engine.board.rules import rule_set
from evolve.errors import RunError, SettingsError
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.statistics import Estimate
from evolve.learning.learner import InMemoryTraining, LearningEnding
from evolve.learning.tables import CHECKS, METRICS_SCORES
from evolve.learning.training import Training, _columns_of
from evolve.runs.progress import Observer
from tests import networks
from tests.learning import Watcher, training, whole

pytestmark = pytest.mark.learning


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    training(tmp_path, "dqn").run(Watcher(checks=1))
    with pytest.raises(RunError, match="settings"):
        training(tmp_path, "dqn", both_sides=True).restore()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "games"), [("mcts", 600), ("dqn", 1500)])
def test_what_it_learns_wins(kind: str, games: int, tmp_path: Path) -> None:
    """A few seconds of learning against the same network before it."""
    # What learns fastest at first.
    quick: Any = {"simulations": 30} if kind == "mcts" else {"bootstrap": "own", "steps": 60}
    run = whole(tmp_path, kind, 2, games=games, check_every=10**6, panel_openings=2, **quick)
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


def test_a_budget_without_room_for_a_game_is_an_error(tmp_path: Path) -> None:
    run = training(tmp_path, "mcts", games=None, budget=1e-9)
    with pytest.raises(SettingsError, match="1e-09"):
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
    assert CHECKS.read(tmp_path).to_pandas()["cpu_seconds"].iloc[-1] >= 1000.0
    again = training(tmp_path, "mcts", budget=1000.0)
    again.restore()
    assert again.run(observer) is LearningEnding.BUDGET
    assert len(observer.rows) == 1


def test_less_than_two_rounds_teach_little(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn")
    found = []
    while run.finished is None:
        found.append(run.learned_little)
        run.iterate(lambda games, share: None)
    assert found == [True, True, False]


def test_patience_ends_what_no_longer_gets_better(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn", games=10_000, updates=1e-9, patience=2)
    observer = Watcher()
    assert run.run(observer) is LearningEnding.PATIENCE
    assert len(observer.rows) == 3


CONVOLUTION = {"input": "planes", "layers": "conv 4 relu, policy-value", "simulations": 200}
LONG = {"games_per_iteration": 20_000, "window": 10**6}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("mcts", {"updates": 1000.0}),
        ("mcts", {"accept": True, "accept_games": 4000, "games_per_iteration": 10}),
        ("mcts", {**CONVOLUTION, **LONG}),
        ("dqn", {"opponents": {"swh": 1.0}, **LONG}),
        ("dqn", {"survival": 1, "survival_games": 4000, "games_per_iteration": 10}),
    ],
)
def test_a_budget_ends_long_iterations(kind: str, changes: dict[str, Any], tmp_path: Path) -> None:
    """The first iterations of each would take a minute and more."""
    options = {"budget": 2.0, "check_every": 10**6, "panel_openings": 2, **changes}
    run, observer = whole(tmp_path / "run", kind, 2, **options), Watcher()
    assert run.run(observer) is LearningEnding.BUDGET
    assert max(observer.games) == run.games
    row = observer.rows[-1]
    assert 1.8 <= row["cpu_seconds"] <= 2.2
    assert row["steps"] > 0
    chooses = "accept" in changes or "survival" in changes
    assert (row["accept_seconds"] > 0.5) == chooses


def test_the_last_iteration_is_cut_to_the_budget() -> None:
    settings = DqnSettings(budget=15, games_per_iteration=400, layers=("dense 8 relu", "dense 64"))
    run = InMemoryTraining(settings, 1)
    run.warm_up()
    run.iterate(lambda games, share: None)
    first = run.games
    run.spent = 14.9
    run.iterate(lambda games, share: None)
    assert first == 400
    assert run.games - first <= 3, "there is room for 400 / 14.9 games a second"
    assert 14.9 <= run.spent < 15.3


def test_games_end_it_and_are_its_share() -> None:
    settings = DqnSettings(games=30, games_per_iteration=20, layers=("dense 8 relu", "dense 64"))
    run, reports = InMemoryTraining(settings, 1), list[tuple[int, float]]()
    shares = [run.share]
    while run.finished is None:
        run.iterate(lambda games, share: reports.append((games, share)))
        shares.append(run.share)
    assert run.finished is LearningEnding.GAMES
    assert (run.games, shares) == (30, [0.0, 20 / 30, 1.0]), "the last iteration is cut"
    assert reports[-1] == (30, 1.0)
    assert reports == sorted(reports)


def test_it_knows_how_many_checks_are_to_come(tmp_path: Path) -> None:
    run = training(tmp_path / "run", "dqn", games=80, check_every=20, games_per_iteration=20)
    coming = list[int]()

    class Reader(Observer):
        def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
            coming.append(run._forecast.to_come)

    run.run(Reader())
    assert coming == [2, 1, 0, 0]
    assert run._forecast.check == 0.0, "none is left"


def test_warming_up_teaches_nothing() -> None:
    settings = DqnSettings(games=10, layers=("dense 8 relu", "dense 64"))
    run, cold = InMemoryTraining(settings, 1), InMemoryTraining(settings, 1)
    run.warm_up()
    assert (run.games, run.spent, run.learner.steps) == (0, 0.0, 0)
    assert run.rng.random() == cold.rng.random()
    warm, other = run.learner.agent(), cold.learner.agent()
    assert warm.networks[0].digest == other.networks[0].digest


def test_the_columns_are_the_rating_with_its_interval() -> None:
    judged = Judgement(0.5, 0.1, "the ladder", elo=Estimate.around(1200.0, 98.0, 8))
    columns = _columns_of(judged)
    assert columns.pop("score_low") == pytest.approx(0.304, abs=1e-4)
    assert columns.pop("score_high") == pytest.approx(0.696, abs=1e-4)
    assert columns == {"score": 0.5, "elo": 1200.0, "elo_low": 1102.0, "elo_high": 1298.0}


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_panel_has_a_column_each(rules: str, tmp_path: Path) -> None:
    settings: Any = resolve_as(MctsSettings, {}, {"rules": rules, "panel_openings": 5})
    panels = [Training(tmp_path, settings, 1).judge for _ in range(2)]
    agent = evolve.load_agent(rule_set(rules).greedy).with_rules(rules)
    found = panels[0].judge(agent, Threads(2))
    columns = _columns_of(found)
    ends = ("", "_low", "_high")
    assert set(columns) == {f"{name}{end}" for name in ("score", *METRICS_SCORES) for end in ends}
    assert set(columns) < set(CHECKS.columns.names)
    ranges = [[columns[f"{name}{end}"] for end in ("_low", "", "_high")] for name in METRICS_SCORES]
    assert not [one for one in ranges if [0, *one, 1] != sorted([0, *one, 1])]
    assert found.score == pytest.approx(np.mean([columns[name] for name in METRICS_SCORES]))
    assert found.against == ", ".join(rule_set(rules).panel[:3])
    assert found == panels[1].judge(agent)
