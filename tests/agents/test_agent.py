"""What agents answer for themselves unless their kind says otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import evolve
from evolve.agents.agent import Agent, Limit, StoredAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.errors import AgentError, PositionError
from tests.agents.conftest import NETWORK_AGENTS, sample_agent


def test_what_a_file_holds_is_what_an_agent_is_known_by() -> None:
    """Unless its class says otherwise, so that no kind mistakes one agent for another."""
    identity = StoredAgent.identity.fget
    assert identity is not None
    stored = [agent for agent in NETWORK_AGENTS if isinstance(agent, StoredAgent)]
    assert any(agent.arrays for agent in stored)
    agents = [sample_agent(), replace(sample_agent(), endgame=3), *stored]
    known = {json.dumps(identity(agent)) for agent in agents}
    assert len(known) == len(agents)
    assert json.dumps(identity(sample_agent())) in known


def test_what_no_file_holds_says_so(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="random is not an agent that a file could hold"):
        evolve.load_agent("random").stored()
    for limited in ("swh?time=1", "swh?nodes=500"):
        with pytest.raises(AgentError, match="files hold no limit of time or nodes"):
            evolve.load_agent(limited).stored()
        agent = evolve.load_agent(limited)
        assert isinstance(agent, StoredAgent)
        with pytest.raises(AgentError, match="files hold no limit of time or nodes"):
            agent.save(tmp_path / "without.json")
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class LastMove(Agent):
    """Answers no more than it must."""

    name: str = "last"
    rules: Rules | None = None

    def choose(self, board: Board) -> int:
        return board.legal_moves()[-1]


def test_all_but_the_choice_has_a_default() -> None:
    agent, board = LastMove(), Board.start()
    boards = [board, board.play(19)]
    assert agent.choose_counted(board) == (44, 0)
    assert agent.choose_all(boards) == [(agent.choose(board), 0) for board in boards]
    assert agent.analyse(board) is None
    assert agent.identity == agent.name
    assert not agent.repeats
    assert not agent.together
    assert agent.row is None
    assert agent.for_game(3) == agent.limited(Limit(seconds=1.0)) == agent
    assert agent.with_rules("reversed") == LastMove(rules="reversed")
    assert agent.with_settings({}, "other") == LastMove("other")
    with pytest.raises(PositionError, match="freestyle"):
        agent.with_rules("freestyle")  # type: ignore[arg-type]


def test_more_can_be_said_of_where_an_agent_comes_from() -> None:
    agent = sample_agent().with_provenance(generation=3)
    assert agent.provenance == {"run": "none", "generation": 3}
    assert agent.document["provenance"] == agent.provenance
    assert replace(agent, provenance=sample_agent().provenance) == sample_agent()
