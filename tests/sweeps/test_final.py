"""The final: who plays in it, who wins, and what is kept of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optuna.trial import FrozenTrial, TrialState

import evolve
from evolve.arena.match import StoppedError
from evolve.config.sweep import SweepSettings
from evolve.config.toml import config_text
from evolve.fitness.executor import ONE_THREAD, Threads
from evolve.fitness.strengths import REFERENCE
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.sweeps.evolution_plan import GenesPlan
from evolve.sweeps.final import (
    SweepFinal,
    _all_alike,
    best_trial,
    openings_of_final,
    settings_ranked,
)
from evolve.sweeps.plan import plan_of
from evolve.sweeps.sweep import Sweep, _TimeUp
from evolve.sweeps.trial import games_of
from evolve.tables.trials import FinalDocument, final_table, read_final, verdict_of, write_final
from tests.evolution.conftest import Watching
from tests.sweeps import plan, trial_of


def trial(number: int, score: float, value: int | None = None, **facts: Any) -> FrozenTrial:
    """A complete trial with its agent; the value of its parameter is its number by default."""
    facts = {"agent": f"trials/trial-{number:04d}.json", **facts}
    return trial_of(number, score, x=number if value is None else value, **facts)


def keep(folder: Path, number: int, name: str) -> None:
    """Let a trial have this agent."""
    agent = evolve.load_agent(name)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    (folder / "trials").mkdir(exist_ok=True)
    replace(agent, name=f"trial-{number}").save(folder / f"trials/trial-{number:04d}.json")


def no_training(winner: FrozenTrial, defaults: FrozenTrial) -> list[FrozenTrial]:
    raise AssertionError("without a retest nothing trains again")


def final(folder: Path, trials: list[FrozenTrial], **changes: Any) -> Any:
    options = {"finalists": 2, "final_openings": 6, "panel": ("random",), **changes}
    plan = plan_of(SweepSettings(kind="alphabeta", **options))
    observer = Watching()
    result = SweepFinal(folder, plan, trials, ONE_THREAD, observer, no_training).play()
    assert all(done <= total for _, done, total in observer.stages)
    return result


def test_the_best_trial_is_complete_and_has_an_agent_of_its_own() -> None:
    ended = [trial_of(2, 0.9, TrialState.PRUNED), trial_of(4, None, TrialState.FAIL)]
    assert best_trial(ended) is None
    twin, own = trial(1, 0.8, same_as=3), trial(3, 0.8)
    assert best_trial([twin, *ended, own]) is own


def test_the_final_decides_again_and_its_winner_meets_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The luckiest trial is the weakest agent here; one beyond the finalists does not play. The
    file says how the final stands after each match, of those that have played."""
    seen = []

    def write(folder: Path, document: FinalDocument) -> None:
        seen.append((len(document.finalists), document.trials))
        write_final(folder, document)

    monkeypatch.setattr("evolve.sweeps.final.write_final", write)
    for number, name in enumerate(("swh", "zero", "swh?depth=4", "zero")):
        keep(tmp_path, number, name)
    trials = [
        trial(0, 0.1, origin="defaults"), trial(1, 0.9), trial(2, 0.8), trial(3, 0.7),
        trial_of(4, 0.2, TrialState.PRUNED),
    ]  # fmt: skip
    result = final(tmp_path, trials)
    assert (result.winner, result.defaults) == (2, 0)
    assert {row["agent"] for row in result.finalists} == {"trial-0", "trial-1", "trial-2"}
    assert result.finalists[0]["agent"] == "trial-2"
    assert result.against_defaults.score > 0.5
    champion = evolve.load_agent(tmp_path)
    assert champion.name == "trial-2"
    assert champion.provenance["against_defaults"] == result.against_defaults.score  # type: ignore[attr-defined]
    assert read_final(tmp_path) == result
    assert seen == [(2, None), (3, None), (3, None), (3, 5)]
    assert final_table(tmp_path).num_rows == 3
    (tmp_path / "final.json").write_text('{"finalists": [{"agent": "trial-1", "score": 0.5}]}')
    assert final_table(tmp_path).num_rows == 1
    assert verdict_of(tmp_path) is None


def test_one_agent_alone_wins_without_a_game(tmp_path: Path) -> None:
    keep(tmp_path, 0, "swh")
    result = final(tmp_path, [trial(0, 0.5, origin="defaults"), trial(1, 0.9)])
    assert (result.winner, result.finalists) == (0, []), "the other's file is away"
    assert result.against_defaults is None
    assert evolve.load_agent(tmp_path).name == "trial-0"


