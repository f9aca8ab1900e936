"""`evolve sweep program`: the parameters of a program, from its command line to the best ones."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

import evolve
from evolve.sweeps.kind import KIND as SWEEPS
from tests.cli import ROOT, done, fails

ENGINE = f"{sys.executable} -I -S {ROOT / 'tests/sweeps/tuned.py'}"
PROGRAM = f"gtp:{ENGINE} --corner {{corner:-30:30=-20}}"
FRIEND = """
import os

class AI:
    games, unlucky = 0, 0

    def __init__(self):
        AI.games += 1
        assert AI.games != AI.unlucky, "an unlucky game"

    def choose(self, board):
        moves = board.legal_moves()
        return moves[int(os.environ["PLACE"]) % len(moves)]
"""
LITTLE = ("--pairs=4", "--final-openings=4", "--finalists=1", "--jobs=1")


@pytest.mark.slow
def test_a_program_is_tuned_to_a_gain(tmp_path: Path) -> None:
    folder = tmp_path / "tuned"
    said = done("sweep", "program", PROGRAM, *LITTLE, "--games=100", "--out", folder)
    run = evolve.load_run(folder)
    trials = run.trials
    assert trials["games"].sum() + 2 * 4 * 2 <= 100
    assert trials["origin"][0] == "defaults"
    assert trials["score"][0] == 0.5
    best = json.loads((folder / "best.json").read_text())
    assert best["parameters"]["corner"] > 0, "corners are good in Reversi"
    assert tomllib.loads((folder / "best.toml").read_text()) == best["parameters"]
    assert repr(best["program"]) in said.out
    assert best["program"] == f"gtp:{ENGINE} --corner {best['parameters']['corner']}"
    final = json.loads((folder / "final.json").read_text())
    against, winner = final["against_defaults"], trials.loc[final["winner"]]
    assert against["score"] > 0.5
    assert winner["defaults_score"] == against["score"], "of its fresh games"
    assert winner["defaults_games"] == against["games"]
    gain = SWEEPS.reading.gain(run)
    told = [winner["elo"], best["gain"], *SWEEPS.reading.metrics(run).values()]
    assert told == [gain.value] * 3, "table, file and comparison say one number"
    assert "is finished" in done("resume", folder).out
    (row,) = done("runs", tmp_path, "--json").document
    assert row["state"] == "done", "though there be fewer trials than the most there may be"
    more = done("resume", folder, "--games", 120).out
    assert len(evolve.load_run(folder).trials) > len(trials), more
    (gain,) = re.findall("^gain over the defaults .*", more, re.M)
    assert gain in done("show", folder).out
    progress = SWEEPS.reading.progress(evolve.load_run(folder))
    assert progress.target is None
    assert 0.5 < progress.share < 1, "of the games, without those of the final"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "idle", "alike"),
    [
        ("--corner {corner:-30:30=-20} --crash-above {nothing:50:60=50}", "nothing", False),
        ("--crash-above {nothing:50:60=50}", "nothing", True),
        ("--corner {corner:-30:30=20} --crash-above {crash:10:60=50}", None, False),
    ],
)
def test_parameters_without_effect_are_named(
    options: str, idle: str | None, alike: bool, tmp_path: Path
) -> None:
    few = ("--pairs=9", "--final-openings=2", "--finalists=1", "--jobs=1", "--trials=3")
    said = done("sweep", "program", f"gtp:{ENGINE} {options}", *few, "--out", tmp_path / "x")
    reason = evolve.load_run(tmp_path / "x").trials["reason"].fillna("")[0]
    assert reason.partition(":")[0] == (idle or "")
    assert (f"trial 0: {reason}" in said.out) == (idle is not None)
    final = json.loads((tmp_path / "x/final.json").read_text())
    assert final.get("alike", False) == alike


@pytest.mark.slow
def test_a_program_that_crashes_on_some_values(tmp_path: Path) -> None:
    program = f"gtp:{ENGINE} --crash-above 0 --corner {{corner:-30:30=-20}}"
    said = done("sweep", "program", program, *LITTLE, "--trials=6", "--out", tmp_path / "x")
    trials = evolve.load_run(tmp_path / "x").trials
    failed = trials[trials["state"] == "FAIL"]
    assert (trials["state"] == "COMPLETE").any()
    assert len(trials) == 6 > 6 - len(failed), "those that failed are trials"
    assert failed["games"].notna().all()
    done("resume", tmp_path / "x")
    assert (failed["corner"] > 0).all()
    assert failed["reason"].str.contains("the corner is too large").all()
    assert failed["reason"].iloc[0].splitlines()[-1] in said.out


def by_environment(place: Path, program: str, *words: str) -> str:
    """What is said of a sweep in the folder x of a Python file that gets its value so."""
    (place / "friend.py").write_text(program)
    (place / "space.toml").write_text("[PLACE]\nlow = 0\nhigh = 9\ndefault = 3\n")
    named = ("--set-by=env", "--space", place / "space.toml", "--jobs=1", "--out", place / "x")
    return done("sweep", "program", f"python:{place / 'friend.py'}", *named, *words).out


@pytest.mark.slow
def test_failures_in_the_final_are_told(tmp_path: Path) -> None:
    """It fails in the 30th game of a process: never in the trials, but in the final."""
    failing = FRIEND.replace("unlucky = 0, 0", "unlucky = 0, 30")
    words = ("--pairs=2", "--finalists=1", "--trials=4", "--final-openings=20")
    said = by_environment(tmp_path, failing, *words)
    found = json.loads((tmp_path / "x/final.json").read_text())
    failed = [row["failures"] for row in found["finalists"]]
    assert any(failed)
    assert not [said for count in failed if not re.search(rf" {count}$", said, re.MULTILINE)]
    against = found["against_defaults"]
    lost, won = against["failures"], against["failures_of_defaults"]
    assert re.search(rf"\b{lost} of .*\b{won} won", said)


@pytest.mark.slow
def test_a_python_file_by_its_environment(tmp_path: Path) -> None:
    said = by_environment(tmp_path, FRIEND, *LITTLE, "--trials=3")
    best = json.loads((tmp_path / "x/best.json").read_text())
    assert f"{tmp_path / 'x'}" in said
    assert done("match", tmp_path / "x", "random", "--games=2", "--json").document["games"] == 2
    assert best["environment"] == {"PLACE": str(best["parameters"]["PLACE"])}


def test_a_sweep_of_which_every_trial_fails_has_failed(tmp_path: Path) -> None:
    program = f"gtp:{ENGINE} --crash-above -99 --corner {{corner:-30:30=-20}}"
    said = [
        fails("sweep", "program", program, *LITTLE, "--trials=2", "--out", tmp_path / "x"),
        fails("resume", tmp_path / "x"),
    ]
    assert not [line for line in said if not re.search("failed.*corner", line)]
    assert not (tmp_path / "x/final.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "jobs"), [("self", 1), ("panel", 2)])
def test_programs_that_repeat_try_settings_once(objective: str, jobs: int, tmp_path: Path) -> None:
    program = f"gtp:{ENGINE} --corner {{corner:-2:2=-2}}"
    few = (f"--objective={objective}", "--panel=random", "--panel-openings=2", *LITTLE)
    words = ("sweep", "program", program, *few, f"--jobs={jobs}", "--trials=9")
    said = done(*words, "--out", tmp_path / "x")
    assert re.search("\\b5 settings", said.out)
    assert sorted(evolve.load_run(tmp_path / "x").trials["corner"]) == [-2, -1, 0, 1, 2]


def test_wrong_usage(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "x")
    spsa = (f"gtp:{ENGINE} --corner {{x:1:5}} --mobility {{y:3:3}}", "--sampler=spsa", *out)
    assert "spsa" in fails("sweep", "program", *spsa)
    assert "--nonsense" in fails("sweep", "program", f"gtp:{ENGINE} --nonsense {{x:1:5}}", *out)
    assert not (tmp_path / "x").exists(), "nothing is begun"
