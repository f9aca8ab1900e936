"""Games to learn from, and what is learned from them, against plain Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from evolve.agents.analysis import solved
from evolve.agents.memory import PatternMemory
from evolve.engine.board.bits import legal_moves
from evolve.engine.board.rules import Rules, rule_set
from evolve.engine.games.opening import MATCH_SLOT, OPENING_DISCS, slot_of, trained_moves
from evolve.engine.games.pattern_games import (
    ONE_VALUE,
    TO_EVALUATION,
    GameOptions,
    TrainingData,
    fit_positions,
    label_positions,
    learn_by_differences,
    play_to_learn,
)
from evolve.engine.games.training_games import MOST_POSITIONS, GameRecords
from evolve.engine.patterns.patterns import DISC, Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from tests import reference
from tests.engine import U, phases_at
from tests.engine.slow_patterns import (
    BOUNDARIES,
    RULE_NAMES,
    TINY,
    Search,
    board_of,
    contents,
    random_patterns,
    random_shorts,
    shape_set,
)
from tests.reference import Board

GREEDY = GameOptions(U(5), 12, 0.2, 7, 0)
SEARCHED = GameOptions(U(6), 20, 0.1, 9, 3)
TO_THE_END = GameOptions(U(7), 8, 0.3, 0, 0)
FROM_THE_START = GameOptions(U(8), 0, 0.0, 5, 2)
GAMES, SOME = 24, 8
OPTIONS = (GREEDY, SEARCHED, TO_THE_END, FROM_THE_START)


def taught_of(patterns: Patterns, seed: int = 0) -> TrainingData:
    """The same weights as they are while they are taught, and errors seen before, of a seed."""
    shapes = patterns.shapes
    phases = len(patterns.tables)
    tables = np.zeros((phases, shapes.entries + 2), np.int32)
    tables[:, : shapes.entries] = patterns.tables.astype(np.int32) * TO_EVALUATION
    sums = np.zeros((phases, shapes.entries + 2, 2), np.float32)
    if seed:
        drawn = random_shorts(phases * shapes.weights, seed, 0).reshape(phases, -1)
        errors = drawn[:, shapes.weight_of_entry] / 2.0**15
        sums[:, : shapes.entries, 0] = errors
        sums[:, : shapes.entries, 1] = np.abs(errors) * 1.5
    phase_of = np.array(phases_at(*patterns.boundaries))
    updates = np.zeros((phases, shapes.entries + 2), np.int32)
    return TrainingData(tables, sums, updates, phase_of, shapes.following, shapes.middles)


def vectors_of(shapes: ShapeSet) -> npt.NDArray[np.int16]:
    return np.zeros((2, shapes.lanes), np.int16)


def play_part(
    first: int, options: GameOptions, rules: Rules, part: slice, records: GameRecords
) -> None:
    """Fill a part of `records` with games number `first` and on, in a memory of its own."""
    patterns = random_patterns(TINY, 1)
    memory = PatternMemory(10)
    context = memory.set(patterns, patterns.block(), rules)
    some, vectors = records.part(part), vectors_of(patterns.shapes)
    play_to_learn(first + part.start, options, taught_of(patterns), vectors, context, some)


@cache
def games_of(options: GameOptions, rules: Rules) -> GameRecords:
    """GAMES games, played in one go."""
    records = GameRecords.blank(GAMES)
    play_part(0, options, rules, slice(0, GAMES), records)
    return records


def some_games(options: GameOptions, rules: Rules) -> GameRecords:
    """The first SOME of them, to learn from."""
    return games_of(options, rules).part(slice(SOME))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("rules", RULE_NAMES)
def test_games_do_not_depend_on_their_parts(options: GameOptions, rules: Rules) -> None:
    records = games_of(options, rules)
    again, later = GameRecords.blank(GAMES), GameRecords.blank(GAMES - 20)
    for part in (slice(20, GAMES), slice(0, 1), slice(1, 20)):
        play_part(0, options, rules, part, again)
    play_part(20, options, rules, slice(0, GAMES - 20), later)
    rest = records.part(slice(20, None))
    pairs = [*zip(again, records, strict=True), *zip(later, rest, strict=True)]
    assert all(np.array_equal(one, other) for one, other in pairs)


def test_games_are_those_of_their_seed() -> None:
    games = games_of(GREEDY, "standard")
    others = games_of(GREEDY._replace(seed=U(9)), "standard")
    assert len(np.unique(games.positions[:, 0], axis=0)) > GAMES // 2
    assert not (games.positions == others.positions).all(axis=(1, 2)).any()


class Step(NamedTuple):
    """A recorded position, what it says, and the move played from there; None for the last one.

    passed: whether the other side has to pass after the move; score: the exact one, where known."""

    board: Board
    explored: bool
    passed: bool
    value: float
    move: int | None
    score: int | None


def move_between(board: Board, after: Board, same_side: bool) -> int | None:
    """The legal move from one position to the next, behind which the other side passes or not."""
    for square in reference.legal_moves(*board):
        child = reference.play(*board, square)
        passes = not reference.legal_moves(*child)
        if passes == same_side and (child[::-1] if passes else child) == after:
            return square
    return None


@cache
def steps_of(options: GameOptions, rules: Rules, game: int) -> list[Step]:
    """The recorded positions of a game; all moves between them are legal, passes included."""
    records = games_of(options, rules)
    count = int(records.counts[game])
    assert 0 < count <= MOST_POSITIONS
    boards: list[Board] = [(int(a), int(b)) for a, b in records.positions[game, :count]]
    sides = records.sides[game, :count]
    passed = [*(sides[1:] == sides[:-1]).tolist(), False]
    moves = [*map(move_between, boards, boards[1:], passed)]
    assert moves == records.moves[game, : count - 1].tolist()
    explored, values = records.explored[game, :count].tolist(), records.values[game, :count]
    first = int(records.solved[game])
    scores = [*[None] * first, *records.scores[game, first:count].tolist()]
    rows = zip(boards, explored, passed, values.tolist(), [*moves, None], scores, strict=True)
    return [Step(*row) for row in rows]


def score_of(records: GameRecords, game: int) -> int:
    """The score for the side to move in the last position."""
    return int(records.results[game]) * int(records.sides[game, records.counts[game] - 1])


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("rules", RULE_NAMES)
def test_games_are_legal_and_their_scores_exact(options: GameOptions, rules: Rules) -> None:
    """Each begins after its random opening, and goes on to its end, solved where it soon ends."""
    records, code = games_of(options, rules), rule_set(rules).code
    opened = set()
    for game in range(GAMES):
        steps = steps_of(options, rules, game)
        opened.add(60 - reference.empties(*steps[0].board))
        known = [
            solved(board_of(step.board), rules)[1]
            if reference.empties(*step.board) <= options.solved
            else None
            for step in steps
        ]
        assert [step.score for step in steps] == known
        end = reference.play(*steps[-1].board, int(records.moves[game, len(steps) - 1]))
        assert reference.is_over(*end)
        first, score = int(records.solved[game]), -reference.final_score(*end, code)
        if first < len(steps):
            score = int(records.sides[game, -1 + len(steps)] * records.sides[game, first])
            score *= known[first] or 0
        assert score_of(records, game) == score
    assert len(opened) > options.openings // 2
    assert max(opened) <= options.openings


def test_games_have_passes_and_explored_moves() -> None:
    """Of both kinds there are some in what these tests look at."""
    looks = (GREEDY, SEARCHED, TO_THE_END)
    assert all(games_of(options, "standard").explored.any() for options in looks)
    steps = [step for game in range(GAMES) for step in steps_of(TO_THE_END, "standard", game)]
    assert any(step.passed for step in steps)
    assert any(step.passed and step.explored for step in steps)
    # Without random moves the best one is not played where it leads into an opening of a match.
    records = games_of(FROM_THE_START, "standard")
    boards = [tuple(map(int, board)) for board in records.positions[records.explored]]
    assert not [one for one in boards if len(learnable(one)) == len(reference.legal_moves(*one))]


def test_no_game_comes_to_an_opening_of_a_match() -> None:
    games = [games_of(options, "standard").positions.reshape(-1, 2) for options in OPTIONS]
    boards = np.concatenate(games)
    boards = boards[np.bitwise_count(boards.sum(axis=1)) == OPENING_DISCS]
    assert MATCH_SLOT not in [slot_of(*board) for board in boards]
    assert len(boards) > GAMES


def learnable(board: Board) -> list[int]:
    """The moves that do not lead into an opening of a match."""
    own, opp = U(board[0]), U(board[1])
    moves = int(trained_moves(own, opp, U(legal_moves(own, opp))))
    return [square for square in range(64) if moves >> square & 1]


def greedy_values(patterns: Patterns, board: Board) -> dict[int, int]:
    """What each move that may be learned from is worth one ply ahead, the game's end not seen."""
    children = {square: reference.play(*board, square) for square in learnable(board)}
    return {square: -patterns.value(board_of(child)) for square, child in children.items()}


