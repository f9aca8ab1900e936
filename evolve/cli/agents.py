"""An agent as a person wants to see it: boards of weights, phase by phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.cli.terminal import print_rows, say
from evolve.engine.evaluation import CLASS_OF_SQUARE


def print_agent(agent: AlphaBetaAgent, ancestors: Sequence[tuple[int, str, str]]) -> None:
    """Name, depths, weights as boards side by side, terms, and where it comes from."""
    say(f"{agent.name} · {agent.rules or 'any rules'} · exact from {agent.endgame} empties")
    edges = [4, *agent.boundaries, 65]
    spans = [f"{low}–{high - 1} discs" for low, high in pairwise(edges)]
    print_rows(
        ["phase", "discs", "depth", *agent.told_terms],
        [
            [phase, span.removesuffix(" discs"), agent.depths[phase]]
            + [agent.terms[term][phase] for term in agent.told_terms]
            for phase, span in enumerate(spans)
        ],
    )
    # Three boards of eight columns fit beside each other in a terminal of 120 characters.
    width = max(len(str(weight)) for table in agent.weights for weight in table) + 1
    for first in range(0, agent.phases, 3):
        shown = range(first, min(first + 3, agent.phases))
        say("")
        say("   ".join(f"weights, {spans[phase]}".ljust(2 + 8 * width) for phase in shown).rstrip())
        heads = "".join(letter.rjust(width) for letter in "abcdefgh")
        say("   ".join("  " + heads for _ in shown))
        for row in range(8):
            lines = []
            for phase in shown:
                weights = [agent.weights[phase][CLASS_OF_SQUARE[8 * row + x]] for x in range(8)]
                lines.append(f"{row + 1} " + "".join(str(w).rjust(width) for w in weights))
            say("   ".join(lines))
    if agent.provenance:
        say("")
        _print_provenance(agent.provenance)
    if ancestors:
        say("")
        say("ancestry")
        for steps, name, origin in ancestors:
            say("  " * (steps + 1) + f"{name} ({origin})")


def print_network_agent(agent: MctsAgent | DqnAgent) -> None:
    """Name, settings of play, the network's layers, and where the agent comes from."""
    say(f"{agent.name} · {agent.rules or 'any rules'} · exact from {agent.endgame} empties")
    networks = (agent.network,) if isinstance(agent, MctsAgent) else agent.networks
    for key, value in agent.parameters.items():
        if key not in ("input", "layers", "endgame"):
            say(f"{key}: {value}")
    if networks[0] is not None:
        architecture = networks[0].architecture
        weights = sum(matrix.size + bias.size for matrix, bias in networks[0].weights)
        say(f"network: {architecture.input}, {weights} weights")
        for layer in architecture.layers:
            say(f"  {layer}")
    if agent.provenance:
        say("")
        _print_provenance(agent.provenance)


def _print_provenance(provenance: Mapping[str, Any]) -> None:
    for key, value in provenance.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else value
        say(f"{key}: {f'{text:.4f}' if isinstance(text, float) else text}")
