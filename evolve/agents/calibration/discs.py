"""Values in discs: what an agent's values of moves say about the final score.

Agents value moves in units of their own. Positions whose values in discs are known come with
evolve (`discs-RULES.npz`, made by `python -m benchmarks.discs make`); an agent's own
values of them give a straight line for each phase of the game, and the error of the discs that this
says. Searches of an odd and an even number of plies favour different sides, so each has its lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent, Limit
from evolve.agents.analysis import Analysis
from evolve.agents.chance import MistakenAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, WIN, Rules

_Floats = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]

_EDGES: Final = (20, 28, 36, 44, 52)  # disc counts at which a phase begins, after the first
_LEAVES: Final = (16, 24, 29, 34, 39, 44, 50, 55, 57)
"""The same for the discs of the positions that a search of discs ends with."""
_SHALLOW: Final = Limit(simulations=200)
_FEWEST: Final = 12  # positions for a line; a phase with fewer has that of the phase before it
_MOST: Final = 64.0


class Discs(NamedTuple):
    """The values of moves in discs, and the error of one, a standard deviation; 0 if exact."""

    values: dict[int, float]
    error: float


@dataclass(frozen=True)
class _DiscFit:
    """Discs are slope × value + offset, phase by phase.

    edges: the P − 1 disc counts at which a phase begins; leaves: whether these are the discs of the
    positions that the search ends with, not of the one that it starts from; errors: standard
    deviations of known values around the line.
    """

    edges: tuple[int, ...]
    leaves: bool
    slopes: tuple[float, ...]
    offsets: tuple[float, ...]
    errors: tuple[float, ...]

    def discs(self, values: Mapping[int, float], board: Board, depth: int | None) -> Discs:
        """The values of moves in discs, with the error of this position's phase."""
        phase = int(_phase_of(64 - board.empties + (depth or 0) * self.leaves, self.edges))
        slope, offset = self.slopes[phase], self.offsets[phase]
        discs = {}
        for move, value in values.items():
            fitted = min(max(slope * value + offset, -_MOST), _MOST)
            discs[move] = value / WIN if abs(value) >= WIN else fitted
        return Discs(discs, self.errors[phase])


def in_discs(agent: Agent, board: Board, analysis: Analysis) -> Discs | None:
    """An agent's values of moves in discs; None under rules without known positions.

    analysis: the agent's, of this board.
    """
    if analysis.exact:
        return Discs(dict(analysis.values), 0.0)
    fit = fit_of(agent, analysis.depth)
    return None if fit is None else fit.discs(analysis.values, board, analysis.depth)


def fit_of(agent: Agent, depth: int | None) -> _DiscFit | None:
    """The fit of an agent's values at so many plies; None where it cannot be had.

    It values the known positions, which takes a second or less, and is kept for the process. The
    search is 4 plies deep at most, or 3 for an odd depth: its values mean the same, with a larger
    error than those of a deeper search.
    """
    if isinstance(agent, MistakenAgent):  # it has the other's values, and a seed for each game
        agent = agent.agent
    return _fit_of(
        agent.with_rules(agent.rules or DEFAULT_RULES),
        depth if depth is None or depth <= 3 else 4 - depth % 2,
    )


class _ReferencePositions(NamedTuple):
    """Positions, each with a choice of moves, and their values in discs for the side to move."""

    boards: list[Board]
    discs: _Floats


def position_file(rules: Rules) -> Path:
    """The file of the known positions."""
    return Path(__file__).with_name(f"discs-{rules}.npz")


@cache
def _reference_positions(rules: Rules) -> _ReferencePositions | None:
    path = position_file(rules)
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as arrays:
        pairs = zip(arrays["own"].tolist(), arrays["opp"].tolist(), strict=True)
        boards = [Board(own=own, opp=opp) for own, opp in pairs]
        return _ReferencePositions(boards, arrays["discs"].astype(np.float64))


