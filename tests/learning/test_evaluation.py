"""Whom trainings meet in their checks, and what that says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve
from evolve.arena.judges import ladder, ladder_score
from evolve.config.learning import MctsSettings
from evolve.config.toml import resolve_as
from evolve.engine.rules import rule_set
from evolve.fitness.statistics import Estimate
from evolve.learning import evaluation
from evolve.learning.evaluation import LadderJudge, PanelJudge, judge_of
from evolve.tables.metrics import METRICS_COLUMNS, METRICS_SCORES
from tests.learning import small


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("standard", "champion-standard?depth=4&endgame=8"),
        ("reversed", "champion-reversed?depth=3&endgame=6"),
    ],
)
def test_rungs_are_rated_as_they_are_known(rules: str, name: str) -> None:
    judge = LadderJudge(small("patterns", rules=rules, panel_openings=6))
    agent = evolve.load_agent(name).with_rules(rules)
    found = judge.judged(agent, 2)
    known, columns = rule_set(rules).ladder[name], found.columns
    assert columns["elo_low"] < known < columns["elo_high"]
    assert columns["elo_low"] < columns["elo"] < columns["elo_high"]
    assert columns["elo_high"] - columns["elo_low"] < 300
    assert found.score == ladder_score(ladder(rules), columns["elo"])
    assert 0 < found.error < 0.1
    assert found.against == "the ladder"


@pytest.mark.slow
def test_asked_again_it_says_the_same() -> None:
    settings = small("patterns", panel_openings=2)
    agent = evolve.load_agent("positional?depth=2")
    judge = LadderJudge(settings)
    found = judge.judged(agent, 2)
    assert judge.judged(agent, 1) == found == LadderJudge(settings).judged(agent, 2)
    other = LadderJudge(settings.model_copy(update={"seed": 7})).judged(agent, 2)
    assert other.columns != found.columns


def test_the_weakest_are_rated_too() -> None:
    """It meets the rungs that are near: who loses everything is below the lowest."""
    found = LadderJudge(small("patterns", panel_openings=4)).judged(evolve.load_agent("random"), 2)
    assert found.columns["elo"] < ladder("standard")[1].elo
    assert np.isfinite(list(found.columns.values())).all()
    assert 0 < found.score < 0.2


def test_the_columns_are_the_rating_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        evaluation, "rate_one", lambda elo, scores: Estimate.around(1200.0, 98.0, 8)
    )
    found = LadderJudge(small("patterns")).judged(evolve.load_agent("random"), 1)
    assert found.columns == {
        "elo": 1200.0, "elo_low": 1102.0, "elo_high": 1298.0,
    }  # fmt: skip


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_panel_has_a_column_each(rules: str) -> None:
    settings: Any = resolve_as(MctsSettings, {}, {"rules": rules, "panel_openings": 3})
    agent = evolve.load_agent(rule_set(rules).greedy).with_rules(rules)
    found = PanelJudge(settings).judged(agent, 2)
    ends = ("", "_low", "_high")
    assert set(found.columns) == {f"{name}{end}" for name in METRICS_SCORES for end in ends}
    assert set(found.columns) < set(METRICS_COLUMNS.names)
    for name in METRICS_SCORES:
        low, score, high = (found.columns[f"{name}{end}"] for end in ("_low", "", "_high"))
        assert 0 <= low <= score <= high <= 1
    assert found.score == pytest.approx(np.mean([found.columns[name] for name in METRICS_SCORES]))
    assert found.against == ", ".join(rule_set(rules).panel[:3])
    assert found == PanelJudge(settings).judged(agent, 1)


def test_each_kind_of_training_has_its_judge() -> None:
    assert isinstance(judge_of(small("patterns")), LadderJudge)
    for kind in ("mcts", "dqn"):
        assert isinstance(judge_of(small(kind)), PanelJudge)
