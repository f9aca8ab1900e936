"""Rungs: who lives again, who wins, and what of it outlives a stop."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.config.sweep import SweepRung, SweepSettings
from evolve.config.toml import config_text
from evolve.errors import RunError
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.sweeps.plan import plan_of
from evolve.sweeps.rungs import Candidate, Rungs, RungsEnded, Trained
from evolve.sweeps.storage import open_journal
from evolve.sweeps.study import Queued, Study
from evolve.sweeps.sweep import SweepEnding, opened_sweep
from evolve.sweeps.trials import agent_file
from evolve.tables.trials import FinalDocument, read_final

FIX = {"population": 4, "openings": "start", "panel_every": 1000, "depths": 1, "endgame": 0}
SETTINGS: dict[str, Any] = {
    "kind": "evolution",
    "rules": "standard",
    "fix": {key: value for key, value in FIX.items() if key not in ("depths", "endgame")}
    | {"fix": {"depths": [1], "endgame": [0]}},
    "trials": 3,
    "startup": 1,
    "budget": 0.02,
    "reports": 1,
    "panel": ("random", "swh"),
    "panel_openings": 2,
    "final_openings": 3,
    "study": "s",
    "rungs": ("2x0.03", "1x0.04x2"),
    "retest": 2,
}


class Watcher(Observer):
    """Notes what it is told, and stops after so many lives of the rungs."""

    def __init__(self, lives: int = 1000) -> None:
        self.notes: list[str] = []
        self.lives: list[tuple[str, int]] = []
        self.shares: list[float] = []
        self._left = lives

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.shares.append(done / total)
        if "rung" in row:
            self.lives.append((row["rung"], row["number"]))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def stop(self) -> bool:
        return len(self.lives) >= self._left


def climbed(
    folder: Path, watcher: Watcher, **changes: Any
) -> tuple[SweepEnding, FinalDocument | None]:
    """A sweep and its rungs, as the command does it."""
    settings = SweepSettings(**{**SETTINGS, **changes})
    if not (folder / "config.toml").exists():
        run_folder.create(folder, config_text(settings, {}, "sweep evolution"), ("trials", "rungs"))
    with opened_sweep(folder, settings) as sweep:
        return sweep.run(watcher), sweep.result


@pytest.mark.slow
def test_the_best_live_again_and_the_defaults_with_them_though_stopped(tmp_path: Path) -> None:
    first_try = Watcher(lives=1)
    assert climbed(tmp_path, first_try) == (SweepEnding.STOPPED, None)
    assert not (tmp_path / "final.json").exists()
    watcher = Watcher()
    ending, result = climbed(tmp_path, watcher)
    assert ending is SweepEnding.COMPLETE
    assert result is not None
    watcher.lives = first_try.lives + watcher.lives
    run = evolve.load_run(tmp_path)
    trials = run.trials.sort_values("score", ascending=False, kind="stable")
    others = trials[trials["origin"] != "defaults"]["number"].tolist()
    first = [number for rung, number in watcher.lives if rung == "1"]
    assert sorted(first) == sorted([*others[:2], 0])
    assert watcher.notes[0] == "rung 1: 3 settings learn for 0.03 CPU seconds"
    assert watcher.notes[1] == "rung 2: 2 settings learn for 0.04 CPU seconds, each with 2 seeds"
    assert watcher.shares == sorted(watcher.shares)
    assert watcher.shares[-1] <= 1.0 + 1e-9

    table = run.table("rungs")
    assert table["rung"].tolist()[:7] == ["1"] * 3 + ["2"] * 4
    assert table["candidate"].tolist().count("defaults") >= 3
    # The second rung has the best of the first by its scores, twice each.
    one = table[table["rung"] == "1"].set_index("candidate")["score"]
    best = one.drop("defaults").idxmax()
    assert table[table["rung"] == "2"]["candidate"].tolist() == [best, best, *["defaults"] * 2]
    assert not [
        agent
        for agent in table["agent"]
        if not isinstance(evolve.load_agent(tmp_path / agent), evolve.AlphaBetaAgent)
    ]

    # The last rung decides by means; its winner learns once more, or it is the defaults.
    two = table[table["rung"] == "2"].groupby("candidate")["score"].mean()
    rows = {row["candidate"]: row for row in result.finalists}
    assert {name: row["score"] for name, row in rows.items()} == pytest.approx(two.to_dict())
    assert next(iter(rows)) == two.idxmax()
    champion = evolve.load_agent(tmp_path / "champion.json")
    assert champion.name == f"trial-{result.winner}"
    final = json.loads((tmp_path / "final.json").read_text())
    assert (final["trials"], final["winner"], final["defaults"]) == (3, result.winner, 0)
    retest = table[table["rung"] == "retest"]["candidate"].tolist()
    if result.winner == 0:
        assert (result.against_defaults, retest) == (None, [])
    else:
        assert (score := result.against_defaults) is not None
        assert (score.seeds, score.games) == (2, 12)
        assert retest == [best, "defaults"] * 2
        assert final["against_defaults"]["seeds"] == 2


def test_rungs_of_other_candidates_are_refused(tmp_path: Path) -> None:
    plan = plan_of(SweepSettings(**{**SETTINGS, "rungs": ()}))
    assert plan.defaults is not None

    def study(*origins: str) -> Study:
        queue = [Queued(plan.defaults or {}, origin) for origin in origins]
        return Study(plan, open_journal(tmp_path / "journal.log"), "s", queue)

    study("trial-1", "defaults")
    assert study("trial-1", "defaults", "trial-2").open() == 3
    for origins in (("trial-2", "defaults", "trial-2"), ("trial-1", "defaults")):
        with pytest.raises(RunError, match="journal"):
            study(*origins)


@pytest.mark.slow
def test_further_trials_begin_the_rungs_anew(tmp_path: Path) -> None:
    assert climbed(tmp_path, Watcher())[1] is not None
    assert climbed(tmp_path, again := Watcher())[1] is not None
    assert again.lives == []
    assert climbed(tmp_path, more := Watcher(), trials=4)[1] is not None
    assert [rung for rung, _ in more.lives].count("1") == 3


@pytest.mark.slow
def test_a_winner_meets_the_defaults_with_fresh_seeds(tmp_path: Path) -> None:
    """Whoever wins at this size is luck, so that the last rung's scores are given."""
    settings = SweepSettings(**SETTINGS)
    run_folder.create(tmp_path, config_text(settings, {}, "sweep evolution"), ("trials", "rungs"))
    watcher = Watcher()
    with opened_sweep(tmp_path, settings) as sweep:
        sweep.run_trials(watcher)
        trials = sweep.study.trials()
        candidates = [
            Candidate(
                trials[number].params,
                name,
                number,
                (Trained(score, agent_file(tmp_path, trials[number])),),
            )
            for name, number, score in (("trial-2", 2, 0.9), ("defaults", 0, 0.1))
        ]
        result = Rungs(sweep, None)._select_champion(candidates, watcher)
    assert (result.winner, result.defaults) == (2, 0)
    assert (score := result.against_defaults) is not None
    assert (score.seeds, score.games) == (2, 12)
    assert 0.0 <= score.low <= score.score <= score.high <= 1.0
    assert watcher.lives == [("retest", 2), ("retest", 0)] * 2
    lives = evolve.load_run(tmp_path).table("rungs")
    assert lives["candidate"].tolist() == ["trial-2", "defaults"] * 2
    seeds = {evolve.load_agent(tmp_path / agent).provenance["seed"] for agent in lives["agent"]}  # type: ignore[attr-defined]
    assert len(seeds) == 4
    champion = json.loads((tmp_path / "champion.json").read_text())
    assert champion["provenance"]["against_defaults"] == score.score
    assert json.loads((tmp_path / "final.json").read_text())["against_defaults"]["seeds"] == 2
    final = read_final(tmp_path)
    assert final is not None
    assert "fresh games of 2 fresh seeds" in final.verdict


