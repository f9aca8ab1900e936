"""A learner for patterns: temporal differences first, then searched games. Needs no PyTorch.

At the end it fits forward cuts: how shallow searches predict deep ones on the agent's own games,
see `agents.probcut`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.agents.memory import thread_pattern_memory
from evolve.agents.patterns import PatternAgent
from evolve.agents.probcut import Cuts, tempo_and_cuts
from evolve.config.pattern_training import PatternSettings
from evolve.engine.board.bits import U
from evolve.engine.games.pattern_games import (
    TO_EVALUATION,
    GameOptions,
    TrainingData,
    fit_positions,
    label_positions,
    learn_by_differences,
    play_to_learn,
)
from evolve.engine.games.training_games import GameRecords
from evolve.engine.patterns.patterns import DISC, Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import parse_shapes
from evolve.engine.search.genes import default_boundaries, phase_of
from evolve.errors import AgentError, SettingsError
from evolve.fitness.games import GamesDone, in_batches
from evolve.learning.duels import Strategy, evaluation_weights, grown, split_phases
from evolve.learning.learner import Learner, Left, Share, left_for_games
from evolve.runs.loading import load_agent

_TABLE_BITS: Final = 10  # table bits of these games' shallow searches and endgame solves
_REPLAY: Final = 4  # older positions learned again, for each new one
_WINDOW: Final = 10_000_000  # positions that are kept for it: 200 MB
_STEPS: Final = (1.0, 0.25), (0.4, 0.025)  # first and last of each half, in those of search_rate
_RARE: Final = 3000.0, 0.0  # updates of a weight until its step is the common one, in each half
_OVERLAP: Final = 3  # discs by which phases overlap: both learn a position there
_SATURATION: Final = 20.0 / 64.0  # a lead from which more hardly counts: close ones count most
_CUT_DEPTH: Final = 8  # plies of the deepest searches that measure forward cuts
_FORGET: Final = 0.1  # share of what is known of the tempo that a round of games takes away
_FEW: Final = 1000.0  # positions by which half of what they say is believed, half of what was


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
        self._cuts = Cuts.of()
        self._strategy: Strategy | None = None
        self._shapes = ShapeSet(parse_shapes(settings.shapes))
        self._first_shapes = ShapeSet(parse_shapes(settings.duel_shapes or settings.shapes))
        self._boundaries = tuple[int, ...]()
        shapes, zero = self._shapes, np.zeros((1, self._shapes.entries + 2), np.int32)
        sums, phases = np.zeros((*zero.shape, 2), np.float32), np.zeros(65, np.int64)
        self._data = TrainingData(zero, sums, zero.copy(), phases, shapes.following, shapes.middles)
        self._divide(settings.phases_at(0.0))
        self._positions = np.empty((0, 2), np.uint64)
        self._targets = np.empty(0, np.float32)
        self._vectors = np.zeros((2, self._shapes.lanes), np.int16)
        # By disc count: sum of what the side to move had besides its patterns, and positions.
        self._lacking = np.zeros((2, 65))
        self._swings, self._before = np.zeros(65), np.zeros(65)

    @property
    def steps(self) -> int:
        """Positions learned from so far."""
        return self._learned

    def begin(self) -> None:
        source = self.settings.start_from
        if source is None:
            return
        try:
            agent = load_agent(source)
            if not isinstance(agent, PatternAgent):
                raise AgentError(f"{source} is not an agent with patterns")
            if agent.rules not in (None, self.settings.rules):
                raise AgentError(f"{source} plays {agent.rules}; set rules to {agent.rules}")
            start, finer = agent.patterns, self._boundaries
            if not set(start.boundaries) <= set(finer):
                raise AgentError(
                    f"its phases begin at {', '.join(map(str, start.boundaries))} discs, and the "
                    f"phases asked for at {', '.join(map(str, finer)) or 'none'}"
                )
            weights = split_phases(start.weights, start.boundaries, finer)
            weights = grown(weights, start.shapes, self._shapes) * TO_EVALUATION
        except AgentError as error:
            raise SettingsError(f"start_from: {error}") from error
        self._set_weights(np.rint(weights).astype(np.int32))
        self._before = start.tempo / DISC
        self._swings = self._before - _alternating(self._before)

    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: GamesDone, left: Left
    ) -> tuple[int, float]:
        """Play and learn, see Learner; all games use the weights from before the first of them."""
        begin = share()
        self._divide(self.settings.phases_at(begin))
        if begin >= self.settings.duels_begin:
            return self._duel(count, share, progress, left), math.nan
        self._searching = self._searching or begin >= self.settings.searches_begin
        patterns = Patterns(self._shapes, self._boundaries, self._weights)
        records = self._play(patterns, count, self.settings.searched(begin) < 0.5, progress, left)
        if not len(records.counts):
            return 0, math.nan
        if self._searching:
            squares, learned = self._fit(records, rng, share, patterns)
        else:
            squares, learned = learn_by_differences(
                records,
                self.settings.trace,
                self._rate(self.settings.rate),
                self._data,
                self._vectors,
                patterns.address,
            )
        self._learned += int(learned)
        return len(records.counts), squares / learned

    def _divide(self, phases: int) -> None:
        """Teach so many phases, or as many as now, if more; each begins as what it is part of."""
        if phases <= len(self._data.tables):
            return
        before, self._boundaries = self._boundaries, default_boundaries(phases)
        a, b, c = (split_phases(array, before, self._boundaries) for array in self._data[:3])
        phases_of = np.array([phase_of(discs, self._boundaries) for discs in range(65)])
        self._data = TrainingData(a, b, c, phases_of, *self._data[4:])

    def _duel(self, count: int, share: Share, progress: GamesDone, left: Left) -> int:
        """Let weights with noise play one another, follow the results, and return the games."""
        settings, shapes = self.settings, self._shapes
        strategy = self._strategy = self._strategy or self._new_strategy()
        done = (share() - settings.duels_begin) / settings.duels
        growth = 0.1 if settings.duel_shapes else 0.0  # the share of smaller shapes
        if done >= growth and strategy.shapes != shapes:
            strategy = self._strategy = strategy.grown(shapes)
        done = (done - growth) / (1.0 - growth) if done >= growth else done / growth
        # A budget ends anywhere; a step of fewer duels than the others would be mostly noise.
        duels = settings.duels_a_step if settings.games is None else max(1, count // 2)
        games = strategy.step(duels, done, self.jobs, progress, left)
        self._set_weights(strategy.weights_of(shapes))
        self._learned += games > 0
        return games

    def _new_strategy(self, grown: bool = False) -> Strategy:
        shapes = self._shapes if grown else self._first_shapes
        weights = np.zeros((len(self._data.tables), shapes.weights))
        if shapes == self._shapes:
            weights += self._data.tables[:, shapes.first_entries]
        return Strategy(self.settings, shapes, self._boundaries, weights)

    def _set_weights(self, weights: npt.NDArray[np.int32]) -> None:
        self._data.tables[:, :-2] = weights[:, self._shapes.weight_of_entry]

    def finish(self, left: Left) -> None:
        """Measure how shallow searches predict deep ones, for the agent's forward cuts."""
        if self.settings.probcut > 0.0:
            settings = self.settings
            self._swings = np.zeros(65)
            self._swings, self._cuts = tempo_and_cuts(
                self.agent(), settings.seed, settings.probcut_positions, _CUT_DEPTH, left
            )

    @property
    def metrics(self) -> dict[str, float]:
        """The share of the distinct weights that games have reached."""
        visited = self._data.tables[:, self._shapes.first_entries] != 0
        return {"visited": float(visited.mean())}

    def agent(self) -> PatternAgent:
        settings = self.settings
        return PatternAgent(
            Patterns(self._shapes, self._boundaries, self._weights, self._tempo),
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
        # Most plies that the agent searches in checks.
        return replace(agent, depth=min(agent.depth, 6), probcut=0.0)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return weights, sums of their errors, their updates, and the kept positions."""
        return {
            "tables": self._data.tables,
            "sums": self._data.sums,
            "updates": self._data.updates,
            "positions": self._positions,
            "targets": self._targets,
            "lacking": self._lacking,
            "swings": self._swings,
            **(self._strategy.arrays() if self._strategy else {}),
        }

    def facts(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "games": self._games,
            "searching": self._searching,
            "phases": len(self._data.tables),
            "cuts": self._cuts.rows.tolist(),
            "tempo_before": self._before.tolist(),
            "duels": self._strategy.facts() if self._strategy else None,
            "grown": self._strategy is not None and self._strategy.shapes == self._shapes,
        }

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._learned, self._games = int(facts["steps"]), int(facts["games"])
        self._divide(min(int(facts["phases"]), self.settings.phases))
        for name in ("tables", "sums", "updates"):  # kernels do not check shapes and types
            getattr(self._data, name)[:] = arrays[name]
        self._targets = arrays["targets"].astype(np.float32, copy=False)
        positions = arrays["positions"].astype(np.uint64, copy=False)
        self._positions = positions.reshape(len(self._targets), 2)
        self._lacking, self._swings = arrays["lacking"], arrays["swings"]
        self._before = np.array(facts["tempo_before"], np.float64)
        self._searching = bool(facts["searching"])
        self._cuts = Cuts(np.array(facts["cuts"], np.float64).reshape(-1, 6))
        if facts.get("duels") is not None:
            self._strategy = self._new_strategy(facts["grown"])
            self._strategy.restore(facts["duels"], arrays)

    def _rate(self, share: float) -> float:
        """Return the step of each weight; every instance of a shape has one weight."""
        return share / len(self._shapes.instances)

    @property
    def _weights(self) -> npt.NDArray[np.int16]:
        return evaluation_weights(self._data.tables[:, : self._shapes.entries])

    @property
    def _tempo(self) -> npt.NDArray[np.int16]:
        """What the side to move has besides its patterns, by disc count.

        Games say what it has at one disc count and lacks at the next, and searches of different
        depths the rest. Games played by it taught no better: 0.391 for 0.400 in `standard`, 0.450
        for 0.455 in `reversed` (60 CPU seconds, three seeds of 400 games each).
        """
        sums, counts = self._lacking
        lacking = (sums + _FEW * self._before) / (counts + _FEW)
        tempo = _alternating(lacking) + self._swings
        return np.rint(tempo * DISC).astype(np.int16)

    def _measure_tempo(self, records: GameRecords, depth: int) -> None:
        """Compare what searches of `depth` plies found with how the games ended."""
        numbers = np.arange(records.scores.shape[1])
        results = records.results[:, None] * records.sides
        known = np.where(numbers >= records.solved[:, None], records.scores, results)
        positions = records.positions
        leaves = np.bitwise_count(positions[..., 0] | positions[..., 1]) + depth
        inside = (numbers < records.counts[:, None]) & (leaves < 64)
        lacking = (-1) ** depth * (known - 64.0 * records.values)[inside]
        counts = np.bincount(leaves[inside], minlength=65)
        sums = np.bincount(leaves[inside], lacking, 65)
        self._lacking = (1.0 - _FORGET) * self._lacking + np.stack([sums, counts])

    def _play(
        self, patterns: Patterns, count: int, quick: bool, progress: GamesDone, left: Left
    ) -> GameRecords:
        """Play games of the current part, or of its quick half; return those that ended in time."""
        settings, searching = self.settings, self._searching
        solved = max(0, settings.search_solved - 2 * quick) if searching else settings.solved
        depth = max(1, settings.search_depth - quick) if searching else 0
        options = GameOptions(U(settings.seed), settings.openings, settings.epsilon, solved, depth)
        records, first = GameRecords.blank(count), self._games
        block = patterns.block()

        def play(part: slice) -> None:
            context = thread_pattern_memory(_TABLE_BITS).set(patterns, block, settings.rules)
            vectors = np.zeros((2, self._shapes.lanes), np.int16)
            some, start = records.part(part), first + part.start
            play_to_learn(start, options, self._data, vectors, context, some)

        time_left = left_for_games(left) if searching else left
        # Games that a thread plays in one call.
        in_batches(count, play, self.jobs, progress, lambda: time_left() <= 0.0, 32)
        # Games that were given up, or not begun for lack of time, are empty.
        self._games += count
        records = records.part(records.counts > 0)
        if searching:
            self._measure_tempo(records, depth)
        return records

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
        again = min(_REPLAY * count, older)
        self._positions = np.concatenate([self._positions, positions])
        self._targets = np.concatenate([self._targets, targets])
        drawn = rng.integers(0, max(1, older), again)
        order = rng.permutation(np.concatenate([drawn, np.arange(older, older + count)]))
        # In each half the step falls by equal factors.
        done = settings.searched(share())
        half = int(done >= 0.5)
        first, last = _STEPS[half]
        rate = settings.search_rate * first * (last / first) ** (2.0 * done - half)
        squares = fit_positions(
            self._positions,
            self._targets,
            order,
            self._rate(rate),
            _RARE[half],
            _OVERLAP,
            _SATURATION,
            self._data,
            self._vectors,
            patterns.address,
        )
        self._positions = self._positions[-_WINDOW:]
        self._targets = self._targets[-_WINDOW:]
        return float(squares), len(order)


def _alternating(lacking: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What comes with one disc count and goes with the next, [65]."""
    found = np.zeros(65)
    found[1:-1] = lacking[1:-1] / 2 - (lacking[:-2] + lacking[2:]) / 4
    return found


LEARNER: Final = PatternLearner
