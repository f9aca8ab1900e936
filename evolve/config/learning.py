"""Settings of learning: one model for each family, with the published systems as presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from evolve.config.base import MANY, Agent, Count, Named, Openings, Settings, demand
from evolve.config.evolution import FIRST, PRESET_HELP, Share
from evolve.engine.board.rules import DEFAULT_RULES, RULES_HELP, Rules, rule_set
from evolve.engine.networks.architecture import Architecture
from evolve.errors import AgentError
from evolve.parsing import split_list, split_shares

_Layers = Annotated[tuple[str, ...], BeforeValidator(split_list)]

_LEARNING: Final = "The network and its learning"
TO_LEARN_FROM: Final = "Games to learn from"
CHECKS: Final = "Checks, and when to stop"
PLAY: Final = "How the agent plays"
"""Headings of groups of options."""

ITSELF: Final = "self"
PAST: Final = "past"
"""Opponents that are not agents: the learner itself, and an earlier version of it."""


class TrainingSettings(Settings):
    """The settings that every training has."""

    judge: ClassVar[Literal["panel", "ladder"]] = "panel"
    """Opponents of the checks: the fixed panel, or the nearest rungs of the ladder."""
    learner: ClassVar[str]
    """The module of `evolve.learning` with the LEARNER, which may need PyTorch."""

    rules: Rules = Field(DEFAULT_RULES, description=f"{RULES_HELP}; the papers play standard")
    seed: int = Field(0, ge=0, le=2**62, description="same seed, settings and --games, same tables")
    budget: float | None = Field(
        None,
        gt=0.0,
        le=MANY,
        description="CPU seconds of training: games, learning and choosing between models; "
        "neither compilation nor the panel's games count",
    )
    games: int | None = Field(None, ge=1, le=MANY, description="games to learn from, not a budget")

    if TYPE_CHECKING:  # each kind declares these, in its own order
        panel_openings: int
        patience: int | None
        preset: str

    @model_validator(mode="after")
    def _ends_somewhere(self) -> Self:
        if self.budget is None and self.games is None:
            object.__setattr__(self, "budget", self.default_budget)
        return self

    @property
    def default_budget(self) -> float:
        """CPU seconds, used where neither budget nor games are set."""
        return 120.0

    @property
    def reserve(self) -> float:
        """CPU seconds of the budget for the work after the games."""
        return 0.0

    def games_in_hand(self, share: float) -> int:
        """Games until the next round of learning, when `share` of the training is done."""
        return 20

    def check_is_due(self, last: int, games: int, share: float) -> bool:
        """Whether a check is due after `games` games.

        The last check was after `last` games; `share` of the training has passed since then.
        """
        return games - last >= 10 * self.games_in_hand(share)

    @property
    def parts(self) -> tuple[float, ...]:
        """Shares of the training at which it begins to work otherwise, and its end."""
        return 0.0, 1.0

    def brief(self) -> Self:
        """The same settings, but a few games and steps reach all parts of a training."""
        return self

    @property
    def summary(self) -> str:
        """What learns, in a few words."""
        return self.preset

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that the tables depend on, as JSON: all but when to stop."""
        return self.model_dump(mode="json", exclude={"budget", "games", "patience"})


