"""The rungs of the ladders in words."""

from __future__ import annotations

from evolve.agents.calibration.ladder import beaten_by, rungs_of
from evolve.engine.board.rules import RULE_SETS


def test_every_rung_has_words() -> None:
    for rules, found in RULE_SETS.items():
        rungs = rungs_of(rules)
        assert [(one.agent, one.elo) for one in rungs] == list(found.ladder.items())
        for one in rungs:
            assert one.label.split(", ")[0] in (
                "no weights",
                "weight table",
                "shipped champion",
                "published champion",
            )
    assert rungs_of("chess") == []


def test_the_highest_rung_below_a_whole_interval() -> None:
    beaten = beaten_by("reversed", 569)
    assert beaten is not None
    assert beaten.label == "published champion, 4 plies"
    assert beaten_by("reversed", 0) == rungs_of("reversed")[0]
    assert beaten_by("reversed", -400) is None
    assert beaten_by("reversed", None) is None
    assert beaten_by(None, 500) is None
