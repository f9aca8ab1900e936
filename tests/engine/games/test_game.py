"""Agents choosing moves, and whole games in one call, replayed by the reference."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from evolve.engine.board import rules as columns
from evolve.engine.games import game
from evolve.engine.games.game import new_context
from evolve.engine.search import context as layout
from tests import reference
from tests.cli import python
from tests.engine import RULES, U, agent_row, phases_at, random_weights
from tests.reference import PASS, REVERSED, STANDARD, Agent, Board

Moves = npt.NDArray[np.int8]
Results = npt.NDArray[np.int64]
Pairing = tuple[int, int, int]


def random_agent(seed: int, depths: Sequence[int], endgame: int = 0) -> Agent:
    """An agent with random weights, and as many phases as depths."""
    rng = random.Random(seed)
    boundaries = sorted(rng.sample(range(6, 62), len(depths) - 1))
    return Agent(
        weights=tuple(random_weights(rng) for _ in depths),
        depths=tuple(depths),
        phase_of=phases_at(*boundaries),
        endgame=endgame,
    )


@cache
def random_opening(seed: int, length: int) -> tuple[int, ...]:
    """The first squares of a random game, passes left out."""
    moves, _ = reference.random_game(random.Random(seed))
    return tuple(move for move in moves if move != PASS)[:length]


def opening_table(openings: Sequence[Sequence[int]]) -> npt.NDArray[np.int8]:
    table = np.full((len(openings), max(1, *map(len, openings))), -1, np.int8)
    for row, opening in zip(table, openings, strict=True):
        row[: len(opening)] = opening
    return table


def agent_table(agents: Sequence[Agent]) -> npt.NDArray[np.int64]:
    rows = [agent_row(agent) for agent in agents]
    table = np.zeros((len(rows), max(row.size for row in rows)), np.int64)
    for cells, row in zip(table, rows, strict=True):
        cells[: row.size] = row
    return table


def play(
    agents: Sequence[Agent],
    pairings: Sequence[Pairing],
    openings: Sequence[Sequence[int]],
    rules: int,
    budget: int = 0,
    table_bits: int = layout.GAME_TABLE_BITS,
) -> tuple[Moves, Results]:
    moves = np.full((len(pairings), columns.MAX_PLIES), 99, np.int8)
    results = np.full((len(pairings), columns.RESULT_COLUMNS), 99, np.int64)
    game.play_games(
        game.choice_address(),
        agent_table(agents),
        np.array(pairings, np.int32).reshape(len(pairings), 3),
        opening_table(openings),
        new_context(rules, budget, table_bits),
        moves,
        results,
    )
    return moves, results


class Chooser:
    """`game.choose` for one agent, in a context of its own for every call."""

    def __init__(self, agent: Agent, rules: int, budget: int = 0) -> None:
        self.row = agent_row(agent)
        self.rules, self.budget = rules, budget
        self.nodes = 0

    def __call__(self, board: Board) -> int:
        cells = new_context(self.rules, self.budget)
        address = cells.ctypes.data
        square = game.choose(U(board[0]), U(board[1]), self.row.ctypes.data, address)
        self.nodes = int(cells[layout.NODES])
        return int(square)


def check_record(
    moves: Moves, result: Results, opening: Sequence[int]
) -> list[tuple[int, Board, int]]:
    """One game: legal, passes where they are due, opening first, ended at the end.

    Returns the moves that the agents chose, with the positions they chose them in and the
    side to move there, 0 for black and 1 for white.
    """
    plies = int(result[columns.PLIES])
    assert (moves[plies:] == -1).all()
    assert (moves[:plies] >= 0).all()
    record = [int(move) for move in moves[:plies]]
    boards = reference.replay(record)
    last = boards[-1]
    black, white = last if plies % 2 == 0 else last[::-1]
    assert result[columns.DISCS_BLACK] == black.bit_count()
    assert result[columns.DISCS_WHITE] == white.bit_count()
    if result[columns.REASON] == columns.END:
        assert reference.is_over(*last)
    else:
        assert len(reference.legal_moves(*last)) > 1
        black_failed = result[columns.REASON] == columns.OVER_BUDGET_BLACK
        assert black_failed == (plies % 2 == 0)
        assert black_failed or result[columns.REASON] == columns.OVER_BUDGET_WHITE
    played = [(ply, move) for ply, move in enumerate(record) if move != PASS]
    assert [move for _, move in played[: len(opening)]] == list(opening)
    return [(move, boards[ply], ply % 2) for ply, move in played[len(opening) :]]


# --- choose and move_values -----------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_choose_as_reference(rules: int) -> None:
    """Depths by phase, and exact from so many empties on; single moves without a search."""
    rng = random.Random(51 + rules)
    found, expected = [], []
    for seed in range(40):
        agent = random_agent(seed, depths=(1, 2, 1), endgame=rng.choice((0, 4, 6)))
        (board,) = reference.random_boards(rng, 1, 1, 56)
        moves = reference.legal_moves(*board)
        if not moves:
            continue
        chooser = Chooser(agent, rules)
        found.append((chooser(board), chooser.nodes == 0))
        expected.append((agent.choose(*board, rules), len(moves) == 1))
    assert found == expected
    assert any(single for _, single in expected)


def test_phase_by_disc_count() -> None:
    """At each boundary, the disc before it and the disc after: another phase's weights."""
    likes_corners = (1,) + (0,) * 14
    hates_corners = (-1,) + (0,) * 14
    chosen, rng = [], random.Random(53)
    for board in reference.random_boards(rng, 80, 5, 45):
        in_corners = {square in reference.CORNERS for square in reference.legal_moves(*board)}
        discs = 64 - reference.empties(*board)
        if len(in_corners) == 2:
            for boundary in (discs, discs + 1):
                agent = Agent((hates_corners, likes_corners), (1, 1), phases_at(boundary))
                chosen.append(Chooser(agent, STANDARD)(board) in reference.CORNERS)
    assert chosen == [True, False] * (len(chosen) // 2)
    assert len(chosen) > 20


def test_exact_from_endgame_empties_on() -> None:
    """A depth-1 agent that sees nothing but the exact end: just there, not one disc before."""
    chosen, expected, differ = [], [], 0
    for board in reference.random_boards(random.Random(54), 40, 6, 7):
        moves = reference.legal_moves(*board)
        if len(moves) > 1:
            empties = reference.empties(*board)
            best = reference.best_of(reference.exact_values(*board, REVERSED))[0]
            blind = [Agent(((0,) * 15,), (1,), (0,) * 65, n) for n in (empties, empties - 1, 64)]
            chosen.append([Chooser(agent, REVERSED)(board) for agent in blind])
            expected.append([best, moves[0], best])
            differ += best != moves[0]
    assert chosen == expected
    assert differ > 10


def move_values(
    agent: Agent, board: Board, rules: int, cells: layout.Cells
) -> tuple[dict[int, int], bool]:
    """Values of the legal moves; checks that no other square is touched."""
    untouched = -(10**15)
    values = np.full(64, untouched, np.int64)
    layout.set_rules(cells, rules)
    row = agent_row(agent)
    exact = game.move_values(U(board[0]), U(board[1]), row.ctypes.data, values, cells.ctypes.data)
    found = {square: int(value) for square, value in enumerate(values) if value != untouched}
    return found, bool(exact)


@pytest.mark.parametrize("rules", RULES)
def test_move_values_as_reference(rules: int) -> None:
    rng = random.Random(55 + rules)
    cells, found, expected = new_context(rules), [], []
    for seed in range(20):
        agent = random_agent(seed, depths=(2, 1, 2), endgame=rng.choice((0, 6)))
        (board,) = reference.random_boards(rng, 1, 1, 56)
        found.append(move_values(agent, board, rules, cells))
        exact = reference.empties(*board) <= agent.endgame
        expected.append((agent.values(*board, rules), exact))
    assert found == expected


@pytest.mark.parametrize("rules", RULES)
def test_choose_is_the_best_of_move_values(rules: int) -> None:
    """At depths that the reference cannot reach."""
    cells, chosen, best = new_context(rules), [], []
    for seed, board in enumerate(reference.random_boards(random.Random(57 + rules), 30, 9, 56)):
        agent = random_agent(seed, depths=(5, 4, 6), endgame=11)
        values, _ = move_values(agent, board, rules, cells)
        if values:
            chosen.append(Chooser(agent, rules)(board))
            best.append(reference.best_of(values)[0])
    assert chosen == best


def test_one_context_for_both_rules_and_all_agents() -> None:
    """What a table holds of other rules or weights changes neither values nor nodes."""
    rng, used = random.Random(61), new_context(STANDARD)
    found, expected = [], []
    for seed, board in enumerate(reference.random_boards(rng, 10, 10, 12)):
        for rules, endgame in ((STANDARD, 0), (REVERSED, 14), (STANDARD, 14), (STANDARD, 14)):
            agent, fresh = random_agent(seed, (4,), endgame), new_context(rules)
            expected.append((move_values(agent, board, rules, fresh), fresh[layout.NODES]))
            found.append((move_values(agent, board, rules, used), used[layout.NODES]))
    assert found == expected


# --- whole games ----------------------------------------------------------------------------


BATCH_AGENTS = [
    random_agent(71, (1,)),
    random_agent(72, (3, 2, 4), endgame=8),
    random_agent(73, (2, 3), endgame=12),
    random_agent(74, (4,), endgame=0),
    random_agent(75, (1, 5), endgame=10),
]
BATCH_OPENINGS = [(), *(random_opening(80 + i, (4, 8, 12, 31, 60)[i]) for i in range(5))]


def batch_pairings() -> list[Pairing]:
    rng = random.Random(76)
    return [(rng.randrange(5), rng.randrange(5), rng.randrange(6)) for _ in range(60)]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("budget", "count"), [(0, 60), (1, 24), (30, 24), (150, 24), (1000, 24)])
