"""Default search spaces of every kind of sweep: names, types, ranges and meanings in one place.

Most parameters are settings of the kind's own command, under the same names. The others (`width`,
`blocks`, `network`, …) describe a network, and the family's `compose` makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from pydantic import BaseModel

from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.operators import OPERATORS
from evolve.config.pattern_training import PATTERN_PRESETS, PatternSettings
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.engine.rules import Rules, rule_set
from evolve.engine.shapes import (
    DEFAULT_SHAPES,
    MOST_SQUARES,
    ShapeSet,
    parse_shapes,
    random_shape,
    shape_text,
)
from evolve.errors import AgentError, SettingsError
from evolve.population.genome import Genome
from evolve.sweeps.space import Parameter, Space

Values = Mapping[str, Any]
Shapes = tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """A kind of sweep: the settings of a trial, and the space over them.

    plan: class of its plan, `module:class`, in a layer above this. model, presets: its settings.
    composed: a setting that is made of parameters. parts: these parameters, with their defaults.
    compose: makes settings from the values of a trial, under the rules.
    """

    plan: str
    model: type[BaseModel]
    presets: Mapping[str, Mapping[str, Any]]
    space: Space
    composed: str | None
    parts: Values
    compose: Callable[[Values, Rules], dict[str, Any]]


def _float(name: str, low: float, high: float, about: str, *, log: bool = False) -> Parameter:
    return Parameter(name, "float", about, low, high, log)


def _int(
    name: str, low: int, high: int, about: str, *, log: bool = False, step: int = 1
) -> Parameter:
    return Parameter(name, "int", about, low, high, log, step)


def _choice(name: str, choices: tuple[Any, ...], about: str) -> Parameter:
    return Parameter(name, "choice", about, choices=choices)


def _operator(kind: str) -> Parameter:
    return _choice(
        kind, tuple(OPERATORS[kind]), EvolutionSettings.model_fields[kind].description or ""
    )


_NO_YES: Final = (False, True)

DQN: Final = Space.of(
    [
        _float("learning_rate", 1e-4, 5e-3, "of Adam, at first", log=True),
        _float("gamma", 0.9, 1.0, "discount of a step"),
        _choice("steps", (1, 3, 5, 10, 60), "steps of rewards in a target; 60: to the end"),
        _choice("bootstrap", ("own", "negamax"), "whose best move a target bootstraps from"),
        _choice("reward", ("outcome", "difference"), "at the end of a game"),
        _float("positional", 0.0, 0.02, "weight of the reward V(p) + V(flips)"),
        _float("epsilon", 0.05, 0.5, "share of random moves at first"),
        _float("epsilon_end", 0.0, 0.2, "share of random moves at the end"),
        _int("width", 64, 256, "units of the dense layers", step=64),
        _int("blocks", 0, 3, "residual layers after the first one"),
        _choice("dueling", _NO_YES, "a value and advantages at the end"),
        _choice("double", _NO_YES, "choose the next move by one network, value it by the other"),
        _choice("batch", (128, 256, 512, 1024), "positions in a step of learning"),
        _float("updates", 1.0, 8.0, "times that a position is learned from", log=True),
        _int("target_period", 100, 3000, "steps from one target network to the next", log=True),
        _int("window", 4_000, 500_000, "positions that are kept", log=True),
        _choice("augment", _NO_YES, "learn from the 8 images of a position"),
        _choice(
            "opponents",
            ("self=1", "self=0.7,random=0.3", "self=0.7,greedy=0.3", "self=0.5,past=0.5", "past=1"),
            "who it learns against",
        ),
        _int("openings", 0, 16, "most random moves at the start of a game", step=2),
        _int("lookahead", 0, 2, "plies that the agent plays out; costs no budget"),
    ]
)

MCTS: Final = Space.of(
    [
        _float("learning_rate", 3e-4, 1e-2, "of Adam, at first", log=True),
        _float("c_puct", 0.5, 3.0, "exploration constant in the games it learns from", log=True),
        _float("play_c_puct", 0.5, 3.0, "the same in play", log=True),
        _int("simulations", 32, 400, "of a move in the games it learns from", log=True),
        _float("root_value", 0.0, 0.8, "share of the search's value in what is learned"),
        _int("openings", 2, 14, "most random moves at the start of a game"),
        _int("solved", 8, 16, "empties at which a game ends, with its exact outcome"),
        _choice(
            "network",
            ("dense", "gated", "residual", "revnet"),
            "two dense layers, a gate or a residual layer between, or the published RevNet",
        ),
        _int("width", 32, 128, "units of the first layer (RevNet: always 64)", step=32),
        _float("noise", 0.0, 0.5, "share of a random draw in the priors of the root"),
        _float("temperature", 0.3, 1.5, "of the choice among moves"),
        _int("temperature_plies", 4, 40, "moves of a game that it holds for"),
        _float("updates", 1.0, 10.0, "times that a position is learned from", log=True),
        _choice("batch", (128, 256, 512, 1024), "positions in a step of learning"),
        _int("window", 10_000, 500_000, "positions that are kept", log=True),
        _int("games_per_iteration", 50, 800, "games between two rounds of learning", log=True),
    ]
)

EVOLUTION: Final = Space.of(
    [
        _int("population", 16, 128, "individuals in every generation", log=True),
        _float("survivors", 0.1, 0.5, "share of the population that is selected"),
        _float("newcomers", 0.0, 0.2, "share of the population drawn at random"),
        _operator("selection"),
        _operator("survival"),
        _operator("crossover"),
        _float("crossover_rate", 0.5, 1.0, "share of children that have two parents"),
        _float("blend", 0.0, 1.0, "how far a blend may reach beyond either parent"),
        _float("eta", 1.0, 20.0, "of sbx: higher stays closer to the parents", log=True),
        _operator("mutation"),
        _float("mutation_rate", 0.02, 0.5, "share of a child's genes that mutate", log=True),
        _float("mutation_size", 0.05, 0.8, "size of a step, as a share of the range", log=True),
        _operator("depth_mutation"),
        _choice("openings", ("pair", "shared", "start"), "what the games begin with"),
        _int("opening_plies", 4, 12, "random moves in an opening"),
        _int("openings_per_pair", 1, 3, "openings a pair of individuals plays"),
    ]
)

SHAPE_SETS: Final = {name.replace("-", "_"): name for name in DEFAULT_SHAPES}
"""Parameters that switch the default's sets of shapes on or off."""

