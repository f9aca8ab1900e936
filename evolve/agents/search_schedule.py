"""How far a pattern search looks: its depths and forward cuts, phase by phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.engine.search.context import MAX_DEPTH
from evolve.engine.search.genes import MAX_PHASES, phase_of
from evolve.errors import AgentError


@dataclass(frozen=True)
class Allocation:
    """Depths and forward cuts of a search in each of P phases. Raises AgentError.

    boundaries: P − 1 disc counts at which the next phase begins; depths: plies, 1 to 60;
    probcuts: margins of the forward cuts in standard deviations, 0.1 to 10, or 0 for none.
    """

    boundaries: tuple[int, ...]
    depths: tuple[int, ...]
    probcuts: tuple[float, ...]

    def __post_init__(self) -> None:
        phases = len(self.depths)
        if not 1 <= phases <= MAX_PHASES or len(self.probcuts) != phases:
            raise AgentError(
                f"{phases} depths and {len(self.probcuts)} margins of cuts: there must be as many, "
                f"1 to {MAX_PHASES}"
            )
        check_boundaries(self.boundaries, phases)
        for depth in self.depths:
            check_depth(depth)
        for probcut in self.probcuts:
            check_probcut(probcut)

    def depth(self, discs: int) -> int:
        """The depth in plies at a disc count."""
        return self.depths[phase_of(discs, self.boundaries)]

    def probcut(self, discs: int) -> float:
        """The margin of the cuts in standard deviations at a disc count."""
        return self.probcuts[phase_of(discs, self.boundaries)]

    @property
    def parameters(self) -> dict[str, Any]:
        """The allocation as files hold it."""
        return {name: list(values) for name, values in vars(self).items()}

    @classmethod
    def from_parameters(cls, given: Any) -> Allocation:
        """The inverse of `parameters`. Raises AgentError."""
        names = cls.__dataclass_fields__
        if not isinstance(given, Mapping) or set(given) != set(names):
            raise AgentError(f"the search of phases must be {', '.join(names)}, not {given!r}")
        return cls(
            _numbers("boundaries", given["boundaries"], int),
            _numbers("depths", given["depths"], int),
            _numbers("probcuts", given["probcuts"], float),
        )


def check_boundaries(boundaries: Sequence[int], phases: int) -> None:
    """Raise AgentError unless these disc counts can divide a game into so many phases."""
    if len(boundaries) != phases - 1:
        raise AgentError(f"{phases} phases need {phases - 1} boundaries, not {list(boundaries)}")
    if list(boundaries) != sorted({*boundaries}) or not all(4 < at <= 64 for at in boundaries):
        raise AgentError(f"boundaries {list(boundaries)} must ascend from 5 to 64")


def check_depth(depth: int) -> None:
    """Raise AgentError unless a search can have this depth."""
    if not 1 <= depth <= MAX_DEPTH:
        raise AgentError(f"depth {depth} must be 1 to {MAX_DEPTH}")


def check_probcut(probcut: float) -> None:
    """Raise AgentError unless cuts can have this margin."""
    if probcut != 0 and not 0.1 <= probcut <= 10:
        raise AgentError(f"probcut {probcut:g} must be 0.1 to 10, or 0 for no cuts")


def _numbers(name: str, values: Any, kind: type) -> tuple[Any, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise AgentError(f"{name} must be a list of numbers, not {values!r}")
    if any(type(value) not in (int, kind) for value in values):
        raise AgentError(f"{name} must be a list of numbers, not {values!r}")
    return tuple(kind(value) for value in values)
