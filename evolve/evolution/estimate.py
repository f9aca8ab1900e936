"""Estimate the duration and disk use of a run, from a sample of its first games."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from evolve.evolution.loop import Evolution
from evolve.evolution.scaling import A_TASK, Costs
from evolve.evolution.seeds import Use, generator
from evolve.fitness.executor import BATCH
from evolve.fitness.openings import START_POSITION
from evolve.fitness.playing import play_games

BYTES_A_GAME: Final = 90
"""Compressed size of a game in the tables: 85 bytes in runs of 64 individuals, plus its share of
the individuals' bytes."""
_SAMPLE_AGENTS: Final = 24
_SAMPLE_GAMES: Final = 192
_PARTS: Final = 3
"""Parts of the sample, each timed on its own: the median ignores a burst of other work."""


@dataclass(frozen=True)
class Estimate:
    """Seconds and bytes for the remaining generations, and the costs of one."""

    seconds: float
    bytes: float
    costs: Costs


def estimate(evolution: Evolution) -> Estimate:
    """Play games between random weights at medium depths, and extrapolate.

    Depths are in the middle of their bounds and there is no node budget: with random depths many
    games end early on nodes, unlike those of evolved agents. The true cost may be half or twice
    as much.
    """
    settings = evolution.settings
    rng = generator(settings.seed, Use.ESTIMATE)
    genome = evolution.genome
    middle = (genome.low + genome.high) // 2
    genomes = [np.where(genome.steps, middle, genome.random(rng)) for _ in range(_SAMPLE_AGENTS)]
    agents = [genome.agent(one, str(number)) for number, one in enumerate(genomes)]
    count = _SAMPLE_GAMES if genome.given is None else _SAMPLE_GAMES // 8
    drawn = [rng.choice(_SAMPLE_AGENTS, 2, replace=False) for _ in range(count)]
    pairings = np.array([(a, b, 0) for a, b in drawn], np.int32)

    def play(games: slice) -> float:
        started = time.perf_counter()
        play_games(
            agents,
            pairings[games],
            START_POSITION,
            settings.rules,
            largest_endgame=evolution.largest_endgame,
            executor=evolution.executor,
        )
        return time.perf_counter() - started

    play(slice(1))  # compiles, or loads compiled code
    executor = evolution.executor
    elsewhere = executor.elsewhere
    seconds = median(play(slice(part, None, _PARTS)) for part in range(_PARTS)) * _PARTS
    # On this machine a thread may get less than a core, and the clock includes that. Many workers
    # of a cluster are idle during so small a sample, so they report their own times.
    at_once = min(executor.slots, -(-count // _PARTS // BATCH))
    took = executor.elsewhere - elsewhere or seconds * at_once
    costs = Costs.of(settings, evolution.panel.opponents, took / count)
    left = settings.generations - evolution.generation - 1
    games = costs.games + costs.panel_games
    task = A_TASK if executor.elsewhere else 0.0
    return Estimate(left * costs.seconds(executor.slots, task), left * games * BYTES_A_GAME, costs)