def test_games_and_their_nodes(rules: int, budget: int, count: int) -> None:
    """Deeper agents: legal records, and each move and the nodes as `choose` alone has them. A game
    stops before the first move that needs more nodes than its budget, and says whose."""
    pairings = batch_pairings()[:count]
    moves, results = play(BATCH_AGENTS, pairings, BATCH_OPENINGS, rules, budget)
    choosers = [Chooser(agent, rules) for agent in BATCH_AGENTS]
    for (black, white, opening), record, result in zip(pairings, moves, results, strict=True):
        nodes, most = [0, 0], 0
        for move, board, side in check_record(record, result, BATCH_OPENINGS[opening]):
            chooser = choosers[(black, white)[side]]
            assert chooser(board) == move
            nodes[side] += chooser.nodes
            most = max(most, chooser.nodes)
        assert most <= (budget or most)
        if result[columns.REASON] != columns.END:
            plies = int(result[columns.PLIES])
            last = reference.replay([int(move) for move in record[:plies]])[-1]
            chooser = choosers[(black, white)[plies % 2]]
            chooser(last)
            assert chooser.nodes > budget > 0
            nodes[plies % 2] += budget
        assert [result[columns.NODES_BLACK], result[columns.NODES_WHITE]] == nodes
    reasons = {int(reason) for reason in results[:, columns.REASON]}
    assert reasons == {columns.END} or budget
    assert reasons >= {columns.OVER_BUDGET_BLACK, columns.OVER_BUDGET_WHITE} or budget in (0, 1000)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("budget", [0, 400])
