"""Estimate the duration and disk use of a run, from a sample of its first games.

`Costs` models the duration of a generation on a number of slots, from measured costs. It has three
parts: breeding, pairing and standings on one core; its games on all slots, in tasks; and the
panel's games and writing, alongside the games of the next generation. The costs of the serial parts
come from a profile of 512 individuals. Simulated workers, on the same two cores as the scheduler,
are as fast as the model or faster: with 8 to 128 slots, with 1000 if games take 80 ms.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from evolve.config.evolution import EvolutionSettings
from evolve.evolution.loop import SLOTS_TO_PLAY_AHEAD, Evolution
from evolve.evolution.playoff import games_afterwards
from evolve.fitness.executor import BATCH, Threads, task_size
from evolve.fitness.openings import START_POSITION
from evolve.fitness.playing import play_games
from evolve.population.randomness import Use, generator

BYTES_A_GAME: Final = 90
"""Compressed size of a game in the tables: 85 bytes in runs of 64 individuals, plus its share of
the individuals' bytes."""
_SAMPLE_AGENTS: Final = 24
_SAMPLE_GAMES: Final = 192
_PARTS: Final = 3
"""Parts of the sample, each timed on its own: the median ignores a burst of other work."""
_AN_INDIVIDUAL: Final = 0.36e-3
"""Seconds on one core to breed an individual."""
_A_GAME: Final = 1.1e-6
"""Seconds on one core to schedule and count a game."""
_WRITTEN_GAME: Final = 3.4e-6
"""Seconds on one core to make the row of a game and write it."""
_A_TASK: Final = 0.75e-3
"""Seconds of the scheduler, a single process, per task."""
_WORTH: Final = 0.5
"""Share of a core that a slot must add to be useful."""
_MOST: Final = 4096


@dataclass(frozen=True)
class Costs:
    """Costs of a generation: individuals, games, panel games, and CPU seconds per game."""

    individuals: int
    games: int
    panel_games: float
    seconds_a_game: float

    def seconds(self, slots: int, task: float = _A_TASK) -> float:
        """Seconds of a generation; task: scheduler seconds per task, 0 for threads."""
        bred = self.individuals * _AN_INDIVIDUAL + self.games * _A_GAME
        written = self.games * _WRITTEN_GAME
        size = task_size(self.games, slots)
        tasks = math.ceil(self.games / size)
        played = self.games * self.seconds_a_game / min(slots, tasks)
        panel_tasks = max(1, math.ceil(self.panel_games / task_size(int(self.panel_games), slots)))
        judged = self.panel_games * self.seconds_a_game / min(slots, panel_tasks)
        # The last tasks do not end together: half of one task is lost.
        played += 0.5 * size * self.seconds_a_game * (slots > 1)
        if slots < SLOTS_TO_PLAY_AHEAD:
            return bred + played + judged + written
        together = (self.games + self.panel_games) * self.seconds_a_game / slots
        return max(bred + played, bred + together, judged + written, tasks * task)

    def speed_up(self, slots: int) -> float:
        """How many times as fast as on one slot."""
        return self.seconds(1) / self.seconds(slots)

    @property
    def useful(self) -> int:
        """The most slots that still add half a core each, on average."""
        return max(n for n in range(1, _MOST + 1) if self.speed_up(n) >= _WORTH * n)


@dataclass(frozen=True)
class Forecast:
    """Seconds and bytes for what remains of a run, and the costs of a generation.

    generation: seconds of one. endings: seconds of the stages after the last one, by their names.
    """

    seconds: float
    bytes: float
    costs: Costs
    generation: float
    endings: Mapping[str, float]


def cost(settings: EvolutionSettings, threads: int) -> tuple[float, float, float]:
    """The seconds, most seconds and bytes of a run that is not begun, see `run_type.Cost`."""
    with tempfile.TemporaryDirectory() as folder:
        forecast = estimate(Evolution(Path(folder), settings, Threads(threads)))
    return forecast.seconds, forecast.seconds, forecast.bytes


def estimate(evolution: Evolution) -> Forecast:
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
    agents = [genome.agent(genes, str(number)) for number, genes in enumerate(genomes)]
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
            largest_endgame=genome.largest_endgame,
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
    panel = 2 * settings.panel_openings * evolution.panel.opponents / settings.panel_every
    costs = Costs(settings.population, settings.games_a_generation, panel, took / count)
    left = settings.generations - evolution.generation - 1
    games = costs.games + costs.panel_games
    generation = costs.seconds(executor.slots, _A_TASK if executor.elsewhere else 0.0)
    a_game = costs.seconds_a_game / executor.slots
    endings = {name: count * a_game for name, count in games_afterwards(settings).items()}
    limit = math.inf if settings.time_limit is None else 3600.0 * settings.time_limit
    seconds = min(left * generation, limit) + sum(endings.values())
    return Forecast(seconds, left * games * BYTES_A_GAME, costs, generation, endings)
