"""How strong the reference agents are, how long they think, and what the levels play.

This is the one place with these figures. They are Elo on the scale of the ladder (see
`board.rules`), whose zero is the reference table at depth 1, and come from
`python -m benchmarks.levels`; docs/arena.md says how. Only the table is here: nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evolve.agents.registry import LEVEL
from evolve.engine.board.rules import Rules


@dataclass(frozen=True)
class Rating:
    """The strength of a reference agent under some rules.

    elo: on the ladder's scale; error: half of its 95 % interval; seconds: CPU time of a move, the
    mean over a game on one core; about: what it is, in a line; plays: of a level, the name of the
    agent that it is, with settings.
    """

    elo: int
    error: int
    seconds: float
    about: str
    plays: str = ""


_RANDOM: Final = "random moves"
_UCT: Final = "tree search by random games"
_NO_VALUES: Final = "values no square, one ply ahead"
_TABLE: Final = "a table of weights, one ply ahead"
_MOBILITY: Final = "a table of weights and mobility, one ply ahead"
_EVOLVED: Final = "evolved by evolve run"
_PUBLISHED: Final = "evolved with the published settings"
_TAUGHT: Final = "patterns, taught by evolve train patterns"

RATINGS: Final[Mapping[Rules, Mapping[str, Rating]]] = {
    "standard": {
        "level-1": Rating(-300, 40, 2e-5, "knows the moves", "swh?mistakes=0.7"),
        "level-2": Rating(-150, 40, 2e-5, "likes corners, forgets often", "swh?mistakes=0.3"),
        "level-3": Rating(0, 26, 1e-5, "likes corners, one ply ahead", "swh"),
        "level-4": Rating(202, 40, 3e-5, "likes corners, 3 plies ahead", "swh?depth=3"),
        "level-5": Rating(392, 40, 5e-5, "likes corners, 5 plies ahead", "swh?depth=5"),
        "level-6": Rating(520, 40, 6e-5, "patterns, 2 plies ahead", "patterns-standard?depth=2"),
        "level-7": Rating(660, 40, 7e-5, "patterns, 3 plies ahead", "patterns-standard?depth=3"),
        "level-8": Rating(800, 40, 1e-4, "patterns, 4 plies ahead", "patterns-standard?depth=4"),
        "level-9": Rating(
            1000, 40, 3e-4, "patterns, 3000 nodes a move", "patterns-standard?nodes=3000"
        ),
        "level-10": Rating(
            1200, 40, 1e-3, "patterns, 20 000 nodes a move", "patterns-standard?nodes=20000"
        ),
        "level-11": Rating(
            1390, 40, 5e-3, "patterns, 100 000 nodes a move", "patterns-standard?nodes=100000"
        ),
        "level-12": Rating(
            1600, 99, 0.5, "patterns, 10 million nodes a move", "patterns-standard?nodes=10000000"
        ),
        "random": Rating(-457, 40, 1e-5, _RANDOM),
        "uct": Rating(0, 99, 1e-2, _UCT),
        "zero": Rating(-300, 99, 1e-5, _NO_VALUES),
        "swh": Rating(0, 26, 1e-5, _TABLE),
        "swh-mobility": Rating(100, 99, 1e-5, _MOBILITY),
        "positional": Rating(100, 99, 1e-5, _MOBILITY),
        "champion-standard": Rating(816, 16, 1e-4, _EVOLVED),
        "published-standard": Rating(599, 15, 1e-4, _PUBLISHED),
        "patterns-standard": Rating(1676, 35, 2e-3, _TAUGHT),
    },
    "reversed": {
        **{
            f"level-{number}": Rating(150 * (number - 3), 99, 1e-3, "not yet measured", plays)
            for number, plays in enumerate(
                (
                    "anti-swh-mobility?mistakes=0.7",
                    "anti-swh-mobility?mistakes=0.3",
                    "anti-swh-mobility",
                    "anti-swh-mobility?depth=3",
                    "anti-swh-mobility?depth=5",
                    "patterns-reversed?depth=2",
                    "patterns-reversed?depth=3",
                    "patterns-reversed?depth=4",
                    "patterns-reversed?nodes=3000",
                    "patterns-reversed?nodes=20000",
                    "patterns-reversed?nodes=100000",
                    "patterns-reversed?nodes=10000000",
                ),
                1,
            )
        },
        "random": Rating(-457, 99, 1e-5, _RANDOM),
        "uct": Rating(0, 99, 1e-2, _UCT),
        "zero": Rating(-400, 99, 1e-5, _NO_VALUES),
        "anti-swh": Rating(-50, 99, 1e-5, _TABLE),
        "anti-swh-mobility": Rating(0, 24, 1e-5, _MOBILITY),
        "champion-reversed": Rating(763, 15, 1e-4, _EVOLVED),
        "published-reversed": Rating(520, 15, 1e-4, _PUBLISHED),
        "patterns-reversed": Rating(1530, 29, 2e-3, _TAUGHT),
    },
}
"""Ratings by rules and name."""


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
