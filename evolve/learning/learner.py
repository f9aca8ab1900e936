"""What all learners share: interface, opponents, time and replay; and the loop that drives one."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.memory import OutOfTimeError
from evolve.config.learning import TrainingSettings
from evolve.engine.board.rules import Rules
from evolve.engine.games.first_use import compile_first
from evolve.errors import AgentError, SettingsError
from evolve.fitness.games import GamesDone
from evolve.runs.loading import load_alphabeta
from evolve.runs.progress import COMPILING, Observer, RunEnding

Share = Callable[[], float]
"""Returns the share of the training that is done, 0 to 1."""
Left = Callable[[], float]
"""Returns the CPU seconds left of the budget; infinity without one."""


def left_for_games(left: Left) -> Left:
    """Return the time left for games: all except a fifth of what is left now, for learning."""
    reserve = left() / 5.0
    return lambda: left() - reserve if reserve < math.inf else math.inf


@contextmanager
def seconds_of_choice(learner: Learner, left: Left) -> Iterator[GamesDone]:
    """Count the cost of a match between models; the block ends when time is out.

    Yields a function to call with the number of games played.
    """

    def progress(games: int) -> None:
        if left() <= 0.0:
            raise OutOfTimeError

    begin = time.process_time()
    with suppress(OutOfTimeError):
        yield progress
    learner.accept_seconds += time.process_time() - begin


class Learner(ABC):
    """The interface that a training needs of a learner.

    kind: of its agents. keeps_last: whether the last agent is kept, whatever earlier checks say.
    accept_seconds: CPU seconds that matches between models have taken so far. state: all that it
    has learned, as arrays; a learner with more says what a checkpoint holds. counts: attributes
    that a checkpoint holds too.
    """

    kind: ClassVar[str]
    keeps_last: ClassVar[bool] = False
    counts: ClassVar[tuple[str, ...]] = ()
    accept_seconds: float = 0.0
    state: dict[str, npt.NDArray[Any]]

    def __init__(self, settings: Any, jobs: int) -> None:
        self.settings, self.jobs = settings, jobs
        self.iteration = 0

    @property
    @abstractmethod
    def steps(self) -> int:
        """Learning steps so far."""

    def begin(self) -> None:  # noqa: B027 - most begin with nothing
        """Load what the settings start from; SettingsError where that cannot be."""

    @abstractmethod
    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: GamesDone, left: Left
    ) -> tuple[int, float]:
        """Play `count` games and learn from them, as far as the time left allows.

        Returns the number of games played, and the mean loss, NaN without a step.
        """

    def finish(self, left: Left) -> None:  # noqa: B027 - most have nothing left to do
        """Do the remaining work after all games are learned from, as far as time allows."""

    @property
    def metrics(self) -> Mapping[str, float]:
        """Columns of the metrics that only this learner has."""
        return {}

    @abstractmethod
    def agent(self) -> Any:
        """Return the current agent: a stored one, a dataclass with name and provenance."""

    def checked_agent(self) -> Agent:
        """Return the agent that plays the panel."""
        return cast("Agent", self.agent())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of a checkpoint."""
        return self.state

    def facts(self) -> dict[str, Any]:
        """Return the rest of a checkpoint, as JSON."""
        return {name: getattr(self, name) for name in self.counts}

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` and `facts` returned."""
        self.state = dict(arrays)
        for name in self.counts:
            setattr(self, name, facts[name])


def learner_for(settings: Any, jobs: int) -> Learner:
    """Make a new learner of a training's settings, with `jobs` threads for its games."""
    module = import_module(f"evolve.learning.{settings.learner}")
    return cast("Learner", module.LEARNER(settings, jobs))


def alphabeta_agents(
    names: Iterable[str], others: Sequence[str], rules: Rules
) -> list[AlphaBetaAgent]:
    """Load the agents of those names that are not in `others`; SettingsError for any other kind."""
    try:
        return [load_alphabeta(name).with_rules(rules) for name in names if name not in others]
    except AgentError as error:
        raise SettingsError(f"opponents: {error}; there are also {', '.join(others)}") from error


def shares_drawn(shares: Mapping[str, float], count: int, rng: np.random.Generator) -> list[str]:
    """Draw `count` names by their shares, in random order."""
    names, weights = [*shares], np.array([*shares.values()])
    # Whole parts first, so that even a few games have the right shares.
    bounds = np.cumsum(weights / weights.sum() * count)
    numbers = np.searchsorted(bounds, np.arange(count) + rng.random(), side="right")
    chosen = rng.permutation(np.minimum(numbers, len(names) - 1))
    return [names[number] for number in chosen]


_Arrays = Mapping[str, npt.NDArray[Any]]


def part_of(arrays: _Arrays, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays whose names begin with `prefix`, by the rest of their names."""
    return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}


class Replay:
    """The replay buffer (Lin 1992): a ring of `capacity` rows in parallel named arrays."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.added = 0
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, rows: _Arrays) -> None:
        """Add rows; they replace the oldest where there is no room."""
        count = len(next(iter(rows.values())))
        if count == 0:
            return
        last = min(count, self.capacity)
        slots = (self.added + count - last + np.arange(last)) % self.capacity
        for name, array in rows.items():
            if name not in self._arrays:
                self._arrays[name] = np.empty((self.capacity, *array.shape[1:]), array.dtype)
            self._arrays[name][slots] = array[count - last :]
        self.added += count

    def sample(self, count: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
        """Draw `count` rows, each from all stored rows."""
        chosen = rng.integers(0, len(self), count)
        return {name: array[chosen] for name, array in self._arrays.items()}

    def arrays(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Return all rows as arrays for a checkpoint."""
        return {prefix + name: array[: len(self)] for name, array in self._arrays.items()}

    def restore(self, arrays: _Arrays, prefix: str, added: int) -> None:
        """Restore what `arrays` returned; `added` rows have been added in all."""
        self._arrays, self.added = {}, 0
        if rows := part_of(arrays, prefix):
            self.add(rows)
        self.added = added


class LearningEnding(RunEnding):
    """Why a training returned."""

    GAMES = "all games are played"
    BUDGET = "the budget is used up"
    PATIENCE = "the score has stopped rising"
    STOPPED = "stopped"


class InMemoryTraining:
    """A training in memory, saved nowhere.

    The same settings and number of games give the same result, whatever `jobs`. A budget in CPU
    seconds ends wherever the machine has got to.
    """

    FACTS: ClassVar[tuple[str, ...]] = ("games", "spent", "wall")
    """Attributes that a checkpoint holds."""

    def __init__(self, settings: TrainingSettings, jobs: int) -> None:
        self.settings = settings
        self.jobs = jobs
        self.learner = learner_for(settings, jobs)
        self.games = 0
        self.spent = 0.0  # CPU seconds so far
        self.wall = 0.0  # seconds so far
        self.rng = np.random.default_rng(np.random.SeedSequence([settings.seed, 1]))
        self.step = 0.0, 0.0
        """CPU seconds of a step of learning, and seconds by the clock; zeros if unknown."""

    @property
    def share(self) -> float:
        games = self.settings.games
        return min(1.0, max(0.0 if games is None else self.games / games, self.spent / self._end))

    @property
    def finished(self) -> LearningEnding | None:
        """Why nothing is left to do; None while something is."""
        games = self.settings.games
        if games is not None and self.games >= games:
            return LearningEnding.GAMES
        if self.spent >= self._end:
            return LearningEnding.BUDGET
        return None

    @property
    def learned_little(self) -> bool:
        """Whether untrained weights played nearly all its games: those of less than two rounds."""
        return self.games < 2 * self.settings.games_in_hand(0.0)

    def iterate(self, watch: Callable[[int, float], None]) -> float:
        """Play and learn once; return the mean loss. `watch` gets games and share on the way.

        A budget ends it at any point: games that are not over then are given up.
        """
        begin, cpu, done = time.perf_counter(), time.process_time(), self.games

        def progress(games: int) -> None:
            nonlocal done
            done += games
            watch(done, self.share)

        count = self.settings.games_in_hand(self.share)
        if self.settings.games is not None:
            count = min(count, self.settings.games - self.games)
        if self.settings.budget is not None and self.spent > 0.0:
            # No more games than the budget is likely to allow: iterations may be long.
            count = min(count, max(1, round((self._end - self.spent) * self.games / self.spent)))

        def left() -> float:
            return self._end - self.spent - (time.process_time() - cpu)

        def share() -> float:
            # Without a budget it is fixed within an iteration, so that the run repeats.
            if self.settings.budget is None:
                return self.share
            passed = max(self.share, 1.0 - left() / self._end)
            watch(done, passed)  # steps may take longer than games
            return passed

        games, loss = self.learner.iterate(self.rng, count, share, progress, left)
        self.games += games
        self.spent += time.process_time() - cpu
        self.wall += time.perf_counter() - begin
        watch(self.games, self.share)
        return loss

    def finish(self) -> None:
        """Let the learner do its remaining work after all games are learned from."""
        begin, cpu = time.perf_counter(), time.process_time()
        budget = math.inf if self.settings.budget is None else self.settings.budget
        self.learner.finish(lambda: budget - self.spent - (time.process_time() - cpu))
        self.spent += time.process_time() - cpu
        self.wall += time.perf_counter() - begin

    @property
    def _end(self) -> float:
        """CPU seconds at which its games end."""
        budget = self.settings.budget
        return math.inf if budget is None else budget - self.settings.reserve

    def facts(self) -> dict[str, Any]:
        """Return all that a checkpoint holds beside the learner's arrays, as JSON."""
        return {
            **{name: getattr(self, name) for name in self.FACTS},
            "rng": self.rng.bit_generator.state,
            "learner": self.learner.facts(),
            "identity": self.settings.identity,
        }

    def continue_from(self, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> bool:
        """Continue from what `facts` and the learner's `arrays` returned; False of other settings.

        Raises all kinds of errors where they are damaged.
        """
        if facts["identity"] != self.settings.identity:
            return False
        self.learner.restore(facts["learner"], arrays)
        self.rng.bit_generator.state = facts["rng"]
        for name in self.FACTS:
            setattr(self, name, facts[name])
        return True

    def warm_up(self, observer: Observer | None = None) -> None:
        """Compile every kernel, so that the budget is not spent on it; begin what has not begun.

        It also measures a step of learning.
        """
        stage = (observer or Observer()).stage
        compile_first(partial(stage, COMPILING))
        if self.games == 0:
            self.learner.begin()
        # Few steps, because one of the published policy-value network takes a second.
        learner, parts = learner_for(self.settings.brief(), 1), self.settings.parts
        rng = np.random.default_rng(0)
        for number, share in enumerate(parts):
            stage("warm-up", number, len(parts))
            steps: list[tuple[float, float]] = []

            def before_step(share: float = share, steps: Any = steps) -> float:
                steps.append((time.process_time(), time.perf_counter()))
                return share

            learner.iterate(rng, 4, before_step, lambda games: None, lambda: math.inf)
            for (cpu, wall), (cpu_after, wall_after) in pairwise(steps):
                self.step = cpu_after - cpu, wall_after - wall
