"""The rungs of the ladders in words, and which of them a rating beats. It loads no kernel."""

from __future__ import annotations

from typing import Final, NamedTuple

from evolve.agents.names import parse_name
from evolve.engine.board.rules import RULE_SETS

_WORDS: Final = {
    "zero": "no weights",
    "swh": "weight table",
    "anti-swh-mobility": "weight table",
    "champion-standard": "shipped champion",
    "champion-reversed": "shipped champion",
    "published-standard": "published champion",
    "published-reversed": "published champion",
}
"""The agents of ladders in words."""


class _RungText(NamedTuple):
    """A rung of a ladder: its agent's name, the agent in words, and its Elo."""

    agent: str
    label: str
    elo: int


def rungs_of(rules: str) -> list[_RungText]:
    """The rungs of the ladder under these rules, the weakest first; none for unknown rules."""
    ladder = RULE_SETS[rules].ladder if rules in RULE_SETS else {}
    return [_RungText(agent, words_of(agent), elo) for agent, elo in ladder.items()]


def beaten_by(rules: str | None, low: float | None) -> _RungText | None:
    """The highest rung below a rating's whole 95 % interval, which begins at `low`."""
    if rules is None or low is None:
        return None
    below = [rung for rung in rungs_of(rules) if rung.elo < low]
    return below[-1] if below else None


def words_of(agent: str) -> str:
    """The agent of a rung in words: `shipped champion, 4 plies`."""
    named = parse_name(agent)
    depth = int(named.settings.get("depth", 1))
    return f"{_WORDS.get(named.base, named.base)}, {depth} {'ply' if depth == 1 else 'plies'}"
