"""The operators of an evolution by name, with a line about each.

One dictionary for each setting that names an operator: options, help, checks and the sweep's space
take their choices from it. The functions are in `evolve.population`, which asserts that it has one
for every name; they are not here because settings must load neither DEAP nor numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DIRECT: Final = "direct"
"""The encoding by which tables alone say what agents are."""
SCORE: Final = "score"
"""The fitness that the tables hold in any case."""

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
        "sus": "at random by share of fitness, evenly spaced (stochastic universal sampling)",
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
    "mutation": {
        "gaussian": "a normal random step",
        "uniform": "drawn again from the range",
    },
    "depth_mutation": {
        "step": "one up or down",
        "uniform": "drawn again from the range",
    },
    "survival": {
        "selected": "all who are selected, beside their children",
        "best": "the best alone, all others are replaced",
    },
    "encoding": {DIRECT: "genes are the parameters of the agents"},
}

OWN: Final = "own:"
"""What the name of an operator of one's own begins with: `own:elders` is the function `elders`."""
OWNABLE: Final = tuple(kind for kind in OPERATORS if kind != "algorithm")
"""Settings that a Python call may give a function of its own."""


def check_operator(kind: str, name: str) -> str:
    """The name itself; ValueError, which lists the known ones, when there is no such operator."""
    if name in OPERATORS[kind] or (kind in OWNABLE and name.startswith(OWN)):
        return name
    known = ", ".join(OPERATORS[kind])
    raise ValueError(f"there is no such {kind.replace('_', ' ')}; there are {known}")
