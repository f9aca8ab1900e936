"""A search that differs by phase: what it may be, and that it is what is searched."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import evolve
from evolve.agents.agent import Limit
from evolve.agents.patterns import PatternAgent
from evolve.agents.searching import Allocation
from evolve.engine.patterns import patterns
from evolve.errors import AgentError, OverBudgetError
from tests.agents.conftest import CUTS, pattern_agent
from tests.agents.test_searching import boards

CUT_CELLS = patterns.CUTS

BY_PHASE = Allocation((20, 40), (1, 4, 2), (0.0, 1.5, 0.8))


def test_its_phases() -> None:
    discs = [4, 19, 20, 39, 40, 64]
    assert [BY_PHASE.depth(count) for count in discs] == [1, 1, 4, 4, 2, 2]
    assert [BY_PHASE.probcut(count) for count in discs] == [0.0, 0.0, 1.5, 1.5, 0.8, 0.8]
    assert Allocation(**BY_PHASE.parameters) == BY_PHASE


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"depths": [1, 2]}, "2 depths and 3 margins"),
        ({"depths": [], "probcuts": []}, "1 to 61"),
        ({"boundaries": [20]}, "2 boundaries"),
        ({"boundaries": [40, 20]}, "ascend"),
        ({"boundaries": [4, 20]}, "ascend"),
        ({"boundaries": [20, 65]}, "ascend"),
        ({"depths": [0, 1, 1]}, "depth 0 must be"),
        ({"depths": [1, 61, 1]}, "depth 61 must be"),
        ({"depths": [1.5, 2, 3]}, "valid integer"),
        ({"depths": "123"}, "valid tuple"),
        ({"probcuts": [0, 0.05, 1]}, "probcut 0.05"),
        ({"probcuts": [0, 1, float("nan")]}, "probcut nan"),
        ({"more": 1}, "[Uu]nexpected"),
    ],
)
def test_what_cannot_be(changes: dict[str, Any], words: str) -> None:
    with pytest.raises((AgentError, ValidationError), match=words):
        Allocation(**{**BY_PHASE.parameters, **changes})


def test_every_phase_is_searched_as_it_says() -> None:
    whole = pattern_agent(cuts=CUTS, endgame=0, allocation=BY_PHASE)
    # Far enough from the next phase that no search comes to it: its cuts are others.
    for discs, depth, probcut in ((12, 1, 0.0), (28, 4, 1.5), (52, 2, 0.8)):
        plain = pattern_agent(cuts=CUTS, endgame=0, depth=depth, probcut=probcut)
        for board in boards(3, 6, 64 - discs):
            assert whole.choose_counted(board) == plain.choose_counted(board)
            assert whole.analyse(board) == plain.analyse(board)
            assert whole.analyse(board).depth == depth


def test_files_and_settings(tmp_path: Path) -> None:
    agent = pattern_agent(cuts=CUTS, allocation=BY_PHASE)
    agent.save(tmp_path / "a.npz")
    again = evolve.load_agent(tmp_path / "a.npz")
    assert isinstance(again, PatternAgent)
    assert again.allocation == BY_PHASE
    assert again.identity == agent.identity != pattern_agent(cuts=CUTS).identity
    assert np.array_equal(again.block[CUT_CELLS:], agent.block[CUT_CELLS:])
    deeper = evolve.load_agent(f"{tmp_path / 'a.npz'}?depth=3")
    assert isinstance(deeper, PatternAgent)
    assert deeper.allocation == replace(BY_PHASE, depths=(3, 3, 3))
    bare = evolve.load_agent(f"{tmp_path / 'a.npz'}?probcut=0")
    assert isinstance(bare, PatternAgent)
    assert bare.allocation == replace(BY_PHASE, probcuts=(0.0, 0.0, 0.0))
    assert np.array_equal(bare.block[CUT_CELLS:], patterns.no_cuts().ravel())
    assert not np.array_equal(agent.block[CUT_CELLS:], patterns.no_cuts().ravel())
    assert agent.limited(Limit(nodes=500)).allocation == BY_PHASE
    facts = agent.describe()
    assert facts.facts[0] == "depths [1, 4, 2]"
    assert "cuts by 0, 1.5, 0.8 standard deviations" in facts.lines[1]
    assert facts.lines[2] == "searched by phases from 20, 40 discs"


def test_a_budget_is_of_a_whole_game_and_no_file_holds_it(tmp_path: Path) -> None:
    agent = pattern_agent(endgame=8)
    board = boards(1, 1, 44)[0]
    nodes = agent.choose_counted(board)[1]
    bound = replace(agent, budget=2 * nodes)
    assert bound.identity != agent.identity
    player = bound.for_game(0)
    assert player.choose(board) == agent.choose(board)
    with pytest.raises(OverBudgetError, match=f"more than {2 * nodes} nodes for a game"):
        deque((player.choose(one) for one in boards(2, 40, 44)), maxlen=0)
    # Another game has all of it, and without a game a move has.
    assert bound.for_game(1).choose(board) == bound.choose(board)
    near = boards(1, 1, 8)[0]
    exact = agent.choose_counted(near)[1]
    assert exact > 0
    quarter = replace(agent, budget=-(-exact // 4) + 1).for_game(0)
    assert quarter.choose(near) == agent.choose(near)
    with pytest.raises(OverBudgetError):
        replace(agent, budget=max(1, exact // 8)).for_game(0).choose(near)
    assert agent.within(100).budget == 3000
    bound.save(tmp_path / "bound.npz")
    kept = evolve.load_agent(tmp_path / "bound.npz")
    assert isinstance(kept, PatternAgent)
    assert kept.budget == 0
