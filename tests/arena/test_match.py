"""Matches: the same games whole, move by move or side by side, and by any number of jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.agreement import agree_on
from evolve.arena.match import Match, MatchResult, StoppedError, play_match
from evolve.engine.board.rules import NODES_BLACK, NODES_WHITE, Rules
from evolve.errors import AgentError
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from tests import networks

PLAYER = evolve.MctsAgent(
    16, 1.1, "puct", endgame=6, network=networks.random_network(networks.POLICY), name="tree"
)
TOGETHER = replace(PLAYER, evaluate=PLAYER.network.outputs if PLAYER.network else None)
OTHER = replace(PLAYER, simulations=9, network=networks.random_network(networks.VALUE))


@pytest.mark.parametrize(
    "opponent", [OTHER, evolve.load_agent("random"), evolve.load_agent("swh")], ids=lambda a: a.name
)
@pytest.mark.parametrize("first", [True, False])
def test_side_by_side_they_are_the_same_games(opponent: Agent, first: bool) -> None:
    openings = balanced_openings(7, Part.MATCH, "standard", np.random.default_rng(0))

    def games(player: Agent) -> tuple[MatchResult, np.ndarray]:
        pair = (player, opponent) if first else (opponent, player)
        told: list[int] = []
        result, played = play_match(*pair, openings, "standard", seed=3, progress=told.append)
        assert sum(told) == 14
        return result, played.moves

    result, moves = games(TOGETHER)
    expected, expected_moves = games(PLAYER)
    assert result == expected
    assert (moves == expected_moves).all()
    assert len(np.unique(moves, axis=0)) > 10


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_move_by_move_agents_search_the_nodes_of_whole_games(rules: Rules) -> None:
    openings = balanced_openings(5, Part.MATCH, rules, np.random.default_rng(2))
    a, b = evolve.load_agent("swh-mobility?depth=4&endgame=10"), evolve.load_agent("zero")
    results = []
    for watch in (None, lambda number, game: None):  # only whole games are not watched
        match = Match(a, b, openings, rules, watch=watch)
        match.play()
        results.append(match.games.results)
    assert (results[0] == results[1]).all()
    assert (results[0][:, [NODES_BLACK, NODES_WHITE]].max(axis=1) > 1000).all()


@pytest.mark.parametrize(
    ("agent", "least"),
    [
        (PLAYER, 16),
        (replace(PLAYER, reuse=True), 16),
        ("uct?simulations=70", 70),
        ("swh?time=0.03", 100),  # a limit of time loads kernels, so not at collection
        ("swh?depth=4", 100),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_agents_count_their_nodes(agent: Agent | str, least: int) -> None:
    agent = evolve.load_agent(agent) if isinstance(agent, str) else agent
    here = agent.for_game(1)
    board = evolve.Board.start().play(19)
    square, nodes = here.choose_counted(board)
    assert least <= nodes < (least * 2 if "swh" not in agent.name else 10**8)
    if "time" not in agent.name:
        assert square == agent.for_game(1).choose(board)
    ahead = board.play(square)
    assert here.choose_counted(ahead.play(ahead.legal_moves()[0]))[1] >= least / 2
    only = evolve.Board(own=0b10, opp=0b100)
    assert only.legal_moves() == [3]
    assert here.choose_counted(only) == (3, 0)


def test_both_sides_may_be_asked_together() -> None:
    openings = balanced_openings(4, Part.MATCH, "reversed", np.random.default_rng(1))
    assert OTHER.network is not None
    other = replace(OTHER, evaluate=OTHER.network.outputs)
    one = play_match(TOGETHER, other, openings, "reversed")[1]
    assert (one.moves == play_match(PLAYER, OTHER, openings, "reversed")[1].moves).all()


@pytest.mark.parametrize(
    ("one", "other"), [("swh", "zero"), ("swh", "random"), ("together", "swh")]
)
def test_a_match_stops_when_it_is_asked_to(one: str, other: str) -> None:
    openings = balanced_openings(40, Part.MATCH, "standard", np.random.default_rng(1))
    first = TOGETHER if one == "together" else evolve.load_agent(one)
    match = Match(first, evolve.load_agent(other), openings, "standard")
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    with pytest.raises(StoppedError):
        match.play(stop=stop)
    assert match.played < 80
    assert asked == 3
    before = match.played
    more: list[int] = []
    match.play(more.append)
    assert sum(more) == 80 - before
    assert match.played == 80


@pytest.mark.parametrize("changes", [{"selection": "ucb1"}, {"seconds": 0.1}])
def test_boards_are_not_searched_together_by_the_clock_or_ucb1(changes: dict[str, object]) -> None:
    with pytest.raises(AgentError, match="searched together by puct and a number"):
        replace(TOGETHER, **changes)  # type: ignore[arg-type]


def match(a: str, b: str, pairs: int, seed: int = 0, jobs: int = 1) -> object:
    openings = balanced_openings(pairs, Part.MATCH, "standard", np.random.default_rng(seed))
    return play_match(
        evolve.load_agent(a),
        evolve.load_agent(b),
        openings,
        "standard",
        seed=seed,
        executor=Threads(jobs),
    )[0]


def test_a_deterministic_agent_scores_half_against_itself() -> None:
    result = match("swh?depth=2", "swh?depth=2", 20)
    assert result.score.value == 0.5  # type: ignore[attr-defined]
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
    for agents, asked, rules, told in (
        ([swh, swh], None, "standard", "standard assumed"),
        ([swh, swh], "standard", "standard", "standard"),
        ([swh, anti], None, "reversed", "reversed"),
        ([swh.with_rules("standard"), swh], None, "standard", "standard"),
        ([swh, anti], "standard", "standard", "standard"),
    ):
        agreed = agree_on(agents, asked)
        assert (agreed.rules, str(agreed)) == (rules, told)
    with pytest.raises(AgentError, match="different rules"):
        agree_on([swh.with_rules("standard"), anti])
