"""Slices of trials: a trial ends the same however often it pauses, and its state may travel."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from optuna.trial import TrialState

from evolve.agents.reference import read_agent
from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.errors import ClusterError
from evolve.sweeps import trial as trials
from evolve.sweeps.plan import plan_of
from evolve.sweeps.slices import advance
from evolve.sweeps.trial import PLAY_SECONDS, Slice, SliceResult, State, Task, TrialResult

_ENGINE = f"{sys.executable} -I -S {Path(__file__).with_name('tuned.py')}"
_PANEL: dict[str, Any] = {"panel": ("random", "swh", "swh?depth=1"), "panel_openings": 2}
_TREES: dict[str, Any] = {
    "games": 60, "simulations": 4, "check_simulations": 4, "endgame": 0,
    "layers": "dense 4 relu, dense 1 tanh", "games_per_iteration": 15,
}  # fmt: skip
_SHAPES = {
    "games": 40, "probcut": 0.0, "shapes": ("corner",), "solved": 0, "search_depth": 2,
    "search_solved": 6,
}  # fmt: skip
_PROGRAM = f"gtp:{_ENGINE} --corner {{corner:-20:50=-10}} --mobility {{mobility:0:5=0}}"

SWEEPS: dict[str, Callable[[], SweepSettings]] = {
    "alphabeta": lambda: SweepSettings(kind="alphabeta", **_PANEL),
    "mcts": lambda: SweepSettings(kind="mcts", fix=_TREES, **_PANEL),
    "patterns": lambda: SweepSettings(kind="patterns", fix=_SHAPES, reports=2, **_PANEL),
    "program": lambda: ProgramSweepSettings(program=_PROGRAM, pairs=12),
    "panel": lambda: ProgramSweepSettings(
        program=_PROGRAM, objective="panel", panel=("random", "swh?depth=1"), panel_openings=8
    ),
    "steps": lambda: ProgramSweepSettings(program=_PROGRAM, sampler="spsa", pairs=4),
}
SLOW = ("program", "patterns", "steps")
MARKS = {"mcts": pytest.mark.learning, **dict.fromkeys(SLOW, pytest.mark.slow)}
ALL = [pytest.param(name, marks=MARKS.get(name, ())) for name in SWEEPS]


def evolution(**changes: Any) -> SweepSettings:
    fixed = {"population": 6, "openings": "start", "panel_every": 1000}
    panel = {"panel": ("random",), "panel_openings": 2}
    return SweepSettings(kind="evolution", rules="standard", fix=fixed, **panel, **changes)


def task_of(name: str, sweep: SweepSettings) -> Task:
    plan = plan_of(sweep)
    best = {"number": 2, "values": {"corner": 9, "mobility": 1}, "elo": 50.0, "error": 30.0}
    context = {"program": {"best": best}, "steps": {"mirror": {"corner": -12, "mobility": 1}}}
    return Task(3, {**plan.example, **({"corner": 20} if "corner" in plan.example else {})},
                context.get(name, {}))  # fmt: skip


def worked(sweep: SweepSettings, task: Task, folder: Path) -> list[SliceResult]:
    """All slices of a trial, each as if on another machine, and states through their files."""
    done, state, file = list[SliceResult](), State(), folder / "one.state"
    while not done or not isinstance(done[-1].outcome, TrialResult):
        part = pickle.loads(pickle.dumps(Slice(sweep, "sweep", task, state)))
        done.append(pickle.loads(pickle.dumps(advance(part))))
        done[-1].state.save(file, task)
        state = State.load(file, task)
    return done


def facts_of(done: list[SliceResult]) -> tuple[Any, ...]:
    """What slices come to, without times."""
    kept = {name: one for name, one in done[-1].state.kept.items() if "seconds" not in name}
    return [one.outcome for one in done if one.outcome is not None], kept


@pytest.mark.parametrize("name", ALL)
def test_a_trial_that_pauses_ends_as_one_that_does_not(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = SWEEPS[name]()
    whole = worked(sweep, task := task_of(name, sweep), tmp_path)
    monkeypatch.setattr(trials, "seconds_for", lambda size: 0.0)
    pieces = worked(sweep, task, tmp_path)
    assert len(pieces) > len(whole)
    assert facts_of(pieces) == facts_of(whole)


@pytest.mark.learning
@pytest.mark.parametrize(("each", "steps"), [(15, [1, 2, 3]), (30, [2])])
def test_reports_of_long_and_short_iterations_are_of_the_same_shares(
    each: int, steps: list[int], tmp_path: Path
) -> None:
    sweep = SweepSettings(kind="mcts", fix={**_TREES, "games_per_iteration": each}, **_PANEL)
    (*reports, result), kept = facts_of(worked(sweep, task_of("mcts", sweep), tmp_path))
    assert [report.step for report in reports] == steps
    played = (len(steps) + 1) * 2 * 2 * 3
    assert (result.report.step, result.file[1], kept["played"]) == (4, ".npz", played)


def test_an_evolution_is_the_champion_of_its_seconds(tmp_path: Path) -> None:
    sweep = evolution(budget=0.2)
    result: Any = worked(sweep, Task(3, {}), tmp_path)[-1].outcome
    content, suffix = result.file
    assert (result.report.step, result.score, suffix) == (4, result.report.score, ".json")
    (tmp_path / "agent.json").write_bytes(content)
    agent: Any = read_agent(tmp_path / "agent.json")
    found = (agent.name, agent.provenance["trial"], agent.provenance["run"])
    assert found == ("trial-3", 3, "sweep")


def test_an_evolution_goes_on_where_it_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each slice of no time has a generation."""
    monkeypatch.setattr(trials, "seconds_for", lambda size: 0.0)
    sweep, task, state = evolution(budget=50.0), Task(3, {}), State()
    counts = []
    for _ in range(3):
        state = advance(Slice(sweep, "sweep", task, state)).state
        counts.append(sum(name.startswith("generations/") for name in state.arrays))
    assert counts == [1, 2, 3]
    assert 0.0 < state.facts["share"] < 1.0


