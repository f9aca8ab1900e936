"""Sweeps of programs: what is searched, how a program is told, and what cannot be."""

from __future__ import annotations

import json
import re
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.config.sweep import ProgramSweepSettings
from evolve.config.toml import resolve_as
from evolve.errors import AgentError, AgentFileError, EngineError, EvolveError, SettingsError
from evolve.fitness.statistics import Estimate, score_of_elo
from evolve.programs.external import ExternalAgent
from evolve.runs.life_cycle import _config_of, agree_to_programs
from evolve.service import engine_worker
from evolve.sweeps.kind import KIND as SWEEPS
from evolve.sweeps.plan import plan_of
from evolve.sweeps.program_plan import ProgramPlan, _parts_of, _score_predicted, _shared, _shares_of
from evolve.sweeps.trial import MIRROR
from evolve.tables.trials import FinalDocument
from tests.sweeps import trial_of

ENGINE = f"{sys.executable} {Path(__file__).with_name('tuned.py')}"


def plan(program: str, **settings: Any) -> ProgramPlan:
    made = plan_of(resolve_as(ProgramSweepSettings, {}, {"program": program, **settings}))
    assert isinstance(made, ProgramPlan)
    return made


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell")
@pytest.mark.parametrize("name", ["engine", "my engine"])
def test_a_program_with_a_folder_of_its_own(name: str, tmp_path: Path) -> None:
    home = tmp_path / "R&D of 5?"
    home.mkdir()
    (home / name).write_text(f'#!/bin/sh\nexec {ENGINE} "$@"\n', encoding="utf-8")
    (home / name).chmod(0o755)
    made = plan(f"gtp:'./{name}' --corner {{corner:-20:50=-10}}?time=20&cwd={home}")
    assert made.defaults == {"corner": -10}
    line = made.line({"corner": 3})
    assert line == f"gtp:{shlex.quote(f'./{name}')} --corner 3?time=20&cwd={home}"
    agent = made.agent({"corner": 3}, "x")
    assert (agent.seconds, agent.cwd) == (20, str(home))
    agent.prepare()
    agent.close()


def test_the_best_values_are_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its user began the sweep; and with values of its ranges alone."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    program = f"gtp:{ENGINE} --corner {{corner:-20:50=-10}}"
    made = plan(program, rules="reversed", set_by="env", space={"MOBILITY": {"low": 0, "high": 9}})
    folder = tmp_path / "swept"
    folder.mkdir()
    best = folder / "best.json"
    best.write_text(json.dumps(made.facts({"corner": 7, "MOBILITY": 2})))
    (folder / "config.toml").write_text(_config_of(SWEEPS, "sweep program", made.sweep))
    for name in (folder, best):
        with pytest.raises(AgentError, match="--corner"):
            evolve.load_agent(name)
    agree_to_programs(folder, made.sweep)
    agents = [evolve.load_agent(name) for name in (folder, best, f"{best}?time=3")]
    assert {type(agent) for agent in agents} == {ExternalAgent}
    assert [(a.command, a.rules) for a in agents] == [(f"{ENGINE} --corner 7", "reversed")] * 3
    assert {agent.environment["MOBILITY"] for agent in agents} == {"2"}
    with pytest.raises(AgentFileError, match="champion"):
        engine_worker.load(str(folder))
    best.write_text(best.read_text().replace('"corner": 7', '"corner": 99'))
    with pytest.raises(AgentFileError, match="values"):
        evolve.load_agent(best)
    best.unlink()
    best.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EvolveError):
        evolve.load_agent(folder)


