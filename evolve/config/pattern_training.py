"""Settings of a training of patterns, and its presets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from evolve.config.base import MANY, Agent, Openings, demand
from evolve.config.evolution import FIRST, PRESET_HELP, Share
from evolve.config.learning import CHECKS, PLAY, TO_LEARN_FROM, TrainingSettings
from evolve.engine.patterns.shapes import (
    SETS,
    STRONG_SHAPES,
    check_shapes,
    images_of,
    parse_shapes,
    shape_text,
)
from evolve.engine.search.genes import MAX_PHASES
from evolve.errors import AgentError
from evolve.parsing import split_integers, split_list
from evolve.terminal_text import count_of

_Shapes = Annotated[tuple[str, ...], BeforeValidator(split_list)]


class PatternSettings(TrainingSettings):
    """Everything that decides how patterns learn.

    The first part of a training is temporal differences: games one ply ahead, each learned from
    once, backwards. The second part searches its games: every position is learned towards the
    result of its search and the rest of its game, several times, at a falling rate. Its first half
    teaches few phases by quick searches; in its second half phases are split, and searches are
    deeper. The last part is evolution: weights with noise play those with the opposite noise, and
    steps follow the results. Parts are shares of the training: one schedule serves any length.
    """

    judge = "ladder"
    learner = "patterns"

    GROUPS: ClassVar[Mapping[str, str]] = {
        "rules": FIRST,
        "shapes": "The patterns",
        "greedy": "First part: temporal differences",
        "search_depth": "Second part: searched games",
        "duels": "Last part: duels",
        "openings": TO_LEARN_FROM,
        "checks": CHECKS,
        "depth": PLAY,
        "preset": FIRST,
    }

    shapes: _Shapes = Field(
        STRONG_SHAPES,
        description=f"sets of shapes ({', '.join(SETS)}), and shapes as squares: blocks a1-c3, "
        "diagonals a1/h8, single squares b2, joined by spaces or +; commas between shapes",
    )
    phases: int = Field(
        18, ge=1, le=MAX_PHASES, description="stages of the game with own weights; at first 6"
    )
    start_from: Agent | None = Field(
        None,
        description="agent with patterns to start from: the second half of the second part is all "
        "there is; larger shapes share the values of those that they hold, phases may be split",
    )
    greedy: Share = Field(
        0.2,
        description="share of the budget, or of the games, that the first part takes, of what "
        "duels leave; 0 with start_from",
    )
    trace: Share = Field(
        0.8, description="lambda of TD: how far a game's end tells more than the next value"
    )
    rate: float = Field(
        1.0, gt=0.0, le=10.0, description="step, in shares of what would remove the whole error"
    )
    solved: int = Field(8, ge=0, le=14, description="empties from which games are scored exactly")
    search_depth: int = Field(
        4, ge=1, le=8, description="plies that the games are searched; at first one less"
    )
    search_trace: Share = Field(0.7, description="lambda of the labels")
    search_share: Share = Field(
        0.5, description="share of a label that is the value of the position's own search"
    )
    search_solved: int = Field(
        12, ge=0, le=16, description="empties to score these games exactly from; at first two less"
    )
    search_rate: float = Field(0.12, gt=0.0, le=10.0, description="first step; the last is a 40th")
    duels: Share = Field(
        0.0, description="share of the budget, or of the games, that duels take at the end"
    )
    duel_depths: Annotated[
        tuple[Annotated[int, Field(ge=1, le=8)], ...],
        BeforeValidator(split_integers),
        Field(min_length=1, max_length=8),
    ] = Field((1,), description="plies that duels are searched; each draws one of these")
    duel_plies: Annotated[
        tuple[Annotated[int, Field(ge=0, le=40)], ...],
        BeforeValidator(split_integers),
        Field(min_length=1, max_length=2),
    ] = Field((4, 20), description="random moves before a duel: fewest and most, or so many")
    duel_noise: float = Field(
        0.2, gt=0.0, le=10.0, description="noise of a weight, in twice the mean size of weights"
    )
    duel_rate: float = Field(
        0.01, gt=0.0, le=1.0, description="step of a weight at first, in the same unit"
    )
    duels_a_step: int = Field(200, ge=1, le=1_000_000, description="duels between two steps")
    duel_shapes: _Shapes = Field(
        (), description="smaller shapes that duels begin with, from nothing; then shapes grow"
    )
    openings: int = Field(
        8, ge=0, le=30, description="most random moves at the start of a game (0 to this many)"
    )
    epsilon: Share = Field(0.1, description="share of random moves after that")
    checks: int = Field(
        10, ge=1, le=1000, description="checks against the ladder in the course of the training"
    )
    panel_openings: Openings = Field(20, description="openings against each rung of a check")
    patience: int | None = Field(
        None, ge=1, le=MANY, description="stop after so many checks without a better score"
    )
    depth: int = Field(10, ge=1, le=60, description="plies that the agent searches")
    endgame: int = Field(12, ge=0, le=30, description="empties from which the agent plays exactly")
    probcut: float = Field(
        1.1, ge=0.0, le=10.0, description="standard deviations of its forward cuts; 0: none"
    )
    probcut_positions: int = Field(
        600, ge=50, le=100_000, description="positions that these are measured on, at the end"
    )
    preset: Literal["default", "quick", "strong", "record-size", "evolved"] = Field(
        "default", description=PRESET_HELP
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name in ("shapes", *(["duel_shapes"] if self.duel_shapes else [])):
            try:
                check_shapes(parse_shapes(getattr(self, name)))
            except AgentError as error:
                raise ValueError(f"{name}: {error}") from error
        larger = [{*image} for shape in parse_shapes(self.shapes) for image in images_of(shape)]
        lost = [s for s in parse_shapes(self.duel_shapes) if not any(i >= {*s} for i in larger)]
        text = ", ".join(map(shape_text, lost[:1]))
        demand(
            (not lost, f"duel_shapes: none of the shapes holds {text}"),
            (self.duel_plies[0] <= self.duel_plies[-1], "duel_plies: the fewest first"),
            (
                not self.duel_shapes or (self.duels == 1.0 and self.start_from is None),
                "duel_shapes: they need duels=1 and no start_from, since they begin with nothing",
            ),
            (not 0 < self.probcut < 0.1, "probcut: it must be 0.1 or more, or 0 for no cuts"),
        )
        if self.start_from is not None and "greedy" not in self.model_fields_set:
            object.__setattr__(self, "greedy", 0.0)
        return self

    @property
    def default_budget(self) -> float:
        return _BUDGETS.get(self.preset, 60.0)

    @property
    def reserve(self) -> float:
        """CPU seconds of the budget that the cuts are measured in, at most 6 and a tenth of it."""
        return min(6.0, 0.1 * self.budget) if self.budget and self.probcut else 0.0

    @property
    def searches_begin(self) -> float:
        """The share of the training at which the second part begins."""
        return self.greedy * (1.0 - self.duels)

    @property
    def duels_begin(self) -> float:
        """The share of the training at which duels begin; over 1 where there are none."""
        return 1.0 - self.duels if self.duels else math.inf

    @property
    def parts(self) -> tuple[float, ...]:
        return 0.0, self.searches_begin, 0.5 * (self.searches_begin + 1.0 - self.duels), 1.0

    def searched(self, share: float) -> float:
        """The share of the second part that is done when `share` of the training is.

        A training that starts from an agent begins in its middle.
        """
        begin, end = self.searches_begin, 1.0 - self.duels
        done = min(max((share - begin) / (end - begin), 0.0), 1.0) if begin < end else 1.0
        return done if self.start_from is None else 0.5 + 0.5 * done

    def phases_at(self, share: float) -> int:
        """Phases that are taught when `share` of the training is done."""
        return self.phases if self.searched(share) >= 0.5 else min(self.phases, 6)

    def games_in_hand(self, share: float) -> int:
        """Games until the next round of learning, when `share` of the training is done.

        The first part plays many, since they are quick. Where `games` is set, no round goes beyond
        the end of its part, nor exceeds the games between two checks, so that a training of few
        games has as many checks as one of many; rounds of searched games are a 20th at most.
        """
        most, end = 1024, self.searches_begin
        if share >= self.duels_begin:
            most, end = 2 * self.duels_a_step, 1.0
        elif share >= self.searches_begin:
            most, end = max(1, min(40_000, self.games or MANY) // 20), 1.0 - self.duels
        if self.games is None:
            return most
        left = math.ceil(end * self.games) - round(share * self.games)
        return min(most, max(1, self.games // self.checks), max(1, left))

    def check_is_due(self, last: int, games: int, share: float) -> bool:
        """Whether `share` reaches 1 / `checks`, or `games` passes the end of such a share."""
        if self.games is not None:
            before, now = (count * self.checks // self.games for count in (last, games))
            if now > before:
                return True
        return share >= 1.0 / self.checks

    @property
    def summary(self) -> str:
        return f"{', '.join(self.shapes)}; {count_of(self.phases, 'phase')}"

    def brief(self) -> Self:
        return self.model_copy(update={"seed": 0, "probcut_positions": 50, "duels_a_step": 2})


_BUDGETS: Final = {"quick": 30.0, "strong": 960.0, "evolved": 2400.0}
"""CPU seconds of presets without games; among a preset's values a budget would limit games, too."""

PATTERN_PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {}, "quick": {}, "strong": {},
    "record-size": {"shapes": ("lines-4", "blocks-2x2"), "phases": 1},
    "evolved": {
        "shapes": ("lines-6", "blocks-2x3", "a4/e8", "a5/d8"), "duel_shapes": ("lines-2",),
        "phases": 1, "duels": 1.0, "duel_noise": 1.0, "duel_rate": 0.05, "duels_a_step": 1000,
        "depth": 1, "endgame": 0, "probcut": 0.0,
    },
}  # fmt: skip
"""Presets of a pattern training.

quick: half a minute. strong: a quarter of an hour. record-size: the shapes of the published record
of one-ply players, straight lines of four and blocks of 2 × 2. evolved: a player of one ply by
duels alone, with larger shapes than those.
"""
