"""A panel measures every agent by the same games."""

from __future__ import annotations

import numpy as np
import pytest

import evolve
from evolve.arena.judges import Panel
from evolve.arena.match import Match
from evolve.errors import AgentError
from evolve.fitness.executor import Threads

NAMES = ("random", "swh", "zero")


def test_the_same_seed_gives_the_same_games() -> None:
    agent = evolve.load_agent("swh?depth=2")
    one, same, other = (Panel(NAMES, 12, "standard", seed) for seed in (3, 3, 4))
    assert one.openings.texts() == same.openings.texts() != other.openings.texts()
    assert one.judge(agent, Threads(1)) == same.judge(agent, Threads(2))


@pytest.mark.parametrize(("games", "openings"), [(1, 1), (12, 6), (13, 7)])
def test_both_colours_are_played_on_each_opening(games: int, openings: int) -> None:
    told: list[int] = []
    panel = Panel(NAMES, games, "reversed", 0)
    assert len(panel.openings) == openings
    panel.judge(evolve.load_agent("anti-swh"), Threads(1), told.append)
    assert sum(told) == len(NAMES) * 2 * openings


def test_scores_are_those_of_matches_with_each() -> None:
    agent, panel = evolve.load_agent("swh?depth=2"), Panel(NAMES, 16, "standard", 1)
    matches = [Match(agent, other, panel.openings, "standard").play() for other in panel.agents]
    judged = panel.judge(agent)
    assert judged.scores == tuple(match.score for match in matches)
    scores = [score.value for score in judged.scores]
    assert judged.score == pytest.approx(np.mean(scores))
    assert scores[0] > scores[1] >= 0.5, "random is weaker than one ply"


def test_one_that_is_not_in_the_panel_is_met_on_its_openings() -> None:
    panel = Panel((), 10, "standard", 2)
    one, other = evolve.load_agent("swh"), evolve.load_agent("swh-mobility?depth=2")
    assert panel.judge(one).scores == ()
    assert panel.against(one, one, Threads(1)) == 0.5
    assert panel.against(one, other, Threads(1)) == pytest.approx(
        1 - panel.against(other, one, Threads(1))
    )
    assert np.isclose(
        panel.against(one, other, Threads(1)),
        Panel(NAMES, 10, "standard", 2).against(one, other, Threads(1)),
    )


def test_an_agent_that_is_none_is_told_at_once() -> None:
    with pytest.raises(AgentError, match="nobody"):
        Panel(("swh", "nobody"), 4, "standard", 0)
