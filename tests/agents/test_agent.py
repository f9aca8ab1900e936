"""What agents answer for themselves unless their kind says otherwise."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.agents.agent import Agent, Limit, StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.registry import KINDS, LEVELS, REFERENCES
from evolve.engine.board.board import Board
from evolve.engine.board.rules import NODES_BLACK, NODES_WHITE, PASS, RULE_SETS, Rules
from evolve.errors import AgentError, PositionError
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.records.record import play_moves
from tests.agents.conftest import NETWORK_AGENTS, PATTERN_AGENTS, boards, sample_agent
from tests.plain import PlainAgent, play_game


def test_what_a_file_holds_is_what_an_agent_is_known_by() -> None:
    """Unless its class says otherwise, so that no kind mistakes one agent for another."""
    identity = StoredAgent.identity.fget
    assert identity is not None
    agents = [sample_agent(), replace(sample_agent(), endgame=3), *NETWORK_AGENTS]
    known = {json.dumps(identity(agent)) for agent in agents}
    assert len(known) == len(agents)
    assert json.dumps(identity(sample_agent())) in known


STORED: list[StoredAgent] = [
    sample_agent(),
    MctsAgent(simulations=33),
    *NETWORK_AGENTS,
    *PATTERN_AGENTS,
]
assert {agent.kind for agent in STORED} == {*KINDS}
each_stored = pytest.mark.parametrize(
    "agent", STORED, ids=lambda agent: f"{agent.kind} {agent.parameters}"[:60]
)
"""Every kind that files hold, in every form."""


@each_stored
def test_a_limit_is_part_of_its_identity_and_of_no_file(agent: StoredAgent, tmp_path: Path) -> None:
    """As far as its kind has such a limit."""
    limits = Limit(nodes=500), Limit(nodes=600), Limit(seconds=1.0), Limit(seconds=2.0)
    limited = {one.limit: one for one in (agent, *map(agent.limited, limits))}
    assert len({json.dumps(one.identity) for one in limited.values()}) == len(limited)
    for one in [*limited.values()][1:]:
        with pytest.raises(AgentError, match="files"):
            one.save(tmp_path / "x.npz")
    assert list(tmp_path.iterdir()) == []


DOCUMENT = ("format", "version", "kind", "rules", "name", "parameters", "provenance")


def answers(agent: Agent) -> list[tuple[int, int]]:
    return [agent.choose_counted(board) for board in [*boards(0, 4, 40), *boards(0, 4, 12)]]


def addresses(agent: Any) -> set[int]:
    """Where kernels find what an agent plays by."""
    nets = getattr(agent, "networks", (getattr(agent, "network", None),))
    nets = (*nets, getattr(agent, "patterns", None))
    return {net.address for net in nets if net} or {getattr(agent, "_address", 0)} - {0}


@each_stored
def test_a_file_holds_the_whole_agent(agent: StoredAgent, tmp_path: Path) -> None:
    path = tmp_path / ("x.npz" if agent.arrays else "x.json")
    agent.save(path)
    whole = path.read_bytes()
    found: Any = evolve.load_agent(path)
    assert found.document == agent.document
    assert {*found.document} == {*DOCUMENT}
    assert found.identity == agent.identity
    assert answers(found) == answers(agent)
    found.save(path)
    assert path.read_bytes() == whole


@each_stored
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_a_copy_has_its_own_weights(agent: StoredAgent, copied: Callable[[Agent], Agent]) -> None:
    """Kernels get an address, which must be that of the copy: the first agent may be gone."""
    first = copy.deepcopy(agent)
    board = boards(1, 1, 40)[0]
    wanted, before = first.analyse(board), addresses(first)
    one = copied(first)
    assert (one.identity, one.describe()) == (agent.identity, agent.describe())
    assert not addresses(one) & (before | addresses(agent))
    del first
    gc.collect()
    assert one.analyse(board) == wanted
    playing = agent.for_game(0)
    playing.choose(board)
    assert copied(playing).choose(board) == playing.choose(board)


def test_agents_with_weights_alone_are_values() -> None:
    agents = [sample_agent(), *PATTERN_AGENTS]
    assert copy.deepcopy(agents) == agents
    assert [*map(hash, copy.deepcopy(agents))] == [*map(hash, agents)]
    assert sample_agent() != sample_agent().at(depth=1)


WRONG_SETTINGS = {
    "swh": ("depth=2.5", "depth=0", "endgame=61", "time=0.01", "nodes=99", "mistakes=1.5", "c=1"),
    "random": ("time=1", "depth=2"),
    "uct": ("simulations=0", "c=0", "c=-1", "endgame=61", "time=0", "simulations=1.5", "x=1"),
    "patterns-standard": (
        "depth=0", "depth=2.5", "depth=x", "endgame=61", "probcut=0.05", "probcut=nan",
        "time=0.01", "nodes=99", "time=1&depth=0", "simulations=9", "reuse=1",
    ),
    "gtp:cat": ("time=0", "time=1e9", "time=.001", "depth=3"),
    "nboard:cat": ("endgame=3",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "setting"), [(name, one) for name, each in WRONG_SETTINGS.items() for one in each]
)
def test_settings_that_cannot_be_are_named(name: str, setting: str) -> None:
    with pytest.raises(AgentError, match=setting.rpartition("&")[2].partition("=")[0]) as caught:
        evolve.load_agent(f"{name}?{setting}")
    assert "\n" not in str(caught.value)


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
    assert agent.analyse(board) is None is evolve.load_agent("random").analyse(board)
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


counts = st.none() | st.integers(1, 10**9)
limits = st.builds(Limit, st.none() | st.floats(0.02, 86400.0), counts, counts, counts)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(limits, limits)
def test_both_of_two_limits_hold(one: Limit, other: Limit) -> None:
    known = [{*pair} - {None} for pair in zip(astuple(one), astuple(other), strict=True)]
    assert [*astuple(one & other)] == [min(pair, default=None) for pair in known]


AGENTS: list[Agent] = [
    *(evolve.load_agent(name) for name in REFERENCES if name not in LEVELS[8:]),  # these think long
    *STORED,
]


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_whole_games_of_legal_moves_that_repeat(agent: evolve.Agent) -> None:
    games = []
    for _ in range(2):
        player, board = agent.for_game(3), Board.start()
        while not board.is_over():  # `play` refuses what is illegal
            passes = not board.legal_moves()
            board = board.pass_move() if passes else board.play(player.choose(board))
        games.append(board.moves)
    assert games[0] == games[1] != ()


@each_stored
def test_every_legal_move_has_a_value_and_the_first_has_a_line(agent: StoredAgent) -> None:
    found = list[tuple[object, ...]]()
    places = [*boards(5, 3, 40), *boards(2, 3, 20), *boards(9, 3, 4)]
    for board in places:
        analysis = agent.analyse(board)
        play_moves(board, analysis.line)  # refuses what is illegal
        first, in_discs = analysis.line[0], analysis.unit in ("discs", "forecast")
        found.append((sorted(analysis.values), next(iter(analysis.values)) == first))
        found[-1] += ((analysis.discs(first) is not None) == in_discs,)
    assert found == [(board.legal_moves(), True, True) for board in places]


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_whole_games(rules: Rules) -> None:
    """Two agents with weights of any sign and ties among them, through openings and passes."""
    rng, code = np.random.default_rng(3), RULE_SETS[rules].code
    openings = balanced_openings(6, Part.MATCH, rules, np.random.default_rng(1))
    parts: list[Any] = [
        (rng.integers(-9, 10, (3, 10)).tolist(), rng.integers(-3, 4, 3).tolist(),
         rng.integers(1, 3, 3).tolist(), [20, 50])
        for _ in range(12)
    ]  # fmt: skip
    agents = [AlphaBetaAgent(*part, rules=rules) for part in parts]
    pairs = np.array([[2 * number, 2 * number + 1, number] for number in range(6)], np.int32)
    played, books = play_games(agents, pairs, openings, rules), openings.moves.tolist()
    games = [
        play_game(PlainAgent(*parts[one], code), PlainAgent(*parts[other], code), books[number])
        for one, other, number in pairs.tolist()
    ]
    moves = [[move for move in row if move >= 0] for row in played.moves.tolist()]
    assert [game for game, _ in games] == moves
    nodes = played.results[:, [NODES_BLACK, NODES_WHITE]].sum(axis=1)
    assert [count for _, count in games] == nodes.tolist()
    assert any(PASS in game for game in moves)
