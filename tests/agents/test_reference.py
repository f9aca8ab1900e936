"""Reference agents: the tables that everyone knows by name."""

from __future__ import annotations

import pytest

import evolve
from evolve.agents.reference import reference_agent
from evolve.agents.registry import REFERENCES


def test_reference_agents_and_settings() -> None:
    swh = evolve.load_agent("swh?depth=3&endgame=4")
    assert isinstance(swh, evolve.AlphaBetaAgent)
    assert (swh.depths, swh.endgame, swh.rules, swh.name) == (
        (3,),
        4,
        None,
        "swh?depth=3&endgame=4",
    )
    anti = evolve.load_agent("anti-swh-mobility", depth=2)
    assert isinstance(anti, evolve.AlphaBetaAgent)
    assert (anti.weights[0][0], anti.mobility, anti.depths, anti.rules) == (
        -100,
        (3,),
        (2,),
        "reversed",
    )
    mobile = evolve.load_agent("swh-mobility")
    assert isinstance(mobile, evolve.AlphaBetaAgent)
    assert (mobile.weights[0][1], mobile.mobility, mobile.depths) == (-25, (3,), (1,))
    zero = evolve.load_agent("zero")
    assert isinstance(zero, evolve.AlphaBetaAgent)
    assert zero.weights == ((0,) * 10,)
    assert isinstance(evolve.load_agent("random?seed=4"), evolve.RandomAgent)


@pytest.mark.parametrize("name", [name for name in REFERENCES if name.startswith("champion-")])
def test_champions_come_with_what_evolved_them(name: str) -> None:
    agent = reference_agent(name)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert evolve.load_agent(name) == agent
    assert agent.rules is not None
    assert agent.provenance
