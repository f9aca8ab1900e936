"""Matches and ratings by a Python call are those of the command line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve
from evolve.errors import AgentError, SettingsError
from tests.cli import done, match


def test_a_match_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = evolve.match("swh-mobility", evolve.load_agent("swh"), games=20, seed=4, progress=True)
    assert "100 % · games 100 %" in capsys.readouterr().out
    said = match("swh-mobility", "swh", "--games=20", "--seed=4")
    assert (found.wins, found.draws, found.losses) == (said["wins"], said["draws"], said["losses"])
    assert (found.score.value, found.score.low) == (said["score"], said["score_low"])


@pytest.mark.slow
def test_a_match_by_a_test_counts_its_games() -> None:
    counted: list[int] = []
    tested = evolve.match("swh", "random", sprt=(0, 50), rules="standard", progress=counted.append)
    assert sum(counted) == tested.games < 1000


def test_a_rating_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("swh", "random", "swh-mobility")
    frame = evolve.rate([*names], against=None, games=10, progress=True)
    assert "100 % · games 100 %" in capsys.readouterr().out
    said = done("rate", *names, "--games=10", "--jobs=1", "--json").document
    assert frame["agent"].tolist() == [row["agent"] for row in said["agents"]]
    assert frame["elo"].tolist() == pytest.approx([row["elo"] for row in said["agents"]])
    assert frame.words == "\n".join(said["words"]) != ""
    assert said["unexplained"].pop("cycles") == frame.tables["cycles"].to_dict("records")
    assert [said["unexplained"]] == frame.tables["unexplained"].to_dict("records")


class Last(evolve.Agent):
    def choose(self, board: evolve.Board) -> int:
        return board.legal_moves()[-1]


def test_an_agent_of_ones_own_needs_a_choice_alone() -> None:
    both = ("standard", "reversed")
    assert {evolve.match(Last(), "zero", games=4, rules=rules).games for rules in both} == {4}
    counted: list[int] = []
    rated = evolve.rate([Last(), "zero"], games=2, progress=counted.append)
    assert (sorted(rated["agent"]), sum(counted)) == (["Last", "zero"], 2)
    with pytest.raises(AttributeError, match="'depth'"):
        _ = Last().depth  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("call", "agents", "settings", "words"),
    [
        (evolve.match, ("swh", "zero"), {"games": 2, "jobs": 0}, "jobs"),
        (evolve.match, ("swh", "zero"), {"games": 1}, "games"),
        (evolve.match, (3, "zero"), {}, "neither"),
        (evolve.match, ("nobody", "zero"), {}, "nobody"),
        (evolve.rate, (["swh", "zero"],), {"nonsense": 1}, "there is no such setting"),
        (evolve.rate, (["swh"],), {}, "2"),
    ],
)
def test_what_cannot_be(call: Any, agents: Any, settings: dict[str, Any], words: str) -> None:
    with pytest.raises((SettingsError, AgentError), match=words):
        call(*agents, **settings)


def test_a_gauntlet_has_no_score_of_those_who_did_not_meet_and_one_anchor_may_be_text() -> None:
    rated = evolve.rate(["swh-mobility"], against="swh random", elos=[0.0, -259.0], games=2)
    assert set(rated["agent"]) == {"swh", "random", "swh-mobility"}
    cross = rated.tables["cross"]
    assert np.isnan(cross.loc["swh", "random"])
    assert not np.isnan(cross.loc["swh", "swh-mobility"])


def test_a_rating_says_whose_elo_is_fixed_and_has_numbers_alone() -> None:
    rated = evolve.rate(["level-6"], against=["zero", "random"], rules="standard", games=4)
    assert rated.words == "the Elo of zero, random stays"
    assert rated["score"].max() == 1.0, "so that there is no bound"
    assert [rated[name].dtype.kind for name in ("elo", "elo_low", "elo_high")] == ["f"] * 3
    free = evolve.rate(["swh"], against=["zero", "zero?depth=2"], rules="standard", games=2)
    assert free.words.endswith("is of games among them, with mean 0")
    two = evolve.rate(["swh", "zero"], games=10)
    assert (two.words, len(two.tables["cycles"]), len(two.tables["unexplained"])) == ("", 0, 0)
