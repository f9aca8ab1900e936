"""What a run costs: how its work is spread over its generations, its disk use, its speed on slots.

`Costs` models the duration of a generation on a number of slots, from measured costs. It has three
parts: breeding, pairing and standings on one core; its games on all slots, in tasks; and the
panel's games and writing, alongside the games of the next generation. The costs of the serial parts
come from a profile of 512 individuals. Simulated workers, on the same two cores as the scheduler,
are as fast as the model or faster: with 8 to 128 slots, with 1000 if games take 80 ms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import config_text
from evolve.evolution.loop import SLOTS_TO_PLAY_AHEAD, Evolution
from evolve.fitness.executor import Executor, task_size
from evolve.runs import run_folder
from evolve.runs.progress import Observer

BYTES_A_GAME: Final = 90
"""Compressed size of a game in the tables: 85 bytes in runs of 64 individuals, plus its share of
the individuals' bytes."""
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


class _TwoGenerations(Observer):
    """Stops after two generations; remembers the executor's CPU seconds at the end of each."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.seconds: list[float] = []

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.seconds.append(self._executor.elsewhere)

    def stop(self) -> bool:
        return len(self.seconds) > 1


def costs_of(folder: Path, settings: EvolutionSettings, executor: Executor) -> Costs:
    """The costs of a late generation, by the second one: workers compile in the first.

    folder: a new one, for both. executor: a cluster, whose workers report their CPU seconds.
    """
    short = settings.model_copy(update={"generations": 3, "panel_every": 1})
    run_folder.create(folder, config_text(short, {}))
    evolution = Evolution(folder, short, executor)
    evolution.run(observer := _TwoGenerations(executor))
    first, second = observer.seconds
    panel = 2.0 * settings.panel_openings * evolution.panel.opponents
    games = settings.games_a_generation
    late = (second - first) / (settings.work(2) - settings.work(1))
    return Costs(settings.population, games, panel / settings.panel_every, late / (games + panel))
