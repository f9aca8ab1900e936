"""Settings of an evolution: the one source of options, TOML files and a run's config.toml."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from evolve.config.base import MANY, Agent, Count, Openings, Settings, demand
from evolve.engine.board.rules import RULE_SETS, RULES_HELP, Rules, rule_set
from evolve.engine.search.genes import (
    DEFAULT_TERMS,
    GENES,
    MAX_PHASES,
    TERM_NAMES,
    Term,
    default_boundaries,
)
from evolve.parsing import are_boundaries, split_integers, split_list, split_range

FIRST: Final = "What matters first"
"""Heading of the options that most people need."""
PRESET_HELP: Final = "settings to start from; other options override single values"
ENDINGS: Final = ("generations", "patience", "until_rest", "time_limit")
"""Settings for when a run ends; they may change when a run resumes."""

_MOST: Final = 4096  # most individuals: cross tables grow with their square


DIRECT: Final = "direct"
"""The encoding with which the tables alone describe the agents."""
SCORE: Final = "score"
"""The fitness that the tables always hold."""

# The functions are in `evolve.population`, which asserts that it has one for each name: settings
# must not load DEAP or numba.
OPERATORS: Final[Mapping[str, Mapping[str, str]]] = {
    "algorithm": {
        "ga": "genetic algorithm, by the operators below",
        "cma": "DEAP's CMA-ES on the same genome",
    },
    "fitness": {SCORE: "(wins + ½ draws) / games in the round robin"},
    "selection": {
        "best": "the best (truncation)",
        "tournament": "winners of tournaments of three",
        "rank": "at random, the better the rank the likelier",
        "lexicase": "the best against one opponent, ties against the next, in random order",
    },
    "crossover": {
        "blend": "anywhere between the parents' values and a little beyond (BLX)",
        "uniform": "each number from either parent",
        "one-point": "one parent's numbers up to a point, then the other's",
        "two-point": "the other parent's numbers between two points",
        "sbx": "near either parent's value, within the bounds (simulated binary)",
        "none": "children have one parent",
    },
    "mutation": {"gaussian": "a normal random step", "uniform": "drawn again from the range"},
    "depth_mutation": {"step": "one up or down", "uniform": "drawn again from the range"},
    "survival": {
        "selected": "all that are selected, with their children",
        "best": "the best alone, all others are replaced",
    },
    "encoding": {DIRECT: "genes are the parameters of the agents"},
}

OWN: Final = "own:"
"""Prefix for the name of a user's own operator: `own:elders` is the function `elders`."""
OWNABLE: Final = tuple(kind for kind in OPERATORS if kind != "algorithm")
"""Settings for which a Python call may pass its own function."""


def _operator(kind: str, default: str, description: str) -> Any:
    return Field(
        default, description=description, json_schema_extra={"choices": dict(OPERATORS[kind])}
    )


def _ascending(ends: tuple[int, int]) -> tuple[int, int]:
    if ends[0] > ends[1]:
        raise ValueError(f"{ends[0]} is above {ends[1]}")
    return ends


def _from_5_to_64(boundaries: tuple[int, ...]) -> tuple[int, ...]:
    if not are_boundaries(boundaries):
        raise ValueError(f"{list(boundaries)} must ascend from 5 to 64")
    return boundaries


