"""Sweeps over the settings of learning agents: a trial is one training."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from evolve.config.learning import TrainingSettings
from evolve.engine.board.rules import rule_set
from evolve.engine.patterns.shapes import (
    MOST_SQUARES,
    STRONG_SHAPES,
    check_shapes,
    parse_shapes,
    random_shape,
    shape_text,
)
from evolve.errors import AgentError, SettingsError
from evolve.learning.learner import InMemoryTraining
from evolve.sweeps.plan import SettingsPlan
from evolve.sweeps.space import NO_YES, choice, real, whole
from evolve.sweeps.trial import Report, StateError, Trial, TrialResult

_TRAINING: Final = "training"
_DONE: Final = "learned"
"""Of a trial's state: the facts of a training's checkpoint, and whether all its work is done."""

_SHAPE_SETS: Final = {name.replace("-", "_"): name for name in STRONG_SHAPES}
"""Parameters that switch the default's sets of shapes on or off."""


@dataclass(frozen=True)
class LearningPlan(SettingsPlan):
    """A trial's agent is the network at the end of the training."""

    @property
    def usual(self) -> dict[str, Any]:
        return {"budget": self.sweep.budget}

    def advance(self, trial: Trial) -> Report | TrialResult:
        """See Plan: train with these values; the agent plays the panel at intervals."""
        task, facts = trial.task, trial.facts
        settings: TrainingSettings = self.settings_of(task.values, self.seed_of(task.number))
        training = InMemoryTraining(settings, 1)
        training.warm_up()
        if _TRAINING in facts:
            try:
                fits = training.continue_from(facts[_TRAINING], trial.before)
            except Exception as error:  # numpy and torch raise all kinds
                raise StateError(repr(error)) from error
            if not fits:
                raise StateError("it is of other settings")
        facts.setdefault(_DONE, False)
        learner = training.learner
        trial.arrays = learner.arrays
        while training.finished is None:
            mark = trial.mark_at(training.share)
            if mark is not None:
                return trial.report(mark, learner.checked_agent())
            training.iterate(lambda games, share: None)
            facts[_TRAINING] = training.facts()
            trial.pause_if_due()
        if not facts[_DONE]:
            training.finish()
            facts |= {_TRAINING: training.facts(), _DONE: True}
        own = {"games": training.games, "steps": learner.steps, "seed": settings.seed}
        return trial.complete(learner.agent(), self.sweep.reports, own, learner.checked_agent())