@lru_cache(maxsize=64)
def _fit_of(agent: Agent, plies: int | None) -> _DiscFit | None:
    known = _reference_positions(agent.rules or DEFAULT_RULES)
    if known is None:
        return None
    if agent.limit.simulations is not None:  # a tree search takes its time
        known = _ReferencePositions(known.boards[::3], known.discs[::3])
    analyses = _analyses(agent, plies, known.boards)
    units = {analysis.unit for analysis in analyses if analysis is not None}
    if not units:
        return None
    values = _best(analyses)
    counts = np.array([64 - board.empties for board in known.boards])
    if units <= {"forecast", "discs"} and plies is not None:
        return _constants(agent, plies, values, counts, known)
    return _lines(values, counts, known.discs)


def _analyses(agent: Agent, plies: int | None, boards: list[Board]) -> list[Analysis | None]:
    if "endgame" in agent.settings:  # exact scores say nothing of its values, and take long
        agent = agent.with_settings({"endgame": 0}, agent.name)
    agent = agent.limited(replace(_SHALLOW, depth=plies))
    return [agent.analyse(board) for board in boards]


def _best(analyses: list[Analysis | None]) -> _Floats:
    """The value of every position in the agent's unit; NaN where it is an exact score."""
    values = [
        np.nan if analysis is None or analysis.exact else max(analysis.values.values())
        for analysis in analyses
    ]
    found = np.array(values, np.float64)
    found[np.abs(found) >= WIN] = np.nan
    return found


def _lines(values: _Floats, counts: _Counts, discs: _Floats) -> _DiscFit:
    """A straight line for each phase, by least squares."""
    lines: list[tuple[float, float, float]] = []
    for phase in range(len(_EDGES) + 1):
        some = np.isfinite(values) & (_phase_of(counts, _EDGES) == phase)
        if some.sum() < _FEWEST:
            lines.append(lines[-1] if lines else (0.0, 0.0, float(discs.std())))
            continue
        x, y = values[some], discs[some]
        spread = float(x.var())
        slope = float(np.cov(x, y, bias=True)[0, 1]) / spread if spread > 0.0 else 0.0
        offset = float(y.mean() - slope * x.mean())
        lines.append((slope, offset, float((y - slope * x - offset).std())))
    return _DiscFit(_EDGES, False, *map(tuple, zip(*lines, strict=True)))


def _constants(
    agent: Agent, plies: int, values: _Floats, counts: _Counts, known: _ReferencePositions
) -> _DiscFit:
    """A constant for each phase, for values that are discs already.

    It is what the side to move is worth where the search ends, half of how much a search of 3 plies
    says more than those of 2 and 4. A search of an odd number of plies has it too much, one of an
    even number too little; their values then agree.
    """
    fewer, odd, more = (
        values if depth == plies else _best(_analyses(agent, depth, known.boards))
        for depth in (2, 3, 4)
    )
    half = (odd - (fewer + more) / 2.0) / 2.0
    side = 1.0 if plies % 2 == 0 else -1.0
    edges = (*_LEAVES, 64)
    worth: list[float] = []
    for phase in range(len(edges)):
        some = np.isfinite(half) & (_phase_of(counts + 3, edges) == phase)
        worth.append(float(half[some].mean()) if some.sum() >= _FEWEST else (worth or [0.0])[-1])
    offsets = (*(side * value for value in worth), 0.0)  # a finished game's score is exact
    left = known.discs - values - np.array(offsets)[_phase_of(counts + plies, edges)]
    errors: list[float] = []
    for phase in range(len(edges) + 1):
        some = np.isfinite(left) & (_phase_of(counts + plies, edges) == phase)
        errors.append(float(left[some].std()) if some.sum() >= _FEWEST else (errors or [0.0])[-1])
    return _DiscFit(edges, True, (1.0,) * len(offsets), offsets, tuple(errors))


def _phase_of(counts: npt.ArrayLike, edges: tuple[int, ...]) -> npt.NDArray[np.intp]:
    return np.searchsorted(np.array(edges), np.asarray(counts), side="right")