@pytest.mark.parametrize("damage", ["arrays", "settings"])
def test_a_state_that_does_not_fit(damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "seconds_for", lambda size: 0.0)
    sweep = SWEEPS["patterns"]()
    first = Slice(sweep, "sweep", task_of("patterns", sweep))
    state = advance(first).state
    training = state.facts["training"]
    if damage == "settings":
        training["identity"]["seed"] += 1
    arrays = {} if damage == "arrays" else state.arrays
    again = advance(replace(first, state=State(state.facts, arrays)))
    assert again.refused
    assert again.state.facts["training"]["games"] == training["games"]


def test_impossible_values_fail_and_say_why() -> None:
    sweep = SWEEPS["alphabeta"]()
    result: Any = advance(Slice(sweep, "sweep", Task(0, {"weights.0": "x"}))).outcome
    assert result.state == TrialState.FAIL
    assert result.attributes["reason"]


def test_a_machine_that_lacks_something_is_no_fault_of_the_values() -> None:
    """It is asked for before the first trial."""
    sweep = SWEEPS["alphabeta"]().model_copy(update={"panel": ("nobody.json",)})
    with pytest.raises(ClusterError, match="nobody"):
        advance(Slice(sweep, "sweep", Task(0, plan_of(sweep).example)))


def test_a_slice_counts_what_its_games_took() -> None:
    sweep = SWEEPS["alphabeta"]()
    state = State({PLAY_SECONDS: 5.0, "played": 7, "seconds": 6.0})
    part = replace(Slice(sweep, "sweep", task_of("alphabeta", sweep)), state=state)
    facts = advance(part).state.facts
    assert facts["played"] == 7 + 2 * 2 * 3
    assert facts["seconds"] > 6.0
    assert facts[PLAY_SECONDS] > 5.0