PATTERNS: Final = Space.of(
    [
        _int("phases", 1, 12, "stages of the game with own weights"),
        _float("greedy", 0.1, 0.9, "share of the budget for temporal differences"),
        _float("trace", 0.0, 1.0, "lambda of TD"),
        _float("rate", 0.3, 3.0, "step of TD, in shares of the whole error", log=True),
        _int("solved", 0, 10, "empties from which its games are scored exactly"),
        _int("search_depth", 2, 5, "plies that the games of the second part are searched"),
        _float("search_trace", 0.0, 1.0, "lambda of their labels"),
        _float("search_share", 0.0, 1.0, "share of a label that is its position's own value"),
        _int("search_solved", 6, 14, "empties from which those games are scored exactly"),
        _float("search_rate", 0.03, 0.5, "step at first", log=True),
        _float("replay", 0.0, 8.0, "older positions learned again, for each new one"),
        _int("openings", 2, 20, "most random moves at the start of a game"),
        _float("epsilon", 0.01, 0.3, "share of random moves after that", log=True),
        *(_choice(name, _NO_YES, f"shapes: {of}") for name, of in SHAPE_SETS.items()),
        _int("new_shapes", 0, 2, "random shapes beside them"),
        _int("new_squares", 4, MOST_SQUARES, "squares of these"),
        _int("new_draw", 0, 9999, "which: any number draws others"),
    ]
)

_DRAWS: Final = 100
"""Draws of random shapes before the search for another one gives up."""

_PATTERN_PARTS: Final = {
    **dict.fromkeys(SHAPE_SETS, True),
    "new_shapes": 0,
    "new_squares": 8,
    "new_draw": 0,
}

DEPTHS: Final = (1, 4)
"""Depths of an alphabeta sweep: only this range limits the cost of deeper searches."""


