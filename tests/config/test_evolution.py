"""Settings of an evolution: all are explained, and what contradicts itself is named."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.config.toml import resolve
from evolve.errors import SettingsError


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fix": {"depth": "3"}}, "no gene depth"),
        ({"fix": {"depths": "1,2"}}, "it takes 1 or 3"),
        ({"fix": {"depths": "0"}}, "1 to 60"),
        ({"fix": {"depths": "deep"}}, r"fix\.depths.*deep"),
        ({"fix": {"stability": "1"}, "terms": "mobility"}, r"fix\.stability"),
        ({"bounds": {"stability": "1:2"}, "terms": "mobility"}, r"bounds\.stability: .*not among"),
        ({"bounds": {"luck": "1:2"}}, "bounds.*luck"),
        ({"population": 2}, "population.*2"),
        ({"generations": 0}, "generations.*0"),
        ({"seed": -1}, "seed.*-1"),
        ({"mutation_rate": 1.5}, r"mutation_rate.*1\.5"),
        ({"phases": 62}, "phases.*62"),
        ({"terms": "mobility,luck"}, "terms.*luck"),
        ({"tie": "endgame"}, "tie.*endgame"),
        ({"time_limit": 0}, "time_limit.*0"),
        ({"patience": 0}, "patience.*0"),
        ({"bounds": {"weights": "9:1"}}, "9 is above 1"),
        ({"bounds": {"weights": "a:1"}}, "bounds.weights"),
        ({"bounds": {"endgame": "0:99"}}, "endgame"),
        ({"boundaries": "30"}, "boundaries"),
        ({"boundaries": "40,20"}, "boundaries"),
        ({"survivors": 1.0}, "survivors"),
        ({"survivors": 0.9, "newcomers": 0.1}, "survivors"),
        ({"preset": "magic"}, "preset"),
        ({"opponents": 64}, "opponents: 64 individuals have 63 others, not 64"),
        ({"opponents": 3, "population": 9}, "opponents: 9 individuals cannot have 3 each"),
        ({"opponents": 3, "selection": "lexicase"}, "opponents: lexicase compares"),
    ],
)
def test_contradictions_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        resolve(options)


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        resolve({}).seed = 3  # type: ignore[misc]


def test_the_first_generations_are_the_shorter_part_of_the_work() -> None:
    settings = resolve({})
    first, last = settings.work(10) / 10, settings.work(160) - settings.work(159)
    assert first == pytest.approx(0.79, abs=0.02)  # by CPU seconds: .5 to .85
    assert last == pytest.approx(1.0, abs=0.01)
    fixed = resolve({"fix": {"depths": [3, 3, 3]}})
    assert fixed.work(10) == 10
