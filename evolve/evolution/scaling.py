"""How long a generation takes on so many slots: a model made of measured costs.

What is done for a generation: on one core its breeding, pairing and standings; on all slots its
games, in tasks; and beside the next one's games the panel's, and writing it. The costs of the
serial parts come from a profile of 512 individuals; `python -m benchmarks.scaling serial` found
half the breeding and two thirds of the writing since. Simulated workers, on the same two cores as
the scheduler, are as fast as the model says, or faster, with 8 to 128 slots, with 512 where games
take 8 ms, and with 1000 where they take 80; shorter games of so many keep those two cores full.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from evolve.config.evolution import EvolutionSettings
from evolve.evolution.loop import SLOTS_TO_PLAY_AHEAD
from evolve.fitness.executor import task_size

AN_INDIVIDUAL: Final = 0.36e-3
"""Seconds on one core for breeding it."""
A_GAME: Final = 1.1e-6
"""Seconds on one core for handing it out and counting it."""
WRITTEN_GAME: Final = 3.4e-6
"""Seconds on one core for its row, and for writing it."""
A_TASK: Final = 0.75e-3
"""Seconds of the scheduler, which is one process: of a prototype with 16 workers. 128 simulated
ones on the same two cores cost it 1.0 ms."""
_WORTH: Final = 0.5
"""Of a core: slots that bring less are not useful."""
_MOST: Final = 4096


@dataclass(frozen=True)
class Costs:
    """What a generation of a run costs: individuals, games, those of the panel, and CPU seconds a
    game."""

    individuals: int
    games: int
    panel_games: float
    seconds_a_game: float

    @classmethod
    def of(cls, settings: EvolutionSettings, opponents: int, seconds_a_game: float) -> Costs:
        """Of a run, whose panel has so many opponents at a time."""
        panel = 2 * settings.panel_openings * opponents / settings.panel_every
        individuals = settings.islands * settings.population
        return cls(individuals, settings.games_a_generation, panel, seconds_a_game)

    def seconds(self, slots: int, task: float = A_TASK) -> float:
        """Of a generation; task: seconds of one process for each task, 0 for threads."""
        bred = self.individuals * AN_INDIVIDUAL + self.games * A_GAME
        written = self.games * WRITTEN_GAME
        size = task_size(self.games, slots)
        tasks = math.ceil(self.games / size)
        played = self.games * self.seconds_a_game / min(slots, tasks)
        panel_tasks = max(1, math.ceil(self.panel_games / task_size(int(self.panel_games), slots)))
        judged = self.panel_games * self.seconds_a_game / min(slots, panel_tasks)
        # The last tasks do not end together: half of one is lost.
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
        """The most slots of which each still brings half a core's worth on the average."""
        return max(n for n in range(1, _MOST + 1) if self.speed_up(n) >= _WORTH * n)
