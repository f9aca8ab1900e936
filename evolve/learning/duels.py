"""An evolution strategy of patterns' weights: steps along the results of duels.

Weights plus noise play weights minus the same noise; the mean of result times sign is an estimate
of where strength rises (Salimans et al. 2017). Adam (Kingma and Ba 2015) makes steps of it. The
answer is a mean of the last weights, because single ones jump about.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.agents.memory import PatternMemory
from evolve.config.pattern_training import PatternSettings
from evolve.engine.board.bits import U
from evolve.engine.games.duels import WON, Duelists, DuelOptions, play_duels
from evolve.engine.games.pattern_games import ONE_VALUE, TO_EVALUATION
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import shape_text
from evolve.engine.search.genes import phase_of
from evolve.errors import AgentError
from evolve.fitness.games import GamesDone, in_batches
from evolve.learning.learner import Left

_KEEP, _KEEP_SQUARES, _KEEP_AVERAGE = 0.9, 0.999, 0.998
"""Shares that a step leaves of the mean gradient, of its mean square, and of the mean weights."""
_LAST_RATE, _LAST_NOISE = 0.05, 0.5
"""Rate and noise at the end, in shares of those at the beginning."""
_FROM_NOTHING: Final = ONE_VALUE // 64
"""Twice the mean size of weights that begin at zero: a disc. From four, many reach the limit."""
_TABLE_BITS: Final = 10
_PART: Final = 25  # duels that a thread plays in one call
_SCORES: Final = np.arange(-64, 65)
# Discs by which a game is won that count as much again as the win, nearly.
_WORTHS: Final = np.rint(WON / 2 * (np.sign(_SCORES) + np.tanh(_SCORES / 16.0))).astype(np.int64)
"""What each score from −64 to 64 is worth: half for the win, half for its size."""
_LARGEST: Final = 32767
_PREFIX: Final = "duel_"
_ARRAYS: Final = ("weights", "mean", "squares", "average")
_FACTS: Final = ("unit", "steps", "duels")  # what a checkpoint holds


class _Pair:
    """The memory of a thread's duels: two evaluations, whose tables each duel overwrites."""

    def __init__(
        self, shapes: ShapeSet, boundaries: tuple[int, ...], settings: PatternSettings
    ) -> None:
        phases = len(boundaries) + 1
        blank = np.zeros((phases, shapes.entries), np.int16)
        self._patterns = [Patterns(shapes, boundaries, blank) for _ in range(2)]
        self._memories = [PatternMemory(_TABLE_BITS) for _ in range(2)]
        self.first, self.second = (
            memory.set(patterns, patterns.block(), settings.rules)
            for memory, patterns in zip(self._memories, self._patterns, strict=True)
        )
        first, second = self._patterns
        self.duelists = Duelists(
            first.storage,
            second.storage,
            np.zeros((phases, shapes.weights), np.int16),
            shapes.lanes_of_squares,
            np.zeros((3, shapes.lanes), np.int16),
        )


