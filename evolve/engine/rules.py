"""The rules of the game: the one table of them, and the game's limits. No numba is loaded here.

How a finished game is scored is `scoring.final_score`, a kernel, which goes by the codes; the
stand-alone export has the same score in `standalone/part_solver.py`. Everything else that differs
from rules to rules stands in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from evolve.errors import PositionError

MAX_PLIES: Final = 120
"""60 moves, and a pass before each at worst."""
PASS: Final = 64
NO_MOVE: Final = -1
WIN: int = 1 << 20
"""A finished game is worth its exact score times this: beyond any evaluation."""
NO_SCORE: Final = -65
"""What the kernel answers for a code that it does not know; scores are −64 to 64."""

# Codes of the rules, for kernels.
STANDARD: Final = 0
REVERSED: Final = 1


@dataclass(frozen=True)
class RuleSet:
    """What differs between rules, apart from the scoring of a finished game.

    code: of the rules in kernels, and in `scoring.final_score`.
    goal: who wins, in a few words.
    score: what the exact score is, in words; it is −64 to 64, and what one side gets the other
        loses.
    discs: 1 or −1 where the score of a full board is that many times own − opp discs, and no
        score goes beyond what a full board could still reach: the solver then counts in place of
        playing the last move, and takes stable discs for bounds. It also says which disc difference
        is the better one, and whom a disc counts for in learning. 0 where scores do not go by
        discs: the search assumes nothing, and discs earn nothing.
    corners_last: whether squares that are usually good are bad, so that moves are searched in the
        opposite order, corners last. Right or wrong, the values are the same.
    ggf: the letter of these rules in a GGF game type, `` for the usual game; None where GGF does
        not know them.
    greedy: reference agent that plays by a table alone, an opponent to learn from.
    judge: the one whose search says which openings are balanced.
    reference: the one that tables and plots measure champions by.
    panel: reference agents from the weakest to the strongest that learners and trials are
        measured by: random moves, a greedy table, alpha-beta 2, 4 and 6 deep.
    strong_panel: the same for learners that beat all of these, the bundled agent with patterns at
        several depths; empty where there is none.
    ladder: rungs and their Elo, the weakest first; 0 is the reference at depth 1. By `python -m
        benchmarks.ladder rungs`: 400 games with each of four neighbours on either side,
        Bradley-Terry; ± is half a 95 % interval around the mean of all rungs. A run's ratings
        share these errors, so they cancel where its generations are compared. Empty for rules
        whose ladder has not been measured: their runs have the fixed panel.
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
        panel=(
            "random",
            "swh",
            "positional?depth=2",
            "positional?depth=4",
            "positional?depth=6",
        ),
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
        strong_panel=(
            "patterns-standard?depth=2",
            "patterns-standard?depth=4",
            "patterns-standard?depth=6",
        ),
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
        strong_panel=(
            "patterns-reversed?depth=2",
            "patterns-reversed?depth=4",
            "patterns-reversed?depth=6",
        ),
    ),
}
"""All rules by name."""

if TYPE_CHECKING:
    Rules: TypeAlias = str  # a type checker does not look into the table
else:
    Rules = Literal[tuple(RULE_SETS)]
    """The name of rules: settings and options take their choices from it."""

DEFAULT_RULES: Final[Rules] = "standard"
"""What agents that play by any rules play, unless told otherwise."""
RULES_HELP: Final = ", ".join(f"{name}: {rules.goal}" for name, rules in RULE_SETS.items())
"""All rules and who wins by them, for the help of commands."""


def rule_set(rules: str) -> RuleSet:
    """The rules of that name; raises PositionError when there are none."""
    found = RULE_SETS.get(rules) if isinstance(rules, str) else None
    if found is None:
        raise PositionError(f"there are no rules {rules!r}; there are {', '.join(RULE_SETS)}")
    return found


def check_rules(rules: str) -> Rules:
    """`rules` itself when it names rules; raises PositionError otherwise."""
    rule_set(rules)
    return rules
