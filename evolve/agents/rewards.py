"""The immediate rewards of moves, which add to a network's forecast."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.engine.context import SQUARE_CLASSES
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.rewards import (
    DISCOUNT_OTHER,
    DISCOUNT_OWN,
    DISCOUNT_PASS,
    DISCOUNT_PASSED,
    DISCS,
    REWARD_CELLS,
)
from evolve.errors import AgentError


@dataclass(frozen=True)
class Rewards:
    """The immediate rewards that a network was taught to forecast.

    A search that plays moves out adds their rewards: the network's values start after these moves.

    Args:
        squares: V of the ten classes of squares, weight included: a move earns V(p) + V(flips).
        discs: weight of the mover's discs / 64 after a move.
        discount: per step, 0 to 1.
        step: a `ply` of either side, or the `turn` from an own move to the next own one.
    """

    squares: tuple[float, ...] = (0.0,) * SQUARE_CLASSES
    discs: float = 0.0
    discount: float = 1.0
    step: Literal["ply", "turn"] = "ply"

    def __post_init__(self) -> None:
        if (
            len(self.squares) != SQUARE_CLASSES
            or not np.isfinite([*self.squares, self.discs]).all()
        ):
            raise AgentError(
                f"rewards of squares must be {SQUARE_CLASSES} numbers, and of discs one, not "
                f"{list(self.squares)} and {self.discs}"
            )
        if not 0.0 <= self.discount <= 1.0:
            raise AgentError(f"the discount {self.discount} of rewards must be 0 to 1")
        if self.step not in ("ply", "turn"):
            raise AgentError(f"the step {self.step!r} of rewards must be ply or turn")

    @cached_property
    def cells(self) -> npt.NDArray[np.float64]:
        """The rewards as kernels read them, [REWARD_CELLS]."""
        cells = np.ones(REWARD_CELLS, np.float64)
        cells[:64] = np.array(self.squares)[np.array(CLASS_OF_SQUARE)]
        cells[DISCS] = self.discs
        cells[DISCOUNT_OWN] = self.discount
        if self.step == "ply":
            cells[DISCOUNT_OTHER] = self.discount
        else:
            cells[DISCOUNT_PASS] = self.discount
            # A side's next turn is one step away, however often the other side moves before it.
            cells[DISCOUNT_PASSED] = 1.0 / self.discount if self.discount else 1.0
        return cells

    def document(self) -> dict[str, Any]:
        """The rewards as JSON."""
        return {**asdict(self), "squares": list(self.squares)}

    @classmethod
    def of(cls, document: Any) -> Rewards:
        """The inverse of `document`; AgentError for anything else."""
        known = [field.name for field in fields(cls)]
        if not isinstance(document, dict) or not set(document) <= set(known):
            raise AgentError(f"rewards must be an object of {', '.join(known)}, not {document!r}")
        found = dict(document)
        squares = found.pop("squares", list(cls.squares))
        step = found.pop("step", cls.step)
        if not isinstance(squares, list) or any(
            type(number) not in (int, float) for number in (*squares, *found.values())
        ):
            raise AgentError(f"rewards must hold numbers, not {document!r}")
        return cls(tuple(map(float, squares)), step=step, **found)


NO_REWARDS: Final = Rewards()
"""For a network that was taught final results alone."""