def evaluation_weights(weights: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
    """Weights in training as those of an evaluation."""
    return np.rint(weights / TO_EVALUATION).clip(-_LARGEST, _LARGEST).astype(np.int16)


class Strategy:
    """The state of an evolution strategy over the weights [phases, weights] of some shapes.

    weights: ONE_VALUE for 64 discs. average: their mean over the last steps, the answer. steps,
    duels: how many it has made, and how many have been played before the next.
    """

    def __init__(
        self,
        settings: PatternSettings,
        shapes: ShapeSet,
        boundaries: tuple[int, ...],
        weights: npt.NDArray[Any],
        duels: int = 0,
    ) -> None:
        self.shapes = shapes
        self._settings, self._boundaries = settings, boundaries
        self._own = threading.local()
        self.weights = weights.astype(np.float64)
        self.unit = 2.0 * float(np.abs(self.weights).mean()) or float(_FROM_NOTHING)
        self.mean, self.squares = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self.average = self.weights.copy()
        self.steps, self.duels = 0, duels

    def grown(self, larger: ShapeSet) -> Strategy:
        """A new strategy that begins where this one ends, with larger shapes."""
        weights = grown(self.average, self.shapes, larger)
        return Strategy(self._settings, larger, self._boundaries, weights, self.duels)

    def weights_of(self, shapes: ShapeSet) -> npt.NDArray[np.int32]:
        """The answer as whole weights of its own shapes or larger ones."""
        weights = self.average
        if shapes != self.shapes:
            weights = grown(weights, self.shapes, shapes)
        return np.rint(weights).astype(np.int32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {_PREFIX + name: getattr(self, name) for name in _ARRAYS}

    def facts(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in _FACTS}

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `facts` and `arrays` returned; ValueError where they do not fit."""
        for name in _FACTS:
            setattr(self, name, facts[name])
        for name in _ARRAYS:
            getattr(self, name)[:] = arrays[_PREFIX + name]

    def step(self, duels: int, share: float, jobs: int, progress: GamesDone, left: Left) -> int:
        """Play so many duels and make a step, unless time is out; return the games.

        share: how much of this strategy's steps is done, 0 to 1.
        """
        settings, first, entries = self._settings, self.duels, self.shapes.weight_of_entry
        options = DuelOptions(
            U(settings.seed),
            settings.duel_plies[0],
            settings.duel_plies[-1],
            np.array(settings.duel_depths),
            _WORTHS,
        )
        noise = settings.duel_noise * self.unit * _LAST_NOISE**share
        plus, minus = (
            evaluation_weights(self.weights + some)[:, entries] for some in (noise, -noise)
        )
        sums, played, lock = np.zeros(self.weights.shape, np.int64), 0, threading.Lock()

        def play(part: slice) -> None:
            nonlocal played
            if not hasattr(self._own, "pair"):
                self._own.pair = _Pair(self.shapes, self._boundaries, settings)
            pair, some = self._own.pair, np.zeros_like(sums)
            counted = play_duels(
                first + part.start,
                part.stop - part.start,
                options,
                plus,
                minus,
                entries,
                pair.duelists,
                pair.first,
                pair.second,
                some,
            )
            with lock:
                sums[:] += some
                played += counted

        done = in_batches(
            duels, play, jobs, lambda some: progress(2 * some), lambda: left() <= 0.0, _PART
        )
        self.duels += duels
        if done == duels:
            self._move(sums / (2.0 * WON * max(1, played)), share)
        return 2 * done

    def _move(self, gradient: npt.NDArray[np.float64], share: float) -> None:
        self.steps += 1
        self.mean = _KEEP * self.mean + (1.0 - _KEEP) * gradient
        self.squares = _KEEP_SQUARES * self.squares + (1.0 - _KEEP_SQUARES) * gradient**2
        mean = self.mean / (1.0 - _KEEP**self.steps)
        size = np.sqrt(self.squares / (1.0 - _KEEP_SQUARES**self.steps)) + 1e-12
        rate = self._settings.duel_rate * self.unit * _LAST_RATE**share
        self.weights = np.clip(self.weights + rate * mean / size, -ONE_VALUE, ONE_VALUE)
        kept = min(_KEEP_AVERAGE, self.steps / (self.steps + 1.0))
        self.average = kept * self.average + (1.0 - kept) * self.weights


def grown(weights: npt.NDArray[Any], shapes: ShapeSet, larger: ShapeSet) -> npt.NDArray[np.float64]:
    """Weights [phases, weights] of `shapes` as weights of `larger`, for the same values.

    Instances of larger shapes that hold an instance of a shape share its value equally. Raises
    AgentError where none holds one.
    """
    tables = weights[:, shapes.weight_of_entry]
    holders = [
        [number for number, (_, outer) in enumerate(larger.instances) if set(outer) >= set(inner)]
        for _, inner in shapes.instances
    ]
    for (shape, _), held_by in zip(shapes.instances, holders, strict=True):
        if not held_by:
            raise AgentError(f"no shape asked for holds {shape_text(shapes.shapes[shape])!r}")
    firsts = {shape: number for number, (shape, _) in reversed([*enumerate(larger.instances)])}
    found = np.zeros((len(weights), larger.entries))
    for (_, inner), middle, held_by in zip(shapes.instances, shapes.middles, holders, strict=True):
        for outer_shape, number in firsts.items():
            if number in held_by:
                outer = larger.instances[number][1]
                digits = np.arange(3 ** len(outer))[:, None] // 3 ** np.arange(len(outer)) % 3 - 1
                lanes = [outer.index(square) for square in inner]
                entries = middle + digits[:, lanes] @ 3 ** np.arange(len(inner))
                start = larger.starts[outer_shape]
                found[:, start : start + len(entries)] += tables[:, entries] / len(held_by)
    return found[:, larger.first_entries]


def split_phases(
    weights: npt.NDArray[Any], boundaries: Sequence[int], finer: Sequence[int]
) -> npt.NDArray[Any]:
    """Weights [phases, …] for the phases that `finer` begins, each as that of its first discs."""
    chosen: npt.NDArray[Any] = weights[[phase_of(begin, boundaries) for begin in (0, *finer)]]
    return chosen
