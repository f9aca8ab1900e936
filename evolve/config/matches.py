"""Settings of games between any agents: matches and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from evolve.config.base import Agent, Named, Settings, demand
from evolve.config.evolution import FIRST
from evolve.engine.board.rules import MAX_OPENING_PLIES, Rules
from evolve.parsing import split_list

RANDOM_PLIES: Final = 8
"""Moves of a random opening."""
_LEAST_PLIES: Final = 3  # fewest moves of a random opening: fewer hardly make an opening
GAMES: Final = 100
GAMES_OF_TEST: Final = 20_000
_MOST_GAMES: Final = 10_000_000
GAMES_FILE: Final = "games.parquet"
"""The table of a match in the service."""


EloUnit = Literal["normalized", "logistic"]
_Elo = Annotated[float, Field(ge=-10_000.0, le=10_000.0)]


def _split_bounds(value: Any) -> Any:
    """The parts of ELO0:ELO1:UNIT, a text or a list; normalized without a unit."""
    text = ":".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    parts = text.replace(" ", "").split(":")
    form = "it must be two numbers ELO0:ELO1, such as 0:20, or 0:20:logistic"
    demand((len(parts) in (2, 3), form))
    return (*parts, "normalized")[:3]


def _ascending(bounds: tuple[float, float, EloUnit]) -> tuple[float, float, EloUnit]:
    low, high, unit = bounds
    most = {"normalized": 200, "logistic": 2000}[unit]
    ends = f"the first must be under the second, both -{most} to {most} in {unit} Elo"
    demand((-most <= low < high <= most, ends))
    return bounds


_Hypotheses = Annotated[
    tuple[_Elo, _Elo, EloUnit], BeforeValidator(_split_bounds), AfterValidator(_ascending)
]
"""ELO0 and ELO1 of a sequential test, and their unit."""


def _listed(value: Any) -> Any:
    return tuple(value.split()) if isinstance(value, str) else value


class ContestSettings(Settings):
    """The settings that all games between agents have."""

    GROUPS: ClassVar[Mapping[str, str]] = {"games": FIRST}
    ABOUT: ClassVar[str]
    """What the command does, in a sentence."""
    PLURAL: ClassVar[str]
    """Several such contests."""
    OUT: ClassVar[str]
    """Name of what keeps the games of a job, for --out."""

    openings: Annotated[str, Named("place", ("balanced", "random", "start"))] = Field(
        "balanced",
        description="openings that no training uses: of a list, worth 2 discs at most by a deep "
        "search (balanced), or random, even by a shallow one (random; always with opening-plies); "
        "the start position (start), or a file in any format that evolve convert reads: each game "
        "or position in it is an opening, such as the moves f5d6c4d3c2b3b4b5 in a line of a .txt",
    )
    opening_plies: int | None = Field(
        None,
        ge=0,
        le=MAX_OPENING_PLIES,
        description=f"moves of an opening: by default {RANDOM_PLIES} random ones, at least "
        f"{_LEAST_PLIES}; of each game in a file so many, 0 for the board at which it begins, by "
        "default all, but none of a finished game that begins elsewhere than usual",
    )
    seed: int = Field(
        0, ge=0, le=2**63 - 1, description="of the openings and of agents that draw at random"
    )
    rules: Rules | None = Field(
        None, description="rules to play by; those of the agents by default, or standard"
    )

    @model_validator(mode="before")
    @classmethod
    def _random_where_they_have_a_length(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and values.get("opening_plies") is not None:
            return {"openings": "random", **values}
        return values

    @model_validator(mode="after")
    def _enough_moves(self) -> Self:
        plies = self.opening_plies
        demand(
            (self.openings != "balanced" or plies is None,
             f"opening_plies {plies}: balanced openings have {RANDOM_PLIES} moves; random ones "
             "have as many as you want"),
            (self.openings != "random" or plies is None or plies >= _LEAST_PLIES,
             f"opening_plies {plies}: random openings have {_LEAST_PLIES} moves or more"),
        )  # fmt: skip
        return self


class MatchSettings(ContestSettings):
    """A match: A against B, both colours on every opening."""

    ABOUT = "Play a match between two agents."
    PLURAL = "matches"
    OUT = GAMES_FILE

    a: Agent = Field(description="the first agent; the score is its own")
    b: Agent = Field(description="the other agent")
    games: int | None = Field(
        None,
        ge=2,
        le=_MOST_GAMES,
        description="games, two on every opening; an odd number is rounded up; by default "
        f"{GAMES}, every opening of a file once, or with a test {GAMES_OF_TEST} at most",
    )
    sprt: _Hypotheses | None = Field(
        None,
        description="ELO0:ELO1, such as 0:20: stop as soon as it is decided whether A is stronger "
        "by the second or only by the first; in normalized Elo, as fastchess and fishtest have it, "
        "or 0:20:logistic in ordinary Elo",
        json_schema_extra={"lists": ":"},
    )
    alpha: float = Field(
        0.05, gt=0.0, lt=0.5, description="share of matches at ELO0 that may end for ELO1"
    )
    beta: float = Field(
        0.05, gt=0.0, lt=0.5, description="share of matches at ELO1 that may end for ELO0"
    )


class RateSettings(ContestSettings):
    """A rating: a round robin of any agents."""

    ABOUT = "Rate agents by a round robin."
    PLURAL = "ratings"
    OUT = "rating"

    agents: Annotated[tuple[Agent, ...], BeforeValidator(_listed)] = Field(
        min_length=1, description="two or more"
    )
    against: Annotated[tuple[Agent, ...], BeforeValidator(_listed)] = Field(
        (),
        description="a gauntlet: the agents play these alone, whose ratings stay fixed; may be "
        "repeated",
        json_schema_extra={"lists": "repeated"},
    )
    elos: Annotated[tuple[_Elo, ...], BeforeValidator(split_list)] = Field(
        (),
        description="the Elo of those of --against, in their order, A,B,…; by default that of the "
        "ladder, where they are all on it, else they play one another for it",
    )
    games: int = Field(
        GAMES,
        ge=2,
        le=_MOST_GAMES,
        description="games a pair, two on every opening; odd numbers are rounded up",
    )

    @model_validator(mode="after")
    def _anchored(self) -> Self:
        anchors = len(self.against)
        demand(
            (anchors or len(self.agents) >= 2,
             "agents: it must have 2 or more, or others to play --against"),
            (len(self.elos) in (0, anchors),
             f"elos: {len(self.elos)} numbers, and {anchors} agents in --against"),
        )  # fmt: skip
        return self


CONTESTS: Final[Mapping[str, type[ContestSettings]]] = {
    "match": MatchSettings,
    "rate": RateSettings,
}
"""The settings of all commands that play games between agents."""
