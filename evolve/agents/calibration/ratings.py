"""How strong the reference agents are, how long they think, and what the levels play.

This is the one place with these figures. They are Elo on the scale of the ladder (see
`board.rules`), whose zero is the reference table at depth 1, and come from
`python -m benchmarks.levels`; docs/evidence/arena.md says how. It loads no kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from evolve.agents.names import parse_name
from evolve.agents.registry import LEVEL, LEVELS
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


_RANDOM: Final = "random moves"
_UCT: Final = "tree search by random games"
_NO_VALUES: Final = "values no square, one ply ahead"
_TABLE: Final = "a table of weights, one ply ahead"
_MOBILITY: Final = "a table of weights and mobility, one ply ahead"
_EVOLVED: Final = "evolved by evolve run"
_PUBLISHED: Final = "evolved with the published settings"
_TAUGHT: Final = "patterns, taught by evolve train patterns"
_Figures = tuple[int, int, int, int]

# The levels under any rules: settings of its patterns, seconds a move, in words; then Elo with its
# error, step with its error, under standard and under reversed rules.
_LEVELS: Final[tuple[tuple[str, float, str, _Figures, _Figures], ...]] = (
    ("depth=2&mistakes=0.5", 6e-5, "knows the moves: 2 plies ahead, half at random",
     (130, 24, 0, 0), (-43, 22, 0, 0)),
    ("depth=3&mistakes=0.345", 8e-5, "3 plies ahead, a third at random",
     (350, 18, 184, 18), (183, 20, 165, 16)),
    ("depth=4&mistakes=0.22", 1e-4, "4 plies ahead, two in nine at random",
     (545, 18, 185, 17), (466, 17, 170, 16)),
    ("depth=5&mistakes=0.13", 1e-4, "5 plies ahead, one in eight at random",
     (806, 18, 171, 16), (714, 20, 148, 16)),
    ("depth=6&mistakes=0.062", 2e-4, "6 plies ahead, one in 16 at random",
     (1194, 29, 200, 18), (1086, 29, 190, 16)),
    ("nodes=6000&mistakes=0.035", 5e-4, "6000 nodes, one in 29 at random",
     (1323, 34, 167, 16), (1257, 34, 122, 16)),
    ("nodes=7000", 5e-4, "7000 nodes", (1670, 60, 173, 16), (1442, 42, 139, 14)),
    ("nodes=17500", 8e-4, "17 500 nodes", (1733, 76, 182, 16), (1510, 48, 121, 16)),
    ("nodes=60000", 2e-3, "60 000 nodes", (1920, 0, 184, 20), (1630, 0, 123, 18)),
    ("nodes=270000", 7e-3, "270 000 nodes", (2110, 0, 187, 26), (1750, 0, 123, 22)),
    ("nodes=2000000", 0.04, "2 million nodes", (2280, 0, 172, 44), (1840, 0, 87, 32)),
    ("nodes=16000000", 0.3, "16 million nodes, about what 2 s a move give",
     (2350, 0, 74, 76), (1900, 0, 56, 79)),
)  # fmt: skip


def _levels(rules: Rules) -> dict[str, Rating]:
    """The levels with their Elo and its error, their step and its error."""
    rated = {}
    for name, (settings, seconds, about, standard, other) in zip(LEVELS, _LEVELS, strict=True):
        elo, error, step, step_error = standard if rules == "standard" else other
        plays = f"patterns-{rules}?{settings}"
        rated[name] = Rating(elo, error, seconds, about, plays, step, step_error)
    return rated


RATINGS: Final[Mapping[Rules, Mapping[str, Rating]]] = {
    "standard": {
        **_levels("standard"),
        "random": Rating(-259, 52, 1e-5, _RANDOM),
        "uct": Rating(362, 65, 5e-4, _UCT),
        "zero": Rating(-259, 33, 1e-5, _NO_VALUES),
        "swh": Rating(0, 26, 1e-5, _TABLE),
        "swh-mobility": Rating(32, 36, 1e-5, _MOBILITY),
        "positional": Rating(68, 41, 1e-5, _MOBILITY),
        "champion-standard": Rating(869, 31, 1e-4, _EVOLVED),
        "published-standard": Rating(737, 25, 1e-4, _PUBLISHED),
        "patterns-standard": Rating(1678, 25, 4e-4, _TAUGHT),
    },
    "reversed": {
        **_levels("reversed"),
        "random": Rating(-380, 50, 1e-5, _RANDOM),
        "uct": Rating(259, 55, 5e-4, _UCT),
        "zero": Rating(-364, 32, 1e-5, _NO_VALUES),
        "anti-swh": Rating(-66, 39, 1e-5, _TABLE),
        "anti-swh-mobility": Rating(0, 24, 1e-5, _MOBILITY),
        "champion-reversed": Rating(753, 20, 1e-4, _EVOLVED),
        "published-reversed": Rating(610, 24, 1e-4, _PUBLISHED),
        "patterns-reversed": Rating(1502, 23, 1e-3, _TAUGHT),
    },
}


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
