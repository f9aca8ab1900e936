"""Benchmarks: lost discs, and the figures of ratings and claims that pages rest on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import evolve
from benchmarks import claims, figures
from benchmarks.claims import CLAIMS
from benchmarks.regret import HERE, judged_by, played, read
from evolve.agents.calibration.ratings import RATINGS
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as

START = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
LINES = f"""# Made by hand.
{START} X; d3:+2.00; c4:+1.50; f5:+2.00; e6:-3.25
{START} O; c5:+0.00; e3:-1.00; d6:-64.00; f4:-0.50
"""


def test_an_agent_without_rules_plays_those_of_the_file() -> None:
    reversed_file = HERE / "regret-reversed.obf"
    assert judged_by(evolve.load_agent("level-1"), reversed_file).rules == "reversed"
    own = evolve.load_agent("patterns-standard")
    assert judged_by(own, reversed_file) is own


def test_what_an_agent_loses(tmp_path: Path) -> None:
    """Its moves, losses and nodes, one after the other."""
    (tmp_path / "some.obf").write_text(LINES, encoding="utf-8")
    positions = read(tmp_path / "some.obf")
    agent = evolve.load_agent("patterns-standard?depth=2&probcut=0")
    found = played(agent, positions)
    chosen = [agent.choose_counted(position.board) for position in positions]
    losses = [one.loss(square) for one, (square, _) in zip(positions, chosen, strict=True)]
    assert [*found.losses] == losses
    assert [*found.nodes] == [nodes for _, nodes in chosen]


@pytest.mark.parametrize("path", sorted(HERE.glob("regret-*.obf")), ids=lambda path: path.stem)
def test_the_positions_that_come_with_it(path: Path) -> None:
    """All legal moves have a value; no position is decided, and none occurs twice."""
    positions = read(path)
    assert len({position.board for position in positions}) == len(positions) > 0
    moves = [sorted(position.values) for position in positions]
    assert moves == [position.board.legal_moves() for position in positions]
    assert {position.board.empties for position in positions} <= {*range(20, 51)}
    assert max(abs(max(position.values.values())) for position in positions) <= 16


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the file, which the functions write."""
    shutil.copy(figures.FILE, tmp_path)
    monkeypatch.setattr(figures, "FILE", tmp_path / figures.FILE.name)
    return figures.FILE


def test_what_is_measured_changes_its_row_alone(file: Path) -> None:
    before = file.read_text(encoding="utf-8").splitlines()
    figures.put("reversed", "level-2", elo=190, error=21, seconds=0.0000766)
    figures.put("reversed", "level-2", step=166, step_error=15)
    after = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line not in before] == [
        "level-2 = { elo = 190, error = 21, seconds = 0.00008, step = 166, step_error = 15 }"
    ]
    assert len(after) == len(before)
    figures.put("standard", "swh", seconds=4e-7)
    assert figures.read()["standard"]["swh"]["seconds"] == 1e-5


def test_the_file_is_as_it_is_written(file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    for rules, rated in RATINGS.items():
        for name in rated:
            figures.put(rules, name)
        figures.estimate(rules)
    assert file.read_text(encoding="utf-8") == before


@pytest.mark.learning
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_claims_are_of_settings_and_agents_that_exist(claim: claims.Claim) -> None:
    for kind, options in claim.contestants.values():
        model: Any = MctsSettings if kind == "mcts" else DqnSettings
        presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
        resolve_as(model, presets, options)
    for pair in claim.meetings:
        for label in pair:
            if label.partition("?")[0].removesuffix(claims.FIRST) not in claim.contestants:
                evolve.load_agent(label)
    assert any(label.partition("?")[0] in claim.contestants for label, _ in claim.meetings)