def check_moves(
    options: GameOptions, rules: Rules, best_of: Callable[[Board], tuple[int, int]]
) -> None:
    """Moves are those found best but where another one was explored; values are theirs."""
    steps = [step for game in range(GAMES) for step in steps_of(options, rules, game)]
    steps = [step for step in steps if step.move is not None]
    best = [best_of(step.board) for step in steps]
    limited = [min(max(value * TO_EVALUATION, -ONE_VALUE), ONE_VALUE) for _, value in best]
    assert [step.value for step in steps] == [value / ONE_VALUE for value in limited]
    explored = [step.explored for step in steps]
    assert explored == [s.move != square for s, (square, _) in zip(steps, best, strict=True)]
    assert 0.02 * len(steps) < sum(explored) < 0.4 * len(steps)


@pytest.mark.parametrize("options", [GREEDY, TO_THE_END])
def test_greedy_moves(options: GameOptions) -> None:
    """The lowest of the best squares by the weights as they are taught."""
    patterns = random_patterns(TINY, 1)
    check_moves(options, "standard", lambda b: reference.best_of(greedy_values(patterns, b)))


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_searched_moves(rules: Rules) -> None:
    search = Search(random_patterns(TINY, 1), rules, table_bits=10)
    check_moves(SEARCHED, rules, lambda board: search.fresh().deepen(board, SEARCHED.depth))


