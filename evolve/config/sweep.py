"""Settings of a sweep: what it tunes, how it scores a trial, how it searches; and of programs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from evolve.config.base import MANY, Agent, Anything, Named, Settings, demand
from evolve.config.evolution import FIRST
from evolve.config.ranges import OF_SETTINGS, Requirement, range_of
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.board.rules import DEFAULT_RULES, RULES_HELP, Rules, rule_set
from evolve.parsing import split_list

_DEFAULT_PANEL: Final = "default"
_FEWEST_OPENINGS: Final = 10  # fewest openings of each pair in a final: fewer show no difference
REDUCTION: Final = 4
"""Of halving: one trial in so many goes on, for so many times its length."""
_MOST_HALVINGS: Final = 6  # reports of halving: the first of six is at a thousandth of a trial


_Opponent = Annotated[str, Named("agent", (_DEFAULT_PANEL,))]


def _known(kind: str) -> str:
    if kind not in SWEEP_TARGETS:
        raise ValueError(f"there is no {kind!r}; there are {', '.join(SWEEP_TARGETS)}")
    return kind


class SweepSettings(Settings):
    """Everything that decides what a sweep searches; its length may change while it runs."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        "kind": FIRST,
        "sampler": "The search",
        "reports": "Judging a trial",
        "finalists": "The final",
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
    pruner: Literal["median", "race", "halving", "none"] = Field(
        "median",
        description="ends trials that fall behind; race: those that are significantly worse than "
        "the best; halving: at each report all but the best quarter",
    )
    startup: int = Field(
        10,
        ge=0,
        le=1_000_000,
        description="random trials before the sampler, and the pruners median and race, begin",
    )
    start_from: Annotated[str, Named("sweep")] | None = Field(
        None,
        description="settings to try after the defaults: the best of an earlier sweep, or a file "
        "of them, such as its best.toml",
    )
    reports: int = Field(
        4,
        ge=1,
        le=100,
        description="times that a trial plays the panel, at equal shares of its length; for "
        "halving each four times as late as the one before",
    )
    panel: Annotated[tuple[_Opponent, ...], BeforeValidator(split_list)] = Field(
        (_DEFAULT_PANEL,),
        description="agents that trials play, A,B,…; `default`: random moves, a greedy table and "
        "alpha-beta 2, 4 and 6 deep, for patterns the bundled agent 2, 4 and 6 deep",
    )
    panel_openings: int = Field(
        20, ge=2, le=10_000, description="openings with each of the panel, two games an opening"
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
    retest: int = Field(
        0,
        ge=0,
        le=1000,
        description="trainings of the winner's settings, and of the defaults, with new seeds, to "
        "play each other; without any the trials' own agents do",
    )
    space: dict[str, dict[str, Anything]] = Field(
        default_factory=dict,
        description="ranges that differ: NAME=LOW:HIGH, :log or :STEP after it, or NAME=A|B",
    )
    fix: dict[str, Anything] = Field(
        default_factory=dict, description="settings that all trials have, NAME=VALUE"
    )
    require: Annotated[
        tuple[str, ...], BeforeValidator(lambda one: (one,) if isinstance(one, str) else one)
    ] = Field(
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
        defaults = {"rules": target.rules, **target.settings}
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

    @field_validator("require")
    @classmethod
    def _can_be_parsed(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            Requirement(text)
        return texts

    @model_validator(mode="after")
    def _completed_and_checked(self) -> Self:
        target, rules = SWEEP_TARGETS[self.kind], rule_set(self.rules)
        if self.budget is None and "games" not in self.fix:
            object.__setattr__(self, "budget", target.budget)
        spsa = self.sampler == "spsa"
        demand(
            (not spsa or self.kind == "program",
             "sampler: spsa is for programs, which can meet"),
            (not (spsa and self.require), "require: not with spsa; take another sampler"),
            (target.budget is not None or self.budget is None,
             f"budget: trials of {self.kind} learn nothing; leave it out"),
            (target.budget is not None or not (self.retest or self.pruner == "halving"),
             f"retest, halving: trials of {self.kind} learn nothing; leave them out"),
            (self.pruner != "halving" or self.reports <= _MOST_HALVINGS,
             f"reports: for halving at most {_MOST_HALVINGS}"),
            (self.panel, "panel: it is empty; name one agent or more, or leave it out"),
        )  # fmt: skip
        default = (target.strong and rules.strong_panel) or rules.panel
        names = (default if name == _DEFAULT_PANEL else [name] for name in self.panel)
        object.__setattr__(self, "panel", tuple(dict.fromkeys(itertools.chain(*names))))
        return self

    @property
    def marks(self) -> list[float]:
        """The shares of a trial's length at which it reports; the end is the last."""
        if self.pruner == "halving":
            return [REDUCTION ** (mark - self.reports) for mark in range(1, self.reports + 1)]
        return [mark / self.reports for mark in range(1, self.reports + 1)]

    @property
    def work(self) -> float:
        """All work in units of a trial: the trainings of a retest go to their end."""
        ends = [0.0, *self.marks]
        spread = REDUCTION if self.pruner == "halving" else 1.0
        share = sum((ends[n + 1] - ends[n]) / spread**n for n in range(self.reports))
        return self.trials + 2 * self.retest / share

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
        """Most matches of the final."""
        return self.matches_of(min(self.finalists + 1, self.trials))

    def matches_of(self, players: int) -> int:
        """Matches of a final: a round robin, and the winner against the defaults once more.

        In a retest that is one for each seed.
        """
        return players * (players - 1) // 2 + max(1, self.retest) if players > 1 else 0

    @property
    def final_games(self) -> int:
        """Most games of the final."""
        matches = self.final_matches
        return 2 * matches * self.openings_after(self.games_of_all, matches)

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
        """Settings that a trial's score depends on, as JSON."""
        when_to_stop = {
            "trials", "games", "timeout", "jobs", "finalists", "final_openings",
            "sampler", "pruner", "startup", "retest", "start_from",
        }  # fmt: skip
        if self.pruner == "halving":  # which has marks of its own
            when_to_stop -= {"pruner"}
        return {"kind": self.kind, **self.model_dump(mode="json", exclude=when_to_stop)}


class ProgramSweepSettings(SweepSettings):
    """A program, how it gets its parameters, and how its trials are scored."""

    GROUPS: ClassVar[Mapping[str, str]] = {**SweepSettings.GROUPS, "set_by": "Programs"}
    MOST_OPENINGS: ClassVar[int] = 50
    COUNTS_FAILURES: ClassVar[bool] = True  # a program may crash on many values
    OF_OWNER: ClassVar[tuple[str, ...]] = ("set_by", "set_command", "space", "fix")
    """Fields that no client of a service may set: they become words of the program."""

    kind: Literal["program"] = Field("program", exclude=True)
    program: Agent = Field(
        description="the command, with parameters as {NAME:LOW:HIGH[:log][=DEFAULT]} or "
        "{NAME:A|B}: gtp:COMMAND, nboard:COMMAND or python:FILE.py"
    )
    set_by: Literal["env", "gtp"] | None = Field(
        None,
        description="how it gets parameters that its command has no place for: by a variable NAME "
        "of its environment, or by GTP commands",
    )
    set_command: str = Field(
        "set_parameter {name} {value}", description="GTP command that sets a parameter"
    )
    objective: Literal["self", "panel"] = Field(
        "self",
        description="opponents of trials: self, the defaults and the best trial so far; or panel",
    )
    pairs: int = Field(
        20,
        ge=2,
        le=100_000,
        description="openings of a trial that is not pruned, two games each; against the panel "
        "--panel-openings counts",
    )
    games: int | None = Field(None, ge=100, le=10_000_000, description="games, the final's too")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        missing = [word for word in ("{name}", "{value}") if word not in self.set_command]
        room = self.games_of_trials
        demand(
            (self.set_by != "gtp" or self.program.startswith("gtp:"),
             "set_by: gtp is for programs that are named gtp:COMMAND"),
            (not missing, f"set_command: {' and '.join(missing)} must be in it"),
            (room is None or self.trial_games <= room,
             f"games: {self.games} leave no room for a trial of {self.trial_games} and the "
             f"final's {self.final_games}; more of them, or fewer --pairs or --final-openings"),
        )  # fmt: skip
        if room is not None and "trials" not in self.model_fields_set:
            # As many trials as fit if each is dropped after its first part.
            parts = 1 if self.pruner == "none" or self.sampler == "spsa" else self.reports
            least = max(2, self.trial_games // parts)
            object.__setattr__(self, "trials", room // least)
        return self

    @property
    def trial_games(self) -> int:
        """Games of a trial that is not dropped."""
        return super().trial_games if self.objective == "panel" else 2 * self.pairs

    @property
    def games_of_all(self) -> int:
        """Games of all trials if none is dropped; with --games, 3/4 of them, without the final."""
        return super().games_of_all if self.games is None else 3 * self.games // 4

    @property
    def final_matches(self) -> int:
        """See SweepSettings; with --games, the number of trials is no limit."""
        return super().final_matches if self.games is None else self.matches_of(self.finalists + 1)

    def matches_of(self, players: int) -> int:
        """Matches of a final: each with the defaults, and the winner once more."""
        return players if players > 1 else 0

    @property
    def games_of_trials(self) -> int | None:
        return None if self.games is None else self.games - self.final_games
