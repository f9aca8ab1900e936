"""Values in discs: what an agent's values of moves say about the final score.

Agents value moves in units of their own. Positions whose values in discs are known come with
evolve (`discs-RULES.npz`, made by `python -m benchmarks.discs make`); an agent's own
values of them give a straight line for each phase of the game, and the error of the discs that this
says. Searches of an odd and an even number of plies favour different sides, so each has its lines.
Values that are discs already stay as they are, and only have their error measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

EDGES: Final = (20, 28, 36, 44, 52)
"""Disc counts at which a phase begins, after the first."""
_FEWEST: Final = 12  # positions for a line; a phase with fewer has that of the phase before it
_MOST: Final = 64.0


class Discs(NamedTuple):
    """The values of moves in discs, and the error of one, a standard deviation; 0 if exact."""

    values: dict[int, float]
    error: float


@dataclass(frozen=True)
class _DiscFit:
    """Discs are slope × value + offset, phase by phase.

    errors: standard deviations of known values around the line.
    """

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]
    errors: tuple[float, ...]

    def discs(self, values: Mapping[int, float], board: Board) -> Discs:
        """The values of moves in discs, with the error of this position's phase."""
        phase = int(_phase_of(64 - board.empties))
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
    return None if fit is None else fit.discs(analysis.values, board)


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
    if "endgame" in agent.settings:  # exact scores say nothing of its values, and take long
        agent = agent.with_settings({"endgame": 0}, agent.name)
    agent = agent.limited(Limit(depth=plies, simulations=200))
    analyses = [agent.analyse(board) for board in known.boards]
    units = {analysis.unit for analysis in analyses if analysis is not None}
    if not units:
        return None
    best = [
        np.nan if analysis is None or analysis.exact else max(analysis.values.values())
        for analysis in analyses
    ]
    values = np.array(best, np.float64)
    values[np.abs(values) >= WIN] = np.nan
    counts = np.array([64 - board.empties for board in known.boards])
    discs = plies is not None and units <= {"forecast", "discs"}
    return _lines(values, counts, known.discs, discs)


def _lines(values: _Floats, counts: _Counts, discs: _Floats, same: bool) -> _DiscFit:
    """A straight line for each phase, by least squares over the finite values [N].

    same: whether the values are discs already.
    """
    lines: list[tuple[float, float, float]] = []
    for phase in range(len(EDGES) + 1):
        some = np.isfinite(values) & (_phase_of(counts) == phase)
        if some.sum() < _FEWEST:
            lines.append(lines[-1] if lines else (float(same), 0.0, float(discs.std())))
            continue
        x, y = values[some], discs[some]
        spread = float(x.var())
        slope = float(np.cov(x, y, bias=True)[0, 1]) / spread if spread > 0.0 else 0.0
        slope, offset = (1.0, 0.0) if same else (slope, float(y.mean() - slope * x.mean()))
        lines.append((slope, offset, float((y - slope * x - offset).std())))
    return _DiscFit(*map(tuple, zip(*lines, strict=True)))


def _phase_of(counts: npt.ArrayLike) -> npt.NDArray[np.intp]:
    return np.searchsorted(np.array(EDGES), np.asarray(counts), side="right")
