"""Tournaments: points that add up, and a folder that knows whose games it holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.arena.match import Match
from evolve.arena.result_table import ResultTable
from evolve.arena.tournament import Anchors, Tournament
from evolve.errors import AgentError, OptionsError, RunError
from evolve.fitness.executor import Threads
from evolve.fitness.openings import START_POSITION, Openings, Part, balanced_openings
from tests.plots import written_in

NAMES = ("swh-mobility", "swh", "zero", "random")


def openings_of(i: int, j: int) -> Openings:
    return balanced_openings(4, Part.MATCH, "standard", np.random.default_rng([i, j]))


def tournament(names: Sequence[str] = NAMES, **changes: Any) -> Tournament:
    agents = [evolve.load_agent(name) for name in names]
    return Tournament(agents, names, "standard", **{"openings": openings_of, **changes})


def test_every_pair_plays_and_points_add_up() -> None:
    played = tournament(seed=3)
    counted: list[int] = []
    played.play(counted.append)
    assert played.finished == len(played.pairs) == 6
    assert sum(counted) == 6 * 8
    points, games = played.cross().points, played.cross().games
    assert (games == 8 * (1 - np.eye(4))).all()
    assert (points + points.T == games).all()
    match = Match(*played.agents[1:3], openings_of(1, 2), "standard").play()
    assert points[1, 2] == match.score.value * 8
    rows = {row.agent: row for row in played.rows()}
    assert list(rows)[-1] == "random"
    of_all = [rows[name] for name in NAMES]
    sums = points.sum(axis=1).tolist()
    assert [row.games for row in of_all] == [24] * 4
    assert [row.wins + row.draws + row.losses for row in of_all] == [24] * 4
    assert [row.score * 24 for row in of_all] == sums
    assert [row.wins + row.draws / 2 for row in of_all] == sums


def test_the_same_agent_twice_is_told_apart_and_even() -> None:
    played = tournament(("swh", "zero", "swh", "swh"))
    assert played.names == ["swh", "zero", "swh #2", "swh #3"]
    played.play()
    assert played.cross().points[0, 2] == played.cross().points[2, 3] == 4.0


def test_games_that_can_only_repeat_others_count_once() -> None:
    """Four times the start position is one opening for agents that repeat, and four for others."""
    errors = {}
    for other in ("zero", "random"):
        once, often = (
            tournament(("swh", other), openings=lambda i, j, n=n: START_POSITION.first(n))
            for n in (1, 40)
        )
        for played in (once, often):
            played.play()
        errors[other] = [played.ratings()[0].error for played in (once, often)]
    assert errors["zero"][0] == pytest.approx(errors["zero"][1])
    assert errors["random"][0] > 2 * errors["random"][1]


@pytest.mark.slow
def test_a_folder_is_gone_on_with_and_agents_are_added_at_its_end(tmp_path: Path) -> None:
    folder = tmp_path / "rated"
    tournament(NAMES[:2], folder=folder).play()
    (pair,) = (folder / "games").iterdir()
    before = pair.read_bytes()
    more = tournament(folder=folder)
    more.play()
    assert pair.read_bytes() == before
    whole = tournament()
    whole.play()
    assert more.rows() == whole.rows()


def test_half_a_pair_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, folder = tournament(NAMES[2:]), tmp_path / "rated"
    whole.play()
    games: list[int] = []

    def interrupted(count: int) -> None:
        games.append(count)
        raise KeyboardInterrupt

    monkeypatch.setattr(Threads, "games", lambda *_: 2)
    with pytest.raises(KeyboardInterrupt):
        tournament(NAMES[2:], folder=folder).play(interrupted)
    again = tournament(NAMES[2:], folder=folder)
    again.play(games.append)
    assert (games[:2], sum(games)) == ([2, 2], 2 + 8)
    assert again.rows() == whole.rows()
    assert [path.name for path in (folder / "games").iterdir()] == ["pair-000-001.parquet"]


def test_a_folder_of_other_agents_or_settings_is_refused(tmp_path: Path) -> None:
    tournament(NAMES[:2], folder=tmp_path / "rated").play()
    (tmp_path / "notes.txt").write_text("mine")
    wrong: dict[str, Any] = {
        "agents": {"names": NAMES[1:3], "folder": tmp_path / "rated"},
        "seed": {"folder": tmp_path / "rated", "seed": 1},
        "taken": {"folder": tmp_path},
    }
    for words, changes in wrong.items():
        with pytest.raises(RunError, match=words):
            tournament(**{"names": NAMES[:2], **changes})


def test_anchors_of_unknown_distance_say_so() -> None:
    """One that never scores against the other has a rating on which all others depend."""
    even, lost = np.array([0.5, 0.5]), np.array([1.0, 1.0])
    others = [(0, 2, even), (1, 2, even)]
    assert not Anchors(2).comparable([(0, 1, lost), *others])
    assert Anchors(2).comparable([(0, 1, even), *others])
    assert Anchors(2, (0.0, 100.0)).comparable(others), "known ones play no game"
    played = tournament(("swh-mobility?depth=4&endgame=8", "random", "zero"), anchors=Anchors(2))
    played.play()
    scores = played.cross().totals
    assert 0.0 < scores[2] < 1.0
    assert not played.comparable
    beaten = tournament(("zero", "swh-mobility?depth=4&endgame=8"), anchors=Anchors(1))
    beaten.play()
    assert beaten.cross().totals[1] == 1.0
    assert not beaten.comparable


@pytest.fixture(scope="module")
def rating() -> ResultTable:
    return evolve.rate(["random", "swh", "zero"], games=8)


def test_it_is_a_table_as_before(rating: ResultTable) -> None:
    assert isinstance(rating, pd.DataFrame)
    assert list(rating.columns[:4]) == ["agent", "elo", "elo_low", "elo_high"]
    parts = (rating[["agent"]], rating[rating["score"] > 0], rating.copy(), rating.head(1))
    assert not [part for part in parts if type(part) is not pd.DataFrame]
    assert pd.concat([rating, rating]).shape == (6, rating.shape[1])


def test_it_has_its_parts_and_the_strongest_agent(rating: ResultTable) -> None:
    assert rating.tables == ("agents", "cross", "cycles", "unexplained")
    best = rating["agent"].iloc[0]
    assert rating.champion.name == best == "swh"
    cross = rating.tables["cross"]
    assert list(cross.index) == list(cross.columns) == rating["agent"].tolist()
    both = cross.to_numpy() + cross.to_numpy().T
    assert both[~np.eye(len(cross), dtype=bool)] == pytest.approx(1)
    swh = rating.set_index("agent").loc["swh", "score"]
    assert cross.loc["swh"].mean() == pytest.approx(swh)


def test_its_picture(rating: ResultTable, tmp_path: Path) -> None:
    rating.plot(output=tmp_path / "x.svg", style="paper", size="9x5cm", title="Mine")
    assert {"swh", "random", "zero", "Mine"} <= set(written_in(tmp_path / "x.svg"))
    axes = matplotlib.figure.Figure().subplots()
    assert rating.plot(ax=axes) is axes
    assert axes.get_yticklabels()[0].get_text() == "swh"
    assert rating.plot()._repr_png_().startswith(b"\x89PNG")
    assert evolve.plot(rating, ax=axes) is axes
    for wrong in ({"size": "big"}, {"metric": "elo"}):
        with pytest.raises(OptionsError):
            rating.plot(**wrong)


def test_a_table_of_settings_has_no_champion() -> None:
    table = ResultTable.of(pd.DataFrame({"a": [1]}), {})
    with pytest.raises(AgentError, match="run"):
        _ = table.champion