def test_it_says_how_far_the_strengths_of_trials_do_not_add_up(tmp_path: Path) -> None:
    """Two that are even with the defaults, of whom one beats the other clearly."""
    keep(tmp_path, 0, "swh")
    assert final(tmp_path, [trial(0, 0.5, origin="defaults")]).unexplained is None
    met = [[REFERENCE, 400, 200.0]], [[REFERENCE, 400, 200.0], [1, 400, 300.0]]
    apart = [trial(number, 0.5, met=rows) for number, rows in enumerate(met, 1)]
    result = final(tmp_path, [trial(0, 0.5, origin="defaults"), *apart])
    assert result.unexplained["elo_low"] > 0
    assert read_final(tmp_path) == result
    assert (verdict_of(tmp_path) or "").endswith(result.words[0])


def test_without_an_agent_there_is_no_final(tmp_path: Path) -> None:
    assert final(tmp_path, [trial(1, 0.9)]) is None
    assert final(tmp_path, []) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("named", ["trials/trial-0002.json", "../trial-0001.json", None])
def test_an_agent_lies_under_its_trials_own_number(named: str | None, tmp_path: Path) -> None:
    """Whatever file the journal names."""
    keep(tmp_path, 1, "swh")
    keep(tmp_path, 2, "zero")
    found: Any = plan("alphabeta").agent_of(tmp_path, trial(1, 0.5, agent=named))
    assert found.name == "trial-1"


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([trial(0, 0.5, 1), trial(1, 0.6, 2), trial(2, 0.6, 2), trial(3, 0.7, 3)], [3, 1, 0]),
        ([trial(0, 0.5, 1), trial(1, 0.9, 2), trial(2, 0.2, 2), trial(3, 0.58, 3)], [1, 3, 0]),
        ([trial(0, 0.5, 1, origin="defaults"), trial(1, 0.9, 1), trial(2, 0.6, 2)], [2, 0]),
        ([trial(n, 0.5, 4) for n in range(5)], [0]),
        ([trial(3, 0.5, 1, same_as=4), trial(4, 0.5, 1), trial(5, 0.5, 2)], [4, 5]),
        ([trial(0, 0.4), trial(3, 0.8), trial(1, 0.8), trial_of(2, 0.9, TrialState.PRUNED),
          trial_of(4, None, TrialState.FAIL)], [1, 3, 0]),
    ],
)  # fmt: skip
def test_finalists_are_distinct_settings(trials: list[FrozenTrial], expected: list[int]) -> None:
    """A setting counts by its best trial, and the defaults stand for their own."""
    assert [one.number for one in settings_ranked(trials)] == expected


def test_no_setting_meets_itself_in_the_final(tmp_path: Path) -> None:
    for number in range(5):
        keep(tmp_path, number, "swh")
    same = [trial(n, 0.9 - n / 100, 2) for n in range(1, 4)]
    trials = [trial(0, 0.5, 1, origin="defaults"), *same, trial(4, 0.3, 3)]
    result = final(tmp_path, trials, finalists=4)
    assert {row["agent"] for row in result.finalists} == {"trial-0", "trial-1", "trial-4"}


@pytest.mark.parametrize(
    ("agents", "pairs"), [(("swh", "zero", "positional"), 3), (("random", "swh", "random"), 1)]
)
def test_a_final_ends_within_a_pair_of_games_and_goes_on(
    agents: tuple[str, ...], pairs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Threads, "games", lambda *_: 2)  # as slow games come
    loaded = {f"trial-{n}": evolve.load_agent(name) for n, name in enumerate(agents)}
    monkeypatch.setattr(GenesPlan, "agent_of", lambda *told: loaded[f"trial-{told[2].number}"])
    monkeypatch.setattr(GenesPlan, "save_champion", lambda *told: tmp_path / "champion.json")
    trials = [trial(0, 0.1, 0, origin="defaults"), trial(1, 0.9, 1), trial(2, 0.8, 2)]
    plan = plan_of(SweepSettings(kind="alphabeta", final_openings=4, panel=("random",)))
    (tmp_path / "whole").mkdir()
    whole = SweepFinal(tmp_path / "whole", plan, trials, ONE_THREAD, Observer(), no_training).play()
    result, ends = None, [0.0]
    while result is None:
        observer = Watching(until=lambda seen: len(seen.stages) >= pairs)
        with suppress(StoppedError):
            result = SweepFinal(tmp_path, plan, trials, ONE_THREAD, observer, no_training).play()
        ends.append(max([ends[-1], *(done for _, done, _ in observer.stages)]))
    assert len(ends) > 4
    assert max(np.diff(ends[:-1])) <= 2 * pairs
    assert result == whole
    assert not (tmp_path / "trials/matches").exists()


