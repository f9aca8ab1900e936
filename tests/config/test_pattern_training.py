"""Settings of a training of patterns, its presets, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.config.pattern_training import PATTERN_PRESETS, PatternSettings
from evolve.config.toml import config_text, read_toml, resolve_as
from evolve.engine.patterns.shapes import DEFAULT_SHAPES, SETS
from evolve.errors import SettingsError


def made(**options: Any) -> PatternSettings:
    return resolve_as(PatternSettings, PATTERN_PRESETS, options)


def test_options_override_a_preset() -> None:
    assert made(preset="strong", search_depth=2).search_depth == 2
    with pytest.raises(SettingsError, match="preset"):
        made(preset="weak")


def test_a_training_ends_somewhere() -> None:
    plain, counted = made(), made(games=5)
    assert plain.budget == plain.default_budget == 60.0
    assert (counted.budget, counted.games) == (None, 5)
    assert made(games=5, budget=7.0).budget == 7.0
    # A preset's budget is for trainings that count no games.
    assert [made(preset=name).budget for name in ("quick", "strong")] == [30.0, 180.0]
    assert made(preset="strong", games=5).budget is None
    assert plain.identity == counted.identity == made(patience=3).identity
    assert plain.identity != made(seed=1).identity
    assert plain.identity != made(shapes="corner").identity


def test_shapes_are_written_as_on_the_command_line(tmp_path: Path) -> None:
    settings = made(shapes=" corner,a1-c2  b3 , edge")
    assert settings.shapes == ("corner", "a1-c2 b3", "edge")
    assert settings.summary == "corner, a1-c2 b3, edge; 6 phases"
    assert made().shapes == DEFAULT_SHAPES
    path = tmp_path / "config.toml"
    path.write_text(config_text(settings, {}, "train patterns"), encoding="utf-8")
    assert made(**read_toml(path)) == settings


@pytest.mark.parametrize("name", SETS)
def test_every_set_of_shapes_can_be_named(name: str) -> None:
    assert made(shapes=name).shapes == (name,)


def test_rounds_and_checks_go_by_the_share_that_is_done() -> None:
    by_time, by_games = made(), made(games=10_000, greedy=0.25, round=500, checks=2)
    assert (by_time.games_in_hand(0.0), by_time.games_in_hand(0.6)) == (1024, 4000)
    assert by_games.games_in_hand(0.0) == 1024
    assert by_games.games_in_hand(0.2048) == 2500 - 2048
    assert by_games.games_in_hand(0.25) == 500
    assert not made(checks=4).check_is_due(0, 10**6, 0.2)
    assert made(checks=4).check_is_due(0, 1, 0.25)


@pytest.mark.parametrize(
    ("games", "checks", "greedy"),
    [(300, 10, 0.5), (333, 10, 0.3), (1000, 3, 0.5), (7, 7, 0.0), (40_000, 10, 1.0), (5, 9, 0.5)],
)
def test_few_games_have_the_checks_that_are_asked_for(
    games: int, checks: int, greedy: float
) -> None:
    settings = made(games=games, checks=checks, greedy=greedy)
    done, checked = 0, [0]
    while done < games:
        done = min(games, done + settings.games_in_hand(done / games))
        if settings.check_is_due(checked[-1], done, (done - checked[-1]) / games):
            checked.append(done)
    assert checked[-1] == games
    assert len(checked) - 1 == min(games, checks)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shapes": ""}, "shapes"),
        ({"shapes": "corner, corner"}, "shapes: .*image"),
        ({"shapes": "a1-c3, f6-h8"}, "shapes: .*image"),
        ({"shapes": "a1-h1 b2 g2 c2"}, "shapes: .*11 squares"),
        ({"shapes": "corners"}, "shapes: 'corners' is not part of a shape.*name a set: corner, "),
        ({"shapes": "a1-c1 b1"}, "shapes: .*a square twice"),
        ({"shapes": "a1/c2"}, "shapes: a1/c2 is not a diagonal"),
        (
            {"shapes": ["lines-2", "lines-3", "lines-4", "blocks-2x2"]},
            "shapes: .*most|shapes: .*256",
        ),
        ({"last_rate": 0.2}, "last_rate: it must not be over search_rate"),
        ({"search_rate": 0.001}, "last_rate: it must not be over search_rate"),
        ({"probcut": 0.05}, r"probcut: it must be 0\.1 or more, or 0 for no cuts"),
        ({"probcut_depth": 7}, "probcut_depth"),  # probes of 6 plies would predict themselves
        ({"rules": "freestyle"}, "rules"),
        ({"layers": "dense 1"}, "layers: there is no such setting"),
    ],
)
def test_contradictions_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        made(**options)
    assert "\n" not in str(caught.value)
