"""Matches: what they count and agree on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.match import Match, MatchResult, StoppedError
from evolve.engine.board.rules import NODES_BLACK, NODES_WHITE, RULE_SETS, Rules
from evolve.errors import AgentError
from evolve.fitness import playing
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.runs.loading import agree_on
from tests import networks

PLAYER = evolve.MctsAgent(
    16, 1.1, "puct", endgame=6, network=networks.random_network(networks.POLICY), name="tree"
)
TOGETHER = replace(PLAYER, evaluate=partial(networks.outputs, PLAYER.network))
OTHER = replace(PLAYER, simulations=9, network=networks.random_network(networks.VALUE))


@pytest.mark.slow
@pytest.mark.parametrize(
    "opponent", [OTHER, evolve.load_agent("random"), evolve.load_agent("swh")], ids=lambda a: a.name
)
@pytest.mark.parametrize("first", [True, False])
def test_side_by_side_they_are_the_same_games(opponent: Agent, first: bool) -> None:
    openings = balanced_openings(7, Part.MATCH, "standard", np.random.default_rng(0))

    def played(player: Agent) -> Match:
        pair = (player, opponent) if first else (opponent, player)
        said: list[int] = []
        match = Match(*pair, openings, "standard", seed=3)
        match.play(said.append)
        assert sum(said) == 14
        return match

    found, expected = played(TOGETHER), played(PLAYER)
    assert found.result == expected.result
    assert (found.games.moves == expected.games.moves).all()
    assert len(np.unique(found.games.moves, axis=0)) > 10


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_move_by_move_agents_search_the_nodes_of_whole_games(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    openings = balanced_openings(5, Part.MATCH, rules, np.random.default_rng(2))
    a, b = evolve.load_agent("swh-mobility?depth=4&endgame=10"), evolve.load_agent("zero")
    results = []
    for _ in range(2):
        match = Match(a, b, openings, rules)
        match.play()
        results.append(match.games.results)
        monkeypatch.setattr(playing, "played_by_kernels", lambda *_: False)
    assert (results[0] == results[1]).all()
    assert (results[0][:, [NODES_BLACK, NODES_WHITE]].max(axis=1) > 1000).all()


def test_both_sides_may_be_asked_together() -> None:
    openings = balanced_openings(4, Part.MATCH, "reversed", np.random.default_rng(1))
    assert OTHER.network is not None
    other = replace(OTHER, evaluate=partial(networks.outputs, OTHER.network))
    together = Match(TOGETHER, other, openings, "reversed")
    one_by_one = Match(PLAYER, OTHER, openings, "reversed")
    assert together.play() == one_by_one.play()
    assert (together.games.moves == one_by_one.games.moves).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"), [("swh", "zero"), ("swh", "random"), ("together", "swh")]
)
def test_a_match_stops_when_it_is_asked_to(one: str, other: str) -> None:
    openings = balanced_openings(40, Part.MATCH, "standard", np.random.default_rng(1))
    first = TOGETHER if one == "together" else evolve.load_agent(one)
    match = Match(first, evolve.load_agent(other), openings, "standard")
    answers = iter((False, False, True))
    with pytest.raises(StoppedError):
        match.play(stop=lambda: next(answers))
    assert [*answers] == []
    before = match.played
    assert before < 80
    more: list[int] = []
    match.play(more.append)
    assert (sum(more), match.played) == (80 - before, 80)


@pytest.mark.parametrize("changes", [{"selection": "ucb1"}, {"seconds": 0.1}])
def test_boards_are_not_searched_together_by_the_clock_or_ucb1(changes: dict[str, object]) -> None:
    with pytest.raises(AgentError, match="searched"):
        replace(TOGETHER, **changes)  # type: ignore[arg-type]


def match(a: str, b: str, pairs: int, seed: int = 0, jobs: int = 1) -> MatchResult:
    openings = balanced_openings(pairs, Part.MATCH, "standard", np.random.default_rng(seed))
    agents = evolve.load_agent(a), evolve.load_agent(b)
    return Match(*agents, openings, "standard", seed=seed, executor=Threads(jobs)).play()


@pytest.mark.parametrize(
    "agent", ["random", "patterns-standard?depth=3&endgame=6", "patterns-standard?nodes=400"]
)
def test_games_repeat_for_any_jobs(agent: str) -> None:
    result = match(agent, "random", 12, seed=4)
    assert result == match(agent, "random", 12, seed=4, jobs=2)
    assert result != match(agent, "random", 12, seed=5)
    even = result.score.low < 0.5 < result.score.high
    assert even == (agent == "random")


SWH, ANTI = evolve.load_agent("swh"), evolve.load_agent("anti-swh")


@pytest.mark.parametrize(
    ("agents", "asked", "rules", "named"),
    [
        ([SWH, SWH], None, "standard", "standard assumed"),
        ([SWH, SWH], "standard", "standard", "standard"),
        ([SWH, ANTI], None, "reversed", "reversed"),
        ([SWH.with_rules("standard"), SWH], None, "standard", "standard"),
        ([SWH, ANTI], "standard", "standard", "standard"),
    ],
)
def test_rules_of_a_match(agents: list[Agent], asked: Rules | None, rules: str, named: str) -> None:
    agreed = agree_on(agents, asked)
    assert (agreed.rules, str(agreed)) == (rules, f"{named} ({RULE_SETS[rules].goal})")


def test_agents_of_different_rules_do_not_agree() -> None:
    with pytest.raises(AgentError, match="different"):
        agree_on([SWH.with_rules("standard"), ANTI])
