"""A learner for patterns: temporal differences first, then searched games. Needs no PyTorch.

At the end it fits forward cuts: how shallow searches predict deep ones on the agent's own games
(Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", ICCA Journal 1995).
His regression's slope is left out: it was 1 within 3 % wherever the cuts count. Stages with values
that swing between odd and even depths are left out, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.agents.memory import OutOfTimeError, thread_pattern_memory
from evolve.agents.patterns import PatternAgent
from evolve.agents.search_schedule import Cut
from evolve.config.pattern_training import PatternSettings
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.games.opening import MATCH_SLOT, OPENING_DISCS, slot_of
from evolve.engine.games.pattern_games import (
    TO_EVALUATION,
    GameOptions,
    Taught,
    fit_positions,
    label_positions,
    learn_by_differences,
    play_to_learn,
)
from evolve.engine.games.training_games import GameRecords
from evolve.engine.patterns.patterns import DISC, DISC_GROUPS, MOST_CUT_DEPTH, Patterns
from evolve.engine.patterns.shapes import ShapeSet, parse_shapes
from evolve.engine.search.genes import default_boundaries, phase_of
from evolve.fitness.games import GamesDone, in_batches
from evolve.learning.learner import Iteration, Learner, Left, Share, left_for_games

CHECKED_DEPTH: Final = 6
"""Most plies that the agent searches in checks."""
_PART: Final = 32
"""Games that a thread plays in one call."""
_TABLE_BITS: Final = 10
"""Table bits of these games' shallow searches and endgame solves."""
_LARGEST: Final = 32767


