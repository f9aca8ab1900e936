"""What runs are expected to cost on this machine, estimated once for each question."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evolve.runs.run_type import Cost
from evolve.runs.study_spec import seeds_of
from evolve.service.engine_client import Search
from evolve.service.forms import Form
from evolve.service.models.meta import CostInfo

_MOST: Final = 500
"""Answers that are kept."""


class Costs:
    """Asks the engine for the estimates of commands, and keeps the answers."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._known: dict[str, Cost] = {}

    async def of(
        self, form: Form, settings: Mapping[str, Any], threads: int, runs: int = 1
    ) -> CostInfo:
        """The cost of so many runs with checked settings, which share the threads."""
        if form.variant is None or form.variant.cost is None:
            return CostInfo(seconds=None, most=None, bytes=None, runs=runs)
        values = {**form.own, **settings}
        question: dict[str, Any] = {"command": form.command, "settings": values, "threads": threads}
        key = json.dumps(question, sort_keys=True)
        if key not in self._known:
            if len(self._known) > _MOST:
                self._known.clear()
            self._known[key] = Cost(*await self._search.ask("cost", **question))
        seconds, most, size = (None if part is None else part * runs for part in self._known[key])
        return CostInfo(seconds=seconds, most=most, bytes=size, runs=runs)


def runs_of(seeds: str | None, grid: Mapping[str, Sequence[Any]]) -> int:
    """The number of runs of a study; 1 where it is none."""
    count = 1 if seeds is None else len(seeds_of(seeds))
    return count * math.prod(map(len, grid.values()))
