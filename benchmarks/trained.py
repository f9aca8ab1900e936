"""Agents trained for the benchmarks, each once and kept: what the commands here share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import evolve
from evolve.agents.agent import Agent
from evolve.arena.match import Match, MatchResult
from evolve.config.toml import resolve_as
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.statistics import chance_of, mean_of
from evolve.learning.kind import KIND as TRAININGS
from evolve.learning.learner import InMemoryTraining

KEPT = Path("runs/trained")


def _code() -> str:
    """A text that differs where the code that learns or plays does."""
    digest = hashlib.sha256()
    package = Path(evolve.__file__).parent
    for part in ("engine", "learning", "fitness", "agents"):
        for source in sorted((package / part).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


_CODE = _code()


@dataclass(frozen=True)
class Recipe:
    """What to train, a word of `evolve train`; its CPU seconds and its other settings."""

    kind: str
    budget: float
    options: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, kind: str, budget: float, **options: Any) -> Recipe:
        """The recipe with these settings."""
        return cls(kind, budget, tuple(sorted(options.items())))

    def settings(self, seed: int) -> Any:
        """All of its settings, resolved."""
        variant = TRAININGS.variants[self.kind]
        options = {"budget": self.budget, "seed": seed, **dict(self.options)}
        if variant.learns:
            options["device"] = "cpu"
        return resolve_as(variant.model(), variant.all_presets(), options)

    def path(self, seed: int) -> Path:
        """Where its agent of a seed is, or will be."""
        text = json.dumps([self.kind, self.settings(seed).model_dump(mode="json"), _CODE])
        return KEPT / f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.npz"


def train(
    recipe: Recipe,
    seed: int,
    watch: Callable[[InMemoryTraining, Path], None] = lambda course, path: None,
) -> Path:
    """The file of the recipe's agent, as it is at the end of the training.

    `watch` is called after every iteration, with the file to be; its time does not count.
    """
    path = recipe.path(seed)
    if path.exists():
        return path
    KEPT.mkdir(parents=True, exist_ok=True)
    course = InMemoryTraining(recipe.settings(seed), 1)
    course.warm_up()
    while course.finished is None:
        course.iterate(lambda games, share: None)
        watch(course, path)
    course.finish()
    agent = course.learner.agent()
    provenance = {"games": course.games, "steps": course.learner.steps, "seed": seed}
    replace(agent, provenance=provenance).save(path)
    return path


def played(a: Agent, b: Agent, games: int, seed: int = 0, jobs: int = 1) -> MatchResult:
    """A match on openings that no training uses."""
    openings = balanced_openings(
        games // 2, Part.MATCH, "standard", np.random.default_rng([20, seed])
    )
    return Match(a, b, openings, "standard", seed=seed, executor=Threads(jobs)).play()


def over_seeds(scores: list[float], level: float = 0.95) -> tuple[float, float, float]:
    """Mean and its interval, by Student's t over seeds; cut at 0 and 1."""
    mean, low, high, _ = mean_of(scores, level).within(0.0, 1.0)
    return mean, low, high


def p_of_half(scores: list[float]) -> float:
    """Student's two-sided p of scores over seeds whose mean would be a half."""
    return chance_of(scores, 0.5)


def holm_levels(ps: Sequence[float], wrong: float = 0.05) -> list[float]:
    """The level of each interval so that one of them leaves out a true half in `wrong` of tables.

    Holm 1979: the k-th smallest of m values of p is held against wrong / (m − k + 1), up to the
    first that is over it, whose level the others get. An interval leaves out a half where Holm's
    test rejects it; it is no simultaneous interval for other values.
    """
    levels, share = [0.0] * len(ps), 0.0
    failed = False
    for rank, row in enumerate(sorted(range(len(ps)), key=lambda row: ps[row])):
        if not failed:
            share = wrong / (len(ps) - rank)
            failed = ps[row] > share
        levels[row] = 1.0 - share
    return levels
