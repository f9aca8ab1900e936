"""What names an agent: places, and settings behind a question mark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, Field

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.registry import programs_in
from evolve.errors import AgentError, AgentFileError
from evolve.runs.loading import load_alphabeta
from tests.agents.conftest import dqn_agent, mcts_agent


def test_settings_of_agents_with_networks(tmp_path: Path) -> None:
    mcts_agent().save(tmp_path / "m.npz")
    dqn_agent().save(tmp_path / "d.npz")
    tree = evolve.load_agent(f"{tmp_path}/m.npz?simulations=6400&c_puct=1.5&endgame=3&reuse=1")
    assert isinstance(tree, MctsAgent)
    assert (tree.simulations, tree.c, tree.endgame, tree.reuse) == (6400, 1.5, 3, True)
    net = evolve.load_agent(f"{tmp_path}/d.npz?lookahead=2")
    assert isinstance(net, DqnAgent)
    assert net.lookahead == 2
    for settings in ("lookahead=5", "lookahead=0.5", "simulations=3", "endgame=61"):
        with pytest.raises(AgentError):
            evolve.load_agent(f"{tmp_path}/d.npz?{settings}")
    with pytest.raises(AgentError, match="'c'"):
        evolve.load_agent(f"{tmp_path}/m.npz?c=1")


def test_programs_are_found_wherever_settings_name_them() -> None:
    class Settings(BaseModel):
        panel: tuple[str, ...] = ("swh", "gtp:engine -x?time=1")
        shares: dict[str, float] = Field(default_factory=lambda: {"nboard:other": 0.5, "self": 0.5})
        deep: dict[str, list[list[str]]] = Field(default_factory=lambda: {"x": [["swh,gtp:third"]]})
        harmless: str = "champion.json?depth=3"

    assert programs_in(Settings()) == ["gtp:engine -x?time=1", "nboard:other", "swh,gtp:third"]
    assert programs_in(Settings(panel=(), shares={}, deep={})) == []


def test_folders_without_a_champion_and_python_files_are_no_agents(tmp_path: Path) -> None:
    with pytest.raises(AgentFileError, match="champion"):
        evolve.load_agent(tmp_path)
    (tmp_path / "study.toml").touch()
    with pytest.raises(AgentFileError, match="study"):
        evolve.load_agent(tmp_path)
    (tmp_path / "blend-seed-0").mkdir()
    (tmp_path / "blend-seed-0" / "config.toml").touch()
    with pytest.raises(AgentFileError, match="runs"):
        evolve.load_agent(tmp_path)
    exported = tmp_path / "agent.PY"
    exported.touch()
    with pytest.raises(AgentFileError, match="python:"):
        evolve.load_agent(exported)
    with pytest.raises(AgentError, match="alpha-beta"):
        load_alphabeta("uct")
