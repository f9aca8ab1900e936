"""What tells whether an agent is still the one it was."""

from __future__ import annotations

from typing import Any

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.clocked import ClockedAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.protocol import Agent


def identity_of(agent: Agent) -> Any:
    """What makes an agent play as it does, as JSON can hold it; a name where no more is known."""
    if isinstance(agent, ClockedAgent):
        return [agent.seconds, agent.depth, agent.agent.parameters]
    if isinstance(agent, AlphaBetaAgent):
        return agent.parameters
    if isinstance(agent, MctsAgent | DqnAgent):
        networks = agent.networks if isinstance(agent, DqnAgent) else (agent.network,)
        digests = [network.digest for network in networks if network is not None]
        return [agent.name, agent.parameters, digests]
    return agent.name
