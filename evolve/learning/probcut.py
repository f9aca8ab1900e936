"""Forward cuts: how shallow searches predict deep ones, measured on an agent's own games.

Source: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", ICCA Journal
1995. His regression's slope is left out: it was 1 within 3 % wherever the cuts count. Stages with
values that swing between odd and even depths are left out, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.patterns import PatternAgent
from evolve.agents.search_schedule import Cut
from evolve.config.pattern_training import PatternSettings
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.games.opening import MATCH_SLOT, OPENING_DISCS, slot_of
from evolve.engine.patterns.patterns import DISC, DISC_GROUPS, MOST_CUT_DEPTH
from evolve.learning.learner import Left

DEEPEST: Final = 9
"""Plies of the deepest measured search; deeper cuts use the figures of the deepest ones."""
_FEWEST: Final = 40
"""Fewest positions in a group of disc counts; neighbouring groups fill smaller ones up."""
_FIRST_DISCS, _LAST_DISCS = 10, 54
_SHALLOWEST: Final = 3
"""Plies of the shallowest search that a search of fewer plies can replace."""
_MOST_SWING: Final = 0.35
"""Most distance of the means at odd and even depths from their middle, in deviations.

A stage beyond it has no cuts. There values swing with the side to move at the end, by more with
each disc, so that one mean per stage is wrong for most of it, and wider margins do not help. Under
`reversed` that is from 48 discs: 0.5 to 1.0 in five trainings with the default shapes. Elsewhere
the largest value was 0.24, in these and in twelve trainings under `standard`. With cuts there,
agents of three of the `reversed` trainings scored 0.28 against themselves without cuts, at 60 000
nodes a move.
"""
_OUTLIER: Final = 16.0
"""Limit of a difference in discs: a larger one is a lost game seen late, not a wrong value."""


def shallow_of(depth: int) -> int:
    """Return the plies of the search that replaces one of `depth`.

    Less than half, with the same parity, as values swing between odd and even depths.
    """
    half = depth // 2
    return max(1, half - (depth - half) % 2)


def fit_cuts(agent: PatternAgent, settings: PatternSettings, left: Left) -> tuple[Cut, ...]:
    """Fit an agent's cuts from as many positions as time allows; none where they are too few."""
    plain = replace(agent, probcut=0.0, endgame=0, depth=1)
    discs: list[int] = []
    values: list[list[int]] = []
    for board in _positions(plain, np.random.default_rng([settings.seed, 2])):
        if len(discs) == settings.probcut_positions or left() <= 0.0:
            break
        discs.append(64 - board.empties)
        values.append(plain.values_by_depth(board, DEEPEST))
    if len(discs) < _FEWEST:
        return ()
    return _cuts(np.array(discs), np.array(values) / DISC)


def _positions(agent: PatternAgent, rng: np.random.Generator) -> Iterator[Board]:
    """Yield positions of different games with a choice of moves, at all stages, without end.

    Games that reach an opening of a match yield none.
    """
    while True:
        discs = int(rng.integers(_FIRST_DISCS, _LAST_DISCS + 1))
        book = int(rng.integers(8, 14))
        board = Board.start()
        while not board.is_over() and 64 - board.empties < discs:
            if 64 - board.empties == OPENING_DISCS and is_match_opening(board):
                break
            moves = board.legal_moves()
            if not moves:
                board = board.pass_move()
            elif 64 - board.empties < book or rng.random() < 0.1:
                board = board.play(int(rng.choice(moves)))
            else:
                board = board.play(agent.choose(board))
        if 64 - board.empties == discs and len(board.legal_moves()) > 1:
            yield board


def is_match_opening(board: Board) -> bool:
    """Return whether a match may begin from a position."""
    return int(slot_of(U(board.own), U(board.opp))) == MATCH_SLOT


def _cuts(discs: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> tuple[Cut, ...]:
    """Return cuts from values [N, depths], in discs, of positions with disc counts [N]."""
    found = {
        (depth, group): _figures(discs, values, depth, group)
        for depth in range(_SHALLOWEST, DEEPEST + 1)
        for group in range(DISC_GROUPS)
    }
    groups = [
        group
        for group in range(DISC_GROUPS)
        if not _swings([found[depth, group] for depth in range(_SHALLOWEST, DEEPEST + 1)])
    ]
    return tuple(
        Cut(depth, group, shallow_of(depth), *found[_measured(depth), group])
        for depth in range(_SHALLOWEST, MOST_CUT_DEPTH + 1)
        for group in groups
    )


def _measured(depth: int) -> int:
    """Return the depth that gives `depth` its figures: at most the deepest one of its parity."""
    return depth if depth <= DEEPEST else DEEPEST - (DEEPEST - depth) % 2


def _figures(
    discs: npt.NDArray[np.int64], values: npt.NDArray[np.float64], depth: int, group: int
) -> tuple[float, float]:
    """Return mean and deviation of the deep search's value less the shallow one's, in discs.

    The deep search has `depth` plies.
    """
    deep, shallow = values[:, depth - 1], values[:, shallow_of(depth) - 1]
    difference = np.clip(deep - shallow, -_OUTLIER, _OUTLIER)
    inside = discs + depth <= 64  # the search does not reach the end of the game
    distance = np.abs(discs - (8 * group + 4))
    near = np.argsort(np.where(inside, distance, 64), kind="stable")
    some = near[: max(_FEWEST, int((inside & (distance <= 4)).sum()))]
    return float(difference[some].mean()), float(difference[some].std())


def _swings(figures: Sequence[tuple[float, float]]) -> bool:
    """Return whether the means of a stage at even depths are far from those at odd ones."""
    means, deviations = np.array(figures).T
    swing = abs(means[::2].mean() - means[1::2].mean()) / 2.0
    return bool(swing > _MOST_SWING * deviations.mean())
