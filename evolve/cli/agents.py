"""An agent as a person wants to see it: boards of weights, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.cli.terminal import out, print_rows
from evolve.engine.context import TERM_NAMES
from evolve.engine.evaluation import CLASS_OF_SQUARE


def print_agent(agent: AlphaBetaAgent, ancestors: Sequence[tuple[int, str, str]]) -> None:
    """Name, depths, weights as boards side by side, terms, and where it comes from."""
    _say(f"{agent.name} · {agent.rules or 'any rules'} · exact from {agent.endgame} empties")
    edges = [4, *agent.boundaries, 65]
    spans = [f"{low}–{high - 1} discs" for low, high in pairwise(edges)]
    print_rows(
        ["phase", "discs", "depth", *TERM_NAMES],
        [
            [phase, span.removesuffix(" discs"), agent.depths[phase]]
            + [getattr(agent, term)[phase] for term in TERM_NAMES]
            for phase, span in enumerate(spans)
        ],
    )
    # Three boards of eight columns fit beside each other in a terminal of 120 characters.
    width = max(len(str(weight)) for table in agent.weights for weight in table) + 1
    for first in range(0, agent.phases, 3):
        shown = range(first, min(first + 3, agent.phases))
        _say()
        _say(
            "   ".join(f"weights, {spans[phase]}".ljust(2 + 8 * width) for phase in shown).rstrip()
        )
        heads = "".join(letter.rjust(width) for letter in "abcdefgh")
        _say("   ".join("  " + heads for _ in shown))
        for row in range(8):
            lines = []
            for phase in shown:
                weights = [agent.weights[phase][CLASS_OF_SQUARE[8 * row + x]] for x in range(8)]
                lines.append(f"{row + 1} " + "".join(str(w).rjust(width) for w in weights))
            _say("   ".join(lines))
    if agent.provenance:
        _say()
        for key, value in agent.provenance.items():
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            _say(f"{key}: {f'{text:.4f}' if isinstance(text, float) else text}")
    if ancestors:
        _say()
        _say("ancestry")
        for steps, name, origin in ancestors:
            _say("  " * (steps + 1) + f"{name} ({origin})")


def _say(text: str = "") -> None:
    out().print(text, soft_wrap=True, markup=False)
