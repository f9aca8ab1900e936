"""Alpha-beta over patterns against plain minimax: values, moves, budgets, cuts, node counts."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys

import pytest

from evolve.engine.board.rules import Rules
from evolve.engine.compiled import intrinsics as memory
from evolve.engine.patterns.patterns import DISC, DISC_GROUPS, Cuts
from evolve.engine.search import context as layout
from tests import reference
from tests.engine.slow_patterns import (
    MANY,
    RULE_NAMES,
    TINY,
    WHOLE,
    Search,
    minimax,
    move_value,
    positions_before_passes,
    positions_to_move,
    random_patterns,
    slow_minimax,
)
from tests.reference import START, Board, parse

PASS_AT_ROOT = parse("XO-" + "-" * 61, "O")
"""O to move has no move, X takes c1: a pass, a move, and the end by wipe-out."""


def check_against_minimax(search: Search, texts: tuple[str, ...], board: Board, depth: int) -> None:
    """With nothing remembered: the value, and that the square has it."""
    patterns = random_patterns(texts, 1)
    search.forget()
    square, value = search.deepen(board, depth)
    assert value == minimax(patterns, board, depth, search.rules)
    assert value == move_value(patterns, board, square, depth, search.rules)
    assert not search.stopped


def test_minimax_is_minimax() -> None:
    """The compiled one that searches are compared with is the one in plain Python."""
    patterns = random_patterns(TINY, 1)
    for rules, name in enumerate(RULE_NAMES):
        rng = random.Random(80 + rules)
        boards = reference.random_boards(rng, 3, 20, 50) + reference.random_boards(rng, 12, 0, 8)
        for board in [*boards, *positions_before_passes(81, 6), PASS_AT_ROOT]:
            for depth in (0, 1, 2):
                expected = slow_minimax(patterns, board, depth, rules)
                assert minimax(patterns, board, depth, name) == expected


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize(("texts", "count"), [(WHOLE, 160), (MANY, 60), (TINY, 80)])
def test_values_and_moves(rules: Rules, texts: tuple[str, ...], count: int) -> None:
    """Through whole games: at their ends they finish, and sides pass, inside of the tree."""
    search = Search(random_patterns(texts, 1), rules)
    for board in positions_to_move(82, count):
        for depth in (1, 2, 3, 4):
            check_against_minimax(search, texts, board, depth)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_NAMES)
def test_values_and_moves_of_many_positions(rules: Rules) -> None:
    search = Search(random_patterns(WHOLE, 1), rules)
    for board in positions_to_move(83, 10_000):
        for depth in (1, 2, 3):
            check_against_minimax(search, WHOLE, board, depth)


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("texts", [WHOLE, TINY])
def test_passes_after_the_first_move(rules: Rules, texts: tuple[str, ...]) -> None:
    search = Search(random_patterns(texts, 1), rules)
    for board in positions_before_passes(84, 25):
        if reference.legal_moves(*board):
            for depth in (1, 2, 3, 4, 5):
                check_against_minimax(search, texts, board, depth)


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize(("bits", "depths"), [(1, (3, 4)), (5, (5,)), (14, (6,))])
def test_tables_of_any_size(rules: Rules, bits: int, depths: tuple[int, ...]) -> None:
    """The value does not depend on what the table has room for, nor on what came before."""
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules, table_bits=bits)
    for board in positions_to_move(85, 240)[::24]:
        for depth in depths:
            search.forget()
            expected = minimax(patterns, board, depth, rules)
            assert search.move(board, depth)[1] == expected
            assert search.deepen(board, depth)[1] == expected  # from what the first one left


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("shift", [0, 12, 16])
def test_weights_of_any_size(rules: Rules, shift: int) -> None:
    """As large as they can be, so small that most moves are equal, and all zero but for −1."""
    patterns = random_patterns(WHOLE, 7, shift)
    search = Search(patterns, rules)
    for board in positions_to_move(86, 240)[::12]:
        for depth in (1, 2, 3):
            search.forget()
            square, value = search.deepen(board, depth)
            assert value == minimax(patterns, board, depth, rules)
            assert value == move_value(patterns, board, square, depth, rules)


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_values_of_all_moves(rules: Rules) -> None:
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules)
    boards = positions_to_move(87, 240)[::4] + positions_before_passes(88, 10)
    for board in boards:
        search.forget()
        for depth in (1, 2, 3, 4):
            values = search.values(board, depth)
            assert values == {
                square: move_value(patterns, board, square, depth, rules) for square in values
            }


@pytest.mark.parametrize(("rules", "score"), [("standard", 64), ("reversed", -3)])
def test_a_finished_game_is_worth_its_score(rules: Rules, score: int) -> None:
    """X takes O's only disc, at any depth, after a move of its own or after O's pass."""
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules)
    for depth in (1, 2, 3, 6):
        search.forget()
        assert search.deepen(PASS_AT_ROOT[::-1], depth) == (2, score * DISC)
        assert search.values(PASS_AT_ROOT[::-1], depth) == {2: score * DISC}


def test_nodes_of_one_ply() -> None:
    """A node for each move, and again for each that turned out better than those before it;
    nothing is counted for listing them."""
    search = Search(random_patterns(WHOLE, 1), "standard")
    for board in positions_to_move(89, 120)[::5]:
        search.forget()
        search.move(board, 1)
        count = len(reference.legal_moves(*board))
        assert count <= search.nodes < 2 * count
        search.values(board, 1)
        assert search.nodes == 0


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_budget(rules: Rules) -> None:
    """With fewer nodes than it needs it stops on the last one, and what is left does no harm."""
    patterns = random_patterns(WHOLE, 1)
    search, rng = Search(patterns, rules), random.Random(90)
    for board in positions_to_move(91, 300)[::15]:
        for depth in (1, 2, 3, 4):
            search.forget()
            answer = search.move(board, depth)
            needed = search.nodes
            for budget in {1, 2, needed // 2, needed - 1, rng.randint(1, needed)} - {0, needed}:
                search.forget()
                search.budget = budget
                assert search.move(board, depth)[0] == -1
                assert search.stopped
                assert search.nodes == budget
                # What the stopped search has proven counts from here on.
                search.budget = 0
                square, value = search.move(board, depth)
                assert not search.stopped
                assert value == answer[1]
                assert value == move_value(patterns, board, square, depth, rules)
            for budget in (needed, needed + 1):
                search.forget()
                search.budget = budget
                assert search.move(board, depth) == answer
                assert not search.stopped
                assert search.nodes == needed
            search.budget = 0


def cuts_with(margin: int, mean: int = 0) -> Cuts:
    """From depth 3 on at all disc counts, by searches that are two plies shallower."""
    return {
        (depth, group): (depth - 2, mean, margin)
        for depth in range(3, 9)
        for group in range(DISC_GROUPS)
    }


HUGE = 1 << 24


def nodes_with(cuts: Cuts | None, rules: Rules, depth: int) -> int:
    """Of searches of some positions, each on its own."""
    search, nodes = Search(random_patterns(WHOLE, 1), rules, cuts), 0
    for board in positions_to_move(92, 240)[::24]:
        search.forget()
        square, _ = search.deepen(board, depth)
        assert square in reference.legal_moves(*board)
        nodes += search.nodes
    return nodes


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_cuts_save_nodes(rules: Rules) -> None:
    """The more, the less has to be sure; one that is never made costs its shallow searches."""
    none, sure, likely, at_once = (
        nodes_with(cuts, rules, 6)
        for cuts in (None, cuts_with(HUGE), cuts_with(2 * DISC), cuts_with(0))
    )
    assert at_once < likely < none < sure


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("mean", [0, 5 * DISC])
def test_cuts_that_are_never_made_change_no_value(rules: Rules, mean: int) -> None:
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules, cuts_with(HUGE, mean))
    for board in positions_to_move(93, 240)[::8]:
        search.forget()
        square, value = search.deepen(board, 4)
        assert value == minimax(patterns, board, 4, rules)
        assert value == move_value(patterns, board, square, 4, rules)


def check_cut(search: Search, cut: tuple[int, int, int], board: Board, beta: int) -> int:
    """A null window below `beta` at a node of depth 4: a cut where the shallow value and the
    evaluation say so, else a bound as there is without one. Gives 1, −1 or 0 for no cut."""
    patterns, alpha = random_patterns(WHOLE, 1), beta - 1
    shallow, mean, margin = cut
    search.forget()
    found = search.in_window(board, alpha, beta, 4)
    static = minimax(patterns, board, 0, search.rules)
    forecast = minimax(patterns, board, shallow, search.rules) + mean
    if static >= beta - margin and forecast >= beta + margin:
        assert found == beta
        return 1
    if static <= alpha + margin and forecast <= alpha - margin:
        assert found == alpha
        return -1
    exact = minimax(patterns, board, 4, search.rules)
    assert exact >= found if found >= beta else exact <= found
    return 0


@pytest.mark.parametrize("cut", [(1, 0, 0), (2, 300, 500), (2, -700, 200), (3, 400, 1500)])
def test_where_cuts_are_made(cut: tuple[int, int, int]) -> None:
    """Just where mean and margin put them, on either side of the window."""
    cuts = {(4, group): cut for group in range(DISC_GROUPS)}
    patterns, rng = random_patterns(WHOLE, 1), random.Random(97)
    search, made = Search(patterns, "standard", cuts), set[int]()
    for board in positions_to_move(98, 240)[::8]:
        forecast = minimax(patterns, board, cut[0], "standard") + cut[1]
        tries = [forecast - cut[2] + step for step in (0, 1)]
        tries += [forecast + cut[2] + step for step in (0, 1, 2)]
        tries += [forecast + rng.randint(-4000, 4000) for _ in range(3)]
        made.update(check_cut(search, cut, board, beta) for beta in tries)
    assert made == {-1, 0, 1}


def test_cuts_stop_with_the_budget() -> None:
    search = Search(random_patterns(WHOLE, 1), "standard", cuts_with(4 * DISC))
    for board in positions_to_move(94, 240)[5:40:7]:
        search.forget()
        answer = search.move(board, 5)
        needed = search.nodes
        for budget in (needed // 3, needed - 1):
            search.forget()
            search.budget = budget
            assert search.move(board, 5)[0] == -1
            assert search.nodes == budget
            search.budget = 0
        search.forget()
        assert search.move(board, 5) == answer
        assert search.nodes == needed


Found = tuple[int, int, int]


def play(search: Search, depths: tuple[int, ...]) -> list[tuple[Board, int, Found]]:
    """A game whose searches, to these depths in turn, go on from what earlier ones found."""
    board, found = START, list[tuple[Board, int, Found]]()
    while not reference.is_over(*board):
        if not reference.legal_moves(*board):
            board = board[1], board[0]
        depth = depths[len(found) % len(depths)]
        square, value = search.deepen(board, depth)
        found.append((board, depth, (square, value, search.nodes)))
        board = reference.play(*board, square)
    return found


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("cuts", [{}, cuts_with(4 * DISC)])
@pytest.mark.parametrize("depths", [(5,), (6, 2, 4)])
def test_games_repeat(rules: Rules, cuts: Cuts, depths: tuple[int, ...]) -> None:
    """What is kept from move to move depends on the game alone: squares, values and nodes."""
    patterns = random_patterns(WHOLE, 1)
    games = [play(Search(patterns, rules, cuts), depths) for _ in range(2)]
    assert games[0] == games[1]
    used = Search(patterns, rules, cuts)
    play(used, (3,))
    used.forget()
    assert play(used, depths) == games[0]


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_what_is_kept_changes_no_value(rules: Rules) -> None:
    """A game's earlier searches, no deeper than this one, have looked less far ahead from each of
    its positions but the last: so its value stays that of minimax, for fewer nodes."""
    patterns = random_patterns(WHOLE, 1)
    game = play(Search(patterns, rules), (4,))
    alone, kept, apart = Search(patterns, rules), 0, 0
    for board, depth, (square, value, nodes) in game:
        assert value == minimax(patterns, board, depth, rules)
        assert value == move_value(patterns, board, square, depth, rules)
        alone.forget()
        alone.deepen(board, depth)
        kept, apart = kept + nodes, apart + alone.nodes
    assert kept < apart


def pinned_boards() -> list[Board]:
    rng = random.Random(95)
    return [START, *reference.random_boards(rng, 5, 12, 50), *late_boards(rng, 4)]


def late_boards(rng: random.Random, count: int) -> list[Board]:
    """Positions near the end, by different rules of different value."""
    boards = reference.random_boards(rng, 4 * count, 5, 9)
    return [board for board in boards if reference.legal_moves(*board)][:count]


def search_figures(texts: tuple[str, ...], rules: Rules, depth: int) -> list[Found]:
    """Square, value and nodes of each of the fixed positions."""
    search = Search(random_patterns(texts, 1), rules, table_bits=14)
    found = []
    for board in pinned_boards():
        search.forget()
        found.append((*search.deepen(board, depth), search.nodes))
    return found


PINNED: dict[tuple[tuple[str, ...], Rules], list[Found]] = {
    (WHOLE, "standard"): [
        (19, -1799, 1890),
        (46, -884, 7391),
        (4, 492, 52020),
        (7, -638, 25374),
        (63, 124, 22170),
        (41, 82, 44622),
        (40, -223, 2020),
        (62, 1595, 1552),
        (33, 540, 1782),
        (63, 4096, 244),
    ],
    (WHOLE, "reversed"): [
        (19, -1799, 1890),
        (46, -884, 7391),
        (4, 492, 52020),
        (7, -638, 25374),
        (63, 124, 22170),
        (41, 82, 44622),
        (40, -223, 2020),
        (62, 1595, 1552),
        (33, 540, 1782),
        (49, -1024, 334),
    ],
    (MANY, "standard"): [
        (19, -754, 941),
        (7, -321, 6508),
        (44, -1777, 60590),
        (7, -1503, 20251),
        (9, -1932, 25604),
        (22, -2432, 58179),
        (3, 289, 2615),
        (55, 2044, 1613),
        (8, 1897, 1895),
        (63, 4096, 391),
    ],
    (MANY, "reversed"): [
        (19, -754, 941),
        (7, -321, 6508),
        (44, -1777, 60590),
        (7, -1503, 20251),
        (9, -1932, 25604),
        (22, -2432, 58179),
        (3, 289, 2615),
        (55, 2044, 1613),
        (8, 1897, 1895),
        (49, -1024, 349),
    ],
    (TINY, "standard"): [
        (19, -141, 1019),
        (46, -600, 9362),
        (33, -161, 25090),
        (46, -783, 29686),
        (63, -164, 20669),
        (32, 249, 33746),
        (40, -199, 2619),
        (33, 744, 1663),
        (33, -768, 2076),
        (63, 4096, 268),
    ],
    (TINY, "reversed"): [
        (19, -141, 1019),
        (46, -600, 9362),
        (33, -161, 25090),
        (46, -783, 29686),
        (63, -164, 20669),
        (32, 249, 33746),
        (40, -199, 2619),
        (33, 744, 1663),
        (33, -768, 2076),
        (49, -1024, 321),
    ],
}


@pytest.mark.parametrize(("texts", "rules"), PINNED)
def test_pinned_searches(texts: tuple[str, ...], rules: Rules) -> None:
    """A change of behaviour must change these figures."""
    assert search_figures(texts, rules, 6) == PINNED[texts, rules]


@pytest.mark.slow
@pytest.mark.skipif(memory.LANES == 0, reason="this machine has no AVX2, there is one path to test")
@pytest.mark.parametrize("cpu", ["x86-64", "haswell"])
def test_other_cpus_search_the_same(cpu: str) -> None:
    code = (
        "from tests.engine.patterns import test_pattern_search\n"
        "for (texts, rules), found in test_pattern_search.PINNED.items():\n"
        "    assert test_pattern_search.search_figures(texts, rules, 6) == found\n"
        "print(test_pattern_search.memory.LANES)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""},
    )
    assert done.stdout.split() == [{"x86-64": "0", "haswell": "4"}[cpu]], done.stderr


def test_one_memory_for_many_evaluations() -> None:
    """Other shapes, rules or cuts, one after the other: what was found by one counts for itself."""
    search, boards = Search(random_patterns(TINY, 1), "standard"), positions_to_move(96, 60)[4::8]
    for texts in (TINY, MANY, WHOLE, TINY):
        patterns = random_patterns(texts, 1)
        for rules, board in itertools.product(RULE_NAMES, [*boards, PASS_AT_ROOT[::-1]]):
            for cuts in (cuts_with(0), None):
                search.use(patterns, rules, cuts)
                search.deepen(board, 5)
            assert search.deepen(board, 5)[1] == minimax(patterns, board, 5, rules)
        assert search.cells[layout.RULES] == reference.REVERSED


def test_an_evaluation_that_is_set_again_goes_on() -> None:
    """As an agent sets it at every move of a game."""
    patterns, board = random_patterns(WHOLE, 1), positions_to_move(99, 60)[20]
    search = Search(patterns, "standard")
    answer = search.deepen(board, 5)
    needed = search.nodes
    search.use(patterns, "standard")
    assert search.move(board, 5) == answer
    assert search.nodes < needed // 4