@pytest.mark.slow
def test_the_time_runs_out_on_a_rung(tmp_path: Path) -> None:
    settings = SweepSettings(**SETTINGS)
    run_folder.create(tmp_path, config_text(settings, {}, "sweep evolution"), ("trials", "rungs"))
    with opened_sweep(tmp_path, settings) as sweep:
        sweep.run_trials(Observer())
        with pytest.raises(RungsEnded, match=re.escape(str(SweepEnding.TIMEOUT))):
            Rungs(sweep, 1e-9).climb(Observer())


def standing(scores: list[float]) -> tuple[Any, ...]:
    lives = tuple(Trained(score, Path()) for score in scores)
    row = Candidate({}, "trial-1", 1, lives).standing
    return row["score"], row["low"], row["high"], row["lives"]


@pytest.mark.parametrize("count", [2, 3, 5, 6, 9, 30])
def test_the_interval_over_seeds_is_students(count: int) -> None:
    from scipy import stats  # half a second in each worker if at collection

    scores = [0.4 + 0.001 * (number * 7 % 10) for number in range(count)]
    mean, low, high, _ = standing(scores)
    exact = stats.t.interval(0.95, count - 1, mean, stats.sem(scores))
    assert (low, high) == pytest.approx(exact)
    assert standing([0.7]) == (0.7, 0.0, 1.0, 1)
    assert standing([0.0, 1.0]) == (0.5, 0.0, 1.0, 2), "no score is beyond 0 and 1"


def test_settings_of_rungs() -> None:
    usual = SweepSettings(kind="patterns")
    assert usual.longer == (SweepRung(16, 8.0, 1), SweepRung(4, 30.0, 3))
    assert (usual.trials, usual.budget, usual.reports) == (64, 2.0, 1)
    assert usual.panel[0] == "patterns-standard?depth=2"
    # 64 lives of 2 s, 17 of 8, 15 of 30, and 6 of 30 for the retest.
    assert usual.work == pytest.approx(64 + 17 * 4 + 15 * 15 + 6 * 15)
    assert SweepSettings(kind="patterns", rungs=()).work == 64
    assert SweepSettings(kind="patterns", budget=60.0).rungs == ()
    assert SweepSettings(kind="patterns", storage="sqlite:///x.db").rungs == ()
    assert SweepSettings(kind="patterns", fix={"games": 100}).rungs == ()
    assert SweepSettings(kind="mcts").rungs == ()
    # A study of before knows nothing of them; with other rungs its trials are the same.
    assert not {"rungs", "retest", "shipped"} & set(usual.identity)
    assert SweepSettings(kind="patterns", shipped=True).identity["shipped"] is True


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rungs": "16"}, "CANDIDATESxSECONDS"),
        ({"rungs": "0x8"}, "CANDIDATESxSECONDS"),
        ({"rungs": "4x0"}, "CANDIDATESxSECONDS"),
        ({"rungs": "4x8x0"}, "CANDIDATESxSECONDS"),
        ({"rungs": "4x1"}, "2, 1 CPU seconds, trials first: trainings may not get shorter"),
        ({"rungs": "4x8,4x4"}, "2, 8, 4 CPU seconds"),
        ({"rungs": "4x8", "storage": "sqlite:///x.db"}, "on one machine"),
        ({"rungs": "4x8", "fix": {"games": 10}}, "no budget"),
        ({"rungs": "4x8", "kind": "alphabeta"}, "no budget"),
    ],
)
def test_rungs_that_cannot_be(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SweepSettings(**{"kind": "patterns", **changes})