def test_batches_do_not_matter(rules: int, budget: int) -> None:
    """One batch, single games, another order, several threads: the same games."""
    pairings = batch_pairings()
    moves, results = play(BATCH_AGENTS, pairings, BATCH_OPENINGS, rules, budget)

    def same(some: slice) -> bool:
        again = play(BATCH_AGENTS, pairings[some], BATCH_OPENINGS, rules, budget)
        return bool((again[0] == moves[some]).all() and (again[1] == results[some]).all())

    assert all(same(slice(i, i + 1)) for i in range(len(pairings)))
    assert same(slice(None, None, -1))
    assert same(slice(7, 40, 3))
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(same, [slice(i, None, 4) for i in range(4)] * 3))


@pytest.mark.slow
def test_memory_outlives_the_games() -> None:
    """The block behind the address must be kept: numba frees an array after its last use by
    name. Glibc is told to overwrite what is freed and to give large blocks back at once."""
    code = """
from tests.engine.games.test_game import BATCH_AGENTS, BATCH_OPENINGS, batch_pairings, play
moves, results = play(BATCH_AGENTS, batch_pairings()[:10], BATCH_OPENINGS, 0, 0, 14)
print(int(moves.astype(int).sum()), int(results.sum()))
"""
    settings = {"MALLOC_PERTURB_": "165", "MALLOC_MMAP_THRESHOLD_": "65536"}
    run = python(code, **settings, PYTHONPATH=os.pathsep.join(sys.path))
    assert run.code == 0, run.err
    moves, results = play(
        BATCH_AGENTS, batch_pairings()[:10], BATCH_OPENINGS, STANDARD, table_bits=14
    )
    assert run.out.split() == [str(moves.astype(int).sum()), str(results.sum())]


