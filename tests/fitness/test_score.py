from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.match import common_rules, play_match
from evolve.engine.rules import Rules
from evolve.errors import AgentError
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.score import elo_of, score_of_pairs


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0.0), (0.75, 190.85), (0.25, -190.85)])
def test_elo(score: float, elo: float) -> None:
    assert elo_of(score) == pytest.approx(elo, abs=0.01)


def test_elo_of_a_clean_sweep_does_not_exist() -> None:
    assert elo_of(1.0) is None
    result = score_of_pairs(np.ones(50))
    assert (result.elo, result.elo_high) == (None, None)
    assert result.elo_low is not None
    assert result.elo_low > 200


@pytest.mark.parametrize(
    ("p_first", "p_second", "pairs"),
    [(0.5, 0.5, 40), (0.9, 0.85, 60), (0.95, 0.2, 40), (0.97, 0.97, 100)],
)
def test_intervals_cover_the_truth(p_first: float, p_second: float, pairs: int) -> None:
    # The two games of a pair have chances of their own: with the first colour and the second.
    rng = np.random.default_rng(0)
    truth = (p_first + p_second) / 2
    hits = 0
    for _ in range(2000):
        first = rng.random(pairs) < p_first
        second = rng.random(pairs) < p_second
        result = score_of_pairs((first + second.astype(float)) / 2)
        hits += result.low <= truth <= result.high
    assert 0.92 <= hits / 2000 <= 0.99


def test_intervals_cover_the_truth_when_an_opening_decides_both_games() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(2000):
        both = (rng.random(60) < 0.6).astype(float)
        hits += score_of_pairs(both).low <= 0.6 <= score_of_pairs(both).high
    assert 0.90 <= hits / 2000 <= 0.98


def match(a: str, b: str, pairs: int, seed: int = 0, jobs: int = 1) -> object:
    openings = balanced_openings(pairs, Part.MATCH, "standard", np.random.default_rng(seed))
    return play_match(
        evolve.load_agent(a), evolve.load_agent(b), openings, "standard", seed=seed, jobs=jobs
    )[0]


def test_a_deterministic_agent_scores_half_against_itself() -> None:
    result = match("swh?depth=2", "swh?depth=2", 20)
    assert result.score.score == 0.5  # type: ignore[attr-defined]
    assert result.mean_discs == 0.0  # type: ignore[attr-defined]


def test_random_agents_are_even_and_repeat_for_any_jobs() -> None:
    result = match("random", "random", 60, seed=4)
    assert result == match("random", "random", 60, seed=4, jobs=2)
    assert result != match("random", "random", 60, seed=5)
    assert result.score.low < 0.5 < result.score.high  # type: ignore[attr-defined]


def test_both_ways_of_playing_agree() -> None:
    @dataclass(frozen=True)
    class Plain(Agent):
        """An alpha-beta agent that the kernels do not know as one."""

        agent: evolve.AlphaBetaAgent
        rules: Rules | None = None
        name: str = "plain"

        def choose(self, board: evolve.Board) -> int:
            return self.agent.with_rules(self.rules or "standard").choose(board)

        def choose_counted(self, board: evolve.Board) -> tuple[int, int]:
            return self.choose(board), 0

    a, b = evolve.load_agent("swh?depth=2&endgame=4"), evolve.load_agent("swh-mobility?depth=1")
    assert isinstance(a, evolve.AlphaBetaAgent)
    openings = balanced_openings(6, Part.MATCH, "reversed", np.random.default_rng(0))
    fast, games = play_match(a, b, openings, "reversed")
    slow, others = play_match(Plain(a), b, openings, "reversed")
    assert fast == slow
    assert np.array_equal(games.moves, others.moves)


def test_rules_of_a_match() -> None:
    swh, anti = evolve.load_agent("swh"), evolve.load_agent("anti-swh")
    assert common_rules([swh, swh]) == "standard"
    assert common_rules([swh, anti]) == "reversed"
    assert common_rules([swh, anti], "standard") == "standard"
    with pytest.raises(AgentError, match="different rules"):
        common_rules([swh.with_rules("standard"), anti])