def test_alike_are_all_trials_or_none() -> None:
    alike, other = (trial_of(n, 0.5, alike=n == 1) for n in (1, 2))
    pruned = trial_of(3, 0.1, TrialState.PRUNED, alike=False)
    found = [_all_alike(trials) for trials in ([alike], [alike, other], [alike, pruned], [])]
    assert found == [True, False, False, False]


@pytest.mark.parametrize(
    ("settings", "trials", "openings"),
    [
        ({}, 4, 10),  # 160 games: a third of them would be 3 openings
        ({}, 60, 36),
        ({}, 6000, 100),
        ({"final_openings": 7}, 60, 7),
        ({"final_openings": 300}, 1, 300),
        ({"finalists": 1}, 15, 50),
    ],
)
def test_finals_are_in_proportion(settings: dict[str, Any], trials: int, openings: int) -> None:
    made = SweepSettings(kind="alphabeta", panel=("random", "swh"), panel_openings=10, **settings)
    plan = plan_of(made.model_copy(update={"trials": trials}))
    ended = [trial(n, 0.5, played=40) for n in range(trials)]
    matches = made.matches_of(made.finalists + 1)
    assert games_of([*ended, trial_of(trials)], 20) == 40 * trials + 20
    assert openings_of_final(plan.sweep, ended, matches) == openings


RETESTED: dict[str, Any] = {
    "kind": "evolution",
    "rules": "standard",
    "fix": {"population": 4, "openings": "start", "panel_every": 1000}
    | {"fix": {"depths": [1], "endgame": [0]}},
    "trials": 2,
    "startup": 1,
    "budget": 0.02,
    "reports": 3,
    "pruner": "none",
    "panel": ("random", "swh"),
    "panel_openings": 2,
    "final_openings": 3,
    "retest": 2,
}


def final_of(sweep: Sweep, observer: Observer) -> SweepFinal:
    """The final of a sweep, before it has a winner: who wins at this size is luck."""

    def train(winner: Any, defaults: Any) -> Any:
        return sweep.train_again(observer, winner, defaults)

    trials = sweep.study.searched
    return SweepFinal(sweep.folder, sweep.plan, trials, ONE_THREAD, observer, train)


@pytest.mark.slow
def test_the_winner_and_the_defaults_train_again_though_stopped(tmp_path: Path) -> None:
    settings = SweepSettings(**RETESTED)
    run_folder.create(tmp_path, config_text(settings, {}, "sweep evolution"), ("trials",))
    sweep = Sweep(tmp_path, settings)
    sweep.run_trials(first := Watching())
    after_one = Watching(until=lambda seen: bool(seen.rows))
    with pytest.raises(StoppedError):
        final_of(sweep, after_one).against_defaults(sweep.study.trials()[1])
    sweep = Sweep(tmp_path, settings)
    assert [trial.number for trial in sweep.study.searched] == [0, 1]
    assert (sweep.study.budget.over, sweep.study.budget.open) == (True, 3)
    final = final_of(sweep, second := Watching())
    winner = sweep.study.trials()[1]
    against = final.against_defaults(winner)
    assert against is not None
    final.save([], winner, against)
    assert final_of(sweep, third := Watching()).against_defaults(winner) == against
    assert (against.seeds, against.games) == (2, 12)
    assert 0.0 <= (against.low or 0.0) <= against.score <= (against.high or 1.0)
    assert (len(first.shares), len(second.shares), third.shares) == (2, 3, [])
    assert [*first.shares, *second.shares] == sorted([*first.shares, *second.shares])
    assert second.shares[-1] == pytest.approx(1.0)
    run = evolve.load_run(tmp_path)
    retest = run.table("retest")
    assert run.trials["number"].tolist() == [0, 1]
    assert retest["number"].tolist() == [2, 3, 4, 5]
    assert retest["survivors"].eq(run.trials["survivors"][[1, 0] * 2].tolist()).all()
    assert retest["reports"].map(len).tolist() == [1] * 4, "they are judged at their ends alone"


@pytest.mark.slow
def test_the_time_ends_in_a_retest(tmp_path: Path) -> None:
    settings = SweepSettings(**RETESTED, timeout=1e-9)
    sweep = Sweep(tmp_path, settings.model_copy(update={"timeout": None}))
    sweep.run_trials(Observer())
    sweep = Sweep(tmp_path, settings)
    with pytest.raises(_TimeUp):
        final_of(sweep, Observer()).against_defaults(sweep.study.trials()[1])