def test_no_games() -> None:
    moves, results = play(BATCH_AGENTS, [], BATCH_OPENINGS, STANDARD)
    assert (moves.shape, results.shape) == ((0, columns.MAX_PLIES), (0, columns.RESULT_COLUMNS))


def test_openings_that_are_whole_games() -> None:
    """Nothing left to choose: passes are put in, and no node is counted."""
    games = [reference.random_game(random.Random(seed))[0] for seed in range(60)]
    assert [PASS in moves for moves in games].count(True) > 10
    openings = [[move for move in moves if move != PASS] for moves in games]
    pairings = [(0, 0, index) for index in range(60)]
    moves, results = play([random_agent(1, (2,))], pairings, openings, STANDARD, budget=1)
    assert [*map(check_record, moves, results, openings)] == [[]] * 60
    assert set(results[:, columns.REASON]) == {columns.END}
    assert not results[:, [columns.NODES_BLACK, columns.NODES_WHITE]].any()


def test_openings_with_passes() -> None:
    """Openings that end before a pass or after it: book, pass and agents in turn."""
    agents = [random_agent(2, (1,)), random_agent(3, (1,))]
    openings = []
    for seed in range(80):
        full, _ = reference.random_game(random.Random(seed))
        if PASS in full:
            cut = full.index(PASS) + seed % 4
            openings.append([move for move in full[:cut] if move != PASS])
    assert len(openings) > 20
    pairings = [(index % 2, 1 - index % 2, index) for index in range(len(openings))]
    moves, results = play(agents, pairings, openings, REVERSED)
    assert (moves == PASS).any(axis=1).all()
    for (black, white, opening), record, result in zip(pairings, moves, results, strict=True):
        for move, board, side in check_record(record, result, openings[opening]):
            assert move == agents[(black, white)[side]].choose(*board, REVERSED)


_REPORTS = """
import json, sys
from numba.core import event

class Listener(event.Listener):
    depth = 0
    def on_start(self, event):
        self.depth += 1
    def on_end(self, event):
        self.depth -= 1
        if not self.depth:
            late.append(event.data["dispatcher"].py_func.__name__)

from evolve.engine.games import first_use
reports, late = [], []
first_use.compile_first(lambda *report: reports.append(report), getattr(first_use, sys.argv[1]))
event.register("numba:compile", Listener())
"""
_GAMES = """
from pathlib import Path
import evolve
evolve.evolve(Path(sys.argv[2]), generations=1, population=4, hall_of_fame=1,
              panel_openings=2, playoff_openings=2)
"""
_MOVES = """
from evolve.engine.board.board import Board
from evolve.runs.loading import load_agent
from evolve.service.engine_worker import ready
ready()
for name in ("swh?time=0.05", "patterns-reversed?time=0.05", "swh?depth=2"):
    load_agent(name).choose(Board.start())
"""


@pytest.mark.parametrize(("kernels", "work"), [("GAMES", _GAMES), ("MOVES", _MOVES)])
@pytest.mark.slow
def test_nothing_is_compiled_after_it(tmp_path: Path, kernels: str, work: str) -> None:
    script = _REPORTS + work + "print(json.dumps([reports, late]))"
    command = [sys.executable, "-c", script, kernels, str(tmp_path / "run")]
    environment = {"EVOLVE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    reports, late = json.loads(done.stdout.splitlines()[-1])
    total = reports[0][1]
    assert late == []
    assert reports == [[number, total] for number in range(total + 1)]
