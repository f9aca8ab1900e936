"""What runs are expected to cost on this machine, estimated once for each question."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evolve.parsing import laid_over
from evolve.runs.run_type import Cost
from evolve.runs.study_spec import StudySpec, seeds_of
from evolve.service.engine_client import Search
from evolve.service.models.meta import CostInfo

_MOST: Final = 500
"""Answers that are kept."""
_MOST_SETTINGS: Final = 16
"""Most settings of a study that is estimated."""


class Costs:
    """Asks the engine what commands with settings cost, and keeps the answers."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._known: dict[str, Cost] = {}

    async def of(self, command: str, settings: dict[str, Any], threads: int) -> Cost:
        """The cost of a command with checked settings, on so many threads."""
        question: dict[str, Any] = {"command": command, "settings": settings, "threads": threads}
        key = json.dumps(question, sort_keys=True)
        if key not in self._known:
            if len(self._known) > _MOST:
                self._known.clear()
            self._known[key] = Cost(*await self._search.ask("cost", **question))
        return self._known[key]

    async def of_study(self, design: StudySpec, own: Mapping[str, str], threads: int) -> CostInfo:
        """The cost of a study: of its settings, each as often as there are seeds.

        Nobody knows it of a study with many settings, where to ask for each would take long.
        """
        settings, seeds = design.settings_of_runs, len(design.seeds)
        if len(settings) > _MOST_SETTINGS:
            return cost_info(Cost(), len(settings) * seeds)
        costs = [
            await self.of(
                design.command, {**laid_over(design.settings, one.changes), **own}, threads
            )
            for one in settings
        ]
        parts = zip(*costs, strict=True)
        total = [None if None in one else sum(filter(None, one)) * seeds for one in parts]
        return CostInfo(seconds=total[0], most=total[1], bytes=total[2], runs=len(settings) * seeds)


def runs_of(seeds: str | None, grid: Mapping[str, Sequence[Any]]) -> int:
    """The number of runs of a study; 1 where it is none."""
    count = 1 if seeds is None else len(seeds_of(seeds))
    return count * math.prod(map(len, grid.values()))


def cost_info(cost: Cost, runs: int) -> CostInfo:
    """The cost of so many runs as clients get it: they share the threads."""
    parts = (None if one is None else one * runs for one in cost)
    seconds, most, size = parts
    return CostInfo(seconds=seconds, most=most, bytes=size, runs=runs)
