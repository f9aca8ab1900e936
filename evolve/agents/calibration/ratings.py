"""How strong the reference agents are, how long they think, and what the levels play.

The figures are in `ratings.toml`, their one place. They are Elo on the scale of the ladder (see
`board.rules`), whose zero is the reference table at depth 1, and come from
`python -m benchmarks.levels`; docs/evidence/arena.md says how. It loads no kernel.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from evolve.agents.registry import LEVEL, parse_name
from evolve.engine.board.rules import RULE_SETS, Rules


@dataclass(frozen=True)
class Rating:
    """The strength of a reference agent under some rules.

    elo: on the ladder's scale; error: half of its 95 % interval, 0 where the figure is an estimate
    between or beyond measured ones; seconds: CPU time of a move, the
    mean over a game on one core; about: what it is, in a line; plays: of a level, the name of the
    agent that it is, with settings; step, step_error: by how much Elo a level beats the one below
    it, in games of `evolve match`, or an estimate.

    The ladder's rungs are other kinds of agents, on other openings: ratings there need not differ
    by just as much as two levels do that play each other.
    """

    elo: int
    error: int
    seconds: float
    about: str
    plays: str = ""
    step: int = 0
    step_error: int = 0


def _read() -> dict[Rules, dict[str, Rating]]:
    table = tomllib.loads(Path(__file__).with_name("ratings.toml").read_text(encoding="utf-8"))
    found: dict[Rules, dict[str, Rating]] = {}
    for rules in filter(table.__contains__, RULE_SETS):
        found[rules] = {}
        for name, figures in table[rules].items():
            level = table["levels"].get(name)
            if level is not None:
                figures |= {**level, "plays": f"patterns-{rules}?{level['plays']}"}
            found[rules][name] = Rating(**figures)
    return found


RATINGS: Final[Mapping[Rules, Mapping[str, Rating]]] = _read()


def ratings_of(name: str) -> dict[Rules, Rating]:
    """The ratings of a reference agent, under all rules that it has one for."""
    return {rules: rated[name] for rules, rated in RATINGS.items() if name in rated}


def strongest(rules: Rules) -> tuple[str, Rating] | None:
    """The strongest reference agent under these rules that is no level, and its rating."""
    rated = {
        name: rating
        for name, rating in RATINGS.get(rules, {}).items()
        if not name.startswith(LEVEL)
    }
    return max(rated.items(), key=lambda item: item[1].elo, default=None)


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