def test_values_are_cut_off_at_a_win() -> None:
    """A forecast may be more than 64 discs; what is recorded is not."""
    shapes = shape_set(("a1-b2",))
    patterns = Patterns.of_weights(shapes, (), np.full((1, shapes.weights), 99 * DISC, np.int16))
    taught, records, memory = taught_of(patterns), GameRecords.blank(2), PatternMemory(10)
    context = memory.set(patterns, patterns.block(), "standard")
    play_to_learn(0, GREEDY, taught, vectors_of(shapes), context, records)
    assert all((records.values[game, : records.counts[game]] == -1.0).all() for game in (0, 1))


# --- learning -------------------------------------------------------------------------------


class SlowWeights:
    """Weights by shape, turned filling and phase, one number each however many entries it has."""

    def __init__(self, shapes: ShapeSet, boundaries: tuple[int, ...], taught: TrainingData) -> None:
        self.shapes, self.phases = shapes, phases_at(*boundaries)
        self.tables = taught.tables.tolist()
        self.sums = taught.sums.astype(np.float64).tolist()
        self.updates = taught.updates.tolist()

    def places(self, board: Board, beside: int = 0) -> tuple[int, list[int]]:
        """The phase of a position, and of each instance the least entry that is its weight.

        beside: of so many discs more the phase.
        """
        found = []
        for number, squares in self.shapes.instances:
            start = int(self.shapes.starts[number])
            entry = start + 3 ** len(squares) // 2 + contents(squares, board)
            found.append(int(self.shapes.canonical[entry]))
        discs = 64 - reference.empties(*board) + beside
        return self.phases[min(max(discs, 0), 64)], found

    def value(self, board: Board, beside: int = 0) -> float:
        phase, places = self.places(board, beside)
        return float(sum(self.tables[phase][place] for place in places) / ONE_VALUE)

    def move(self, board: Board, error: float, rate: float) -> None:
        """One step of every instance's weight, one after the other."""
        phase, places = self.places(board)
        for place in places:
            whole, size = self.sums[phase][place]
            coherence = 1.0
            if size > 0:
                coherence = float(np.float32(abs(whole)) / np.float32(size))
            moved = self.tables[phase][place] + rate * coherence * error * ONE_VALUE
            self.tables[phase][place] = int(min(max(moved, -ONE_VALUE), ONE_VALUE))
            sums = np.float32(whole + error), np.float32(size + abs(error))
            self.sums[phase][place] = [*map(float, sums)]

    def assert_are(self, taught: TrainingData) -> None:
        """All entries of a weight are alike, and near what they are here."""
        count, canonical = self.shapes.entries, self.shapes.canonical
        tables, sums = taught.tables[:, :count], taught.sums[:, :count]
        assert (tables == tables[:, canonical]).all()
        assert (sums == sums[:, canonical]).all()
        assert (taught.updates[:, :count] == np.array(self.updates)[:, canonical]).all()
        assert np.abs(tables - np.array(self.tables)[:, canonical]).max() <= 2
        assert np.allclose(sums, np.array(self.sums)[:, canonical], rtol=1e-5, atol=1e-6)
        assert not taught.tables[:, count:].any()


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
@pytest.mark.parametrize(("options", "rules"), [(TO_THE_END, "standard"), (GREEDY, "reversed")])
def test_differences(options: GameOptions, rules: Rules, trace: float) -> None:
    """A target is the next position's value and target, from the end of a game backwards."""
    patterns, records = random_patterns(TINY, 1), some_games(options, rules)
    taught = taught_of(patterns, 11)
    slow = SlowWeights(patterns.shapes, BOUNDARIES, taught)
    total, learned = 0.0, 0
    for game in range(SOME):
        # Each position is learned from at once, so values are those of the weights by then.
        steps, target = steps_of(options, rules, game), score_of(records, game) / 64
        for place in range(len(steps) - 1, -1, -1):
            board, explored, _, best, _, score = steps[place]
            if score is not None:
                target = score / 64
            elif explored:
                target = best
            value = slow.value(board)
            total += (target - value) ** 2
            learned += 1
            slow.move(board, target - value, 0.02)
            if place:
                target = (1 - trace) * min(max(value, -1.0), 1.0) + trace * target
                target = target if steps[place - 1].passed else -target
    found = learn_by_differences(
        records, trace, 0.02, taught, vectors_of(patterns.shapes), patterns.address
    )
    assert found[1] == learned == records.counts.sum()
    assert found[0] == pytest.approx(total, rel=1e-4)
    slow.assert_are(taught)
    assert (taught.tables != taught_of(patterns).tables).any()


