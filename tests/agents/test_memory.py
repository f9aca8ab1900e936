"""Memory that threads keep, and what is read out of a tree of moves."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import pytest

from evolve.agents import memory
from evolve.agents.agent import Limit
from evolve.agents.memory import Tree, nodes_for, stopper, thread_context
from evolve.agents.patterns import PatternAgent
from evolve.agents.timed_search import TABLE_BITS
from evolve.engine.board.board import Board
from evolve.engine.networks import mcts
from evolve.engine.search import context as layout
from evolve.runs.loading import load_agent
from tests import networks
from tests.agents.conftest import boards

ROLLOUTS = mcts.SearchOptions(0, mcts.PUCT, 1.2, 0, 0)


def searched(board: Board, simulations: int = 300) -> Tree:
    tree = Tree.of_size(nodes_for(simulations))
    tree.reset(board)
    tree.simulate(simulations, ROLLOUTS, 1)
    return tree


@pytest.mark.parametrize("board", boards(1, 10, 30))
@pytest.mark.parametrize("simulations", [6, 300])
def test_what_a_tree_says_of_its_moves(simulations: int, board: Board) -> None:
    """Also of those that no simulation has come to."""
    tree = searched(board, simulations)
    links, values = tree.nodes.links, tree.nodes.values
    visits = {int(links[c, mcts.MOVE]): int(links[c, mcts.VISITS]) for c in tree.children()}
    means = {int(links[c, mcts.MOVE]): float(values[c, mcts.Q]) for c in tree.children()}
    assert sorted(visits) == board.legal_moves()
    assert sum(visits.values()) == simulations - 1  # the first simulation is the root's own
    assert tree.root_values() == means
    by_visits = sorted(visits, key=lambda move: (-visits[move], -means[move], move))
    assert tree.ranked() == by_visits
    by_value = sorted(visits, key=lambda move: (visits[move] == 0, -means[move], move))
    assert tree.ranked("value") == by_value
    line = tree.line()
    assert line[0] == by_visits[0]
    for square in line:
        board = board.pass_move() if square == 64 else board.play(square)


def test_a_tree_goes_on_from_a_reply() -> None:
    board = Board.start()
    tree = searched(board)
    move = tree.ranked()[0]
    known = max(int(tree.nodes.links[c, mcts.VISITS]) for c in tree.children())
    tree.advance(board.play(move))
    assert tree.nodes.links[mcts.ROOT, mcts.VISITS] == known
    tree.advance(board)  # from there it cannot go back
    assert (tree.used, tree.nodes.links[mcts.ROOT, mcts.VISITS]) == (1, 0)


def test_no_number_of_simulations_fills_its_tree() -> None:
    (board,) = boards(3, 1, 40)
    assert not [count for count in (1, 10, 2000) if searched(board, count).full]
    assert nodes_for(2_000_000) == memory.MOST_NODES


def test_trees_side_by_side_are_trees() -> None:
    network = networks.random_network(networks.VALUE)
    scratch = network.scratch()
    options = ROLLOUTS._replace(network=network.address, scratch=scratch.ctypes.data)
    places = boards(5, 4, 20)
    forest = memory.Forest(len(places), nodes_for(50))
    forest.reset(places)
    forest.simulate(50, 0, 1.2, partial(networks.outputs, network))
    alone = []
    for board in places:
        tree = Tree.of_size(nodes_for(50))
        tree.reset(board)
        tree.simulate(50, options, 0)
        alone.append(tree.root_values())
    assert [forest.tree(number).root_values() for number in range(len(places))] == alone


def test_threads_share_no_memory() -> None:
    together = Barrier(3)

    def addresses(_: int) -> tuple[int, ...]:
        together.wait()  # so that each is a thread of its own
        tree, scratch = memory.thread_tree(100), memory.thread_scratch(9)
        kept = thread_context("standard", 10), tree.nodes.boards, scratch
        return tuple(array.ctypes.data for array in kept)

    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(addresses, range(3)))
    assert {len({*kind}) for kind in zip(*made, strict=True)} == {3}


def test_a_thread_keeps_its_memory_until_it_needs_more() -> None:
    context = thread_context("standard", 10)
    assert thread_context("standard", 10) is context
    other = thread_context("reversed", 10)
    assert other is not context
    assert (context[layout.RULES], other[layout.RULES]) == (0, 1)
    assert memory.thread_context_address("standard", 10) == context.ctypes.data
    assert memory.thread_context_address("reversed", 10) == other.ctypes.data
    assert thread_context("standard", 11) is not context
    tree, scratch = memory.thread_tree(500), memory.thread_scratch(50)
    assert memory.thread_tree(tree.size) is memory.thread_tree(1) is tree
    assert memory.thread_tree(tree.size + 1).size == tree.size + 1
    assert memory.thread_scratch(len(scratch)) is memory.thread_scratch(1) is scratch
    assert len(memory.thread_scratch(len(scratch) + 1)) == len(scratch) + 1


@pytest.mark.parametrize("bits", [10, 11])
def test_other_threads_stop_a_search(bits: int) -> None:
    context = thread_context("standard", bits)
    context[layout.STOPPED] = 0
    with ThreadPoolExecutor(1) as pool:
        pool.submit(stopper()).result()
        assert context[layout.STOPPED] == 1
        context[layout.STOPPED] = 0
        pool.submit(lambda: stopper()()).result()  # its own thread's
    assert context[layout.STOPPED] == 0


def test_the_table_of_an_ended_game_serves_the_next() -> None:
    """And nothing in it counts there."""
    agent = load_agent("patterns-standard?nodes=3000")

    def played(player: Any) -> list[tuple[int, int]]:
        board, found = Board.start().play("d3"), []
        for _ in range(4):
            found.append(player.choose_counted(board))
            board = board.play(found[-1][0])
        return found

    first = agent.for_game(0)
    found, context = played(first), first.memory.context
    context[layout.BUDGET], context[layout.STOPPED] = 5, 1
    del first
    again = agent.for_game(1)
    assert again.memory.context is context
    assert context[layout.BUDGET] > 1 << 40
    assert context[layout.STOPPED] == 0
    assert played(again) == found
    assert agent.for_game(2).memory.context is not context


def test_a_table_is_whole_again_after_an_exact_search_in_a_part_of_it() -> None:
    """The memory of a thread that ended serves a game, which would play otherwise with less."""
    agent = load_agent("patterns-standard?nodes=1000")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(agent.choose, boards(1, 1, 11)[0]).result()
    gc.collect()
    waiting = len(memory.PatternMemory._unused)
    assert waiting >= 2, "for searches and for exact ones"
    taken = [memory.PatternMemory(TABLE_BITS) for _ in range(waiting)]
    assert {int(one.context[layout.TABLE_BITS]) for one in taken} == {TABLE_BITS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seconds", "bits"),
    [
        ("patterns-standard", None, memory.DEPTH_TABLE_BITS),
        ("patterns-standard?nodes=10000", None, 14),
        ("patterns-standard?nodes=100", None, layout.GAME_TABLE_BITS),
        ("patterns-standard?nodes=9999999", None, TABLE_BITS),
        ("patterns-standard", 0.02, TABLE_BITS),
    ],
)
def test_a_game_uses_as_large_a_table_as_its_searches_fill(
    name: str, seconds: float | None, bits: int
) -> None:
    """Also where a clock is set after the game began, as over GTP."""
    agent = load_agent(name).for_game(0)
    assert isinstance(agent, PatternAgent)
    assert agent.memory is not None
    agent.limited(Limit(seconds)).choose(Board.start())
    assert agent.memory.context[layout.TABLE_BITS] == bits
