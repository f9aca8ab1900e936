"""What agents answer for themselves unless their kind says otherwise."""

from __future__ import annotations

import json
import random
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.agents.agent import Agent, Limit, StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.registry import LEVELS, REFERENCES
from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    NODES_BLACK,
    NODES_WHITE,
    PASS,
    RULE_SETS,
    STANDARD,
    Rules,
)
from evolve.errors import AgentError, PositionError
from evolve.fitness.openings import START_POSITION, Part, balanced_openings
from evolve.fitness.playing import play_games
from tests.agents.conftest import NETWORK_AGENTS, PATTERN_AGENTS, sample_agent
from tests.plain import PlainAgent, play_game


def test_what_a_file_holds_is_what_an_agent_is_known_by() -> None:
    """Unless its class says otherwise, so that no kind mistakes one agent for another."""
    identity = StoredAgent.identity.fget
    assert identity is not None
    stored = [agent for agent in NETWORK_AGENTS if isinstance(agent, StoredAgent)]
    assert any(agent.arrays for agent in stored)
    agents = [sample_agent(), replace(sample_agent(), endgame=3), *stored]
    known = {json.dumps(identity(agent)) for agent in agents}
    assert len(known) == len(agents)
    assert json.dumps(identity(sample_agent())) in known


@pytest.mark.parametrize("limited", ["swh?time=1", "swh?nodes=500"])
def test_files_hold_no_limits(tmp_path: Path, limited: str) -> None:
    with pytest.raises(AgentError, match="files"):
        evolve.load_agent(limited).stored()
    agent = evolve.load_agent(limited)
    assert isinstance(agent, StoredAgent)
    with pytest.raises(AgentError, match="files"):
        agent.save(tmp_path / "without.json")


def test_what_no_file_holds_says_so(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="random is not an agent that a file could hold"):
        evolve.load_agent("random").stored()
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class LastMove(Agent):
    """Answers no more than it must."""

    name: str = "last"
    rules: Rules | None = None

    def choose(self, board: Board) -> int:
        return board.legal_moves()[-1]


def test_all_but_the_choice_has_a_default() -> None:
    agent, board = LastMove(), Board.start()
    boards = [board, board.play(19)]
    assert agent.choose_counted(board) == (44, 0)
    assert agent.choose_all(boards) == [(agent.choose(board), 0) for board in boards]
    assert agent.analyse(board) is None
    assert agent.identity == agent.name
    assert not agent.repeats
    assert not agent.together
    assert agent.row is None
    assert agent.for_game(3) == agent.limited(Limit(seconds=1.0)) == agent
    assert agent.with_rules("reversed") == LastMove(rules="reversed")
    assert agent.with_settings({}, "other") == LastMove("other")
    with pytest.raises(PositionError, match="freestyle"):
        agent.with_rules("freestyle")  # type: ignore[arg-type]


def test_more_can_be_said_of_where_an_agent_comes_from() -> None:
    agent = sample_agent().with_provenance(generation=3)
    assert agent.provenance == {"run": "none", "generation": 3}
    assert agent.document["provenance"] == agent.provenance
    assert replace(agent, provenance=sample_agent().provenance) == sample_agent()


quick = settings(max_examples=100, deadline=None, derandomize=True)
counts = st.none() | st.integers(1, 10**9)
limits = st.builds(Limit, st.none() | st.floats(0.02, 86400.0), counts, counts, counts)


@quick
@given(limits, limits)
def test_both_of_two_limits_hold(one: Limit, other: Limit) -> None:
    both = one & other
    known = [
        {first, second} - {None} for first, second in zip(astuple(one), astuple(other), strict=True)
    ]
    assert [*astuple(both)] == [min(values) if values else None for values in known]
    assert both == other & one == both & one
    assert one & Limit() == one


AGENTS: list[evolve.Agent] = [
    *(evolve.load_agent(name) for name in REFERENCES if name not in LEVELS[8:]),  # these think long
    sample_agent(),
    *NETWORK_AGENTS,
    *PATTERN_AGENTS,
]


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_whole_games_of_legal_moves_that_repeat(agent: evolve.Agent) -> None:
    assert isinstance(agent, evolve.Agent)
    games = []
    for _ in range(2):
        player, board, moves = agent.for_game(3), evolve.Board.start(), []
        while not board.is_over():
            if not board.legal_moves():
                board = board.pass_move()
                continue
            moves.append(player.choose(board))
            board = board.play(moves[-1])  # refuses what is illegal
        games.append(moves)
    assert games[0] == games[1]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_rules_can_be_given(agent: evolve.Agent) -> None:
    assert agent.with_rules("reversed").rules == "reversed"


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_whole_games(rules: Rules) -> None:
    """Two agents with weights of any sign and ties among them, through openings and passes."""
    rng, code = random.Random(3), RULE_SETS[rules].code
    openings = balanced_openings(6, Part.MATCH, rules, np.random.default_rng(1))
    passes = 0
    for number in range(6):
        pair, players = [], []
        for _ in range(2):
            weights = [[rng.randint(-9, 9) for _ in range(10)] for _ in range(3)]
            mobility = [rng.randint(-3, 3) for _ in range(3)]
            depths = [rng.randint(1, 2) for _ in range(3)]
            agent = AlphaBetaAgent(weights, mobility, depths, [20, 50], rules=rules)
            pair.append(agent)
            players.append(PlainAgent(weights, mobility, depths, agent.boundaries, code))
        pairing = np.array([[0, 1, number]], np.int32)
        games = play_games(pair, pairing, openings, rules)
        moves, nodes = play_game(players[0], players[1], openings.moves[number].tolist())
        assert moves == [move for move in games.moves[0].tolist() if move >= 0]
        assert nodes == games.results[0, [NODES_BLACK, NODES_WHITE]].sum()
        passes += moves.count(PASS)
    assert passes


def test_from_the_start() -> None:
    agent = AlphaBetaAgent([[5, -2, 1, 1, -3, 0, 0, 1, 0, 0]], [1], [3])
    player = PlainAgent(agent.weights, agent.mobility, agent.depths, agent.boundaries, STANDARD)
    games = play_games([agent, agent], np.array([[0, 1, 0]], np.int32), START_POSITION, "standard")
    moves, _ = play_game(player, player, [])
    assert moves == [move for move in games.moves[0].tolist() if move >= 0]
