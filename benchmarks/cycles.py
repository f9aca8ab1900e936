"""Is it certain what a rating says does not add up? Simulated round robins, whose truth is known.

    python -m benchmarks.cycles [--tournaments 1000]

Each two agents play pairs of games, a tenth of games between equals being drawn. On top of the
difference of their strengths (normal, of so many Elo) they have one of their own: normal, or of the
same size with any sign. Printed are the share of tournaments with something beyond chance (the low
end is over 0), the mean of the standard deviation found, the share of 95 % intervals that hold the
true one, how many tournaments name a cycle, and how many name one that is none.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from evolve.fitness.statistics import ELO_SCALE, Floats, Meeting
from evolve.fitness.strengths import Unexplained, unexplained_by_ratings


class Setting(NamedTuple):
    """Round robins of so many agents and games a pair.

    strengths, apart: standard deviations in Elo. even: whether the differences of their own are all
    of this size.
    """

    agents: int
    games: int
    strengths: float
    apart: float
    even: bool = False


SETTINGS: Final = (
    Setting(3, 20, 0, 0),
    Setting(6, 400, 0, 0),
    Setting(6, 400, 100, 0),
    Setting(6, 100, 300, 0),
    Setting(10, 40, 200, 0),
    Setting(6, 400, 0, 40, even=True),
    Setting(6, 400, 50, 40, even=True),
    Setting(6, 400, 50, 40),
    Setting(10, 400, 50, 40),
    Setting(6, 400, 200, 80),
)
_DRAWN: Final = 0.1


def played(setting: Setting, rng: np.random.Generator) -> tuple[Floats, list[Meeting]]:
    """Draw a tournament: the true differences in natural log odds, and the scores of all pairs."""
    size = setting.agents
    strengths = rng.normal(0.0, setting.strengths, size)
    if setting.even:
        own = setting.apart * rng.choice([-1.0, 1.0], (size, size))
    else:
        own = rng.normal(0.0, setting.apart, (size, size))
    own = np.triu(own, 1)
    truth = (strengths[:, None] - strengths + own - own.T) / ELO_SCALE
    chance = 1.0 / (1.0 + np.exp(-truth))
    drawn = 4.0 * chance * (1.0 - chance) * _DRAWN
    lots = rng.random((setting.games // 2, 2, size, size))
    points = (lots < chance - drawn / 2) + 0.5 * (np.abs(lots - chance) <= drawn / 2)
    scores = points.mean(axis=1)
    return truth, [(i, j, scores[:, i, j]) for i, j in combinations(range(size), 2)]


def rated(setting: Setting, seed: int) -> tuple[Unexplained, int]:
    """Return what a rating says of a tournament, and how many of its cycles are none."""
    truth, meetings = played(setting, np.random.default_rng([seed, setting.agents, setting.games]))
    found = unexplained_by_ratings([*map(str, range(setting.agents))], meetings)
    assert found is not None
    wrong = 0
    for cycle in found.cycles:
        one, two, three = map(int, cycle["agents"])
        wrong += min(truth[one, two], truth[two, three], truth[three, one]) <= 0.0
    return found, wrong


def figures(setting: Setting, tournaments: int) -> tuple[float, ...]:
    """The five figures of so many tournaments, in the order of the module's docstring."""
    rows = []
    for seed in range(tournaments):
        (elo, _, _, cycles), wrong = rated(setting, seed)
        holds = elo.low <= setting.apart <= elo.high
        rows.append((elo.low > 0.0, elo.value, holds, bool(cycles), bool(wrong)))
    return tuple(np.array(rows, float).mean(axis=0).tolist())


def main(tournaments: int) -> None:
    """Print a line for each setting."""
    for setting in SETTINGS:
        beyond, elo, held, named, wrong = figures(setting, tournaments)
        print(
            setting,
            f"beyond chance {beyond:.3f}, Elo {elo:.1f}, held {held:.3f}",
            f"cycle named {named:.3f}, wrong one {wrong:.3f}",
            flush=True,
            sep=", ",
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tournaments", type=int, default=1000)
    main(parser.parse_args().tournaments)
