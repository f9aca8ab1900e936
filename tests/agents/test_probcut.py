"""Forward cuts as files hold them, and as kernels read them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import numpy.typing as npt
import pytest

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.agents.probcut import DEEPEST_STATIC, PROBCUT, STATIC_MARGINS, Cut, Cuts
from evolve.engine.patterns.patterns import (
    CHECK_MARGIN,
    CUT_CELLS,
    DISC,
    MOST_CUT_DEPTH,
    NEVER,
    PROBE_DEPTH,
    PROBE_MARGIN,
    PROBE_MEAN,
    PROBE_SLOPE,
    SLOPE_BITS,
    STATIC_MARGIN,
    STATIC_MEAN,
    STATIC_SLOPE,
    no_cuts,
)
from evolve.errors import AgentError
from tests.agents.conftest import CUTS, pattern_agent

LIST = [Cut(4, 2, 30, 0.8, 0.5, 2.0), Cut(4, 0, 30, 1.25, -1.0, 4.0), Cut(9, 3, 64, 1.0, 0.0, 3.0)]


def test_rows_are_a_list_and_back() -> None:
    cuts = Cuts.of(LIST)
    assert [*cuts] == LIST
    assert len(cuts) == 3
    assert cuts.deepest == 9
    assert cuts.rows.dtype == np.float64
    assert cuts.rows.tolist() == [list(cut) for cut in LIST]
    assert [*Cuts(cuts.rows)] == LIST
    assert all(type(number) is int for cut in cuts for number in cut[:3])


def test_none() -> None:
    cuts = Cuts.of()
    assert not cuts
    assert [*cuts] == []
    assert cuts.deepest == 0
    assert cuts.rows.shape == (0, 6)
    assert cuts == Cuts(np.zeros((0, 6)))
    assert (cuts.cells(lambda _: 1.0) == no_cuts()).all()
    assert cuts == pattern_agent().cuts


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros(6),
        np.zeros((2, 4)),
        np.full((1, 6), np.nan),
        np.zeros((1, 6, 1)),
    ],
    ids=lambda rows: str(rows.shape),
)
def test_what_are_no_rows(rows: npt.NDArray[np.float64]) -> None:
    with pytest.raises(AgentError, match="cuts must be rows of 6 numbers, and are"):
        Cuts(rows)


@pytest.mark.parametrize(
    "cut",
    [
        Cut(0, 0, 30, 1.0, 0.0, 1.0),
        Cut(4, 4, 30, 1.0, 0.0, 1.0),
        Cut(4, -1, 30, 1.0, 0.0, 1.0),
        Cut(25, 2, 30, 1.0, 0.0, 1.0),
        Cut(4, 2, 3, 1.0, 0.0, 1.0),
        Cut(4, 2, 65, 1.0, 0.0, 1.0),
        Cut(4, 2, 30, 0.24, 0.0, 1.0),
        Cut(4, 2, 30, 4.01, 0.0, 1.0),
        Cut(4, 2, 30, 1.0, -64.5, 1.0),
        Cut(4, 2, 30, 1.0, 64.5, 1.0),
        Cut(4, 2, 30, 1.0, 0.0, -0.5),
        Cut(4, 2, 30, 1.0, 0.0, 64.5),
    ],
)
def test_what_is_not_possible(cut: Cut) -> None:
    """The first such cut is named."""
    with pytest.raises(AgentError, match="is not possible") as caught:
        Cuts.of([LIST[0], cut, Cut(0, 0, 0, 0.0, 0.0, 0.0)])
    assert str(caught.value).startswith(f"Cut(depth={cut.depth:.1f}, shallow={cut.shallow:.1f}")


@pytest.mark.parametrize("column", [0, 1, 2])
def test_whole_numbers(column: int) -> None:
    rows = Cuts.of(LIST).rows.copy()
    rows[1, column] += 0.5
    with pytest.raises(AgentError, match="must be whole numbers"):
        Cuts(rows)


def test_cells_of_a_probe_and_of_a_static_value() -> None:
    """A probe is tried where the static value promises a cut with the probe's margin."""
    cells = Cuts.of(LIST).cells(lambda _: PROBCUT)
    one = 1 << SLOPE_BITS
    expected = no_cuts()
    check = round(PROBCUT * 4.0 * DISC)
    expected[4, 30, STATIC_SLOPE] = 1.25 * one
    expected[4, 30, STATIC_MEAN] = -DISC
    expected[4, 30, STATIC_MARGIN] = STATIC_MARGINS[3] / PROBCUT * check
    expected[4, 30, CHECK_MARGIN] = check
    expected[4, 30, PROBE_DEPTH] = 2
    expected[4, 30, PROBE_SLOPE] = one / 0.8
    expected[4, 30, PROBE_MEAN] = 0.5 * DISC
    expected[4, 30, PROBE_MARGIN] = round(PROBCUT * 2.0 * DISC)
    margin = round(PROBCUT * 3.0 * DISC)
    expected[9, 64] = (one, 0, NEVER, -margin, 3, one, 0, margin)
    assert cells.shape == (MOST_CUT_DEPTH + 1, 65, CUT_CELLS)
    assert (cells == expected).all()
    # In any order of rows.
    assert (Cuts.of(LIST[::-1]).cells(lambda _: PROBCUT) == expected).all()


