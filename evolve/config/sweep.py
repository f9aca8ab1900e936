"""Settings of a sweep: what it tunes, how it scores a trial, how it searches; and of programs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from evolve.config.base import MANY, Anything, Named, Place, Settings, demand
from evolve.config.evolution import FIRST
from evolve.config.ranges import OF_SETTINGS, Requirement, range_of
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.board.rules import DEFAULT_RULES, RULES_HELP, Rules, rule_set
from evolve.parsing import split_list

_DEFAULT_PANEL: Final = "default"
_FEWEST_OPENINGS: Final = 10
"""Fewest openings of each pair in a final: fewer show no difference."""


_Opponent = Annotated[str, Named("agent", (_DEFAULT_PANEL,))]


def _known(kind: str) -> str:
    if kind not in SWEEP_TARGETS:
        raise ValueError(f"there is no {kind!r}; there are {', '.join(SWEEP_TARGETS)}")
    return kind


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class SweepRung(NamedTuple):
    """A longer training of the best trials.

    candidates: how many trials train again; budget: CPU seconds of each training; seeds: new seeds
    of each candidate, with one training for each.
    """

    candidates: int
    budget: float
    seeds: int


_RUNG: Final = re.compile(r"([1-9][0-9]{0,4})x([0-9]{1,6}(?:\.[0-9]{1,6})?)(?:x([1-9][0-9]{0,2}))?")


def _parsed_rung(text: str) -> SweepRung:
    match = _RUNG.fullmatch(text)
    if match is None or float(match[2]) == 0:
        raise ValueError(f"{text!r} is not CANDIDATESxSECONDS or CANDIDATESxSECONDSxSEEDS: 16x8")
    return SweepRung(int(match[1]), float(match[2]), int(match[3] or 1))


class SweepSettings(Settings):
    """Everything that decides what a sweep searches; its length may change while it runs."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        "kind": FIRST,
        "sampler": "The search",
        "reports": "Judging a trial",
        "rungs": "Rungs: train the best again, longer",
        "finalists": "The final",
        "storage": "Many machines",
    }
    MOST_OPENINGS: ClassVar[int] = 100
    """Most openings of each pair in a final, where the trials decide its size."""
    COUNTS_FAILURES: ClassVar[bool] = False
    """Whether failed trials count as trials, and may fail in a row once one is complete."""

    kind: Annotated[str, AfterValidator(_known)] = Field("dqn", exclude=True)
    """What the sweep tunes; the command sets it, not an option."""
    rules: Rules = Field(DEFAULT_RULES, description=RULES_HELP)
    seed: int = Field(0, ge=0, le=2**31, description="of the sampler, the trials and the panel")
    trials: int = Field(60, ge=1, le=1_000_000, description="finished trials in all")
    timeout: float | None = Field(
        None, gt=0.0, le=MANY, description="start no trial after this many seconds"
    )
    budget: float | None = Field(
        None,
        gt=0.0,
        le=MANY,
        description="CPU seconds of each trial; compiling and the panel's games do not count",
    )
    jobs: int | None = Field(
        None,
        ge=1,
        le=1024,
        description="worker processes, all cores by default; with two or more, what a trial tries "
        "depends on which have ended by then",
    )
    sampler: Literal["tpe", "cma", "gp", "spsa", "random"] = Field(
        "tpe",
        description="tpe, cma (CMA-ES), gp (a Gaussian process), spsa (programs only) or random",
    )
    pruner: Literal["median", "race", "none"] = Field(
        "median",
        description="ends trials that fall behind; race: those that are significantly worse than "
        "the best",
    )
    startup: int = Field(
        10, ge=0, le=1_000_000, description="random trials before the sampler, and a pruner, begin"
    )
    start_from: Place | None = Field(
        None,
        description="settings to try after the defaults: the best of an earlier sweep, or those of "
        "a TOML file, such as its best.toml",
    )
    reports: int = Field(4, ge=1, le=100, description="times that a trial plays the panel")
    panel: Annotated[tuple[_Opponent, ...], BeforeValidator(split_list)] = Field(
        (_DEFAULT_PANEL,),
        description="agents that trials play, A,B,…; `default`: random moves, a greedy table and "
        "alpha-beta 2, 4 and 6 deep, for patterns the bundled agent 2, 4 and 6 deep",
    )
    panel_openings: int = Field(
        20, ge=2, le=10_000, description="openings with each of the panel, two games an opening"
    )
    shipped: bool = Field(
        False,
        description="play the panel with the agents' full search, as the last rung always does, "
        "not with the shorter one of a training's checks",
    )
    rungs: Annotated[tuple[str, ...], BeforeValidator(split_list)] = Field(
        (),
        description="train the best trials and the defaults again, longer: "
        "CANDIDATESxSECONDS[xSEEDS],…; the best of a rung reach the next one",
    )
    retest: int = Field(
        3,
        ge=0,
        le=1000,
        description="trainings of the winner's settings and of the defaults after the rungs, with "
        "new seeds, to play each other",
    )
    finalists: int = Field(
        4, ge=1, le=100, description="trials that play the final, with the defaults"
    )
    final_openings: int | None = Field(
        None,
        ge=2,
        le=10_000,
        description="openings of each pair in the final, two games each; by default its games are "
        f"a third of the trials', with {_FEWEST_OPENINGS} to 100 openings (50 for programs)",
    )
    storage: Place | None = Field(
        None,
        description="URL of a database, to share a study between machines; by default the study is "
        "in the sweep's folder",
    )
    study: Place | None = Field(None, description="name of the study; the folder's name by default")
    space: dict[str, dict[str, Anything]] = Field(
        default_factory=dict,
        description="ranges that differ: NAME=LOW:HIGH, :log or :STEP after it, or NAME=A|B",
    )
    fix: dict[str, Anything] = Field(
        default_factory=dict, description="settings that all trials have, NAME=VALUE"
    )
    require: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        (),
        description="what the parameters of every trial fulfil, such as 'low < high' or "
        "'a + b <= 10 or not c'; may be repeated",
        json_schema_extra={"lists": "repeated"},
    )

    @model_validator(mode="before")
    @classmethod
    def _defaults_of_the_kind(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        kind = values.get("kind", cls.model_fields["kind"].default)
        target = SWEEP_TARGETS.get(kind) if isinstance(kind, str) else None
        if target is None:
            return values
        fixed = values.get("fix")
        defaults = {"rules": target.rules, **target.settings}
        if (
            values.get("storage")
            or values.get("budget") is not None
            or (isinstance(fixed, dict) and "games" in fixed)
        ):
            # Rungs need the default budget, and do not go with storage or games.
            defaults.pop("rungs", None)
        return {**defaults, **{key: value for key, value in values.items() if value is not None}}

    @field_validator("space", mode="before")
    @classmethod
    def _ranges_as_tables(cls, space: Any) -> Any:
        if not isinstance(space, Mapping):
            return space
        return {
            name: range_of(given, f"{name}={given}", OF_SETTINGS)
            if isinstance(given, str)
            else given
            for name, given in space.items()
        }

    @field_validator("rungs", "require")
    @classmethod
    def _can_be_parsed(cls, texts: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for text in texts:
            _parsed_rung(text) if info.field_name == "rungs" else Requirement(text)
        return texts

    @model_validator(mode="after")
    def _completed_and_checked(self) -> Self:
        target, rules = SWEEP_TARGETS[self.kind], rule_set(self.rules)
        if self.budget is None and "games" not in self.fix:
            object.__setattr__(self, "budget", target.budget)
        spsa, place = self.sampler == "spsa", "one machine; leave out storage, or"
        budgets = [self.budget or 0.0, *(rung.budget for rung in self.longer)]
        seconds = ", ".join(f"{budget:g}" for budget in budgets)
        demand(
            (not spsa or self.kind == "program",
             "sampler: spsa is for programs, which can meet"),
            (not (spsa and self.require), "require: not with spsa; take another sampler"),
            (not (spsa and self.start_from),
             "start_from: spsa begins at the defaults; give others, {NAME:LOW:HIGH=DEFAULT}"),
            (not (self.storage and self.start_from), f"start_from: it is for {place} start_from"),
            (target.budget is not None or self.budget is None,
             f"budget: trials of {self.kind} learn nothing; leave it out"),
            (not self.rungs or self.budget is not None,
             "rungs: trials have no budget in CPU seconds here; leave them out"),
            (budgets == sorted(budgets),
             f"rungs: {seconds} CPU seconds, trials first: trainings may not get shorter"),
            (not (self.rungs and self.storage), f"rungs: they run on {place} rungs"),
            (self.panel, "panel: it is empty; name one agent or more, or leave it out"),
        )  # fmt: skip
        default = (target.strong and rules.strong_panel) or rules.panel
        names = (default if name == _DEFAULT_PANEL else [name] for name in self.panel)
        object.__setattr__(self, "panel", tuple(dict.fromkeys(itertools.chain(*names))))
        return self

    @property
    def longer(self) -> tuple[SweepRung, ...]:
        """The rungs after the trials, parsed."""
        return tuple(map(_parsed_rung, self.rungs))

    @property
    def work(self) -> float:
        """All work in units of a trial: a longer training counts by its length."""
        rungs = self.longer
        trainings = [(rung.candidates + 1) * rung.seeds * rung.budget for rung in rungs]
        if rungs:
            trainings.append(2 * self.retest * rungs[-1].budget)
        return self.trials + sum(trainings) / (self.budget or 1.0)

    @property
    def first_trials(self) -> int:
        """Trials whose end tells the pace: all that begin together, and a twentieth of all.

        The first ones are slow: none is ended early yet.
        """
        return max(self.jobs or 1, self.trials // 20)

    @property
    def trial_games(self) -> int:
        """Games of a trial that runs to its end."""
        meetings = 1 if SWEEP_TARGETS[self.kind].budget is None else self.reports
        return meetings * 2 * self.panel_openings * len(self.panel)

    def openings_after(self, games: int, matches: int) -> int:
        """Openings of each match in a final of `matches`, after trials of `games` games."""
        if self.final_openings is not None:
            return self.final_openings
        fitting = games // (3 * 2 * max(1, matches))  # a third of the games of the trials
        return min(max(fitting, _FEWEST_OPENINGS), self.MOST_OPENINGS)

    @property
    def games_of_all(self) -> int:
        """Games of all trials, if each runs to its end."""
        return self.trials * self.trial_games

    @property
    def final_matches(self) -> int:
        """Most matches of the final, or of the retest after the rungs."""
        return self.retest if self.rungs else self.matches_of(min(self.finalists + 1, self.trials))

    def matches_of(self, players: int) -> int:
        """Matches of a final: a round robin, and the winner against the defaults once more."""
        return players * (players - 1) // 2 + 1 if players > 1 else 0

    @property
    def final_games(self) -> int:
        """Most games of the final, or of the retest after the rungs."""
        matches = self.final_matches
        return 2 * matches * self.openings_after(self.games_of_all, matches)

    def completed(self, folder: Path, jobs: int, before: Self | None = None) -> Self:
        """As above: the study's name, and the workers."""
        study, workers = (before.study, before.jobs) if before else (None, None)
        study = self.study or study or folder.resolve().name
        return self.model_copy(update={"study": study, "jobs": self.jobs or workers or jobs})

    @property
    def searches(self) -> bool:
        """Whether trials try settings one after another, each of which counts.

        False for steps of SPSA, which play one another.
        """
        return self.sampler != "spsa"

    @property
    def games_of_trials(self) -> int | None:
        """Games that all trials together may play; None for no limit."""
        return None

    @property
    def identity(self) -> dict[str, Any]:
        """Settings that a trial's score depends on, as JSON; all writers of a study must agree."""
        when_to_stop = {
            "trials", "timeout", "jobs", "storage", "study", "finalists", "final_openings",
            "sampler", "pruner", "startup", "rungs", "retest", "start_from",
        }  # fmt: skip
        # Older sweeps do not have these settings.
        when_to_stop |= {name for name in ("shipped", "require") if not getattr(self, name)}
        return {"kind": self.kind, **self.model_dump(mode="json", exclude=when_to_stop)}
