"""Samplers and pruners: each finds an optimum, and proposes what follows from the trials alone."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from evolve.config.ranges import value_at
from evolve.config.sweep import SweepSettings
from evolve.errors import SettingsError
from evolve.fitness.statistics import score_of_elo
from evolve.sweeps.samplers import _CMA_GENERATION, _EVERY, _Cma, _Spsa, _step_of
from evolve.sweeps.space import Number
from evolve.sweeps.study import Study
from evolve.sweeps.trial import MIRROR, Report, TrialResult
from evolve.tables.trials import ESTIMATE, START
from tests.sweeps import completed, local, plan, run_one, table_of


@pytest.mark.parametrize("pruner", ["median", "race", "none"])
def test_pruners_by_name(pruner: Any, tmp_path: Path) -> None:
    study = local(tmp_path, trials=30, pruner=pruner, sampler="random", startup=3)
    for number in range(30):
        taken = study.take()
        score = (number * 7 % 10) / 10
        for step in range(1, 5):
            if study.report(taken.number, Report(step, score, 0.01)):
                study.end(taken.number, TrialResult.pruned())
                break
        else:
            study.end(taken.number, completed(score))
    rows = pd.DataFrame(table_of(study))
    assert set(rows["state"][:3]) == {"COMPLETE"}, "of the startup"
    pruned = rows["state"] == "PRUNED"
    assert (rows["state"][~pruned] == "COMPLETE").all()
    assert (pruned.sum() >= 5) == (pruner != "none") == pruned.any()
    assert pruner == "none" or rows["score"][pruned].mean() < rows["score"][~pruned].mean()


@pytest.mark.parametrize("sampler", ["tpe", "random", "cma"])
def test_no_sampler_proposes_what_breaks_a_requirement(sampler: Any, tmp_path: Path) -> None:
    program = "gtp:python3 --lo {lo:0.0:9=1} --hi {hi:0.0:9=8} --s {s:a|b}"
    given = {"sampler": sampler, "trials": 40, "startup": 4}
    rule = ["lo + 4 < hi", "s == 'a' or lo < 1"]
    made = plan("program", program=program, require=rule, **given)
    study = Study(made, tmp_path / "journal.log")
    for number in range(30):
        run_one(study, 0.5 + 0.01 * ((7 * number) % 12))
    values = [(one.params["lo"], one.params["hi"], one.params["s"]) for one in study.trials()]
    assert all(low + 4 < high and (text == "a" or low < 1) for low, high, text in values)


def test_a_small_space_is_searched_whole_within_its_requirement(tmp_path: Path) -> None:
    program = "gtp:python3 --lo {lo:1:4} --hi {hi:1:4=4}"
    made = plan("program", program=program, require=["lo < hi"], trials=20)
    assert made.space.count == made.bounded.trials == 6
    study = Study(made, tmp_path / "journal.log")
    pairs = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert sorted(study.all_settings) == [*made.space.settings] == pairs


@pytest.mark.parametrize(
    ("require", "said"),
    [
        ("lo < nonesuch", "there are lo, hi"),
        ("lo > hi + 9", "no setting in these ranges fulfils"),
        ("lo > hi", "the defaults, lo = 3, hi = 4, break 'lo > hi'"),
        ("lo == 'a' or lo < 'b'", "mixes texts and numbers"),
    ],
)
def test_requirements_that_cannot_be(require: str, said: str) -> None:
    made = plan("program", program="gtp:x {lo:1:4} {hi:1:4=4}", require=[require])
    with pytest.raises(SettingsError, match=re.escape(said)):
        _ = made.defaults


optuna.logging.set_verbosity(optuna.logging.ERROR)


class Sampler(optuna.samplers.RandomSampler):
    """Proposes numbers by one of ours, the rest by chance."""

    def __init__(self, ours: _Cma | _Spsa, seed: int) -> None:
        super().__init__(seed)
        self.ours, self.seed = ours, seed

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        return dict(self.ours._numbers)

    def sample_relative(self, study: Any, trial: Any, search_space: Any) -> dict[str, Any]:
        return self.ours.values(study, trial, seed=self.seed)


XY: dict[str, Number] = {name: FloatDistribution(0.0, 1.0) for name in "xy"}
MIXED: dict[str, Number] = {
    "count": IntDistribution(0, 20, step=2),
    "rate": FloatDistribution(1e-4, 1e-1, log=True),
    **{f"x{i}": FloatDistribution(-1.0, 1.0) for i in range(4)},
}


def best_of(sampler: str, seed: int) -> float:
    study = optuna.create_study(direction="maximize")
    ours, chance = Sampler(_Cma(10, MIXED), 0), optuna.samplers.RandomSampler(seed)
    study.sampler = ours if sampler == "cma" else chance
    for number in range(120):
        ours.seed = 1000 * seed + number
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", -1.0, 1.0) for i in range(4)]
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        count = trial.suggest_int("count", 0, 20, step=2)
        trial.suggest_categorical("kind", ["a", "b"])
        loss = sum((v - 0.3) ** 2 for v in x) + (np.log10(rate) + 3) ** 2 + (count - 12) ** 2 / 100
        study.tell(trial, -float(loss))
    assert {type(t.params["count"]) for t in study.trials} == {int}
    assert {t.params["count"] % 2 for t in study.trials} == {0}
    return study.best_value


def test_cma_finds_an_optimum_that_chance_does_not() -> None:
    ours = [best_of("cma", seed) for seed in range(3)]
    chance = [best_of("random", seed) for seed in range(3)]
    assert min(ours) > max(chance)
    assert np.median(ours) > np.median(chance) / 3


def test_the_study_holds_no_pickle(tmp_path: Path) -> None:
    study = optuna.create_study(direction="maximize")
    for number in range(40):
        study.sampler = Sampler(_Cma(5, XY), number)
        trial = study.ask()
        study.tell(trial, -((trial.suggest_float("x", 0, 1) - trial.suggest_float("y", 0, 1)) ** 2))
    kept = {key for trial in study.trials for key in trial.system_attrs}
    assert kept == {_CMA_GENERATION}
    generations = [trial.system_attrs.get(_CMA_GENERATION) for trial in study.trials]
    assert generations[:5] == [None] * 5
    assert generations[5:] == sorted(generations[5:])
    assert generations[-1] >= 4


@pytest.mark.parametrize("startup", [0, 3])
def test_choices_and_single_numbers_are_left_to_chance(startup: int) -> None:
    study = optuna.create_study(direction="maximize")
    for number in range(8):
        study.sampler = Sampler(_Cma(startup, {"one": IntDistribution(3, 3)}), number)
        trial = study.ask()
        trial.suggest_categorical("kind", [1, 2, 3])
        trial.suggest_int("one", 3, 3)
        study.tell(trial, float(number))
    assert len({trial.params["kind"] for trial in study.trials}) > 1


def told(clock: Callable[[int], int], waits: tuple[int, ...] = ()) -> tuple[dict[str, Any], int]:
    """What a new sampler proposes after 40 trials that ended when `clock` says, and in which
    generation; those in `waits` are still under way."""
    begin, rng = datetime.datetime(2026, 1, 1), np.random.default_rng(1)
    study = optuna.create_study(direction="maximize")
    for number in range(40):
        x, y = (float(v) for v in rng.random(2))
        done = number not in waits
        trial = create_trial(
            state=TrialState.COMPLETE if done else TrialState.RUNNING,
            value=-((x - y) ** 2) if done else None,
            params={"x": x, "y": y},
            distributions=dict(XY),
            system_attrs={} if number < 5 else {_CMA_GENERATION: (number - 5) // 8},
        )
        if done:
            trial.datetime_complete = begin + datetime.timedelta(clock(number))
        study.add_trial(trial)
    study.sampler = Sampler(_Cma(5, XY), 0)
    asked = study.ask(dict(XY))
    found = study.get_trials()[-1].system_attrs.get(_CMA_GENERATION, -1)
    return asked.params, found


def test_a_clock_that_is_set_back_changes_nothing() -> None:
    expected = told(lambda number: number)
    assert expected[1] > 2
    assert told(lambda number: -number) == expected
    assert told(lambda number: (7 * number) % 40) == expected


def test_a_generation_waits_for_its_first_trials_whatever_ends_before_them() -> None:
    assert told(lambda number: number, waits=(7,))[1] == 0
    assert told(lambda number: number, waits=(3,))[1] == -1  # by chance: no begin yet


SPACE: dict[str, Number] = {
    "a": FloatDistribution(0.0, 1.0),
    "b": IntDistribution(0, 1000),
    "c": FloatDistribution(0.01, 100.0, log=True),
}
BEGIN: dict[str, Any] = {"a": 0.1, "b": 900, "c": 0.05}


def elo(values: dict[str, Any]) -> float:
    """A hill: best at a = 0.7, b = 300, c = 5."""
    at = values["a"], values["b"] / 1000, (np.log10(values["c"]) + 2) / 4
    return -800.0 * sum((x - y) ** 2 for x, y in zip(at, (0.7, 0.3, 0.675), strict=True))


def play_one(study: optuna.Study, space: dict[str, Number], score: Callable[..., float]) -> None:
    """A trial of SPSA; score: of its setting against its mirror image, where it has one."""
    trial = study.ask(dict(space))
    below = study.get_trials(deepcopy=False)[-1].user_attrs.get(MIRROR)
    if below is None:
        study.tell(trial, 0.5)
    else:
        values = [score(trial.params, below)]
        study._storage.set_trial_state_values(trial._trial_id, TrialState.PRUNED, values)


def walked(trials: int, seed: int) -> optuna.Study:
    rng = np.random.default_rng(seed)
    study = optuna.create_study(direction="maximize")
    study.enqueue_trial(BEGIN)

    def score(above: dict[str, Any], below: dict[str, Any]) -> float:
        return float(rng.binomial(12, score_of_elo(elo(above) - elo(below))) / 12)

    for number in range(trials):
        study.sampler = Sampler(_Spsa(SPACE, BEGIN, trials), seed * 1000 + number)
        play_one(study, SPACE, score)
    return study


def test_steps_mirror_each_other_around_where_the_search_is() -> None:
    first, step, _ = walked(3, 0).get_trials(deepcopy=False)
    assert (first.params, first.user_attrs) == (BEGIN, {})
    above, below = step.params, step.user_attrs[MIRROR]
    assert (above["a"] + below["a"]) / 2 == pytest.approx(BEGIN["a"], abs=0.11)
    assert above["b"] != below["b"]
    assert all(one.low <= below[name] <= one.high for name, one in SPACE.items())  # type: ignore[attr-defined]


def test_it_begins_at_the_first_setting_to_start_from() -> None:
    study = walked(1, 0)
    for name in ("b", "a"):
        start = {**BEGIN, name: SPACE[name].high}
        study.enqueue_trial(start, user_attrs={"origin": START})
    study.sampler = Sampler(_Spsa(SPACE, BEGIN, 9 * _EVERY), 0)
    trials = [study.ask(dict(SPACE)) for _ in range(_EVERY)]
    assert trials[-1].params == pytest.approx({**BEGIN, "b": SPACE["b"].high})


@pytest.mark.parametrize("seed", range(2))
def test_it_climbs_a_noisy_hill(seed: int) -> None:
    last = walked(12 * _EVERY + 1, seed).get_trials(deepcopy=False)[-1]
    assert last.user_attrs["origin"] == ESTIMATE
    assert elo(last.params) > elo(BEGIN) / 3


@pytest.mark.parametrize("trials", [3, 6, _EVERY, _EVERY + 1, _EVERY + 4])
def test_where_the_search_ends_is_judged(trials: int) -> None:
    origins = [one.user_attrs.get("origin") for one in walked(trials, 1).get_trials(deepcopy=False)]
    assert origins[-1] == ESTIMATE
    assert origins.count(ESTIMATE) == (2 if trials > _EVERY + 1 else 1)


def test_what_is_not_among_its_own_steps_moves_nothing() -> None:
    study = walked(3, 2)
    before = study.get_trials(deepcopy=False)
    for _ in range(_EVERY - 3):
        study.add_trial(create_trial(value=1.0, params=BEGIN, distributions=SPACE))
    study.sampler = Sampler(_Spsa(SPACE, BEGIN, 30), 5)
    estimate = study.ask(dict(SPACE))
    assert estimate.params not in [before[place].params for place in range(3)]


NARROW = {
    "range 1": IntDistribution(0, 1),
    "range 2": IntDistribution(3, 5),
    "range 3": IntDistribution(-1, 2),
    "steps of 20": IntDistribution(0, 40, step=20),
    "steps of a float": FloatDistribution(0.0, 0.9, step=0.3),
    "one step of a float": FloatDistribution(1.0, 1.5, step=0.5),
    "few ratios": IntDistribution(1, 4, log=True),
    "wide": IntDistribution(0, 1000),
    "no grid": FloatDistribution(-1.0, 1.0),
}


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("place", [0.0, 0.02, 0.37, 0.5, 0.98, 1.0])
def test_a_step_always_moves_within_the_range_and_is_not_biased(name: str, place: float) -> None:
    one: Number = NARROW[name]
    width, lots = 0.13, (np.arange(400) + 0.5) / 400
    ends = [_step_of(place, width, float(lot), one) for lot in lots]
    least = 1e-9 if one.step is None else one.step * (1 - 1e-9)
    assert all(high - low >= least for low, high in ends)
    assert all(one._contains(one.to_internal_repr(end)) for pair in ends for end in pair)
    low, high = (value_at(place + way * width, one) for way in (-1, 1))
    if one.step is None or high - low >= one.step:
        assert np.mean(ends, axis=0) == pytest.approx([low, high], abs=(one.step or 0) / 300 + 1e-9)
    elif one.low <= (low + high - one.step) / 2 and (low + high + one.step) / 2 <= one.high:
        assert np.mean(ends) == pytest.approx((low + high) / 2, abs=one.step / 300)


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("end", ["low", "high"])
def test_it_leaves_an_end_of_the_range_where_the_other_one_is_better(name: str, end: str) -> None:
    """Each step is won by the end that is farther from where the search began."""
    space: dict[str, Number] = {"x": NARROW[name]}
    begin = {"x": getattr(NARROW[name], end)}
    study = optuna.create_study(direction="maximize")

    def score(above: dict[str, Any], below: dict[str, Any]) -> float:
        assert above != below
        return float((above["x"] > below["x"]) == (end == "low"))

    for number in range(1, 3 * _EVERY):
        study.sampler = Sampler(_Spsa(space, begin, 3 * _EVERY), number)
        play_one(study, space, score)
    study.sampler = Sampler(_Spsa(space, begin, 3 * _EVERY), 0)
    last = study.ask(dict(space)).params["x"]
    assert last == pytest.approx(NARROW[name].high if end == "low" else NARROW[name].low)


def test_halving_lets_the_best_quarter_go_on(tmp_path: Path) -> None:
    study = local(tmp_path, trials=9, pruner="halving", sampler="random", startup=5)
    ended: list[bool] = []
    for score in (0.5, 0.4, 0.6, 0.55, 0.1, 0.56, 0.58, 0.57, 0.59):
        number = study.take().number
        ended.append(study.report(number, Report(1, score, 0.01)))
        result = TrialResult.pruned() if ended[-1] else TrialResult.failed("it need not go on")
        study.end(number, result)
    # The defaults are never ended, and the first eight have one best.
    assert ended == [False, True, False, True, True, True, True, True, False]


def test_trials_report_four_times_as_late_each_time() -> None:
    patterns = SweepSettings(kind="patterns")
    assert patterns.marks == [1 / 16, 1 / 4, 1.0]
    # A sixteenth of all, three sixteenths of a quarter, twelve of a sixteenth of the trials.
    share = 1 / 16 + 3 / 16 / 4 + 12 / 16 / 16
    assert patterns.work == pytest.approx(64 + 2 * 3 / share)
    assert SweepSettings(kind="mcts").marks == [0.25, 0.5, 0.75, 1.0]
    assert SweepSettings(kind="mcts", retest=2).work == 64.0
    assert patterns.identity["pruner"] == "halving", "its reports are at other places"
    assert "pruner" not in SweepSettings(kind="mcts").identity


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "patterns", "reports": 7},
        {"kind": "alphabeta", "reports": 1},
        {"kind": "alphabeta", "retest": 1, "pruner": "none"},
    ],
)
def test_halving_and_retests_that_cannot_be(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="halving"):
        SweepSettings(**{"pruner": "halving", **changes})
