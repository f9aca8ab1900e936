"""What a run costs: the work of its generations, the games after them, the speed on slots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.toml import resolve, resolve_as
from evolve.evolution.costs import Costs, costs_of
from evolve.evolution.playoff import games_afterwards
from evolve.fitness.executor import Threads
from evolve.runs.progress import Observer
from tests.evolution.conftest import TINY, start


class Counted(Observer):
    """Keeps how many games each stage has had."""

    def __init__(self) -> None:
        self.games: dict[str, float] = {}

    def stage(self, name: str, done: float, total: float) -> None:
        self.games[name] = max(done, self.games.get(name, 0.0))


@pytest.mark.parametrize("panel", [pytest.param("fixed", marks=pytest.mark.slow), "ladder"])
def test_the_games_of_the_stages_after_the_last_generation_are_known(
    tmp_path: Path, panel: str
) -> None:
    expected = games_afterwards(resolve({**TINY, "panel": panel}))
    watched = Counted()
    start(tmp_path / "run", observer=watched, panel=panel)
    assert not [
        (name, games)
        for name, games in expected.items()
        if not (watched.games[name] <= games <= 3.0 * watched.games[name])
    ]


def test_the_first_generations_are_the_shorter_part_of_the_work() -> None:
    settings = resolve({})
    first, last = settings.work(10) / 10, settings.work(160) - settings.work(159)
    assert first == pytest.approx(0.79, abs=0.02)  # by CPU seconds: .5 to .85
    assert last == pytest.approx(1.0, abs=0.01)
    fixed = resolve({"fix": {"depths": [3, 3, 3]}})
    assert fixed.work(10) == 10


class Workers(Threads):
    """Its tasks cost a second each, and the first one compiles for a minute."""

    def run(self, function: Any, tasks: Any) -> Any:
        for answer in super().run(function, tasks):
            self.elsewhere += 1.0 if self.elsewhere else 60.0
            yield answer


def test_a_generation_tells_what_a_game_costs_without_compilation(tmp_path: Path) -> None:
    settings = resolve({**TINY, "panel_every": 2})
    found = costs_of(tmp_path, settings, Workers(1))
    assert (found.individuals, found.games) == (6, settings.games_a_generation)
    assert 0.0 < found.seconds_a_game <= 0.5  # a task has two games or more


def costs(seconds: float = 0.4e-3, **options: object) -> Costs:
    settings = resolve_as(EvolutionSettings, PRESETS, options)
    panel = 16 * settings.panel_openings / settings.panel_every
    return Costs(settings.population, settings.games_a_generation, panel, seconds)


def test_one_slot_does_all_itself() -> None:
    found = costs(population=8, panel_openings=10, panel_every=2)
    assert (found.individuals, found.games, found.panel_games) == (8, 56, 80.0)
    games = (56 + 80) * 0.4e-3
    assert found.seconds(1) == pytest.approx(games, rel=0.1)
    assert found.seconds(1) > games
    assert found.speed_up(1) == 1.0


@pytest.mark.parametrize("slots", [32, 128])
def test_speed_up_is_less_than_the_slots_and_grows_with_the_work(slots: int) -> None:
    small, large, slow = (
        one.speed_up(slots) for one in (costs(), costs(population=512), costs(4e-3, population=512))
    )
    assert small < large < slow <= slots


@pytest.mark.parametrize("changes", [{}, {"population": 512}, {"population": 512, "opponents": 20}])
def test_slots_that_bring_less_than_half_a_core_are_not_useful(changes: dict[str, int]) -> None:
    found = costs(**changes)
    more = [int(found.useful * times) + 1 for times in (1.5, 3)]
    assert found.speed_up(found.useful) >= found.useful / 2
    assert not [slots for slots in more if found.speed_up(slots) >= slots / 2]


def test_larger_populations_use_more_slots() -> None:
    assert costs().useful < costs(population=512).useful < costs(4e-3, population=512).useful


def test_on_very_many_slots_the_scheduler_is_not_the_limit() -> None:
    found = costs(4e-3, population=512)
    assert found.speed_up(1000) > found.speed_up(400) > found.speed_up(128)