def slow_labels(
    options: GameOptions, rules: Rules, trace: float, searched: float
) -> tuple[list[Board], list[float]]:
    """Targets by the definition: game by game, each backwards."""
    boards, targets = [], []
    for game in range(SOME):
        steps = steps_of(options, rules, game)
        target = value = 0.0
        for place in range(len(steps) - 1, -1, -1):
            board, explored, passed, best, _, score = steps[place]
            if place == len(steps) - 1:
                target = score_of(games_of(options, rules), game) / 64
            else:
                target = (1 - trace) * value + trace * target
                target = target if passed else -target
            value = best
            if score is not None:
                value = target = score / 64
            elif explored:
                target = value
            elif place == len(steps) - 1:
                value = target
            boards.append(board)
            targets.append(searched * value + (1 - searched) * target)
    return boards, targets


@pytest.mark.parametrize(("trace", "searched"), [(0.0, 0.0), (0.8, 0.0), (0.6, 0.3), (1.0, 1.0)])
@pytest.mark.parametrize(("options", "rules"), [(TO_THE_END, "standard"), (SEARCHED, "reversed")])
def test_labels(options: GameOptions, rules: Rules, trace: float, searched: float) -> None:
    records = some_games(options, rules)
    count = int(records.counts.sum())
    positions, targets = np.zeros((count, 2), np.uint64), np.zeros(count, np.float32)
    assert label_positions(records, trace, searched, positions, targets) == count
    boards, expected = slow_labels(options, rules, trace, searched)
    assert [(int(own), int(opp)) for own, opp in positions] == boards
    assert np.allclose(targets, expected, atol=1e-6)
    assert np.abs(targets).max() <= 1