def _dqn_settings(values: Values, rules: Rules) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if "width" in values:
        head = "dueling" if values["dueling"] else "dense 64"
        blocks = ("residual relu",) * values["blocks"]
        made["layers"] = (f"dense {values['width']} relu", *blocks, head)
    if isinstance(values.get("opponents"), str):
        made["opponents"] = values["opponents"].replace("greedy", rule_set(rules).greedy)
    return made


def _mcts_settings(values: Values, rules: Rules) -> dict[str, Any]:
    if "network" not in values:
        return {}
    first, last = f"dense {values['width']} relu", "dense 1 tanh"
    second = f"dense {max(8, values['width'] // 2)} relu"
    if values["network"] == "revnet":
        return {"input": "canonical", "layers": ("gate", "gate", last)}
    between = {"dense": (second,), "gated": ("gate", second), "residual": ("residual relu", second)}
    return {"layers": (first, *between[values["network"]], last)}


def _pattern_settings(values: Values, rules: Rules) -> dict[str, Any]:
    """Return the chosen sets of shapes, the corner where none is chosen, and random shapes."""
    if not set(_PATTERN_PARTS) <= set(values):
        return {}
    there = tuple(of for name, of in SHAPE_SETS.items() if values[name]) or DEFAULT_SHAPES[:1]
    rng = np.random.default_rng(values["new_draw"])
    for _ in range(values["new_shapes"]):
        there = _with_new_shape(there, values["new_squares"], rng)
    return {"shapes": there}


def _with_new_shape(there: Shapes, squares: int, rng: np.random.Generator) -> Shapes:
    """Return the shapes and a random one that is not an image of any of them."""
    if 1 <= squares <= MOST_SQUARES:
        for _ in range(_DRAWS):
            longer = (*there, shape_text(random_shape(squares, rng)))
            with suppress(AgentError):
                ShapeSet(parse_shapes(longer))
                return longer
    raise SettingsError(
        f"new_squares = {squares}: no further shape of so many squares was found; there may be 1 "
        f"to {MOST_SQUARES}, and not too many shapes"
    )


def _no_settings(values: Values, rules: Rules) -> dict[str, Any]:
    return {}


FAMILIES: Final[dict[str, Family]] = {
    "dqn": Family(
        "evolve.sweeps.learning_plan:LearningPlan",
        DqnSettings,
        DQN_PRESETS,
        DQN,
        "layers",
        {"width": 256, "blocks": 0, "dueling": False},
        _dqn_settings,
    ),
    "mcts": Family(
        "evolve.sweeps.learning_plan:LearningPlan",
        MctsSettings,
        MCTS_PRESETS,
        MCTS,
        "layers",
        {"network": "dense", "width": 64},
        _mcts_settings,
    ),
    "patterns": Family(
        "evolve.sweeps.learning_plan:LearningPlan",
        PatternSettings,
        PATTERN_PRESETS,
        PATTERNS,
        "shapes",
        _PATTERN_PARTS,
        _pattern_settings,
    ),
    "evolution": Family(
        "evolve.sweeps.evolution_plan:EvolutionPlan",
        EvolutionSettings,
        PRESETS,
        EVOLUTION,
        None,
        {},
        _no_settings,
    ),
    "program": Family(
        "evolve.sweeps.program_plan:ProgramPlan",
        ProgramSweepSettings,
        {},
        Space(()),
        None,
        {},
        _no_settings,
    ),
    "alphabeta": Family(
        "evolve.sweeps.genes_plan:GenesPlan",
        EvolutionSettings,
        PRESETS,
        Space(()),
        None,
        {},
        _no_settings,
    ),
}


def gene_places(genome: Genome) -> dict[str, int]:
    """Return the place of each number in a genome's vector: `weights.0`, …, `endgame`."""
    return {
        gene if genome.sizes[gene] == 1 else f"{gene}.{number}": index
        for gene in genome.sizes
        for number, index in enumerate(range(genome.slices[gene].start, genome.slices[gene].stop))
    }


def genes_space(genome: Genome) -> Space:
    """Return a space with a parameter for every free number of a genome."""
    return Space.of(
        _int(name, int(genome.low[index]), int(genome.high[index]), "gene of every individual")
        for name, index in gene_places(genome).items()
        if genome.free[index]
    )
