"""Presets of learning: they make settings, and the published ones are as their papers say."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from evolve.config.learning import DqnSettings, MctsSettings, TrainingSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.pattern_training import PATTERN_PRESETS, PatternSettings
from evolve.config.toml import resolve_as


@pytest.mark.parametrize("name", ["s5-network1", "s5-network2"])
def test_the_published_networks_are_their_paper(name: str) -> None:
    s5 = resolve_as(DqnSettings, DQN_PRESETS, {"preset": name})
    assert all(layer.endswith("sigmoid") for layer in s5.layers)
    assert s5.both_sides


def test_the_published_presets_are_their_papers() -> None:
    s3, s4 = (
        resolve_as(MctsSettings, MCTS_PRESETS, {"preset": name})
        for name in ("s3-mcts", "s4-reversiv")
    )
    assert (s3.input, s3.augment, s3.reuse) == ("canonical", False, True)
    assert (s4.reuse, s4.solve_by) == (True, "value")
    assert s4.layers[:2] == ("gate", "gate")
    assert len(s4.layers) > 3


@pytest.mark.parametrize(
    ("model", "presets"),
    [
        (MctsSettings, MCTS_PRESETS),
        (DqnSettings, DQN_PRESETS),
        (PatternSettings, PATTERN_PRESETS),
    ],
)
def test_every_preset_makes_settings_of_its_name(
    model: type[TrainingSettings], presets: dict[str, dict[str, Any]]
) -> None:
    assert get_args(model.model_fields["preset"].annotation) == tuple(presets)
    made = [resolve_as(model, presets, {"preset": name}) for name in presets]
    assert not [
        name
        for name, values, settings in zip(presets, presets.values(), made, strict=True)
        if (settings.model_dump()["preset"], settings) != (name, model(preset=name, **values))
    ]
    assert len({str(settings.identity) for settings in made}) == len(presets)
