"""What every kind of sweep searches: each value of each range makes settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve.config.pattern_training import PatternSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.patterns.shapes import DEFAULT_SHAPES
from evolve.errors import SettingsError
from evolve.sweeps.learning_plan import SHAPE_SETS
from evolve.sweeps.space import Parameter
from tests.sweeps import plan


def drawn(parameter: Parameter, rng: np.random.Generator) -> Any:
    if parameter.kind == "choice":
        return parameter.choices[rng.integers(len(parameter.choices))]
    if parameter.kind == "int":
        return int(rng.choice(np.arange(parameter.low, parameter.high + 1, parameter.step)))
    return float(rng.uniform(parameter.low, parameter.high))


@pytest.mark.parametrize("kind", [kind for kind in SWEEP_TARGETS if kind != "program"])
def test_every_value_makes_settings(kind: str) -> None:
    made, rng = plan(kind), np.random.default_rng(0)
    seen = set()
    for number in range(100):
        values = {p.name: drawn(p, rng) for p in made.space.parameters}
        if number < 2:  # the ends of every range
            values.update(
                {
                    p.name: (p.low, p.high)[number] if p.kind == "float" else drawn(p, rng)
                    for p in made.space.parameters
                }
            )
        if kind == "alphabeta":
            agent = made.agent(values, "x")
            assert agent.endgame == values["endgame"]
            assert agent.weights[1][2] == values["weights.12"]
            assert agent.mobility[2] == values["mobility.2"]
            continue
        settings = made.settings(values, number)
        for name, value in values.items():
            if name in type(settings).model_fields and name not in ("opponents", "openings"):
                assert getattr(settings, name) == value
        seen.add(str(getattr(settings, "layers", getattr(settings, "shapes", ""))))
    assert len(seen) > 8 or kind in ("alphabeta", "evolution")


def test_new_shapes_are_beside_those_that_are_there() -> None:
    made = plan("patterns")
    assert made.defaults is not None

    def shapes(**changes: Any) -> tuple[str, ...]:
        settings = made.settings({**made.defaults, **changes}, 0)  # type: ignore[dict-item]
        assert isinstance(settings, PatternSettings)
        return settings.shapes

    assert shapes() == DEFAULT_SHAPES
    two = shapes(new_shapes=2, new_squares=7, new_draw=5)
    assert two[: len(DEFAULT_SHAPES)] == DEFAULT_SHAPES
    assert [len(text.split()) for text in two[-2:]] == [7, 7]
    assert two == shapes(new_shapes=2, new_squares=7, new_draw=5)
    assert two != shapes(new_shapes=2, new_squares=7, new_draw=6)
    bare = dict.fromkeys(SHAPE_SETS, False)
    assert shapes(**bare) == ("corner",)
    with pytest.raises(SettingsError, match="new_squares = 11"):
        plan("patterns", fix={"new_squares": 11, "new_shapes": 1}).settings({}, 0)
    with pytest.raises(SettingsError, match="no further shape"):
        # There are ten single squares that are no images of each other.
        plan("patterns", fix={"new_squares": 1, "new_shapes": 11}).settings({}, 0)
