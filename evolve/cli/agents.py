"""An agent, printed for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evolve.agents.agent import StoredAgent
from evolve.cli.terminal import print_rows, say

_BESIDE: Final = 3
"""Boards of eight columns that fit beside each other in a terminal of 120 characters."""


def print_agent(agent: StoredAgent, ancestors: Sequence[tuple[int, str, str]]) -> None:
    """What it says of itself, its boards side by side, and where it comes from."""
    description = agent.describe()
    say(" · ".join([agent.name, agent.rules or "any rules", *description.facts]))
    for line in description.lines:
        say(line)
    if description.rows:
        print_rows(description.columns, description.rows)
    titles = list(description.boards)
    for first in range(0, len(titles), _BESIDE):
        say("")
        shown = titles[first : first + _BESIDE]
        _print_boards({title: description.boards[title] for title in shown}, description.boards)
    if agent.provenance:
        say("")
        for key, value in agent.provenance.items():
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            say(f"{key}: {f'{text:.4f}' if isinstance(text, float) else text}")
    if ancestors:
        say("")
        say("ancestry")
        for steps, name, origin in ancestors:
            say("  " * (steps + 1) + f"{name} ({origin})")


def _print_boards(shown: Mapping[str, Sequence[Any]], every: Mapping[str, Sequence[Any]]) -> None:
    """Boards beside each other, all as wide as the widest number of `every` needs."""
    width = max(len(str(number)) for board in every.values() for number in board) + 1
    say("   ".join(title.ljust(2 + 8 * width) for title in shown).rstrip())
    heads = "".join(letter.rjust(width) for letter in "abcdefgh")
    say("   ".join("  " + heads for _ in shown))
    for row in range(8):
        say(
            "   ".join(
                f"{row + 1} " + "".join(str(n).rjust(width) for n in board[8 * row : 8 * row + 8])
                for board in shown.values()
            )
        )
