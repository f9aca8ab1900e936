"""Alpha-beta over patterns against plain minimax: values, moves, budgets, cuts, node counts."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import NamedTuple

import pytest

from evolve.engine.board.rules import Rules
from evolve.engine.compiled import intrinsics as memory
from evolve.engine.patterns import patterns as block
from evolve.engine.patterns.patterns import DISC, Patterns, no_cuts
from evolve.engine.search import context as layout
from evolve.engine.search.search import INFINITY
from tests import reference
from tests.cli import python
from tests.engine.slow_patterns import (
    MANY,
    RULE_NAMES,
    TINY,
    WHOLE,
    CutCells,
    Search,
    board_of,
    minimax,
    move_value,
    positions_before_passes,
    positions_to_move,
    positions_with_a_pass,
    random_patterns,
    slow_minimax,
    with_tempo,
)
from tests.reference import START, Board, parse

PASS_AT_ROOT = parse("XO-" + "-" * 61, "O")
"""O to move has no move, X takes c1: a pass, a move, and the end by wipe-out."""


def check_against_minimax(search: Search, patterns: Patterns, board: Board, depth: int) -> None:
    """With nothing remembered: the value, and that the square has it."""
    square, value = search.fresh().deepen(board, depth)
    assert value == minimax(patterns, board, depth, search.rules)
    assert value == move_value(patterns, board, square, depth, search.rules)
    assert not search.stopped


@pytest.mark.parametrize(("rules", "name"), [*enumerate(RULE_NAMES)])
def test_minimax_is_minimax(rules: int, name: Rules) -> None:
    """The compiled one that searches are compared with is the one in plain Python."""
    patterns = with_tempo(random_patterns(TINY, 1))
    rng = random.Random(80 + rules)
    boards = reference.random_boards(rng, 3, 20, 50) + reference.random_boards(rng, 12, 0, 8)
    pairs = [*itertools.product([*boards, *positions_before_passes(81, 6), PASS_AT_ROOT], range(3))]
    expected = [slow_minimax(patterns, board, depth, rules) for board, depth in pairs]
    assert [minimax(patterns, board, depth, name) for board, depth in pairs] == expected


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize(
    ("texts", "shift", "count", "deepest"),
    [
        (WHOLE, 7, 160, 4),
        (MANY, 7, 60, 4),
        (TINY, 7, 80, 4),
        # As large as they can be, so small that most moves are equal, and all zero but for −1.
        *((WHOLE, shift, 20, 3) for shift in (0, 12, 16)),
        pytest.param(WHOLE, 7, 3_000, 3, marks=pytest.mark.slow),
    ],
)
def test_values_and_moves(
    rules: Rules, texts: tuple[str, ...], shift: int, count: int, deepest: int
) -> None:
    """Through whole games: at their ends they finish, and sides pass, inside of the tree."""
    patterns = with_tempo(random_patterns(texts, 1, shift))
    search = Search(patterns, rules)
    boards = positions_to_move(82, count) + positions_before_passes(84, 25)
    for board, depth in itertools.product(boards, range(1, deepest + 1)):
        if reference.legal_moves(*board):
            check_against_minimax(search, patterns, board, depth)


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize(
    ("bits", "depths"), [(1, (3, 4)), (5, (5,)), pytest.param(14, (6,), marks=pytest.mark.slow)]
)
def test_tables_of_any_size(rules: Rules, bits: int, depths: tuple[int, ...]) -> None:
    """The value does not depend on what the table has room for, nor on what came before."""
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules, table_bits=bits)
    found, expected = [], []
    for board, depth in itertools.product(positions_to_move(85, 240)[::24], depths):
        # The second one begins from what the first one left.
        found.append((search.fresh().move(board, depth)[1], search.deepen(board, depth)[1]))
        expected.append((minimax(patterns, board, depth, rules),) * 2)
    assert found == expected


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_values_of_all_moves(rules: Rules) -> None:
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules)
    boards = positions_to_move(87, 240)[::4] + positions_before_passes(88, 10)
    pairs = [*itertools.product(boards, (1, 2, 3, 4))]
    assert [search.fresh().values(*pair) for pair in pairs] == [
        {
            one: move_value(patterns, board, one, depth, rules)
            for one in reference.legal_moves(*board)
        }
        for board, depth in pairs
    ]


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize(("rules", "score"), [("standard", 64), ("reversed", -3)])
def test_a_finished_game_is_worth_its_score(rules: Rules, score: int, depth: int) -> None:
    """X takes O's only disc, at any depth, after a move of its own or after O's pass."""
    search = Search(random_patterns(WHOLE, 1), rules)
    assert search.deepen(PASS_AT_ROOT[::-1], depth) == (2, score * DISC)
    assert search.values(PASS_AT_ROOT[::-1], depth) == {2: score * DISC}


MOST_MOVES = 33
"""No position has more moves: by so many evaluations the listing of one may exceed a budget."""


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_null_windows_find_the_best_move_from_any_guess(rules: Rules) -> None:
    """Or one within a disc of it; and −1 where none is worth more than `low`, or when stopped."""
    search, rng = Search(random_patterns(WHOLE, 1), rules), random.Random(92)
    for board in positions_to_move(93, 300)[::10]:
        depth, first = rng.randint(2, 3), rng.choice(reference.legal_moves(*board))
        values = search.fresh().values(board, depth)
        best = max(values.values())
        for guess, disc in itertools.product((best, best + 1, values[first], -20_000), (1, DISC)):
            known = first, guess, -INFINITY, INFINITY, disc
            square, value = search.fresh().near(board, depth, *known)
            assert best - values[square] < disc
            assert abs(value - best) <= disc
            assert search.fresh(1).near(board, depth, *known)[0] == -1
        assert search.fresh().near(board, depth, first, best + 1, best, best + 2, 1)[0] == -1
        assert (
            values[search.fresh().near(board, depth, first, best, best - 1, best + 1, 1)[0]] == best
        )


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_budget(rules: Rules) -> None:
    """With fewer nodes than it needs it stops at the next one, with no move or one that it has
    searched to its end, and what is left does no harm."""
    patterns = random_patterns(WHOLE, 1)
    search, rng, partly = Search(patterns, rules), random.Random(90), 0
    for board in positions_to_move(91, 300)[::15]:
        for depth in (1, 2, 3, 4):
            answer = search.fresh().move(board, depth)
            needed = search.nodes
            for budget in {1, 2, needed // 2, needed - 1, rng.randint(1, needed)} - {0, needed}:
                square, value = search.fresh(budget).move(board, depth)
                assert search.stopped
                assert budget <= search.nodes < budget + MOST_MOVES
                if square != -1:
                    partly += 1
                    assert value == move_value(patterns, board, square, depth, rules)
                # What the stopped search has proven counts from here on.
                search.budget = 0
                square, value = search.move(board, depth)
                assert not search.stopped
                assert value == answer[1]
                assert value == move_value(patterns, board, square, depth, rules)
            for budget in (needed, needed + 1):
                assert search.fresh(budget).move(board, depth) == answer
                assert not search.stopped
                assert search.nodes == needed
    assert partly > 50


def test_a_stopped_search_looks_at_the_table_s_move_first() -> None:
    """So that its move is no worse than the one of the search before it."""
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, "standard")
    for board in positions_to_move(100, 120)[::6]:
        square, budget = -1, 1
        while square == -1:
            budget *= 2
            before, _ = search.fresh().move(board, 3)
            search.budget = budget
            square, value = search.move(board, 4)
        assert value == move_value(patterns, board, square, 4, "standard")
        assert value >= move_value(patterns, board, before, 4, "standard")


def probes_with(margin: int, mean: int = 0) -> CutCells:
    """From depth 3 on at all disc counts, by searches that are two plies shallower."""
    cells = no_cuts()
    for depth in range(3, 9):
        cells[depth, :, block.PROBE_DEPTH] = depth - 2
        cells[depth, :, block.PROBE_MEAN] = mean
        cells[depth, :, block.PROBE_MARGIN] = margin
        cells[depth, :, block.CHECK_MARGIN] = -margin
    return cells


def static_with(margin: int, mean: int = 0) -> CutCells:
    """In nodes of every depth and at all disc counts, by static values."""
    cells = no_cuts()
    cells[..., block.STATIC_MEAN] = mean
    cells[..., block.STATIC_MARGIN] = margin
    return cells


def cuts_with(margin: int) -> CutCells:
    """Both."""
    cells = probes_with(margin)
    cells[..., block.STATIC_MARGIN] = margin
    return cells


HUGE = 1 << 24


def nodes_with(cuts: CutCells | None, rules: Rules, depth: int) -> int:
    """Of searches of some positions, each on its own."""
    search, nodes = Search(random_patterns(WHOLE, 1), rules, cuts), 0
    for board in positions_to_move(92, 240)[::24]:
        square, _ = search.fresh().deepen(board, depth)
        assert square in reference.legal_moves(*board)
        nodes += search.nodes
    return nodes


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize(("cuts_of", "likely"), [(probes_with, 2 * DISC), (static_with, 8 * DISC)])
def test_cuts_save_nodes(rules: Rules, cuts_of: Callable[[int], CutCells], likely: int) -> None:
    """The more, the less has to be sure; a probe that never cuts costs its shallow searches."""
    sure, more, most = (nodes_with(cuts_of(margin), rules, 6) for margin in (HUGE, likely, 0))
    none = nodes_with(None, rules, 6)
    assert most < more < none
    assert (sure > none) == (cuts_of is probes_with)
    assert sure >= none


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("mean", [0, 5 * DISC])
@pytest.mark.parametrize("cuts_of", [probes_with, static_with])
def test_cuts_that_are_never_made_change_no_value(
    rules: Rules, mean: int, cuts_of: Callable[[int, int], CutCells]
) -> None:
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules, cuts_of(HUGE, mean))
    for board in positions_to_move(93, 240)[::16]:
        check_against_minimax(search, patterns, board, 4)


class Probe(NamedTuple):
    """Figures of a cut at nodes of depth 4. Slopes are of the deep value by the other one."""

    depth: int
    slope: float
    mean: int
    margin: int
    static_slope: float
    static_mean: int
    check: int

    @property
    def cells(self) -> CutCells:
        cells = no_cuts()
        cells[4, :, block.PROBE_DEPTH], cells[4, :, block.PROBE_SLOPE] = self.depth, self._inverse
        cells[4, :, block.PROBE_MEAN], cells[4, :, block.PROBE_MARGIN] = self.mean, self.margin
        cells[4, :, block.STATIC_SLOPE] = round(self.static_slope * ONE_SLOPE)
        cells[4, :, block.STATIC_MEAN], cells[4, :, block.CHECK_MARGIN] = (
            self.static_mean,
            self.check,
        )
        return cells

    @property
    def _inverse(self) -> int:
        return round(ONE_SLOPE / self.slope)

    def shallow_bound(self, deep: int) -> int:
        """The shallow value that makes the deep one likely."""
        return (deep - self.mean) * self._inverse // ONE_SLOPE

    def expected(self, static: int) -> int:
        """The deep value that a static one makes likely."""
        return round(self.static_slope * ONE_SLOPE) * static // ONE_SLOPE + self.static_mean


ONE_SLOPE = 1 << block.SLOPE_BITS
SURE = 3 * DISC
PROBES = (
    Probe(1, 1.0, 0, 0, 1.0, 0, 0),
    Probe(2, 1.0, 300, 500, 1.0, 0, -500),
    Probe(2, 1.0, -700, 200, 1.0, -700, 100),
    Probe(3, 1.0, 400, 1500, 1.0, 0, -1500),
    Probe(2, 0.8, 100, 300, 0.5, -200, -900),
    Probe(1, 1.75, -150, 250, 1.5, 150, SURE),
    Probe(2, 0.5, 0, 0, 0.25, 0, -HUGE),
)


def check_probe(search: Search, probe: Probe, board: Board, beta: int) -> int:
    """A null window below `beta` at a node of depth 4: a cut where the evaluation and the shallow
    value say so, else a bound as there is without one. Gives 1, −1 or 0 for no cut."""
    patterns, alpha = random_patterns(WHOLE, 1), beta - 1
    found = search.fresh().in_window(board, alpha, beta, 4)
    shallow = minimax(patterns, board, probe.depth, search.rules)
    expected = probe.expected(minimax(patterns, board, 0, search.rules))
    if expected >= beta + probe.check and shallow >= probe.shallow_bound(beta + probe.margin):
        assert found == beta
        return 1
    if expected <= alpha - probe.check and shallow <= probe.shallow_bound(alpha - probe.margin):
        assert found == alpha
        return -1
    exact = minimax(patterns, board, 4, search.rules)
    assert exact >= found if found >= beta else exact <= found
    return 0


def tries_of(probe: Probe, board: Board, rng: random.Random) -> list[int]:
    """Windows just where cuts begin, by the shallow value and by the static one, and others."""
    patterns = random_patterns(WHOLE, 1)
    shallow = minimax(patterns, board, probe.depth, "standard")
    deep = round(probe.slope * shallow) + probe.mean
    expected = probe.expected(minimax(patterns, board, 0, "standard"))
    near = [deep - probe.margin, deep + probe.margin, expected - probe.check]
    near.append(expected + probe.check)
    return [
        *(middle + step for middle in near if abs(middle) < HUGE for step in (-1, 0, 1, 2)),
        *(deep + rng.randint(-4000, 4000) for _ in range(3)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("probe", PROBES)
def test_where_probes_cut(probe: Probe) -> None:
    """Just where slopes, means and margins put them, on either side of the window."""
    patterns, rng = random_patterns(WHOLE, 1), random.Random(97)
    search, made = Search(patterns, "standard", probe.cells), set[int]()
    for board in positions_to_move(98, 240)[::16]:
        tries = tries_of(probe, board, rng)
        made.update(check_probe(search, probe, board, beta) for beta in tries)
    assert made == {-1, 0, 1}


@pytest.mark.slow
@pytest.mark.parametrize("probe", PROBES)
def test_probes_after_a_pass(probe: Probe) -> None:
    """They are made as for the side that has a move, in its window, by its own static value."""
    patterns, rng, made = random_patterns(WHOLE, 1), random.Random(101), 0
    search = Search(patterns, "standard", probe.cells)
    found, turned = [], []
    for board in positions_with_a_pass(102, 12):
        for beta in tries_of(probe, board, rng):
            found.append(search.fresh().in_window(board, beta - 1, beta, 4))
            turned.append(-search.fresh().in_window((board[1], board[0]), -beta, 1 - beta, 4))
            made += found[-1] in (beta, beta - 1)
    assert found == turned
    assert made > 0


def test_no_probe_where_the_static_value_does_not_promise_a_cut() -> None:
    """It would cost its nodes."""
    patterns = random_patterns(WHOLE, 1)
    promising, hopeless = (Probe(2, 1.0, 0, HUGE, 1.0, 0, check) for check in (-HUGE, HUGE))
    nodes = []
    for board in positions_to_move(98, 240)[::8]:
        for cells in (no_cuts(), hopeless.cells, promising.cells):
            search = Search(patterns, "standard", cells)
            search.fresh().in_window(board, 0, 1, 4)
            nodes.append(search.nodes)
    assert nodes[::3] == nodes[1::3]
    assert not [pair for pair in zip(nodes[1::3], nodes[2::3], strict=True) if pair[0] >= pair[1]]


def cuts_of_children(slope: float, mean: int, margin: int, depth: int = 1) -> CutCells:
    """Static cuts of nodes of one depth."""
    cells = no_cuts()
    cells[depth, :, block.STATIC_SLOPE] = round(slope * ONE_SLOPE)
    cells[depth, :, block.STATIC_MEAN], cells[depth, :, block.STATIC_MARGIN] = mean, margin
    return cells


def check_listing(search: Search, line: tuple[float, int, int], board: Board, beta: int) -> str:
    """A null window below `beta` at a node of depth 2, whose moves may be cut as they are listed:
    what it found against what static values after the moves say. Names what happened."""
    patterns, alpha = random_patterns(WHOLE, 1), beta - 1
    slope, mean, margin = line
    found = search.fresh().in_window(board, alpha, beta, 2)
    kept, left_out = [], 0
    for listed, square in enumerate(reference.legal_moves(*board), 1):
        child = reference.play(*board, square)
        # Times ONE_SLOPE, so that nothing is rounded.
        forecast = round(slope * ONE_SLOPE) * patterns.value(board_of(child)) + mean * ONE_SLOPE
        if forecast <= (-beta - margin) * ONE_SLOPE:
            assert (found, search.nodes) == (beta, 1 + listed)
            return "refuted"
        if forecast >= (-alpha + margin) * ONE_SLOPE and reference.legal_moves(*child):
            left_out += 1
        else:
            kept.append(-minimax(patterns, child, 1, search.rules))
    best = max(kept, default=alpha)
    if best >= beta:
        assert beta <= found <= best
        return "better"
    assert found == alpha if left_out else best <= found <= alpha
    return "some left out" if left_out and kept else "left out" if left_out else "worse"


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("line", [(1.0, 0, 0), (1.0, 600, 300), (0.75, -500, 900), (2.0, 0, 100)])
def test_where_static_values_cut(line: tuple[float, int, int], rules: Rules) -> None:
    """A move that refutes the position ends its listing, and one that helps the other side is left
    out, just where slope, mean and margin say so."""
    patterns, rng = random_patterns(WHOLE, 1), random.Random(103)
    slope, mean, margin = line
    search, seen = Search(patterns, rules, cuts_of_children(*line)), set[str]()
    for board in positions_to_move(104, 240)[::16] + positions_before_passes(105, 8):
        tries = [rng.randint(-6000, 6000) for _ in range(6)]
        for square in reference.legal_moves(*board)[:4]:
            value = patterns.value(board_of(reference.play(*board, square)))
            middle = -math.floor(slope * value + mean)
            tries += [middle + sign * margin + step for sign in (-1, 1) for step in (-1, 0, 1, 2)]
        seen.update(check_listing(search, line, board, beta) for beta in tries)
    assert seen == {"refuted", "better", "some left out", "left out", "worse"}


@pytest.mark.parametrize("mean", [-HUGE, HUGE])
@pytest.mark.parametrize("rules", RULE_NAMES)
def test_no_static_cuts_in_open_windows(rules: Rules, mean: int) -> None:
    """The best move could be among them; not at the root either."""
    patterns = random_patterns(WHOLE, 1)
    search = Search(patterns, rules, cuts_of_children(1.0, mean, 0))
    found, expected = [], []
    for board in positions_to_move(106, 240)[::12]:
        exact = minimax(patterns, board, 2, rules)
        for alpha, beta in ((-HUGE, HUGE), (exact - 1, exact + 1), (exact - 500, exact + 300)):
            found.append(search.fresh().in_window(board, alpha, beta, 2))
        square, value = search.fresh().move(board, 2)
        best = max(search.fresh().values(board, 2).values())
        found += [value, move_value(patterns, board, square, 2, rules), best]
        expected += [exact] * 6
    assert found == expected


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_moves_that_are_never_left_out(rules: Rules) -> None:
    """One after which the other side must pass: its static value says nothing; and the table's."""
    patterns, passes = random_patterns(WHOLE, 1), 0
    search = Search(patterns, rules, cuts_of_children(1.0, HUGE, 0))
    for board in positions_before_passes(107, 40):
        children = [reference.play(*board, square) for square in reference.legal_moves(*board)]
        forced = [child for child in children if not reference.legal_moves(*child)]
        values = [-minimax(patterns, child, 1, rules) for child in forced]
        for beta in (min(values, default=0), max(values, default=0), max(values, default=0) + 1):
            found = search.fresh().in_window(board, beta - 1, beta, 2)
            assert (found >= beta) == (max(values, default=-HUGE) >= beta)
        passes += len(forced)
    assert passes >= 20
    search = Search(patterns, rules, cuts_of_children(1.0, HUGE, 0, depth=3))
    for board in positions_to_move(108, 240)[::12]:
        square, _ = search.fresh().move(board, 2)
        value = move_value(patterns, board, square, 4, rules)
        for beta in (value, value + 1):
            assert search.fresh().move(board, 2)[0] == square
            after = (reference.play(*board, move) for move in reference.legal_moves(*board))
            forced_too = not all(reference.legal_moves(*child) for child in after)
            found = search.in_window(board, beta - 1, beta, 4)
            assert forced_too or (found >= beta) == (value >= beta)


