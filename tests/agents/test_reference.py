"""Reference agents: the tables that everyone knows by name."""

from __future__ import annotations

import evolve


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
