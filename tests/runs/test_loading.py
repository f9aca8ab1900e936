"""What names an agent: places, and settings behind a question mark."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from pydantic import BaseModel, Field

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.registry import programs_in
from evolve.errors import AgentError, AgentFileError, RunError
from evolve.runs.ids import agent_in
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


def test_settings_of_a_call_come_before_those_in_the_name() -> None:
    agent = evolve.load_agent("swh?depth=3", depth=2)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert agent.depths == (2,)


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
    (tmp_path / "study.toml").write_text("", encoding="utf-8")
    with pytest.raises(AgentFileError, match="study"):
        evolve.load_agent(tmp_path)
    (tmp_path / "blend-seed-0").mkdir()
    (tmp_path / "blend-seed-0" / "config.toml").write_text("", encoding="utf-8")
    with pytest.raises(AgentFileError, match="runs"):
        evolve.load_agent(tmp_path)
    exported = tmp_path / "agent.PY"
    exported.write_text("", encoding="utf-8")
    with pytest.raises(AgentFileError, match="python:"):
        evolve.load_agent(exported)
    with pytest.raises(AgentError, match="alpha-beta"):
        load_alphabeta("uct")


def test_a_folder_of_runs_as_the_root_of_names(tmp_path: Path) -> None:
    """As clients of the service name agents: nothing outside of the folder, no path, no command."""
    agent = evolve.load_agent("swh?depth=2")
    for place in ("first", "study/seed-0"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "config.toml").write_text("")
        agent.save(tmp_path / place / "champion.json")
    (tmp_path / "study" / "study.toml").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "config.toml").write_text("")
    uploads = tmp_path / ".service" / "agents" / "uploads"
    uploads.mkdir(parents=True)
    agent.save(uploads / "0123456789abcdef.json")
    names = ("run:first", "run:study+seed-0?depth=2", "upload:0123456789abcdef", "swh?depth=2")
    found = [
        cast(evolve.AlphaBetaAgent, evolve.load_agent(agent_in(tmp_path, one))) for one in names
    ]
    assert [agent.depths for agent in found] == [(2,)] * len(names)
    for name, why in (
        ("run:none", "no run none"),
        ("run:empty", "no champion of empty yet"),
        ("run:first:x", "no individual 'x'"),
        ("run:..", "not the name of a run"),
        ("run:study+..", "no run"),
        ("run:.service", "not the name"),
        ("upload:../x", "no agent"),
        ("upload:0000000000000000", "no agent"),
        (str(tmp_path / "first"), "no agent"),
        ("first", "no agent"),
        ("gtp:true", "no agent gtp:true"),
        ("", "no agent"),
    ):
        with pytest.raises((AgentError, RunError), match=why):
            agent_in(tmp_path, name)