_Number = Annotated[int, Field(ge=-MANY, le=MANY)]
_Range = Annotated[
    tuple[_Number, _Number], BeforeValidator(split_range), AfterValidator(_ascending)
]
_Tied = Literal["weights", "terms", "depths"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class EvolutionSettings(Settings):
    """Everything that decides what an evolution computes; the same settings, the same tables."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        "preset": FIRST,
        "encoding": "The agents and their genes",
        "openings": "Games of a generation",
        "survivors": "The genetic algorithm",
        "panel": "Ratings, and when to stop",
    }

    preset: Literal["tuned", "published"] = Field("tuned", description=PRESET_HELP)
    rules: Rules = Field("reversed", description=f"{RULES_HELP} (the published experiment)")
    seed: int = Field(0, ge=0, le=2**63 - 1, description="same seed and settings, same tables")
    generations: Count = Field(
        168, description="number of generations, the random first one included"
    )
    population: int = Field(64, ge=4, le=_MOST, description="individuals in every generation")
    algorithm: str = _operator(
        "algorithm", "ga", "algorithm that makes each generation from the last"
    )

    encoding: str = _operator("encoding", DIRECT, "encoding of the agents in genes")
    phases: int = Field(3, ge=1, le=MAX_PHASES, description="phases of the game")
    boundaries: Annotated[
        tuple[_Number, ...], BeforeValidator(split_integers), AfterValidator(_from_5_to_64)
    ] = Field(
        (), description="disc counts at which the next phase begins; empty: as equal as possible"
    )
    tie: Annotated[tuple[_Tied, ...], BeforeValidator(split_list)] = Field(
        (), description="genes that all phases share: weights, terms, depths"
    )
    terms: Annotated[
        tuple[Term, ...],
        BeforeValidator(lambda value: TERM_NAMES if value == "all" else split_list(value)),
    ] = Field(
        DEFAULT_TERMS,
        description=f"further terms of the evaluation: {', '.join(TERM_NAMES)}; or all",
    )
    bounds: dict[str, _Range] = Field(
        default_factory=dict,
        description=f"range of a gene, GENE=LOW:HIGH; genes: {', '.join(GENES)}",
        json_schema_extra={"lists": ":"},
    )
    fix: dict[str, Annotated[tuple[_Number, ...], BeforeValidator(split_integers)]] = Field(
        default_factory=dict, description="fix a gene: GENE=V or GENE=V,V,…"
    )
    start_from: Agent | None = Field(
        None, description="agent that the first generation starts from, by its genes"
    )

    openings: Literal["pair", "shared", "start"] = Field(
        "pair",
        description="a random balanced opening for each pair of individuals, one for all pairs "
        "(new ones each generation), or the start position",
    )
    opening_plies: int = Field(8, ge=3, le=20, description="random moves in an opening")
    openings_per_pair: int = Field(
        1, ge=1, le=64, description="openings a pair of individuals plays"
    )
    opponents: int | None = Field(
        None,
        ge=1,
        le=_MOST,
        description="number of opponents of each individual, random and new in each generation; "
        "by default all",
    )
    move_budget: int = Field(
        2000,
        ge=0,
        le=10**12,
        description="nodes per move; an agent that needs more loses the game; 0: no limit",
    )

    fitness: str = _operator("fitness", "score", "ranking of the individuals")
    survivors: Share = Field(0.25, gt=0.0, description="share of the population that is selected")
    newcomers: Share = Field(0.03125, description="share of the population that is new and random")
    selection: str = _operator("selection", "best", "selection of parents, beside the best")
    survival: str = _operator("survival", "selected", "selection of survivors")
    crossover: str = _operator("crossover", "blend", "crossover of two parents")
    crossover_rate: Share = Field(1.0, description="share of children that have two parents")
    blend: float = Field(
        0.25, ge=0.0, le=2.0, description="how far a blend may reach beyond either parent"
    )
    eta: float = Field(
        2.0, ge=0.0, le=1000.0, description="of sbx: higher stays closer to the parents"
    )
    mutation: str = _operator("mutation", "gaussian", "mutation of weights")
    mutation_rate: Share = Field(0.1, description="share of a child's genes that mutate")
    mutation_size: float = Field(
        0.3, gt=0.0, le=2.0, description="standard deviation of a step, as a share of the range"
    )
    depth_mutation: str = _operator("depth_mutation", "step", "mutation of depths and endgame")

    panel: Literal["ladder", "fixed"] = Field(
        "ladder",
        description="opponents of each generation's best: the nearest rungs of the ladder, which "
        "rates it, or three fixed opponents",
    )
    panel_every: Count = Field(1, description="generations from one panel to the next")
    panel_openings: Openings = Field(24, description="openings against each member of the panel")
    playoff_openings: Openings = Field(48, description="openings of each pair in the play-off")
    hall_of_fame: int = Field(8, ge=1, le=_MOST, description="number of champions in the play-off")
    patience: int | None = Field(
        None, ge=1, le=MANY, description="stop after so many generations without a better score"
    )
    until_rest: bool = Field(
        False,
        description="stop when the rating certainly rises by less than 20 Elo in 40 generations",
    )
    time_limit: float | None = Field(None, gt=0.0, le=1e6, description="stop after so many hours")

    def work(self, generations: float) -> float:
        """The work of the first generations, in units of the last ones, which search deeper.

        Where depths evolve, a game of generation 0 takes .5 to .85 of the CPU time of one of
        generation 50, and it grows little after that: measured with both presets and both rules.
        """
        if "depths" in self.fix:
            return generations
        # The first one is a quarter shorter; after 25 a third of that is left.
        return generations - 0.25 * 25.0 * (1.0 - math.exp(-generations / 25.0))

    # A validator for one field reports its fault beside faults of other fields; pydantic runs
    # validators of the whole model only when each field is valid.
    @field_validator(*OPERATORS)
    @classmethod
    def _operators_are_known(cls, name: str, info: ValidationInfo) -> str:
        kind = str(info.field_name)
        if name in OPERATORS[kind] or (kind in OWNABLE and name.startswith(OWN)):
            return name
        known = ", ".join(OPERATORS[kind])
        raise ValueError(f"there is no such {kind.replace('_', ' ')}; there are {known}")

    @field_validator("bounds", "fix")
    @classmethod
    def _genes_are_known(cls, values: dict[str, Any]) -> dict[str, Any]:
        unknown = [gene for gene in values if gene not in GENES]
        if unknown:
            raise ValueError(f"no gene {', '.join(unknown)}; genes: {', '.join(GENES)}")
        return values

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: Any) -> Any:
        """Rules without a measured ladder have the fixed panel."""
        rules = values.get("rules", "reversed") if isinstance(values, Mapping) else None
        if isinstance(rules, str) and rules in RULE_SETS and not RULE_SETS[rules].ladder:
            return {"panel": "fixed", **values}
        return values

    @model_validator(mode="after")
    def _is_consistent(self) -> EvolutionSettings:
        demand(*self._rules(), *((False, fault) for fault in self._gene_faults()))
        ranges = {
            name: self.bounds.get(name, gene.bounds)
            for name, gene in GENES.items()
            if name in self.bounds or name in self.genes
        }
        object.__setattr__(self, "bounds", ranges)
        if not self.boundaries:
            object.__setattr__(self, "boundaries", default_boundaries(self.phases))
        return self

    def _rules(self) -> tuple[tuple[bool, str], ...]:
        """Conditions on several settings: whether they hold, and the fault, with its field."""
        on_ladder, phases = self.panel == "ladder", self.phases
        size, met = self.population, self.opponents
        living = 1 if self.survival == "best" else self.survivor_count
        new, rules, bounds = self.newcomer_count, self.rules, [*self.boundaries]
        return (
            (not on_ladder or bool(rule_set(rules).ladder),
             f"panel: no ladder was measured for {rules}"),
            (not self.until_rest or on_ladder,
             f"until_rest: not with panel = {self.panel}, only the ladder rates"),
            (len(bounds) in (0, phases - 1),
             f"boundaries: {phases} phases need {phases - 1} disc counts, not {bounds}"),
            (met is None or met < size,
             f"opponents: {size} individuals have {size - 1} others, not {met}"),
            (size * (met or 0) % 2 == 0,
             f"opponents: {size} individuals cannot have {met} each: one must be even"),
            (met is None or self.selection != "lexicase",
             "opponents: lexicase compares scores against the same opponents"),
            (self.algorithm != "ga" or living + new < size,
             f"survivors, newcomers: of {size} individuals {living} live on and {new} are new, "
             "which leaves no room for children; both are shares, such as 0.25"),
        )  # fmt: skip

    def _gene_faults(self) -> list[str]:
        faults = []
        for name, gene in GENES.items():
            values = (*self.bounds.get(name, ()), *self.fix.get(name, ()))
            low, high = gene.limits or (-math.inf, math.inf)
            if not all(low <= value <= high for value in values):
                faults.append(f"{name}: {list(values)} must be {low} to {high}")
        for name, values in self.fix.items():
            if self.is_off(name):
                faults.append(f"fix.{name}: the term is not among the terms in use")
            sizes = sorted({1, *self.gene_sizes(name)})
            if len(values) not in sizes:
                takes = " or ".join(map(str, sizes))
                faults.append(f"fix.{name}: {len(values)} numbers given, it takes {takes}")
        return faults

    @property
    def genes(self) -> tuple[str, ...]:
        """The genes that individuals have, in the order of their genome."""
        return tuple(name for name, gene in GENES.items() if gene.early or not self.is_off(name))

    def is_off(self, gene: str) -> bool:
        """Whether the gene is a term that is not in use."""
        return GENES[gene].term and gene not in self.terms

    def tied(self, gene: str) -> bool:
        """Whether all phases share the gene."""
        return gene in self.tie or (GENES[gene].term and "terms" in self.tie)

    def gene_sizes(self, gene: str) -> tuple[int, ...]:
        """How many numbers the gene has; a gene with phases: in one phase, and in all of them."""
        single = GENES[gene].numbers
        if not GENES[gene].phased or self.tied(gene):
            return (single,)
        return (single, single * self.phases)

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that a generation's tables depend on, as JSON: all but when to stop."""
        return self.model_dump(mode="json", exclude=set(ENDINGS))

    @property
    def games_a_generation(self) -> int:
        """Fitness games of one generation: each pair plays both colours on each of its openings."""
        each = 1 if self.openings == "start" else self.openings_per_pair
        met = self.population - 1 if self.opponents is None else self.opponents
        return self.population * met * each

    @property
    def survivor_count(self) -> int:
        """Selected individuals: at least two, as parents."""
        return max(2, round(self.survivors * self.population))

    @property
    def newcomer_count(self) -> int:
        """Random individuals in the next generation."""
        return round(self.newcomers * self.population)


PRESETS: Final[dict[str, dict[str, Any]]] = {
    "tuned": {},
    # Wang, "reversed reversi" (S1): bitboard alpha-beta, 10 weights and mobility, three phases,
    # a GA of 64 by round robin for 168 generations, 5 s a move. It states no operator, share or
    # range: those marked are assumed.
    "published": {
        "terms": ("mobility",),
        "bounds": {
            "weights": (-500, 500),  # assumed: set 1 to 3 of Table I have −500 and 15 … 25
            "mobility": (-100, 100),  # assumed
            "depths": (1, 7),  # assumed: Table I has 2 … 7
            "endgame": (0, 12),  # assumed: the paper only says "exact end"
        },
        "openings": "start",
        "move_budget": 10_000,  # assumed: about 5 s of Python search
        "survivors": 0.25,  # assumed
        "newcomers": 0.125,  # assumed
        "selection": "best",
        "crossover": "uniform",  # assumed
        "mutation": "uniform",  # assumed
        "mutation_rate": 0.1,  # assumed
        "depth_mutation": "uniform",  # assumed
    },
}
