"""Forward cuts of a pattern search: how shallow searches predict deep ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.engine.patterns import DISC_GROUPS, MOST_CUT_DEPTH
from evolve.errors import AgentError


@dataclass(frozen=True)
class Cut:
    """How a shallow search predicts a deep one, in positions of a group of disc counts.

    depth, shallow: plies; group: disc counts by eights, 0 to 7; mean, deviation: of the deep value
    minus the shallow one, in discs.
    """

    depth: int
    group: int
    shallow: int
    mean: float
    deviation: float

    @property
    def discs(self) -> int:
        """The disc count in the middle of its group."""
        return 8 * self.group + 4

    def __post_init__(self) -> None:
        fits = (
            1 <= self.shallow < self.depth <= MOST_CUT_DEPTH
            and 0 <= self.group < DISC_GROUPS
            and abs(self.mean) <= 64
            and 0 <= self.deviation <= 64
        )
        if not fits:
            raise AgentError(f"{self} is not possible")


def rows_of(cuts: Sequence[Cut]) -> npt.NDArray[np.float64]:
    """The cuts as files hold them, one per row: depth, group, shallow, mean, deviation."""
    rows = [(cut.depth, cut.group, cut.shallow, cut.mean, cut.deviation) for cut in cuts]
    return np.array(rows, np.float64).reshape(len(cuts), 5)


def cuts_of(array: npt.NDArray[Any]) -> tuple[Cut, ...]:
    """The cuts of a file's rows; AgentError where they are invalid."""
    if array.ndim != 2 or array.shape[1] != 5 or not np.isfinite(array).all():
        raise AgentError(f"cuts must be rows of 5 numbers, and are {list(array.shape)}")
    if (array[:, :3] % 1 != 0).any():
        raise AgentError("depth, group and shallow depth of a cut must be whole numbers")
    return tuple(
        Cut(int(depth), int(group), int(shallow), mean, deviation)
        for depth, group, shallow, mean, deviation in array.tolist()
    )
