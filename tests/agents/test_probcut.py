"""Forward cuts as files hold them, and as kernels read them."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import evolve
from evolve.agents import probcut
from evolve.agents.agent import Limit
from evolve.agents.patterns import PatternAgent
from evolve.agents.probcut import _PROBES, _STATIC_MARGINS, PROBCUT, Cut, Cuts, cuts_from
from evolve.engine.board.board import Board
from evolve.engine.patterns import patterns as block
from evolve.engine.patterns.patterns import DISC, MOST_CUT_DEPTH, NEVER, no_cuts
from evolve.errors import AgentError
from tests.agents.conftest import CUTS, pattern_agent

LIST = [Cut(4, 2, 30, 0.8, 0.5, 2.0), Cut(4, 0, 30, 1.25, -1.0, 4.0), Cut(9, 3, 64, 1.0, 0.0, 3.0)]


def test_rows_are_a_list_and_back() -> None:
    cuts, none = Cuts.of(LIST), Cuts.of()
    assert [*cuts] == [*Cuts(cuts.rows)] == LIST
    assert all(type(number) is int for cut in cuts for number in cut[:3])
    assert (len(cuts), cuts.deepest, cuts.rows.tolist()) == (3, 9, [list(cut) for cut in LIST])
    assert (len(none), none.deepest, none.rows.shape) == (0, 0, (0, 6))
    assert (none.cells(1.0) == no_cuts()).all()
    assert none == Cuts(np.zeros((0, 6))) == pattern_agent().cuts
    others = [Cuts.of(LIST[1:]), Cuts.of(LIST[::-1]), none, CUTS]
    copies = (Cuts.of(LIST), pickle.loads(pickle.dumps(cuts)))
    assert not [same for same in copies if (same, hash(same)) != (cuts, hash(cuts))]
    assert len({cuts, *others}) == 1 + len(others)
    assert cuts not in others
    assert cuts != LIST


def rows_with(**values: float) -> npt.NDArray[np.float64]:
    """Cuts of which the second has these values."""
    return np.array([LIST[0], LIST[0]._replace(**values), Cut(0, 0, 0, 0.0, 0.0, 0.0)])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.zeros(6), "rows of 6 numbers"),
        (np.zeros((2, 4)), "rows of 6 numbers"),
        (np.full((1, 6), np.nan), "rows of 6 numbers"),
        (np.zeros((1, 6, 1)), "rows of 6 numbers"),
        *((rows_with(**{name: 2.5}), "whole numbers") for name in ("depth", "shallow", "discs")),
        *(
            (rows_with(**{name: value}), rf"\b{name}={float(value)}.* is not possible")
            for name, value in (
                *(("depth", 0), ("depth", 25), ("shallow", 4), ("shallow", -1), ("discs", 3)),
                *(("discs", 65), ("slope", 0.24), ("slope", 4.01), ("mean", -64.5)),
                *(("mean", 64.5), ("deviation", -0.5), ("deviation", 64.5)),
            )
        ),
    ],
)
def test_what_are_no_cuts_is_named(rows: npt.NDArray[np.float64], words: str) -> None:
    """The first such cut is."""
    with pytest.raises(AgentError, match=words):
        Cuts(rows)


def test_cells_of_a_probe_and_of_a_static_value() -> None:
    """A probe is tried where the static value promises a cut with the probe's margin."""
    one, expected = 1 << block.SLOPE_BITS, no_cuts()
    check, probe, margin = (round(PROBCUT * deviation * DISC) for deviation in (4.0, 2.0, 3.0))
    static = (1.25 * one, -DISC, _STATIC_MARGINS[3] / PROBCUT * check, check)
    expected[4, 30] = (*static, 2, one / 0.8, 0.5 * DISC, probe)
    expected[9, 64] = (one, 0, NEVER, -margin, 3, one, 0, margin)
    for cuts in (LIST, LIST[::-1]):
        np.testing.assert_array_equal(Cuts.of(cuts).cells(PROBCUT), expected)