class PatternLearner(Learner):
    """Learns weights; keeps statistics of their errors, and labelled positions."""

    kind = "patterns"
    keeps_last = True

    settings: PatternSettings

    def __init__(self, settings: PatternSettings, jobs: int) -> None:
        super().__init__(settings, jobs)
        self._learned = 0
        self._games = 0
        self._searching = False
        self._cuts: tuple[Cut, ...] = ()
        self._shapes = ShapeSet(parse_shapes(settings.shapes))
        self._boundaries = default_boundaries(settings.phases)
        entries, phases = self._shapes.entries, settings.phases
        self._taught = Taught(
            np.zeros((phases, entries + 2), np.int32),
            np.zeros((phases, entries + 2, 2), np.float32),
            np.array([phase_of(discs, self._boundaries) for discs in range(65)]),
            self._shapes.following,
            self._shapes.middles,
        )
        self._positions = np.empty((0, 2), np.uint64)
        self._targets = np.empty(0, np.float32)
        self._vectors = np.zeros((2, self._shapes.lanes), np.int16)

    @property
    def steps(self) -> int:
        """Positions learned from so far."""
        return self._learned

    @property
    def reserve(self) -> float:
        """CPU seconds of a budget that `finish` needs, at most a tenth of it."""
        budget, cuts = self.settings.budget, self.settings.probcut
        return 0.0 if budget is None or cuts == 0 else min(_CUTS_SECONDS, 0.1 * budget)

    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: GamesDone, left: Left
    ) -> Iteration:
        """Play `count` games and learn from them, as far as the time left allows.

        All games use the weights from before the first of them.
        """
        self._searching = self._searching or share() >= self.settings.greedy
        patterns = self._patterns()
        records = self._play(patterns, count, progress, left)
        if not len(records.counts):
            return Iteration(0, math.nan)
        if self._searching:
            squares, learned = self._fit(records, rng, share, patterns)
        else:
            squares, learned = learn_by_differences(
                records,
                self.settings.trace,
                self._rate(self.settings.rate),
                self.settings.coherence,
                self._taught,
                self._vectors,
                patterns.address,
            )
        self._learned += int(learned)
        return Iteration(len(records.counts), squares / learned)

    def finish(self, left: Left) -> None:
        """Measure how shallow searches predict deep ones, for the agent's forward cuts."""
        if self.settings.probcut > 0.0:
            self._cuts = fit_cuts(self.agent(), self.settings, left)

    @property
    def figures(self) -> dict[str, float]:
        """The share of the distinct weights that games have reached."""
        visited = self._taught.tables[:, self._shapes.first_entries] != 0
        return {"visited": float(visited.mean())}

    def agent(self) -> PatternAgent:
        """Return the current agent."""
        settings = self.settings
        return PatternAgent(
            self._patterns(),
            settings.depth,
            settings.endgame,
            settings.probcut,
            self._cuts,
            rules=settings.rules,
        )

    def checked_agent(self) -> PatternAgent:
        """Return the agent with few plies and no forward cuts.

        The cuts are not known before the end, so checks measure only the weights.
        """
        agent = self.agent()
        return replace(agent, depth=min(agent.depth, CHECKED_DEPTH), probcut=0.0)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return weights, sums of their errors, and the kept positions."""
        return {
            "tables": self._taught.tables,
            "sums": self._taught.sums,
            "positions": self._positions,
            "targets": self._targets,
        }

    def facts(self) -> dict[str, Any]:
        """Return the rest, as JSON."""
        return {
            "steps": self.steps,
            "games": self._games,
            "searching": self._searching,
            "cuts": [asdict(cut) for cut in self._cuts],
        }

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` and `facts` returned; ValueError where they do not fit."""
        for name in ("tables", "sums"):
            mine: npt.NDArray[Any] = getattr(self._taught, name)
            if arrays[name].shape != mine.shape or arrays[name].dtype != mine.dtype:
                raise ValueError(f"{name} are of other shapes")
            mine[:] = arrays[name]
        count = len(arrays["targets"])
        for name, shape in (("positions", (count, 2)), ("targets", (count,))):
            # Kernels do not check them.
            if arrays[name].shape != shape or arrays[name].dtype != getattr(self, f"_{name}").dtype:
                raise ValueError(f"{name} are of other shapes")
        self._positions, self._targets = arrays["positions"], arrays["targets"]
        self._learned, self._games = int(facts["steps"]), int(facts["games"])
        self._searching = bool(facts["searching"])
        self._cuts = tuple(Cut(**cut) for cut in facts["cuts"])

    def _rate(self, share: float) -> float:
        """Return the step of each weight; every instance of a shape has one weight."""
        return share / len(self._shapes.instances)

    def _patterns(self) -> Patterns:
        """Return the current weights as an evaluation."""
        tables = self._taught.tables[:, : self._shapes.entries]
        rounded = np.rint(tables / TO_EVALUATION).clip(-_LARGEST, _LARGEST)
        return Patterns(self._shapes, self._boundaries, rounded.astype(np.int16))

    def _play(self, patterns: Patterns, count: int, progress: GamesDone, left: Left) -> GameRecords:
        """Play games of the current part of the training; return those that finished in time."""
        settings, searching = self.settings, self._searching
        options = GameOptions(
            U(settings.seed),
            settings.openings,
            settings.epsilon,
            settings.search_solved if searching else settings.solved,
            settings.search_depth if searching else 0,
        )
        records, first = GameRecords.blank(count), self._games
        block = patterns.block({})

        def play(part: slice) -> None:
            context = thread_pattern_memory(_TABLE_BITS).set(patterns, block, settings.rules)
            vectors = np.zeros((2, self._shapes.lanes), np.int16)
            some, start = records.part(part), first + part.start
            play_to_learn(start, options, self._taught, vectors, context, some)

        time_left = left_for_games(left) if searching else left

        def played(games: int) -> None:
            progress(games)
            if time_left() <= 0.0:
                raise OutOfTimeError

        with suppress(OutOfTimeError):
            in_batches(count, play, self.jobs, played, _PART)
        # Games that were given up, or not begun for lack of time, are empty.
        self._games += count
        return records.part(records.counts > 0)

    def _fit(
        self, records: GameRecords, rng: np.random.Generator, share: Share, patterns: Patterns
    ) -> tuple[float, int]:
        """Learn from searched games, and again from older ones.

        Returns the sum of squared errors, and their count.
        """
        settings = self.settings
        count = int(records.counts.sum())
        positions, targets = np.empty((count, 2), np.uint64), np.empty(count, np.float32)
        label_positions(records, settings.search_trace, settings.search_share, positions, targets)
        older = len(self._targets)
        again = min(int(settings.replay * count), older)
        self._positions = np.concatenate([self._positions, positions])
        self._targets = np.concatenate([self._targets, targets])
        drawn = rng.choice(older, again, replace=False) if again else np.empty(0, np.int64)
        order = rng.permutation(np.concatenate([drawn, np.arange(older, older + count)]))
        rate = self._rate(self._search_rate(share()))
        squares = fit_positions(
            self._positions,
            self._targets,
            order,
            rate,
            self._taught,
            self._vectors,
            patterns.address,
        )
        self._positions = self._positions[-settings.window :]
        self._targets = self._targets[-settings.window :]
        return float(squares), len(order)

    def _search_rate(self, share: float) -> float:
        """Return the step when this share of the training is done: it falls by equal factors."""
        settings = self.settings
        done = (share - settings.greedy) / (1.0 - settings.greedy) if settings.greedy < 1 else 1.0
        fall: float = (settings.last_rate / settings.search_rate) ** min(max(done, 0.0), 1.0)
        return settings.search_rate * fall


_CUTS_SECONDS: Final = 3.0
"""Most CPU seconds that `finish` takes where there is a budget."""


