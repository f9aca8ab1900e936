"""Agents with networks: their files, their settings, and what they do at the end of a game."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents import files
from evolve.agents.agent import StoredAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.files import HEADER
from evolve.agents.mcts import MctsAgent
from evolve.agents.rewards import Rewards
from evolve.agents.solving import solve
from evolve.engine import mcts
from evolve.engine.bits import U
from evolve.errors import AgentError, AgentFileError
from evolve.tables.arrays import write_arrays
from tests import networks
from tests.agents.test_mcts import ends


def mcts_agent(architecture: Any = networks.MOBILE) -> MctsAgent:
    network = networks.random_network(architecture)
    return MctsAgent(30, 1.1, "puct", 8, rules="standard", name="tree", network=network)


def dqn_agent(count: int = 1, architecture: Any = networks.DUELING, **changes: Any) -> DqnAgent:
    nets = tuple(networks.random_network(architecture, seed) for seed in range(count))
    return DqnAgent(nets, provenance={"run": "none"}, **changes)


AGENTS = [
    mcts_agent(),
    mcts_agent(networks.POLICY),
    replace(mcts_agent(), reuse=True, order="value"),
    dqn_agent(),
    dqn_agent(2, lookahead=1, endgame=6, rules="reversed"),
    dqn_agent(1, networks.ACTION, rewards=Rewards((0.5, *[-0.1] * 9), 0.25, 0.9, "turn")),
    dqn_agent(2, networks.COLOURED, lookahead=2),
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: str(agent.parameters)[:60])
def test_a_file_holds_the_whole_agent(agent: StoredAgent, tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    agent.save(path)
    found = evolve.load_agent(path)
    assert isinstance(found, MctsAgent | DqnAgent)
    assert found.parameters == agent.parameters
    assert (found.rules, found.name, found.provenance) == (
        agent.rules,
        agent.name,
        agent.provenance,
    )
    for board in ends(5, 30):
        assert found.choose(board) == agent.choose(board)
    first = path.read_bytes()
    found.save(path)
    assert path.read_bytes() == first
    with np.load(path, allow_pickle=False) as stored:
        assert json.loads(str(stored[HEADER]))["format"] == "evolve-agent"


def test_names_of_files_say_what_is_in_them(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"must end in \.npz"):
        mcts_agent().save(tmp_path / "x.json")
    with pytest.raises(AgentError, match="no network"):
        MctsAgent().save(tmp_path / "x.npz")
    MctsAgent(simulations=33).save(tmp_path / "x.json")
    found = evolve.load_agent(tmp_path / "x.json")
    assert isinstance(found, MctsAgent)
    assert (found.simulations, found.network) == (33, None)


def header_of(agent: StoredAgent, **changes: Any) -> dict[str, Any]:
    document = agent.document
    parameters = {**document["parameters"], **changes.pop("parameters", {})}
    return {**document, "parameters": parameters, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version 2"),
        ({"kind": "alphabeta"}, "unknown"),
        ({"kind": {"kind": "dqn"}}, "unknown"),
        ({"rules": "freestyle"}, "freestyle"),
        ({"parameters": {"layers": "dense 1"}}, "list of texts"),
        ({"parameters": {"layers": ["dense 3"]}}, "must give"),
        ({"parameters": {"layers": ["dense 64"]}}, "weights 0 are"),
        ({"parameters": {"input": "none"}}, "no input"),
        ({"parameters": {"lookahead": 9}}, "lookahead 9"),
        ({"parameters": {"lookahead": "2"}}, "must be of type int"),
        ({"parameters": {"lookahead": 0.5}}, "must be of type int"),
        ({"parameters": {"rewards": 3}}, "rewards must be an object"),
        ({"parameters": {"rewards": {"squares": [1]}}}, "must be 10 numbers"),
        ({"parameters": {"rewards": {"squares": "abcdefghij"}}}, "must hold numbers"),
        ({"parameters": {"rewards": {"discount": 2}}}, "must be 0 to 1"),
        ({"parameters": {"rewards": {"step": "game"}}}, "must be ply or turn"),
        ({"parameters": {"rewards": {"corners": 1}}}, "rewards must be an object"),
        ({"parameters": {"endgame": True}}, "must be of type int"),
        ({"parameters": {"networks": 7}}, "networks 7"),
        ({"parameters": {"networks": 2}}, "missing"),
        ({"parameters": {"temper": 2}}, "temper is unknown"),
    ],
)
def test_headers_that_lie(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    agent, path = dqn_agent(), tmp_path / "x.npz"
    arrays = {HEADER: np.array(json.dumps(header_of(agent, **changes))), **agent.arrays}
    write_arrays(path, arrays)
    with pytest.raises(AgentFileError, match=words) as caught:
        evolve.load_agent(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    dqn_agent().save(path)
    whole = path.read_bytes()
    for size in (3, 10, 500, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:size])
        with pytest.raises(AgentFileError, match=r"x\.npz"):
            evolve.load_agent(path)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            evolve.load_agent(path)
        except AgentFileError:
            refused += 1
    assert refused > 40  # some bytes of an archive mean nothing


def test_nothing_in_a_file_is_run_or_unpacked_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npz"
    with path.open("wb") as file:
        np.savez(file, header=np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(AgentFileError):
        evolve.load_agent(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", b"\0" * (1 << 22))
    monkeypatch.setattr(files, "_LARGEST", 1 << 21)  # 400 MB take seconds to write
    with pytest.raises(AgentFileError, match="would unpack to more than"):
        evolve.load_agent(path)
    monkeypatch.undo()
    write_arrays(path, {"x": np.zeros(3)})
    with pytest.raises(AgentFileError, match="holds no header"):
        evolve.load_agent(path)


def test_settings(tmp_path: Path) -> None:
    mcts_agent().save(tmp_path / "m.npz")
    dqn_agent().save(tmp_path / "d.npz")
    tree = evolve.load_agent(f"{tmp_path}/m.npz?simulations=6400&c_puct=1.5&endgame=3&reuse=1")
    assert isinstance(tree, MctsAgent)
    assert (tree.simulations, tree.c, tree.endgame, tree.reuse) == (6400, 1.5, 3, True)
    net = evolve.load_agent(f"{tmp_path}/d.npz?lookahead=2")
    assert isinstance(net, DqnAgent)
    assert net.lookahead == 2
    for settings in ("lookahead=5", "lookahead=0.5", "simulations=3", "endgame=61"):
        with pytest.raises(AgentError):
            evolve.load_agent(f"{tmp_path}/d.npz?{settings}")
    with pytest.raises(AgentError, match="no setting 'c'"):
        evolve.load_agent(f"{tmp_path}/m.npz?c=1")


def test_agents_of_the_wrong_networks() -> None:
    value, moves = (networks.random_network(a) for a in (networks.VALUE, networks.DUELING))
    with pytest.raises(AgentError, match="with a value"):
        MctsAgent(network=moves)
    with pytest.raises(AgentError, match="values moves"):
        DqnAgent((value,))
    with pytest.raises(AgentError, match="one for both colours"):
        DqnAgent((moves, moves, moves))


@pytest.mark.parametrize("agent", [mcts_agent(), dqn_agent(endgame=8)], ids=["mcts", "dqn"])
def test_near_the_end_it_wins_what_is_won(agent: StoredAgent) -> None:
    won = lost = 0
    for board in ends(40, 8):
        _, score, _ = solve(board)
        after = board.play(agent.choose(board))
        value = -after.score("standard") if after.is_over() else -solve(after)[1]
        if score >= 0:
            assert value == score
            won += 1
        else:
            lost += 1
            assert agent.choose(board) == replace(agent, endgame=0).choose(board)
    assert won > 5 < lost


def test_copies_know_where_their_own_weights_are() -> None:
    agent = dqn_agent()
    board = evolve.Board.start()
    wanted = agent.analyse(board).values
    copies = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    assert len({net.address for one in (agent, *copies) for net in one.networks}) == 3
    del agent
    for one in copies:
        assert one.analyse(board).values == wanted


def test_a_network_that_says_nothing_of_use_plays_a_legal_move() -> None:
    layers = ("dense 64", *["gate"] * 12, "dense 64")
    network = networks.random_network(networks.Architecture("canonical", layers), scale=1e6)
    agent = DqnAgent((network,))
    for board in ends(10, 30):
        assert agent.choose(board) in board.legal_moves()


def test_the_exact_search_takes_moves_by_visits_or_by_value() -> None:
    """Of the moves with the best exact score the first in that order is played."""
    agent, differ = mcts_agent(), 0
    by_value = replace(agent, order="value")
    for board in ends(60, 8):
        means = agent.analyse(board).values
        tree = agent._search(board)
        seen = dict(
            zip(
                tree.ranked(), sorted(tree.nodes.links[list(tree.children()), 3])[::-1], strict=True
            )
        )
        by_mean = sorted(means, key=lambda move: (seen[move] == 0, -means[move], move))
        scores = {}
        for move in board.legal_moves():
            after = board.play(move)
            if after.is_over():
                scores[move] = -after.score("standard")
            elif after.legal_moves():
                scores[move] = -solve(after)[1]
            else:
                scores[move] = solve(after.pass_move())[1]
        best = max(scores.values(), default=-1)
        if best < 0 or len(scores) == 1:
            continue
        for order, player in ((list(means), agent), (by_mean, by_value)):
            assert player.choose(board) == next(m for m in order if scores[m] == best)
        differ += agent.choose(board) != by_value.choose(board)
    assert differ > 0


def test_each_colour_has_its_network() -> None:
    first, second = (networks.random_network(networks.DUELING, seed) for seed in (0, 1))
    both = DqnAgent((first, second))
    for board in ends(10, 40):
        own = first if board.side == "black" else second
        assert both.choose(board) == DqnAgent((own,)).choose(board)


def test_a_tree_is_kept_through_a_game() -> None:
    agent = replace(mcts_agent(), reuse=True, simulations=200, endgame=0)
    player, board = agent.for_game(1), evolve.Board.start()
    tree = player._kept
    assert tree is not None
    for _ in range(6):
        board = board.play(player.choose(board))
        board = board.play(evolve.RandomAgent(3).choose(board))
        before = tree.used
        node = mcts.find_node(U(board.own), U(board.opp), tree.used, tree.nodes)
        assert node != mcts.NO_NODE
        visits = int(tree.nodes.links[node, 3])
        player.choose(board)
        assert tree.nodes.links[0, 3] == visits + 200
        assert before > 1
    assert agent.choose(board) in board.legal_moves()
