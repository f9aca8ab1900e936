"""How often a sequential test decides wrongly, and how long it takes, over simulated matches.

    python -m benchmarks.sprt [--bounds -10:0 0:20 0:60] [--matches 2000]

Pairs of games are drawn from distributions of three shapes whose strength is that of a bound, or
half way between. The test is the real one, looked at after every round.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple, get_args

import numpy as np

from evolve.arena.sprt import Sprt
from evolve.config.matches import EloUnit
from evolve.fitness.statistics import Floats, elo_of

SHAPES = {
    "undrawn": (0.25, 0.0, 0.5, 0.0, 0.25),
    "chess": (0.005, 0.23, 0.53, 0.23, 0.005),
    "lopsided": (0.10, 0.05, 0.70, 0.05, 0.10),
}
"""Shares of pairs with 0, ½, 1, 1½ and 2 points between equals: independent games without draws, as
in chess, openings that decide half of the pairs."""
SCORES = np.arange(5) / 4


class Simulated(NamedTuple):
    """Share of matches in which the test accepted, and their mean length in games."""

    accepted: float
    games: float


def strength(shares: Floats, unit: EloUnit) -> float:
    mean = float(shares @ SCORES)
    if unit == "logistic":
        return elo_of(mean)
    spread = math.sqrt(2 * float(shares @ (SCORES - mean) ** 2))
    return (mean - 0.5) / spread * 800 / math.log(10)


def leaning(shape: tuple[float, ...], elo: float, unit: EloUnit) -> Floats:
    """The distribution of that strength with shares ∝ shape · exp(λ score)."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        shares = np.array(shape) * np.exp(middle * SCORES)
        shares /= shares.sum()
        low, high = (middle, high) if strength(shares, unit) < elo else (low, middle)
    return shares


def simulated(test: Sprt, shares: Floats, matches: int, rng: np.random.Generator) -> Simulated:
    counts, going = np.zeros((matches, len(SCORES)), np.int64), np.arange(matches)
    accepted = 0
    while len(going):
        counts[going] += rng.multinomial(test.ROUND, shares, size=len(going))
        ratios = test.ratios(counts[going])
        accepted += int((ratios >= test.upper).sum())
        going = going[(ratios > test.lower) & (ratios < test.upper)]
    return Simulated(accepted / matches, 2 * counts.sum() / matches)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--bounds", nargs="+", default=["-10:0", "0:20", "0:60"])
    parser.add_argument("--matches", type=int, default=2000)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    print("| bounds | unit | pairs | wrong at the first | at the second | games, expected |")
    print("|---|---|---|---|---|---|")
    for text in arguments.bounds:
        low, high = map(float, text.split(":"))
        for unit in get_args(EloUnit):
            test = Sprt(low, high, unit=unit)
            elos = (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1)
            for name, shape in SHAPES.items():
                found = [
                    simulated(test, leaning(shape, elo, unit), arguments.matches, rng)
                    for elo in elos
                ]
                games = ", ".join(
                    f"{one.games:.0f}, {expected:.0f}"
                    for one, expected in zip(found, test.expected, strict=True)
                )
                wrong = f"{found[0].accepted:.4f} | {1 - found[-1].accepted:.4f}"
                print(f"| {text} | {unit} | {name} | {wrong} | {games} |", flush=True)
    error = math.sqrt(0.05 * 0.95 / arguments.matches)
    print(f"\nallowed: .05 + 2 standard errors = {0.05 + 2 * error:.4f}")


if __name__ == "__main__":
    main()