def some_positions(seed: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """Positions of the games, and targets that have nothing to do with them."""
    games = [steps_of(TO_THE_END, "standard", game) for game in range(SOME)]
    boards = [step.board for steps in games for step in steps]
    targets = random_shorts(len(boards), seed, 0) / 2**15
    return np.array(boards, np.uint64), targets.astype(np.float32)


@pytest.mark.parametrize(
    ("rate", "rare", "overlap", "saturation"),
    [(0.02, 0, 0, 0), (0.001, 40, 0, 0), (0.001, 0, 4, 0), (0.002, 300, 60, 0), (0.02, 0, 4, 0.2)],
)
def test_fits(rate: float, rare: int, overlap: int, saturation: float) -> None:
    """In the order given, some positions twice; rare weights move further."""

    def saturated(value: float) -> float:
        return value / (1 + (value / saturation) ** 2) ** 0.5 if saturation else value

    patterns = random_patterns(TINY, 1)
    taught = taught_of(patterns)
    slow = SlowWeights(patterns.shapes, BOUNDARIES, taught)
    positions, targets = some_positions(12)
    order = np.random.default_rng(13).integers(0, len(targets), 500)
    total, gains, beside = 0.0, set(), 0
    for number in order:
        board = (int(positions[number, 0]), int(positions[number, 1]))
        own_phase, _ = slow.places(board)
        for shift in (-overlap, 0, overlap):
            phase, places = slow.places(board, shift)
            if shift and phase == own_phase:
                continue
            error = saturated(float(targets[number])) - saturated(slow.value(board, shift))
            total += error**2 if phase == own_phase else 0.0
            beside += phase != own_phase
            for place in places:
                gain = 1.0
                if rare:
                    gain = max(1.0, (rare / (slow.updates[phase][place] + rare / 64)) ** 0.5)
                gains.add(gain)
                moved = slow.tables[phase][place] + round(rate * error * ONE_VALUE * gain)
                slow.tables[phase][place] = min(max(moved, -ONE_VALUE), ONE_VALUE)
                slow.updates[phase][place] += 1
            if not overlap:
                break
    assert (min(gains), max(gains)) == (1.0, 8.0 if rare else 1.0)
    assert (beside > 0) == (overlap > 0)
    vectors = vectors_of(patterns.shapes)
    found = fit_positions(
        positions, targets, order, rate, float(rare), overlap, float(saturation), taught, vectors,
        patterns.address,
    )  # fmt: skip
    assert found == pytest.approx(total, rel=1e-4)
    slow.assert_are(taught)


def test_weights_stay_in_their_range() -> None:
    """However far a target is, no weight is worth more than a win."""
    patterns = random_patterns(TINY, 1)
    taught, vectors = taught_of(patterns), vectors_of(patterns.shapes)
    positions, _ = some_positions(15)
    targets = np.where(np.arange(len(positions)) % 2, 1e3, -1e3).astype(np.float32)
    order = np.arange(len(positions))
    fit_positions(positions, targets, order, 1.0, 0.0, 0, 0.0, taught, vectors, patterns.address)
    tables = taught.tables[:, : patterns.shapes.entries]
    assert (tables.min(), tables.max()) == (-ONE_VALUE, ONE_VALUE)