@pytest.mark.parametrize("margin", [PROBCUT, 2 * PROBCUT])
def test_margins_of_static_cuts_by_depth(margin: float) -> None:
    """They grow with the depth, and with the margin of an agent; none from 13 plies on."""
    assert [*_STATIC_MARGINS] == sorted(_STATIC_MARGINS)
    cuts = Cuts.of([Cut(depth, 0, 40, 1.0, 0.0, 4.0) for depth in range(1, MOST_CUT_DEPTH + 1)])
    cells = cuts.cells(margin)[..., block.STATIC_MARGIN]
    factors = [*_STATIC_MARGINS, *_STATIC_MARGINS[-1:] * (12 - len(_STATIC_MARGINS))]
    assert np.abs(cells[1:13, 40] - np.array(factors) * margin / PROBCUT * 4.0 * DISC).max() <= 2
    cells[1:13, 40] = NEVER
    assert (cells[:, :41] == NEVER).all()


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_bundled_agents_have_cuts(rules: str) -> None:
    agent = evolve.load_agent(f"patterns-{rules}")
    assert isinstance(agent, PatternAgent)
    cells = agent.cuts.cells(agent.probcut)
    assert (cells != no_cuts()).any()
    assert (agent.block[-cells.size :] == cells.ravel()).all()


PLIES = 8
COUNTS = range(8, 57)


def measured(agent: PatternAgent, seed: int = 0, asks: int = 1000) -> Cuts:
    """By as much time as ends at the last of so many questions for it."""
    left = map(float, range(asks, -1, -1))
    return probcut.tempo_and_cuts(agent, seed, 50, PLIES, lambda: next(left))[1]


def by_place(cuts: Cuts) -> dict[tuple[int, int, int], Cut]:
    """The cuts by depth, shallow depth and disc count."""
    return {cut[:3]: cut for cut in cuts}