class LearningSettings(TrainingSettings):
    """The settings that every training of networks has."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        "rules": FIRST,
        "input": _LEARNING,
        "openings": TO_LEARN_FROM,
        "check_every": CHECKS,
        "preset": FIRST,
        "layers": _LEARNING,
    }

    if TYPE_CHECKING:
        layers: _Layers

    input: Literal["canonical", "planes", "mobility", "coloured", "coloured-move"] = Field(
        "mobility",
        description="what the network sees: canonical (own 1, other -1), planes (own, other, "
        "both), mobility (own, other, own moves, other's moves), coloured (black 1, white -1, "
        "and who is to move), coloured-move (the same and a move)",
    )
    games_per_iteration: int = Field(
        200, ge=1, le=1_000_000, description="games between two rounds of learning"
    )
    window: int = Field(
        200_000, ge=64, le=50_000_000, description="positions that are kept to learn from"
    )
    batch: int = Field(512, ge=2, le=1_000_000, description="positions in a step of learning")
    updates: float = Field(
        4.0, gt=0.0, le=10_000.0, description="times that a position is learned from, on average"
    )
    learning_rate: float = Field(1e-3, gt=0.0, le=1.0, description="of Adam, at first")
    decay: Share = Field(
        0.5, description="share of the training after which the learning rate falls, to a twentieth"
    )
    weight_decay: float = Field(0.0, ge=0.0, le=1.0, description="of Adam (AdamW's)")
    augment: bool = Field(True, description="learn from a random one of a position's 8 images")
    openings: int = Field(
        12, ge=0, le=30, description="most random moves at the start of a game (0 to this many)"
    )
    endgame: int = Field(0, ge=0, le=20, description="empties from which the agent plays exactly")
    check_every: Count = Field(2000, description="games between two checks against the panel")
    panel_openings: Openings = Field(50, description="openings against each member of the panel")
    patience: int | None = Field(
        None, ge=1, le=MANY, description="stop after so many checks without a better panel score"
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="where the network learns; auto: on a GPU where there is one"
    )

    def games_in_hand(self, share: float) -> int:
        return self.games_per_iteration

    def check_is_due(self, last: int, games: int, share: float) -> bool:
        return games - last >= self.check_every

    @property
    def summary(self) -> str:
        return f"{self.input}: {', '.join(self.layers)}"

    def brief(self) -> Self:
        return self.model_copy(update={"window": 512, "seed": 0, "updates": self.batch / 60})

    def _check_network(self, layers: tuple[str, ...], outputs: tuple[str, ...]) -> None:
        try:
            architecture = Architecture(self.input, layers)
        except AgentError as error:
            raise ValueError(f"layers: {error}") from error
        required = " or ".join(outputs)
        found = architecture.output
        demand((found in outputs, f"layers: the output is {found}; it must be {required}"))


def _some_share(shares: dict[str, float]) -> dict[str, float]:
    positive = {name: share for name, share in shares.items() if share > 0.0}
    if not positive:
        raise ValueError("one opponent must have a share over 0")
    return positive


_Opponent = Annotated[str, Named("agent", (ITSELF, PAST))]
_Opponents = Annotated[
    dict[_Opponent, Annotated[float, Field(ge=0.0, le=1e6)]],
    BeforeValidator(split_shares),
    AfterValidator(_some_share),
]


class MctsSettings(LearningSettings):
    """Everything that decides what a tree search's network learns."""

    learner = "mcts"

    GROUPS: ClassVar[Mapping[str, str]] = {
        **LearningSettings.GROUPS,
        "simulations": TO_LEARN_FROM,
        "root_value": _LEARNING,
        "opponents": TO_LEARN_FROM,
        "accept": "Choosing between models",
        "play_simulations": PLAY,
    }

    preset: Literal["default", "swept", "s3-mcts", "s4-reversiv"] = Field(
        "default", description=PRESET_HELP
    )
    layers: _Layers = Field(
        ("dense 64 relu", "dense 32 relu", "dense 1 tanh"),
        description="of the network: dense N, gate, residual, conv N, and at the end dense 1 tanh "
        "(a value) or policy-value; an activation may follow (relu, tanh, sigmoid), norm, dropout",
    )
    window: int = Field(
        100_000, ge=64, le=50_000_000, description="positions that are kept to learn from"
    )
    learning_rate: float = Field(2e-3, gt=0.0, le=1.0, description="of Adam, at first")
    simulations: int = Field(50, ge=2, le=100_000, description="of a move in the games")
    c_puct: float = Field(1.2, gt=0.0, le=100.0, description="exploration constant in these games")
    noise: Share = Field(0.25, description="share of a random draw in the priors of the root")
    temperature: float = Field(
        1.0, ge=0.0, le=10.0, description="of the choice among moves; 0: the most visited"
    )
    temperature_plies: int = Field(20, ge=0, le=60, description="first moves of a game with it")
    solved: int = Field(
        10, ge=0, le=20, description="empties at which a game ends, with its exact outcome"
    )
    reuse: bool = Field(
        False, description="keep the tree from move to move, in the games and in play"
    )
    solve_by: Literal["visits", "value"] = Field(
        "visits", description="how the agent's exact search orders the moves: visits or value Q"
    )
    root_value: Share = Field(
        0.75, description="share of the search's value in what is learned; the rest: the outcome"
    )
    first_ply: int = Field(0, ge=0, le=50, description="learn from positions from this ply on")
    opponents: _Opponents = Field(
        default_factory=lambda: {ITSELF: 1.0},
        description="OPPONENT=SHARE of the games: self, random, or an alpha-beta agent",
    )
    accept: bool = Field(
        False,
        description="play on with a new network only when it is no worse against any opponent "
        "of accept_against, nor against the one before",
    )
    accept_against: Annotated[tuple[Agent, ...], BeforeValidator(split_list)] = Field(
        ("random", "swh-mobility"), description="agents that it is measured by"
    )
    accept_games: int = Field(20, ge=2, le=10_000, description="games with each of them")
    play_simulations: int = Field(400, ge=1, le=2_000_000, description="of a move of the agent")
    play_c_puct: float = Field(1.1, gt=0.0, le=100.0, description="exploration constant in play")
    endgame: int = Field(12, ge=0, le=20, description="empties from which the agent plays exactly")
    check_simulations: int = Field(
        100, ge=1, le=100_000, description="of a move in the games with the panel"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_network(self.layers, ("value", "policy-value"))
        demand(
            (not self.input.startswith("coloured"),
             "input: a tree search needs to see the board from the mover's side"),
            (PAST not in self.opponents, "opponents: a tree search has no past one"),
            (self.first_ply <= 60 - self.solved,
             f"first_ply: games end {self.solved} empties before the board is full, so that "
             f"there is nothing to learn from ply {self.first_ply} on"),
        )  # fmt: skip
        if "accept_against" not in self.model_fields_set:
            object.__setattr__(self, "accept_against", ("random", rule_set(self.rules).judge))
        return self

    def brief(self) -> Self:
        return super().brief().model_copy(update={"simulations": 4, "accept_games": 2})


class DqnSettings(LearningSettings):
    """Everything that decides what a network of move values learns."""

    learner = "dqn"

    GROUPS: ClassVar[Mapping[str, str]] = {
        **LearningSettings.GROUPS,
        "bootstrap": "Targets and rewards",
        "opponents": TO_LEARN_FROM,
        "lookahead": PLAY,
    }

    preset: Literal[
        "default", "swept", "s2-dqn", "s2-dueling", "s2-minimax-dueling", "s3-dqn", "s3-double",
        "s3-dueling", "s5-network1", "s5-network2",
    ] = Field("default", description=PRESET_HELP)  # fmt: skip
    layers: _Layers = Field(
        ("dense 256 relu", "dense 64"),
        description="of the network: dense N, gate, residual, conv N, and at the end dense 64, "
        "dueling, or dense 1 (with coloured-move); an activation may follow, norm, dropout",
    )
    networks: int = Field(1, ge=1, le=2, description="one for both colours, or one for each")
    bootstrap: Literal["own", "negamax"] = Field(
        "negamax",
        description="best move that a target bootstraps from: the next own one, or the reply",
    )
    steps: int = Field(
        10, ge=1, le=60, description="steps of rewards in a target; 60: to the end (Monte Carlo)"
    )
    gamma: Share = Field(1.0, description="discount of a step")
    double: bool = Field(
        False, description="choose the next move by one network, value it by another"
    )
    target_period: Count = Field(
        500, description="steps of learning after which the target network follows"
    )
    others_zero: bool = Field(False, description="teach 0 for all squares but the one played")
    reward: Literal["none", "outcome", "halves", "share", "difference"] = Field(
        "difference",
        description="at the end: nothing; 1, 0, -1; 1, 1/2, 0; own discs / 64; difference / 64",
    )
    shaping: float = Field(
        0.0, ge=0.0, le=10.0, description="weight of own discs / 64 after every move"
    )
    positional: float = Field(
        0.0, ge=0.0, le=10.0, description="weight of the reward V(p) + V(flips) of a move"
    )
    minimax: bool = Field(False, description="subtract the reply's reward from the move's")
    opponents: _Opponents = Field(
        default_factory=lambda: {ITSELF: 1.0},
        description="OPPONENT=SHARE of the games: self, past, random, or an alpha-beta agent",
    )
    both_sides: bool = Field(
        False, description="learn from the other side's moves, too, not only from the learner's"
    )
    past: int = Field(5, ge=1, le=1000, description="iterations ago, for the past opponent")
    random_first: Share = Field(
        0.0, description="share of the training that is against random, before the opponents"
    )
    survival: int = Field(
        0,
        ge=0,
        le=MANY,
        description="iterations after which the new model meets the old one, both colours, and "
        "the better stays; 0: never",
    )
    survival_games: int = Field(100, ge=2, le=100_000, description="games of such a match")
    epsilon: Share = Field(0.2, description="share of random moves at first")
    epsilon_end: Share = Field(0.05, description="share of random moves at the end")
    lookahead: int = Field(0, ge=0, le=4, description="plies that the agent plays out")

    @property
    def default_budget(self) -> float:
        return 180.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_network(self.layers, ("actions", "action"))
        uneven = self.reward in ("halves", "share") or self.shaping
        demand(
            (self.reward != "none" or self.positional or self.shaping,
             "reward: without one at the end there must be positional or shaping"),
            (self.bootstrap != "negamax" or not (uneven or self.minimax),
             "bootstrap: negamax takes what one side gains as the other's loss, which does not "
             "go with halves, share, shaping or minimax"),
            (not (self.lookahead and uneven),
             "lookahead: it takes what one side gains as the other's loss, which does not go "
             "with halves, share or shaping"),
            (not self.minimax or self.positional,
             "minimax: there is no positional reward to subtract it from"),
            (self.input != "coloured-move" or not self.others_zero,
             "coloured-move: the network sees legal moves alone"),
        )  # fmt: skip
        return self

    def brief(self) -> Self:
        matches = {"survival": 1, "survival_games": 2} if self.survival else {}
        return super().brief().model_copy(update=matches)
