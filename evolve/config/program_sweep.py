"""Settings of a sweep of a program's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from evolve.config.base import Agent, demand
from evolve.config.sweep import SweepSettings


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
        "{NAME:A|B}: gtp:COMMAND, nboard:COMMAND or python:FILE.py",
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
            (self.storage is None, "storage: programs are tuned on one machine; leave it out"),
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
        if self.objective == "panel":
            return 2 * self.panel_openings * len(self.panel)
        return 2 * self.pairs

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

    @property
    def identity(self) -> dict[str, Any]:
        identity = super().identity
        del identity["games"]
        return identity
