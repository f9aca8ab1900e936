"""The checks of trainings: their judges, and the columns of what these find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve
from evolve.arena.judges import Judged, Ladder, Panel
from evolve.config.learning import MctsSettings
from evolve.config.toml import resolve_as
from evolve.engine.board.rules import rule_set
from evolve.fitness.executor import Threads
from evolve.fitness.statistics import Estimate
from evolve.learning.training import columns_of, judge_of
from evolve.tables.metrics import METRICS_COLUMNS, METRICS_SCORES
from tests.learning import small


def test_the_columns_are_the_rating_with_its_interval() -> None:
    judged = Judged(0.5, 0.1, "the ladder", elo=Estimate.around(1200.0, 98.0, 8))
    assert columns_of(judged) == {"elo": 1200.0, "elo_low": 1102.0, "elo_high": 1298.0}


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_panel_has_a_column_each(rules: str) -> None:
    settings: Any = resolve_as(MctsSettings, {}, {"rules": rules, "panel_openings": 3})
    agent = evolve.load_agent(rule_set(rules).greedy).with_rules(rules)
    found = judge_of(settings).judge(agent, Threads(2))
    columns = columns_of(found)
    ends = ("", "_low", "_high")
    assert set(columns) == {f"{name}{end}" for name in METRICS_SCORES for end in ends}
    assert set(columns) < set(METRICS_COLUMNS.names)
    for name in METRICS_SCORES:
        low, score, high = (columns[f"{name}{end}"] for end in ("_low", "", "_high"))
        assert 0 <= low <= score <= high <= 1
    assert found.score == pytest.approx(np.mean([columns[name] for name in METRICS_SCORES]))
    assert found.against == ", ".join(rule_set(rules).panel[:3])
    assert found == judge_of(settings).judge(agent)


def test_each_kind_of_training_has_its_judge() -> None:
    assert isinstance(judge_of(small("patterns")), Ladder)
    for kind in ("mcts", "dqn"):
        assert isinstance(judge_of(small(kind)), Panel)