@pytest.mark.parametrize(
    ("program", "settings", "said"),
    [
        ("./engine {x:1:5}", {}, "is not gtp:COMMAND"),
        ("gtp:nonesuch {x:1:5}", {}, "there is no program 'nonesuch'"),
        (f"gtp:{ENGINE}", {}, "no parameter to search"),
        (f"gtp:{ENGINE} --corner {{corner}}", {}, "nothing says what corner may be"),
        (f"gtp:{ENGINE}", {"space": {"x": {"low": 1, "high": 5}}}, "has no place for x"),
        (f"gtp:{ENGINE} {{x:1:5}}", {"fix": {"y": 1}}, "has no place for y"),
        (f"gtp:{ENGINE} {{x:1:5}}", {"space": {"x": 3}}, "space.x = 3: it must be a valid"),
        (f"gtp:{ENGINE} {{x:1:5}}", {"space": {"x": {"default": 9}}}, "default 9 is not in"),
        (f"gtp:{ENGINE} {{x:a|b}}", {"sampler": "spsa"}, "ranges of numbers: fix x"),
        (f"nboard:{ENGINE} {{x:1:5}}", {"set_by": "gtp"}, "named gtp:COMMAND"),
        (f"gtp:{ENGINE} {{x:1:5}}", {"set_command": "set {name}"}, "{value} must be in it"),
        (f"gtp:{ENGINE} {{x:1:5}}", {"games": 110}, "leave no room"),
        (f"gtp:{ENGINE} {{elo:1:5}}", {}, "has a column elo"),
        (f"gtp:{ENGINE} {{x:1:5}}", {"budget": 3}, "learn nothing; leave it out"),
    ],
)
def test_what_cannot_be(program: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(EvolveError, match=re.escape(said)):
        (made := plan(program, **settings)).check(made.defaults or {})


def test_a_program_that_does_not_start() -> None:
    with pytest.raises(EngineError, match="arguments"):
        plan(f"gtp:{ENGINE} --nonsense {{x:1:5}}").check_start()
    plan(f"gtp:{ENGINE} --corner {{x:1:5}}").check_start()


@pytest.mark.parametrize(
    ("own", "asked", "said"),
    [
        ("reversed", "standard", "plays reversed, not standard: add --rules rev"),
        ("standard", "reversed", "plays standard, not reversed: add --rules sta"),
        ("reversed", "reversed", None),
        (None, "standard", None),
        (None, "reversed", None),
    ],
)
def test_programs_say_their_rules(
    own: str | None, asked: str, said: str | None, tmp_path: Path
) -> None:
    line = f'RULES = "{own}"\n' if own else ""
    (tmp_path / "agent.py").write_text(f"{line}class AI:\n    choose = None\n")
    told = {"set_by": "env", "space": {"x": {"low": 1, "high": 5}}}
    made = plan(f"python:{tmp_path / 'agent.py'}", rules=asked, **told)
    with nullcontext() if said is None else pytest.raises(SettingsError, match=said):
        made.check_start()


def test_a_trial_meets_the_best_of_which_much_is_certain() -> None:
    made = plan(f"gtp:{ENGINE} --corner {{corner:1:50}}")
    defaults = trial_of(0, 0.5, origin="defaults", elo=0.0)
    assert made.trial_context(trial_of(0, origin="defaults"), []) == {"defaults": True}
    assert made.trial_context(trial_of(1), [defaults]) == {}
    certain = trial_of(1, 0.7, elo=150.0, elo_low=130.4, elo_high=169.6)
    lucky = trial_of(2, 0.8, elo=240.0, elo_low=40.0, elo_high=440.0)
    best = made.trial_context(trial_of(3), [defaults, lucky, certain])["best"]
    assert (best["number"], best["elo"], best["error"]) == (1, 150.0, pytest.approx(10.0, abs=0.01))
    weak = trial_of(1, 0.4, elo=20.0, elo_low=-80.0, elo_high=120.0)
    assert made.trial_context(trial_of(2), [defaults, weak]) == {}
    mirror: dict[str, Any] = {MIRROR: {"corner": 2}}
    assert made.trial_context(trial_of(3, **mirror), [defaults, certain]) == mirror


def test_strengths_follow_from_all_games_so_far() -> None:
    """A lucky trial becomes weaker when one that beats it loses to the defaults."""
    made = plan(f"gtp:{ENGINE} --corner {{corner:1:50}}")
    defaults = trial_of(0, 0.5, origin="defaults")
    lucky = trial_of(1, 0.9, met=[[-1, 20, 18.0]])
    later = trial_of(2, 0.6, met=[[-1, 30, 12.0], [1, 40, 25.0]])
    twin = trial_of(3, 0.6, same_as=2)
    (_, before), after = made.rated([defaults, lucky]), made.rated([defaults, lucky, later, twin])
    assert before.user_attrs["elo"] > after[1].user_attrs["elo"] + 50
    assert after[1].values == [score_of_elo(after[1].user_attrs["elo"])]
    facts = [trial.user_attrs for trial in after]
    assert (facts[0]["elo"], facts[3]["elo"]) == (0.0, facts[2]["elo"])
    assert (facts[1]["defaults_score"], facts[2]["defaults_games"]) == (0.9, 30)
    assert lucky.values == [0.9], "what the study has is left as it is"


def test_the_final_gives_its_winner_and_twins_their_fresh_games() -> None:
    against = {"score": 0.75, "low": 0.6, "high": 0.85, "games": 40}
    final = FinalDocument.model_validate({"winner": 2, "defaults": 0, "against_defaults": against})
    program = f"gtp:{ENGINE} --corner {{corner:1:50}}"
    rows = [{"number": n, "score": 0.9, "corner": at} for n, at in ((1, 7), (2, 9), (3, 9))]
    plan(program, objective="panel").add_final(rows, final)
    assert [row["score"] for row in rows] == [0.9] * 3, "scores against a panel are others"
    plan(program).add_final(rows, final)
    assert [row["score"] for row in rows] == [0.9, 0.75, 0.75]


@pytest.mark.parametrize(
    ("settings", "games", "trials", "final"),
    [
        ({"trials": 2}, None, 2, 2 * 2 * 10),
        ({"trials": 30}, None, 30, 2 * 5 * 40),
        ({"trials": 12, "pairs": 10}, None, 12, 2 * 5 * 10),
        ({"games": 200}, 100, 10, 2 * 5 * 10),
        ({"games": 1000, "pruner": "none"}, 750, 750 // 40, 2 * 5 * 25),
        ({"games": 1000, "pairs": 10, "finalists": 1, "final_openings": 50}, 800, 160, 200),
        ({"games": 1000}, 750, 75, 2 * 5 * 25),
        ({"games": 9000}, 8500, 850, 2 * 5 * 50),
        ({"games": 1000, "final_openings": 5}, 950, 95, 2 * 5 * 5),
        ({"games": 1000, "objective": "panel", "panel": ("swh",)}, 750, 75, 2 * 5 * 25),
    ],
)
def test_how_many_games_trials_and_final_have(
    settings: dict[str, Any], games: int | None, trials: int, final: int
) -> None:
    made = plan(f"gtp:{ENGINE} {{x:1:500}}", **settings).sweep
    assert (made.games_of_trials, made.trials, made.final_games) == (games, trials, final)


def test_the_score_against_the_defaults_that_it_predicts() -> None:
    score, error = _score_predicted(Estimate.around(100.0, 19.6, 40))
    assert score == score_of_elo(100.0)
    assert error == pytest.approx((score_of_elo(105.0) - score_of_elo(95.0)), rel=1e-3)


def test_games_go_where_they_tell_most() -> None:
    assert _shares_of([0.0, 0.0], 0.0) == [0.5, 0.5]
    far, near = _shares_of([0.0, 400.0], 400.0)
    assert near > 0.7
    assert far + near == pytest.approx(1.0)


@pytest.mark.parametrize("shares", [[1.0], [0.5, 0.5], [0.26, 0.74]])
def test_openings_are_shared_out_without_loss(shares: list[float]) -> None:
    found = [_shared(start, stop, shares) for start, stop in _parts_of(40, 4)]
    numbers = [sorted(number for part in parts for number in part) for parts in found]
    assert numbers == [list(range(start, start + 10)) for start in (0, 10, 20, 30)]
    assert abs(sum(len(parts[-1]) for parts in found) - 40 * shares[-1]) <= 4
    assert list(_parts_of(2, 4)) == [(0, 1), (1, 2)]
