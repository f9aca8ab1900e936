"""Settings that are known: none is tried twice where games repeat, and a small space is searched
whole."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState, create_trial

from evolve.config.sweep import SweepSettings
from evolve.runs.loading import load_agent
from evolve.sweeps.optuna_study import Study
from evolve.sweeps.plan import plan_of, plays_again
from evolve.sweeps.quota import known_settings
from evolve.sweeps.samplers import OtherSampler
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.storage import open_database, open_journal
from evolve.sweeps.trials import LOST, MIRROR, Outcome, rows_of
from tests.sweeps import HELD, plan

_GENES = plan("alphabeta", fix={"depths": 1, "endgame": 0})
SEARCHED = ("x_squares.0", "mobility.0", "stability.0")
FIXED = {n: v for n, v in (_GENES.defaults or {}).items() if n not in SEARCHED}
RANGES = {
    "x_squares.0": {"low": -1, "high": 1},
    "mobility.0": {"choices": [0, 7]},
    "stability.0": {"low": -20, "high": 9, "step": 20},
}
"""12 settings in all, the defaults among them."""


def opened(folder: Path, **changes: Any) -> Study:
    settings: dict[str, Any] = {
        "kind": "alphabeta",
        "panel": ("random", "swh"),
        "fix": {"depths": 1, "endgame": 0, **FIXED},
        "space": RANGES,
        "trials": 40,
        "startup": 3,
        **changes,
    }
    made = plan_of(SweepSettings(**settings))
    if "storage" in changes:
        return Study(made, open_database(changes["storage"]), "s")
    return Study(made, open_journal(folder / "journal.log"), "s")


def worth(values: dict[str, Any]) -> float:
    return zlib.crc32(repr(sorted(values.items())).encode()) / 2**32


def end(study: Study, number: int, values: Any, fails: bool = False) -> None:
    if fails:
        study.end(number, Outcome.failed("it crashed"))
    else:
        study.report(number, 1, worth(values), 0.1)
        study.end(number, Outcome.complete(worth(values), 0.1, "x"))


def settings_of(study: Study) -> list[tuple[Any, ...]]:
    return [
        tuple(trial.params[name] for name in study.plan.space.names) for trial in study.trials()
    ]


@pytest.mark.parametrize("sampler", ["tpe", "cma", "random"])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_small_space_is_searched_once_and_whole(
    sampler: str, workers: int, tmp_path: Path
) -> None:
    """Several trials are in hand at a time, and every fourth fails."""
    study = opened(tmp_path, sampler=sampler)
    assert study.plan.space.count == 12
    hand: list[Any] = []
    while not study.is_over:
        while len(hand) < workers and study.open() > 0:
            hand.append(study.take("w"))
        assert hand, "a sweep that waits for nobody"
        task = hand.pop(0)
        end(study, task.number, task.values, fails=task.number % 4 == 3)
    tried = settings_of(study)
    assert len(tried) == len(set(tried)) == 12
    assert study.is_exhausted
    assert study.open() == 0
    assert study.progress == (9, 12)


def test_more_settings_than_trials_are_not_exhausted(tmp_path: Path) -> None:
    study = opened(tmp_path, trials=5)
    while study.open() > 0:
        task = study.take("w")
        assert task is not None
        end(study, task.number, task.values)
    assert (study.is_over, study.is_exhausted, study.finished()) == (True, False, 5)
    assert len(set(settings_of(study))) == 5


def test_the_same_table_however_often_it_is_killed(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)

    def table(folder: Path, kills: int) -> list[dict[str, Any]]:
        folder.mkdir()
        study = opened(folder)
        while not study.is_over:
            before = (folder / "journal.log").stat().st_size
            task = study.take("w")
            assert task is not None
            end(study, task.number, task.values)
            if kills:
                size = (folder / "journal.log").stat().st_size
                os.truncate(folder / "journal.log", int(rng.integers(before, size + 1)))
                study, kills = opened(folder), kills - 1
                study.reclaim()
        return rows_of(study.trials(), study.plan.space.names)

    whole = [{**row, "seconds": None} for row in table(tmp_path / "whole", 0)]
    assert [{**row, "seconds": None} for row in table(tmp_path / "cut", 4)] == whole
    assert len(whole) == 12


def test_values_that_come_again_are_known_meanwhile(tmp_path: Path) -> None:
    study = opened(tmp_path)
    first, second = study.take("w"), study.take("w")
    assert first is not None
    assert second is not None
    assert study.lose(second.number, "killed", blamed=False)
    assert study.open() == 11, "10 that are new, and one that waits"
    tasks = [study.take("w") for _ in range(11)]
    assert study.open() == 0
    assert not study.is_over
    found = [tuple(task.values.values()) for task in (first, *tasks) if task is not None]
    assert len(set(found)) == 12


@pytest.mark.slow
def test_machines_that_ask_at_once_do_not_try_the_same(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    one, other = opened(tmp_path, storage=url), opened(tmp_path, storage=url)
    first = one.take("a")
    assert first is not None
    end(one, 0, first.values)
    known = one._quota.known(one.trials())
    task = one.take("a")
    assert task is not None
    # The other one has looked just before, and draws with the same seed.
    asked = one._proposer.sampler(task.number, known)
    other._proposer.sampler = lambda *given: asked  # type: ignore[method-assign]
    assert other.take("b") is None
    assert [trial.user_attrs.get("reason") for trial in one.trials()][2:] == [
        "another machine tries these settings"
    ]
    assert settings_of(one)[2] == settings_of(one)[1]
    assert len(one._quota.known(one.trials())) == 2


def test_where_games_differ_settings_are_tried_again_but_for_those_that_failed(
    tmp_path: Path,
) -> None:
    """Each trial of a learner has a seed of its own."""
    held = {**HELD, "learning_rate": 0.01, "simulations": 20, "network": "dense"}
    usual = plan("mcts", space={"noise": {"choices": [0.1, 0.2, 0.3]}}, fix={})
    held["network"] = (usual.defaults or plan("mcts").defaults or {})["network"]
    study = opened(
        tmp_path,
        kind="mcts",
        panel=("random",),
        fix={name: value for name, value in held.items() if name != "noise"},
        space={"noise": {"choices": [0.1, 0.2, 0.3]}},
        trials=12,
    )
    assert study.plan.space.count == 3
    while not study.is_over:
        task = study.take("w")
        assert task is not None
        end(study, task.number, task.values, fails=task.values["noise"] == 0.2)
    tried = [trial.params["noise"] for trial in study.trials()]
    assert tried.count(0.2) <= 1
    assert len(tried) - tried.count(0.2) == 12
    assert not study.is_exhausted


def test_a_space_of_which_all_failed_is_exhausted(tmp_path: Path) -> None:
    study = opened(tmp_path, panel=("gtp:true",))
    assert study.plan.repeats([]) is False
    while not study.is_over:
        task = study.take("w")
        assert task is not None
        end(study, task.number, task.values, fails=True)
    assert len(study.trials()) == 12
    assert study.is_exhausted


@pytest.mark.parametrize(
    ("name", "again"),
    [("random", True), ("swh?depth=3", True), ("swh?time=0.1", False), ("gtp:true", False)],
)
def test_whose_games_repeat(name: str, again: bool) -> None:
    assert plays_again(load_agent(name)) == again


def test_what_is_known() -> None:
    space = Space.of([Parameter("a", "int", "", 0, 9)])
    distributions = space.distributions

    def trial(value: int, state: TrialState, **facts: Any) -> FrozenTrial:
        score = 0.5 if state.is_finished() and state != TrialState.FAIL else None
        return create_trial(
            state=state, value=score, params={"a": value}, distributions=distributions,
            user_attrs=facts,
        )  # fmt: skip

    trials = [
        trial(0, TrialState.COMPLETE),
        trial(1, TrialState.PRUNED),
        trial(2, TrialState.RUNNING),
        create_trial(state=TrialState.WAITING, system_attrs={"fixed_params": {"a": 3}}),
        trial(4, TrialState.FAIL, reason="it crashed"),
        trial(5, TrialState.FAIL, reason="not wanted any more"),
        trial(6, TrialState.PRUNED, **{MIRROR: {"a": 7}}),
        create_trial(state=TrialState.RUNNING),
        trial(8, TrialState.FAIL, reason="killed", **{LOST: 3}),
    ]
    everything = known_settings(trials[:-1], space, repeat=True)
    assert everything == {(0,), (1,), (2,), (3,), (4,)}
    assert known_settings(trials[:-1], space, repeat=False) == {(4,)}


@pytest.mark.parametrize("size", [3, 300_000])
def test_a_sampler_that_insists_is_not_listened_to(size: int) -> None:
    class Insisting(optuna.samplers.RandomSampler):
        def sample_independent(self, *given: Any) -> Any:
            return 0

    space = Space.of([Parameter("a", "int", "", 0, size - 1), Parameter("b", "int", "", 4, 4)])
    known = frozenset({(0, 4), (1, 4)})
    for seed in range(5):
        study = optuna.create_study(
            sampler=OtherSampler(lambda draw: Insisting(), space, known, seed, 3)
        )
        found = study.ask(space.distributions).params
        assert (found["a"], found["b"]) not in known
        assert size > 3 or found["a"] == 2
    study.sampler = OtherSampler(lambda draw: Insisting(), space, frozenset(), 0, 3)
    assert study.ask(space.distributions).params == {"a": 0, "b": 4}
