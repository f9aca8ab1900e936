"""How much a move may cost."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limit:
    """The most that a move may cost; None where there is no limit.

    seconds: of the clock. nodes: positions that a search enters. depth: plies that it looks ahead.
    simulations: of a tree search. An agent keeps to those that its kind knows and ignores the
    others: a network that is asked once has no use for a depth.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    simulations: int | None = None

    def __and__(self, other: Limit) -> Limit:
        """Both of them: of each value the smaller."""
        pairs = [(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        known = [[value for value in pair if value is not None] for pair in pairs]
        return Limit(*(min(values, default=None) for values in known))
