"""The operators of an evolution by name, with a line about each.

There is one dictionary for each setting that names an operator: options, help, checks and the
sweep's space take their choices from it. The functions are in `evolve.population`, which asserts
that it has one for each name. They are not here because settings must not load DEAP or numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DIRECT: Final = "direct"
"""The encoding with which the tables alone describe the agents."""
SCORE: Final = "score"
"""The fitness that the tables always hold."""

OPERATORS: Final[Mapping[str, Mapping[str, str]]] = {
    "algorithm": {
        "ga": "genetic algorithm, by the operators below",
        "cma": "DEAP's CMA-ES on the same genome",
    },
    "fitness": {SCORE: "(wins + ½ draws) / games in the round robin"},
    "selection": {
        "best": "the best (truncation)",
        "tournament": "winners of tournaments of three",
        "rank": "at random, the better the rank the likelier",
        "lexicase": "the best against one opponent, ties against the next, in random order",
    },
    "crossover": {
        "blend": "anywhere between the parents' values and a little beyond (BLX)",
        "uniform": "each number from either parent",
        "one-point": "one parent's numbers up to a point, then the other's",
        "two-point": "the other parent's numbers between two points",
        "sbx": "near either parent's value, within the bounds (simulated binary)",
        "none": "children have one parent",
    },
    "mutation": {"gaussian": "a normal random step", "uniform": "drawn again from the range"},
    "depth_mutation": {"step": "one up or down", "uniform": "drawn again from the range"},
    "survival": {
        "selected": "all that are selected, with their children",
        "best": "the best alone, all others are replaced",
    },
    "encoding": {DIRECT: "genes are the parameters of the agents"},
}

OWN: Final = "own:"
"""Prefix for the name of a user's own operator: `own:elders` is the function `elders`."""
OWNABLE: Final = tuple(kind for kind in OPERATORS if kind != "algorithm")
"""Settings for which a Python call may pass its own function."""


def check_operator(kind: str, name: str) -> str:
    """Return the name; raise ValueError, with the known names, when there is no such operator."""
    if name in OPERATORS[kind] or (kind in OWNABLE and name.startswith(OWN)):
        return name
    known = ", ".join(OPERATORS[kind])
    raise ValueError(f"there is no such {kind.replace('_', ' ')}; there are {known}")