DEEPEST: Final = 9
"""Plies of the deepest measured search; deeper cuts use the figures of the deepest ones."""
_FEWEST: Final = 40
"""Fewest positions in a group of disc counts; neighbouring groups fill smaller ones up."""
_FIRST_DISCS, _LAST_DISCS = 10, 54
_SHALLOWEST: Final = 3
"""Plies of the shallowest search that a search of fewer plies can replace."""
_MOST_SWING: Final = 0.35
"""Most distance of the means at odd and even depths from their middle, in deviations.

A stage beyond it has no cuts. There values swing with the side to move at the end, by more with
each disc, so that one mean per stage is wrong for most of it, and wider margins do not help. Under
`reversed` that is from 48 discs: 0.5 to 1.0 in five trainings with the default shapes. Elsewhere
the largest value was 0.24, in these and in twelve trainings under `standard`. With cuts there,
agents of three of the `reversed` trainings scored 0.28 against themselves without cuts, at 60 000
nodes a move.
"""
_OUTLIER: Final = 16.0
"""Limit of a difference in discs: a larger one is a lost game seen late, not a wrong value."""


def shallow_of(depth: int) -> int:
    """Return the plies of the search that replaces one of `depth`.

    Less than half, with the same parity, as values swing between odd and even depths.
    """
    half = depth // 2
    return max(1, half - (depth - half) % 2)


def fit_cuts(agent: PatternAgent, settings: PatternSettings, left: Left) -> tuple[Cut, ...]:
    """Fit an agent's cuts from as many positions as time allows; none where they are too few."""
    plain = replace(agent, probcut=0.0, endgame=0, depth=1)
    discs: list[int] = []
    values: list[list[int]] = []
    for board in _positions(plain, np.random.default_rng([settings.seed, 2])):
        if len(discs) == settings.probcut_positions or left() <= 0.0:
            break
        discs.append(64 - board.empties)
        values.append(plain.values_by_depth(board, DEEPEST))
    if len(discs) < _FEWEST:
        return ()
    return _cuts(np.array(discs), np.array(values) / DISC)


def _positions(agent: PatternAgent, rng: np.random.Generator) -> Iterator[Board]:
    """Yield positions of different games with a choice of moves, at all stages, without end.

    Games that reach an opening of a match yield none.
    """
    while True:
        discs = int(rng.integers(_FIRST_DISCS, _LAST_DISCS + 1))
        book = int(rng.integers(8, 14))
        board = Board.start()
        while not board.is_over() and 64 - board.empties < discs:
            if 64 - board.empties == OPENING_DISCS and is_match_opening(board):
                break
            moves = board.legal_moves()
            if not moves:
                board = board.pass_move()
            elif 64 - board.empties < book or rng.random() < 0.1:
                board = board.play(int(rng.choice(moves)))
            else:
                board = board.play(agent.choose(board))
        if 64 - board.empties == discs and len(board.legal_moves()) > 1:
            yield board


def is_match_opening(board: Board) -> bool:
    """Return whether a match may begin from a position."""
    return int(slot_of(U(board.own), U(board.opp))) == MATCH_SLOT


def _cuts(discs: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> tuple[Cut, ...]:
    """Return cuts from values [N, depths], in discs, of positions with disc counts [N]."""
    figures = {
        (depth, group): _figures(discs, values, depth, group)
        for depth in range(_SHALLOWEST, DEEPEST + 1)
        for group in range(DISC_GROUPS)
    }
    groups = [
        group
        for group in range(DISC_GROUPS)
        if not _swings([figures[depth, group] for depth in range(_SHALLOWEST, DEEPEST + 1)])
    ]
    return tuple(
        Cut(depth, group, shallow_of(depth), *figures[_measured(depth), group])
        for depth in range(_SHALLOWEST, MOST_CUT_DEPTH + 1)
        for group in groups
    )


def _measured(depth: int) -> int:
    """Return the depth that gives `depth` its figures: at most the deepest one of its parity."""
    return depth if depth <= DEEPEST else DEEPEST - (DEEPEST - depth) % 2


def _figures(
    discs: npt.NDArray[np.int64], values: npt.NDArray[np.float64], depth: int, group: int
) -> tuple[float, float]:
    """Return mean and deviation of the deep search's value less the shallow one's, in discs.

    The deep search has `depth` plies.
    """
    deep, shallow = values[:, depth - 1], values[:, shallow_of(depth) - 1]
    difference = np.clip(deep - shallow, -_OUTLIER, _OUTLIER)
    inside = discs + depth <= 64  # the search does not reach the end of the game
    distance = np.abs(discs - (8 * group + 4))
    near = np.argsort(np.where(inside, distance, 64), kind="stable")
    some = near[: max(_FEWEST, int((inside & (distance <= 4)).sum()))]
    return float(difference[some].mean()), float(difference[some].std())


def _swings(figures: Sequence[tuple[float, float]]) -> bool:
    """Return whether the means of a stage at even depths are far from those at odd ones."""
    means, deviations = np.array(figures).T
    swing = abs(means[::2].mean() - means[1::2].mean()) / 2.0
    return bool(swing > _MOST_SWING * deviations.mean())
