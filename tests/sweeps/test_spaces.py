"""What every kind of sweep searches: each value of each range makes settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve.config.subjects import SUBJECTS
from evolve.sweeps.space import Parameter
from tests.sweeps import plan


def drawn(parameter: Parameter, rng: np.random.Generator) -> Any:
    if parameter.kind == "choice":
        return parameter.choices[rng.integers(len(parameter.choices))]
    if parameter.kind == "int":
        return int(rng.choice(np.arange(parameter.low, parameter.high + 1, parameter.step)))
    return float(rng.uniform(parameter.low, parameter.high))


@pytest.mark.parametrize("kind", SUBJECTS)
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
