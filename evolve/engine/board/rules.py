"""The rules of the game: their only table, and the game's limits. No numba is loaded here.

The kernel `bits.final_score` scores a finished game by the code of the rules; the stand-alone
export has the same score in `standalone/part_values.py`. Everything else that differs between rules
is in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from evolve.errors import PositionError

MAX_PLIES: Final = 120
"""60 moves, with a pass before each at worst."""
PASS: Final = 64
NO_MOVE: Final = -1
MAX_OPENING_PLIES: Final = 20
"""Longest random opening."""
WIN: int = 1 << 20
"""A finished game counts its exact score times this: more than any evaluation."""
NO_SCORE: Final = -65
"""The kernel's answer for an unknown code; scores are −64 to 64."""

# Codes of the rules, for kernels.
STANDARD, REVERSED = 0, 1


@dataclass(frozen=True)
class RuleSet:
    """What differs between rules, apart from the scoring of a finished game.

    code: of the rules in kernels, and in `bits.final_score`.
    goal: who wins, in a few words.
    score: what the exact score is, in words; it is −64 to 64, and one side gets what the other
        loses.
    discs: 1 or −1 where the score of a full board is that many times own − opp discs, and no
        score exceeds what a full board can still reach: the solver then counts instead of playing
        the last move, and uses stable discs as bounds. It also says which disc difference is
        better, and for which side a disc counts in learning. 0 where scores do not depend on
        discs: the search assumes nothing, and discs earn nothing.
    corners_last: whether squares that are usually good are bad, so that moves are searched in
        reverse order, corners last. Right or wrong, the values are the same.
    ggf: the letter of these rules in a GGF game type, `` for the usual game; None where GGF does
        not know them.
    greedy: reference agent that plays by a table alone, an opponent to learn from.
    judge: reference agent; its search decides which openings are balanced.
    reference: reference agent that tables and plots measure champions by.
    panel: reference agents from the weakest to the strongest that learners and trials are
        measured by: random moves, a greedy table, alpha-beta 2, 4 and 6 deep.
    strong_panel: the same for learners that beat all of these: the bundled agent with patterns at
        several depths; empty where there is none.
    ladder: rungs and their Elo, the weakest first; 0 is the reference at depth 1. From `python -m
        benchmarks.ladder rungs`: 400 games with each of four neighbours on either side,
        Bradley-Terry; ± is half a 95 % interval around the mean of all rungs. A run's ratings
        share these errors, so they cancel in comparisons of its generations. Empty for rules
        without a measured ladder: their runs have the fixed panel.
    """

    code: int
    goal: str
    score: str
    discs: Literal[-1, 0, 1]
    corners_last: bool
    ggf: str | None
    greedy: str
    judge: str
    reference: str
    panel: tuple[str, str, str, str, str]
    ladder: Mapping[str, int]
    strong_panel: tuple[str, ...] = ()


RULE_SETS: Final[Mapping[str, RuleSet]] = {
    "standard": RuleSet(
        code=STANDARD,
        goal="most discs wins",
        score="own − opp discs with the empty squares to the winner",
        discs=1,
        corners_last=False,
        ggf="",
        greedy="swh",
        judge="swh-mobility",
        reference="swh",
        panel=("random", "swh", "positional?depth=2", "positional?depth=4", "positional?depth=6"),
        ladder={
            "zero?depth=5": -157,  # ± 32
            "swh": 0,  # ± 26
            "swh?depth=3": 202,  # ± 21
            "swh?depth=5": 392,  # ± 17
            "champion-standard?depth=2&endgame=4": 484,  # ± 16
            "published-standard?depth=4&endgame=8": 599,  # ± 15
            "champion-standard?depth=3&endgame=6": 655,  # ± 15
            "champion-standard?depth=4&endgame=8": 816,  # ± 16
            "champion-standard?depth=5&endgame=8": 931,  # ± 17
            "champion-standard?depth=6&endgame=10": 1077,  # ± 19
            "champion-standard?depth=7&endgame=12": 1207,  # ± 21
            "champion-standard?depth=8&endgame=14": 1337,  # ± 25
        },
        strong_panel=tuple(f"patterns-standard?depth={n}" for n in (2, 4, 6)),
    ),
    "reversed": RuleSet(
        code=REVERSED,
        goal="fewest discs wins",
        score="opp − own discs",
        discs=-1,
        corners_last=True,
        ggf="a",
        greedy="anti-swh",
        judge="anti-swh-mobility",
        reference="anti-swh-mobility",
        panel=(
            "random",
            "anti-swh",
            "anti-swh-mobility?depth=2",
            "anti-swh-mobility?depth=4",
            "anti-swh-mobility?depth=6",
        ),
        ladder={
            "zero?depth=5": -309,  # ± 37
            "anti-swh-mobility": 0,  # ± 24
            "anti-swh-mobility?depth=3": 156,  # ± 20
            "anti-swh-mobility?depth=5": 292,  # ± 17
            "champion-reversed?depth=2&endgame=4": 409,  # ± 15
            "published-reversed?depth=4&endgame=8": 520,  # ± 15
            "champion-reversed?depth=3&endgame=6": 574,  # ± 14
            "champion-reversed?depth=4&endgame=8": 763,  # ± 15
            "champion-reversed?depth=5&endgame=8": 869,  # ± 16
            "champion-reversed?depth=6&endgame=10": 1012,  # ± 19
            "champion-reversed?depth=7&endgame=12": 1141,  # ± 21
            "champion-reversed?depth=8&endgame=14": 1263,  # ± 24
        },
        strong_panel=tuple(f"patterns-reversed?depth={n}" for n in (2, 4, 6)),
    ),
}
"""All rules by name."""

if TYPE_CHECKING:
    Rules: TypeAlias = str  # type checkers do not read the table
else:
    Rules = Literal[tuple(RULE_SETS)]
    """The name of rules: settings and options take their choices from it."""

DEFAULT_RULES: Final[Rules] = "standard"
"""The default rules of agents that play by any rules."""
RULES_HELP: Final = ", ".join(f"{name}: {rules.goal}" for name, rules in RULE_SETS.items())
"""All rules and their winners, for the help of commands."""


def rule_set(rules: str) -> RuleSet:
    """The rules of that name; raises PositionError when there are none."""
    found = RULE_SETS.get(rules) if isinstance(rules, str) else None
    if found is None:
        raise PositionError(f"there are no rules {rules!r}; there are {', '.join(RULE_SETS)}")
    return found


def check_rules(rules: str) -> Rules:
    """Return `rules` when it names rules; raise PositionError otherwise."""
    rule_set(rules)
    return rules


# Columns of a game's result; OUTCOME is 1, 0 or −1 for black, by the rules and the last position.
DISCS_BLACK, DISCS_WHITE, PLIES, NODES_BLACK, NODES_WHITE, REASON, OUTCOME = range(7)
RESULT_COLUMNS: Final = 7

# Reasons for the end of a game.
END, OVER_BUDGET_BLACK, OVER_BUDGET_WHITE, FAILED_BLACK, FAILED_WHITE = range(5)
RESIGNED_BLACK, RESIGNED_WHITE = range(5, 7)
"""Failed: an outside program crashed, hung or played an illegal move; never in games of kernels,
nor is one resigned."""