def positions(each: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """So many of every disc count, all of whose values are the same to any depth."""
    discs = np.repeat(np.array(COUNTS), each)
    level = np.random.default_rng(0).normal(0, 8, (len(discs), 1))
    return discs, np.tile(np.clip(level, -30, 30), (1, PLIES + 1))


def test_probes_are_of_the_same_parity_and_about_half_as_deep() -> None:
    assert [*_PROBES] == [*range(5, 17)]
    depths, shallow = np.array([*_PROBES]), np.array([*_PROBES.values()])
    assert not ((depths - shallow) % 2).any()
    least, most = np.maximum(depths / 2 - 3, 1), np.minimum(depths / 2, PLIES)
    assert ((least <= shallow) & (shallow <= most)).all()


@pytest.mark.parametrize("deepest", [6, 7, 8])
def test_a_probe_as_deep_as_the_deepest_measured_search_cuts_nothing(deepest: int) -> None:
    """Its value is that search's own: between the two is no error, and so no margin."""
    discs, values = positions(2)
    values += np.random.default_rng(1).normal(0, 1, values.shape)
    cuts = cuts_from(discs, values[:, : deepest + 1])
    probes = {cut[:2] for cut in cuts if cut.shallow > 0}
    known = {d: deepest - (d - deepest) % 2 if d > deepest else d for d in _PROBES}
    assert probes == {(d, s) for d, s in _PROBES.items() if known[d] > s}
    assert (len(probes) == len(_PROBES)) == (deepest == 8)
    assert min(cut.deviation for cut in cuts) > 0.1


def test_cuts_are_measured_without_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring: list[object] = []

    def values(agent: object, *_: object) -> tuple[object, object]:
        measuring.append(agent)
        return np.empty(0, np.int64), np.empty((0, PLIES + 1))

    monkeypatch.setattr(probcut, "measured_values", values)
    agent = pattern_agent()
    for one in (agent, replace(agent, depth=6, probcut=1.1, limit=Limit(nodes=900))):
        assert not measured(one)
    assert measuring[0] == measuring[1]


@pytest.fixture
def _any_swing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values by weights that mean nothing swing with every ply, at any stage."""
    monkeypatch.setattr(probcut, "_MOST_SWING", math.inf)


@pytest.mark.slow
@pytest.mark.usefixtures("_any_swing")
def test_cuts_repeat_by_the_seed() -> None:
    agent = pattern_agent()
    cuts = measured(agent)
    assert cuts == measured(replace(agent, depth=1, endgame=0, cuts=cuts))
    assert cuts != measured(agent, seed=1)
    pairs = sorted({(depth, 0) for depth in range(1, 17)} | {*_PROBES.items()})
    assert sorted(by_place(cuts)) == [(*pair, discs) for pair in pairs for discs in range(4, 65)]
    assert all(0.5 <= cut.slope <= 2 for cut in cuts)
    assert all(0 < cut.deviation <= 30 for cut in cuts)
    assert len({cut.deviation for cut in cuts}) > 500
    replace(agent, cuts=cuts, depth=6).choose(Board.start())


def test_too_few_positions_give_none() -> None:
    assert not [asks for asks in (0, 10) if measured(pattern_agent(), asks=asks)]


@pytest.mark.slow
def test_time_that_ends_leaves_the_positions_until_then() -> None:
    assert Cuts.of() != measured(pattern_agent(), asks=45) != measured(pattern_agent())


@pytest.mark.parametrize(("depth", "slope"), [(4, 1.2), (7, 0.8)])
def test_figures_are_those_of_the_positions(depth: int, slope: float) -> None:
    """Values of one depth are a line in the others, with a mean and errors that grow by discs."""
    discs, values = positions(100)
    mean, deviation = 0.3 + 0.02 * discs, 1 + discs / 20
    errors = np.random.default_rng(1).normal(0, 1, len(discs))
    values[:, depth] = slope * values[:, depth] + mean + deviation * errors
    found = by_place(cuts_from(discs, values))
    shallow = _PROBES.get(depth, 0)
    counts = np.arange(12, 54 - depth).repeat(2)
    cuts = [found[depth, plies, count] for count in counts[::2] for plies in (0, shallow)]
    assert [cut.slope for cut in cuts] == pytest.approx([slope] * len(cuts), abs=0.06)
    assert [cut.mean for cut in cuts] == pytest.approx(0.3 + 0.02 * counts, abs=0.35)
    assert [cut.deviation for cut in cuts] == pytest.approx(1 + counts / 20, rel=0.12)


def test_one_lost_game_seen_late_is_not_a_wrong_value() -> None:
    discs, values = positions(60)
    values[:, 8] += np.random.default_rng(1).normal(0, 2, len(discs))
    found = by_place(cuts_from(discs, values))
    values[np.flatnonzero(discs == 30)[0], 8] += 300
    again = by_place(cuts_from(discs, values))
    assert abs(again[8, 4, 30].mean - found[8, 4, 30].mean) < 0.1
    assert abs(again[8, 4, 30].deviation - found[8, 4, 30].deviation) < 0.2


def test_decided_positions_count_for_nothing() -> None:
    discs, values = positions(60)
    plies = np.arange(PLIES + 1)
    undecided = values * (1 + 0.02 * plies)
    found = by_place(cuts_from(discs, undecided))
    assert found[8, 0, 30].slope == pytest.approx(1.16, abs=1e-3)
    decided = np.sign(values) * (50 - 3 * plies)
    again = by_place(cuts_from(np.tile(discs, 2), np.concatenate([undecided, decided])))
    lines = np.array([[cuts[8, 0, n] for n in range(12, 50)] for cuts in (again, found)])
    assert lines[0] == pytest.approx(lines[1], abs=1e-9)


def swinging(swing: npt.NDArray[np.float64]) -> Cuts:
    """Of positions whose static values lack `swing` [65] for the side to move, and nothing else."""
    discs, values = positions(100)
    plies = np.arange(PLIES + 1)
    leaves = np.minimum(discs[:, None] + plies, 64)
    return cuts_from(discs, values - np.where(plies % 2 == 0, 1, -1) * swing[leaves])


@pytest.mark.usefixtures("_any_swing")
def test_swings_between_odd_and_even_depths_are_in_the_mean() -> None:
    """Just as they are: a value of any depth is known but for the swing at its leaves."""
    swing = np.linspace(1.0, 4.2, 65)
    cuts = [cut for cut in swinging(swing) if 20 <= cut.discs <= 40 and cut.depth <= PLIES]
    expected = [
        (-1) ** cut.shallow * swing[cut.discs + cut.shallow]
        - (-1) ** cut.depth * swing[cut.discs + cut.depth]
        for cut in cuts
    ]
    assert [cut.mean for cut in cuts] == pytest.approx(expected, abs=2e-3)
    assert [cut.slope for cut in cuts] == pytest.approx([1] * len(cuts), abs=1e-3)
    assert max(cut.deviation for cut in cuts) < 0.02


STEP = np.repeat([0.5, -6.0], [53, 12])
"""As under `reversed` from 55 discs on."""


@pytest.mark.usefixtures("_any_swing")
@pytest.mark.parametrize(
    ("swing", "depth", "shallow", "flat", "stepped", "mean"),
    [
        (STEP, 8, 4, [36, 40, 42], [46, 47], 6.5),
        (np.repeat([0.0, 2.0], [53, 12]), 12, 6, [36, 39], [42, 45], -2.0),
    ],
)
def test_a_step_of_the_swings_stays_a_step(
    swing: Any, depth: int, shallow: int, flat: list[int], stepped: list[int], mean: float
) -> None:
    """At the leaves, even deeper than was measured: neighbouring disc counts do not mix."""
    found = by_place(swinging(swing))
    low, high = ([found[depth, shallow, n].mean for n in counts] for counts in (flat, stepped))
    assert low == pytest.approx([0.0] * len(low), abs=0.4)
    assert high == pytest.approx([mean] * len(high), rel=0.12)
    assert all(found[depth, shallow, count].deviation < 1.6 for count in range(36, 48))


def test_nodes_whose_leaves_swing_far_are_not_cut() -> None:
    """A finished game has no swing, its last moves do."""
    places = by_place(swinging(STEP))
    assert all(count + depth < 53 for depth, _, count in places)
    assert all((4, 0, count) in places for count in range(12, 49))
    mild = by_place(swinging(np.repeat([0.5, -2.0], [53, 12])))
    assert all((8, 4, count) in mild for count in range(12, 65))


def test_deeper_than_was_measured_the_variance_grows_on() -> None:
    """Values that change by as much with every ply have a variance that grows with the plies."""
    discs, values = positions(100)
    rng = np.random.default_rng(1)
    values[:, 1:] += np.cumsum(rng.normal(0, 1.0, (len(discs), PLIES)), axis=1)
    cuts = [cut for cut in cuts_from(discs, values) if 16 <= cut.discs <= 40]
    expected = [math.sqrt(cut.depth - cut.shallow) for cut in cuts]
    assert [cut.deviation for cut in cuts] == pytest.approx(expected, rel=0.15)
    assert max(abs(cut.mean) for cut in cuts) < 0.6
    assert max(abs(cut.slope - 1) for cut in cuts) < 0.1


@pytest.mark.parametrize("scale", [0.0, 1e4])
def test_weights_that_mean_nothing_give_cuts_all_the_same(scale: float) -> None:
    """All values 0, or all decided."""
    discs, values = positions(2)
    cuts = cuts_from(discs, np.sign(values) * np.minimum(np.abs(values) * scale, 60))
    assert len(cuts) == 61 * (16 + len(_PROBES))
