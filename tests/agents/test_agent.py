"""What agents answer for themselves unless their kind says otherwise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import evolve
from evolve.agents.agent import StoredAgent
from evolve.errors import AgentError
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
    with pytest.raises(AgentError, match="random is no agent that a file could hold"):
        evolve.load_agent("random").stored()
    for limited in ("swh?time=1", "swh?nodes=500"):
        with pytest.raises(AgentError, match="files hold no limit of time or nodes"):
            evolve.load_agent(limited).stored()
        agent = evolve.load_agent(limited)
        assert isinstance(agent, StoredAgent)
        with pytest.raises(AgentError, match="files hold no limit of time or nodes"):
            agent.save(tmp_path / "without.json")
    assert not list(tmp_path.iterdir())
