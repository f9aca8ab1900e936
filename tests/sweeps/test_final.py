"""The final: who plays in it, who wins, and what is kept of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from optuna.trial import FrozenTrial, TrialState, create_trial

import evolve
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.fitness.executor import ONE_THREAD
from evolve.sweeps.final import best_trial, play_final, ranked
from evolve.sweeps.keeping import agent_file
from evolve.sweeps.plan import plan_of
from evolve.tables.final import finals_trials
from evolve.tables.observer import Silent


def trial(number: int, score: float, **facts: Any) -> FrozenTrial:
    agent = f"trials/trial-{number:04d}.json"
    return create_trial(value=score, user_attrs={"place": number, "agent": agent, **facts})


def keep(folder: Path, number: int, name: str) -> None:
    """Let a trial have this agent."""
    agent = evolve.load_agent(name)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    (folder / "trials").mkdir(exist_ok=True)
    replace(agent, name=f"trial-{number}").save(folder / f"trials/trial-{number:04d}.json")


class Counting(Silent):
    """An observer of how far it is."""

    def __init__(self) -> None:
        self.shares: list[float] = []

    def stage(self, name: str, done: float, total: float) -> None:
        self.shares.append(done / total)


def final(folder: Path, trials: list[FrozenTrial], **changes: Any) -> Any:
    options = {"finalists": 2, "final_openings": 6, "panel": ("random",), **changes}
    plan = plan_of(SweepSettings(kind="alphabeta", **options))
    observer = Counting()
    result = play_final(folder, plan, trials, ONE_THREAD, observer)
    assert not observer.shares or observer.shares[-1] <= 1.0
    return result


def test_the_best_complete_trial_is_first_and_of_equals_the_earlier() -> None:
    trials = [
        trial(0, 0.4),
        trial(3, 0.8),
        trial(1, 0.8),
        create_trial(state=TrialState.PRUNED, value=0.9, user_attrs={"place": 2}),
        create_trial(state=TrialState.FAIL, user_attrs={"place": 4}),
    ]
    assert [one.user_attrs["place"] for one in ranked(trials)] == [1, 3, 0]
    assert best_trial(trials) is trials[2]
    assert best_trial(trials[3:]) is None


def test_the_final_decides_anew_and_its_winner_meets_the_defaults(tmp_path: Path) -> None:
    """The luckiest trial is the weakest agent here; one beyond the finalists does not play."""
    for number, name in enumerate(("swh", "zero", "swh?depth=4", "zero")):
        keep(tmp_path, number, name)
    trials = [
        trial(0, 0.1, origin="defaults"), trial(1, 0.9), trial(2, 0.8), trial(3, 0.7),
        create_trial(state=TrialState.PRUNED, value=0.2, user_attrs={"place": 4}),
    ]  # fmt: skip
    result = final(tmp_path, trials)
    assert (result.winner, result.defaults) == (2, 0)
    assert {row.agent for row in result.rows} == {"trial-0", "trial-1", "trial-2"}
    assert result.rows[0].agent == "trial-2"
    assert result.score.score > 0.5
    champion = evolve.load_agent(tmp_path)
    assert champion.name == "trial-2"
    assert champion.provenance["against_defaults"] == result.score.score  # type: ignore[attr-defined]
    document = json.loads((tmp_path / "final.json").read_text(encoding="utf-8"))
    assert (document["winner"], document["trials"]) == (2, 5)
    assert finals_trials(tmp_path) == 5


def test_one_agent_alone_wins_without_a_game(tmp_path: Path) -> None:
    keep(tmp_path, 0, "swh")
    result = final(tmp_path, [trial(0, 0.5, origin="defaults"), trial(1, 0.9)])
    assert (result.winner, result.rows, result.score) == (0, [], None), "the other's file is away"
    assert evolve.load_agent(tmp_path).name == "trial-0"


def test_without_an_agent_there_is_no_final(tmp_path: Path) -> None:
    assert final(tmp_path, [trial(1, 0.9)]) is None
    assert final(tmp_path, []) is None
    assert list(tmp_path.iterdir()) == []
    assert finals_trials(tmp_path) is None
    (tmp_path / "final.json").write_text('{"trials": 3, "rows"')
    assert finals_trials(tmp_path) is None


@pytest.mark.parametrize("named", ["trials/trial-0002.json", "../trial-0001.json", None, "x" * 99])
def test_an_agent_lies_under_its_trials_own_number(named: str | None, tmp_path: Path) -> None:
    assert agent_file(tmp_path, trial(1, 0.5)) == tmp_path / "trials/trial-0001.json"
    with pytest.raises(RunError, match=r"trial 1 of .* names"):
        agent_file(tmp_path, trial(1, 0.5, agent=named))
