"""The estimate of a run's time and space, which is about what is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.toml import resolve, resolve_as
from evolve.evolution.estimate import BYTES_A_GAME, Costs, estimate
from evolve.evolution.loop import Evolution
from evolve.evolution.playoff import games_afterwards
from evolve.fitness.executor import ONE_THREAD
from evolve.runs.progress import Observer
from tests.evolution.conftest import TINY, start


def test_over_a_given_evaluation_a_game_costs_something(tmp_path: Path) -> None:
    options = {"evaluation": "patterns-standard", "rules": "standard", "population": 4}
    evolution = Evolution(tmp_path, resolve({**TINY, **options}), ONE_THREAD)
    assert estimate(evolution).costs.seconds_a_game > 0.0


def test_it_counts_the_games_still_to_come(tmp_path: Path) -> None:
    evolution = Evolution(
        tmp_path, resolve({**TINY, "generations": 10, "panel": "fixed"}), ONE_THREAD
    )
    games = 6 * 5 + 2 * TINY["panel_openings"] * evolution.panel.opponents
    whole = estimate(evolution)
    assert whole.bytes == 10 * games * BYTES_A_GAME
    assert whole.seconds > 0.0
    evolution.generation = 4
    half = estimate(evolution)
    assert half.bytes == pytest.approx(whole.bytes / 2)


class Counted(Observer):
    """Keeps how many games each stage has had."""

    def __init__(self) -> None:
        self.games: dict[str, float] = {}

    def stage(self, name: str, done: float, total: float) -> None:
        self.games[name] = max(done, self.games.get(name, 0.0))


@pytest.mark.parametrize("panel", [pytest.param("fixed", marks=pytest.mark.slow), "ladder"])
def test_it_knows_the_stages_after_the_last_generation(tmp_path: Path, panel: str) -> None:
    evolution = Evolution(tmp_path, resolve({**TINY, "panel": panel}), ONE_THREAD)
    about = estimate(evolution)
    left = evolution.settings.generations * about.generation
    assert about.seconds == pytest.approx(left + sum(about.endings.values()))
    expected = games_afterwards(evolution.settings)
    assert list(about.endings) == list(expected)
    each = about.costs.seconds_a_game
    assert [*about.endings.values()] == pytest.approx([each * games for games in expected.values()])
    watched = Counted()
    start(tmp_path / "run", observer=watched, panel=panel)
    for name, games in expected.items():
        assert watched.games[name] <= games <= 3.0 * watched.games[name]


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


def test_speed_up_is_less_than_the_slots_and_grows_with_the_work() -> None:
    for slots in (32, 128):
        small, large, slow = (
            one.speed_up(slots)
            for one in (costs(), costs(population=512), costs(4e-3, population=512))
        )
        assert small < large < slow <= slots


def test_slots_that_bring_less_than_half_a_core_are_not_useful() -> None:
    for found in (costs(), costs(population=512), costs(population=512, opponents=20)):
        assert found.speed_up(found.useful) >= found.useful / 2
        for more in (1.5, 3):
            slots = int(found.useful * more) + 1
            assert found.speed_up(slots) < slots / 2
    assert costs().useful < costs(population=512).useful < costs(4e-3, population=512).useful


def test_on_very_many_slots_the_scheduler_is_not_the_limit() -> None:
    found = costs(4e-3, population=512)
    assert found.speed_up(1000) > found.speed_up(400) > found.speed_up(128)