def test_margins_of_static_cuts_by_depth() -> None:
    """They grow with the depth, and with the margin of an agent; none from 13 plies on."""
    assert [*STATIC_MARGINS] == sorted(STATIC_MARGINS)
    cuts = Cuts.of([Cut(depth, 0, 40, 1.0, 0.0, 4.0) for depth in range(1, MOST_CUT_DEPTH + 1)])
    for margin in (PROBCUT, 2 * PROBCUT):
        cells = cuts.cells(dict.fromkeys(range(65), margin).__getitem__)
        for depth in range(1, DEEPEST_STATIC + 1):
            factor = STATIC_MARGINS[min(depth, len(STATIC_MARGINS)) - 1] * margin / PROBCUT
            assert abs(cells[depth, 40, STATIC_MARGIN] - factor * 4.0 * DISC) <= 2
        assert (cells[DEEPEST_STATIC + 1 :, 40, STATIC_MARGIN] == NEVER).all()
        assert (cells[0, :, STATIC_MARGIN] == NEVER).all()
        assert (cells[:, :40, STATIC_MARGIN] == NEVER).all()


def test_margins_by_disc_count() -> None:
    """No cuts where the margin is 0; elsewhere those of the position's disc count."""
    cuts = Cuts.of(
        [Cut(4, shallow, discs, 1.0, 0.0, 2.0) for shallow in (0, 2) for discs in (9, 10)]
    )
    cells = cuts.cells(lambda discs: 0.0 if discs < 10 else 1.5)
    assert (cells[:, :10] == no_cuts()[:, :10]).all()
    assert cells[4, 10, PROBE_MARGIN] == cells[4, 10, CHECK_MARGIN] == 1.5 * 2.0 * DISC


def test_cells_are_made_once_for_each_margin() -> None:
    cuts = Cuts.of(LIST)
    assert cuts.cells(lambda _: 1.0) is cuts.cells(lambda _: 1.0)
    assert cuts.cells(lambda _: 1.0) is not cuts.cells(lambda _: 1.2)
    agent = pattern_agent(cuts=cuts)
    assert (agent.block[-no_cuts().size :] == cuts.cells(lambda _: agent.probcut).ravel()).all()


def test_equality() -> None:
    cuts = Cuts.of(LIST)
    others = [Cuts.of(LIST[1:]), Cuts.of(LIST[::-1]), Cuts.of(), CUTS]
    for same in (Cuts.of(LIST), pickle.loads(pickle.dumps(cuts))):
        assert same == cuts
        assert hash(same) == hash(cuts)
    assert len({cuts, *others}) == 1 + len(others)
    assert cuts not in others
    assert cuts != LIST


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_bundled_agents_have_cuts(rules: str) -> None:
    agent = evolve.load_agent(f"patterns-{rules}")
    assert isinstance(agent, PatternAgent)
    assert agent.cuts
    assert math.isfinite(agent.block.sum())
    assert (agent.block[-no_cuts().size :].reshape(no_cuts().shape) != no_cuts()).any()