def test_cuts_stop_with_the_budget() -> None:
    search = Search(random_patterns(WHOLE, 1), "standard", cuts_with(4 * DISC))
    for board in positions_to_move(94, 240)[5:40:7]:
        answer = search.fresh().move(board, 5)
        needed = search.nodes
        for budget in (needed // 3, needed // 2):
            assert search.fresh(budget).move(board, 5)[0] in (-1, *reference.legal_moves(*board))
            assert search.stopped
            assert budget <= search.nodes < budget + MOST_MOVES
        assert search.fresh().move(board, 5) == answer
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
@pytest.mark.parametrize("cuts", [None, cuts_with(4 * DISC)])
@pytest.mark.parametrize("depths", [(5,), (6, 2, 4)])
def test_games_repeat(rules: Rules, cuts: CutCells | None, depths: tuple[int, ...]) -> None:
    """What is kept from move to move depends on the game alone: squares, values and nodes."""
    patterns = random_patterns(WHOLE, 1)
    games = [play(Search(patterns, rules, cuts), depths) for _ in range(2)]
    assert games[0] == games[1]
    used = Search(patterns, rules, cuts)
    play(used, (3,))
    assert play(used.fresh(), depths) == games[0]


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
        alone.fresh().deepen(board, depth)
        kept, apart = kept + nodes, apart + alone.nodes
    assert kept < apart


def pinned_boards() -> list[Board]:
    """Among them positions near the end, which have other values by other rules."""
    rng = random.Random(95)
    boards = [START, *reference.random_boards(rng, 5, 12, 50)]
    late = reference.random_boards(rng, 16, 5, 9)
    return boards + [board for board in late if reference.legal_moves(*board)][:4]


def search_figures(texts: tuple[str, ...], rules: Rules, depth: int) -> list[Found]:
    """Square, value and nodes of each of the fixed positions."""
    search = Search(random_patterns(texts, 1), rules, table_bits=14)
    return [(*search.fresh().deepen(board, depth), search.nodes) for board in pinned_boards()]


PINNED: dict[tuple[str, ...], tuple[list[Found], Found]] = {
    WHOLE: ([
        (19, -1799, 2576), (46, -884, 12027), (4, 492, 65054), (7, -638, 45290),
        (63, 124, 31372), (41, 82, 86862), (40, -223, 3873), (62, 1595, 2547), (33, 540, 2761),
        (63, 4096, 378),
    ], (49, -1024, 499)),
    MANY: ([
        (19, -754, 1487), (7, -321, 14606), (44, -1777, 93972), (7, -1503, 31448),
        (9, -1932, 41407), (22, -2432, 91646), (3, 289, 4645), (55, 2044, 2461),
        (8, 1897, 2671), (63, 4096, 543),
    ], (49, -1024, 491)),
    TINY: ([
        (19, -141, 1443), (46, -600, 13259), (33, -161, 35909), (46, -783, 48919),
        (63, -164, 25842), (32, 249, 52755), (40, -199, 4108), (33, 744, 2347),
        (33, -768, 3075), (63, 4096, 394),
    ], (49, -1024, 475)),
}  # fmt: skip
"""Under `standard`, and what is last under `reversed`: before the end both search the same."""


def pinned(texts: tuple[str, ...], rules: Rules) -> list[Found]:
    found, last = PINNED[texts]
    return found if rules == "standard" else [*found[:-1], last]


@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize("texts", PINNED)
def test_pinned_searches(texts: tuple[str, ...], rules: Rules) -> None:
    """A change of behaviour must change these figures."""
    assert search_figures(texts, rules, 6) == pinned(texts, rules)


@pytest.mark.slow
@pytest.mark.skipif(memory.LANES == 0, reason="this machine has no AVX2, there is one path to test")
@pytest.mark.parametrize("cpu", ["x86-64", "haswell"])
def test_other_cpus_search_the_same(cpu: str) -> None:
    code = (
        "from tests.engine.patterns import test_pattern_search as it\n"
        "for texts in it.PINNED:\n"
        "    for rules in it.RULE_NAMES:\n"
        "        assert it.search_figures(texts, rules, 6) == it.pinned(texts, rules)\n"
        "print(it.memory.LANES)\n"
    )
    done = python(code, NUMBA_CPU_NAME=cpu, NUMBA_CPU_FEATURES="")
    assert done.out.split() == [{"x86-64": "0", "haswell": "4"}[cpu]], done.err


@pytest.mark.slow
def test_one_memory_for_many_evaluations() -> None:
    """Other shapes, rules or cuts, one after the other: what was found by one counts for itself."""
    search, boards = Search(random_patterns(TINY, 1), "standard"), positions_to_move(96, 60)[4::16]
    found, expected = [], []
    for texts in (TINY, MANY, WHOLE, TINY):
        patterns = random_patterns(texts, 1)
        for rules, board in itertools.product(RULE_NAMES, [*boards, PASS_AT_ROOT[::-1]]):
            for cuts in (cuts_with(0), None):
                search.use(patterns, rules, cuts)
                search.deepen(board, 5)
            found.append(search.deepen(board, 5)[1])
            expected.append(minimax(patterns, board, 5, rules))
    assert found == expected
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