class DqnPlan(LearningPlan):
    """Deep Q-learning; `layers` are made of width, blocks and the head."""

    searched = (
        real("learning_rate", 1e-4, 5e-3, log=True),
        real("gamma", 0.9, 1.0),
        choice("steps", (1, 3, 5, 10, 60)),
        choice("bootstrap", ("own", "negamax")),
        choice("reward", ("outcome", "difference")),
        real("positional", 0.0, 0.02),
        real("epsilon", 0.05, 0.5),
        real("epsilon_end", 0.0, 0.2),
        whole("width", 64, 256, "units of the dense layers", step=64),
        whole("blocks", 0, 3, "residual layers after the first one"),
        choice("dueling", NO_YES, "a value and advantages at the end"),
        choice("double", NO_YES),
        choice("batch", (128, 256, 512, 1024)),
        real("updates", 1.0, 8.0, log=True),
        whole("target_period", 100, 3000, log=True),
        whole("window", 4_000, 500_000, log=True),
        choice("augment", NO_YES),
        choice(
            "opponents",
            ("self=1", "self=0.7,random=0.3", "self=0.7,greedy=0.3", "self=0.5,past=0.5", "past=1"),
        ),
        whole("openings", 0, 16, step=2),
        whole("lookahead", 0, 2),
    )  # fmt: skip
    parts: ClassVar = {"width": 256, "blocks": 0, "dueling": False}

    def compose(self, values: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if "width" in values:
            head = "dueling" if values["dueling"] else "dense 64"
            blocks = ("residual relu",) * values["blocks"]
            made["layers"] = (f"dense {values['width']} relu", *blocks, head)
        if isinstance(values.get("opponents"), str):
            greedy = rule_set(self.sweep.rules).greedy
            made["opponents"] = values["opponents"].replace("greedy", greedy)
        return made


class MctsPlan(LearningPlan):
    """Learning by tree search; `layers` are made of the kind of network and its width."""

    searched = (
        real("learning_rate", 3e-4, 1e-2, log=True),
        real("c_puct", 0.5, 3.0, log=True),
        real("play_c_puct", 0.5, 3.0, log=True),
        whole("simulations", 32, 400, log=True),
        real("root_value", 0.0, 0.8),
        whole("openings", 2, 14),
        whole("solved", 8, 16),
        choice(
            "network",
            ("dense", "gated", "residual", "revnet"),
            "two dense layers, a gate or a residual layer between, or the published RevNet",
        ),
        whole("width", 32, 128, "units of the first layer (RevNet: always 64)", step=32),
        real("noise", 0.0, 0.5),
        real("temperature", 0.3, 1.5),
        whole("temperature_plies", 4, 40),
        real("updates", 1.0, 10.0, log=True),
        choice("batch", (128, 256, 512, 1024)),
        whole("window", 10_000, 500_000, log=True),
        whole("games_per_iteration", 50, 800, log=True),
    )
    parts: ClassVar = {"network": "dense", "width": 64}

    def compose(self, values: Mapping[str, Any]) -> dict[str, Any]:
        if "network" not in values:
            return {}
        first, last = f"dense {values['width']} relu", "dense 1 tanh"
        second = f"dense {max(8, values['width'] // 2)} relu"
        if values["network"] == "revnet":
            return {"input": "canonical", "layers": ("gate", "gate", last)}
        between = {
            "dense": (second,),
            "gated": ("gate", second),
            "residual": ("residual relu", second),
        }
        return {"layers": (first, *between[values["network"]], last)}


class PatternsPlan(LearningPlan):
    """Learning patterns; `shapes` are the chosen sets and random shapes."""

    searched = (
        whole("phases", 1, 24),
        real("greedy", 0.1, 0.9),
        real("trace", 0.0, 1.0),
        real("rate", 0.3, 3.0, log=True),
        whole("solved", 0, 10),
        whole("search_depth", 2, 5),
        real("search_trace", 0.0, 1.0),
        real("search_share", 0.0, 1.0),
        whole("search_solved", 6, 14),
        real("search_rate", 0.03, 0.5, log=True),
        whole("openings", 2, 20),
        real("epsilon", 0.01, 0.3, log=True),
        *(choice(name, NO_YES, f"shapes: {of}") for name, of in _SHAPE_SETS.items()),
        whole("new_shapes", 0, 2, "random shapes beside them"),
        whole("new_squares", 4, MOST_SQUARES, "squares of these"),
        whole("new_draw", 0, 9999, "which: any number draws others"),
    )
    parts: ClassVar = {
        **dict.fromkeys(_SHAPE_SETS, True), "new_shapes": 0, "new_squares": 8, "new_draw": 0,
    }  # fmt: skip

    def compose(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """See SettingsPlan: where no set of shapes is chosen, there is the corner."""
        if not set(self.parts) <= set(values):
            return {}
        shapes = tuple(of for name, of in _SHAPE_SETS.items() if values[name]) or STRONG_SHAPES[:1]
        rng = np.random.default_rng(values["new_draw"])
        for _ in range(values["new_shapes"]):
            shapes = _with_new_shape(shapes, values["new_squares"], rng)
        return {"shapes": shapes}


def _with_new_shape(
    shapes: tuple[str, ...], squares: int, rng: np.random.Generator
) -> tuple[str, ...]:
    """Return the shapes and a random one that is not an image of any of them."""
    if 1 <= squares <= MOST_SQUARES:
        for _ in range(100):
            longer = (*shapes, shape_text(random_shape(squares, rng)))
            with suppress(AgentError):
                check_shapes(parse_shapes(longer))
                return longer
    raise SettingsError(
        f"new_squares = {squares}: no further shape has so many squares (1 to {MOST_SQUARES})"
    )
