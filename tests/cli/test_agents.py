"""`evolve agents`: the agents that are known by name, and how strong they are."""

from __future__ import annotations

import json

from evolve.agents.calibration.ratings import RATINGS
from tests.cli import done


def test_agents_are_listed_from_the_weakest_on() -> None:
    said = done("agents")
    assert said.lines[0] == "standard (most discs wins), Elo 0 is swh"
    assert len(said.lines) == 2 + len(RATINGS["standard"])
    assert said.lines[2].startswith("random")
    assert "patterns-standard?nodes=16000000" in said.lines[-1]
    assert done("agents", "--rules", "reversed").lines[0].startswith("reversed (fewest discs")


def test_the_document_has_every_figure() -> None:
    found = json.loads(done("agents", "--rules", "reversed", "--json").out)
    assert found["rules"] == "reversed"
    rows = {row["agent"]: row for row in found["agents"]}
    assert rows["anti-swh-mobility"]["elo"] == 0
    assert rows["level-2"]["step"] == RATINGS["reversed"]["level-2"].step
    assert rows["level-2"]["plays"].startswith("patterns-reversed?")
    assert rows["random"]["step"] is None
    assert [row["elo"] for row in found["agents"]] == sorted(row["elo"] for row in rows.values())


def test_a_level_is_an_agent_of_every_command() -> None:
    assert (
        "level-2 against level-1, reversed"
        in done("match", "level-2", "level-1", "--games", "2", "--rules", "reversed").out
    )
    assert "discs that it expects" in done("play", "level-3", stdin="hint\nquit\n").out
