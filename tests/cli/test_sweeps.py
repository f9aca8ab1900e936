"""How a sweep shows its trials, and what it waits for at its end."""

from __future__ import annotations

import math
import signal
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from evolve.arena.judges import RATING, rating_seconds
from evolve.cli.display import Display, watching
from evolve.cli.sweeps import TrialsView
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.sweep import SweepSettings
from evolve.runs.progress import TimeLeft
from evolve.runs.run import load_run
from evolve.tables.paths import JOURNAL_FILE


def row(number: int, state: str, score: float | None, **others: Any) -> dict[str, Any]:
    facts = {"number": number, "state": state, "score": score, "score_error": 0.0125, "best": None}
    return {**facts, "seconds": 2.04, "reason": None, **others}


def sweep_of(settings: SweepSettings, progress: tuple[float, float] = (0, 20)) -> Any:
    """A sweep as its view sees it, whose final takes no time."""
    study = SimpleNamespace(progress=progress)
    return SimpleNamespace(settings=settings, study=study, final_seconds=0.0, jobs=1)


def view_of_a_sweep(progress: tuple[float, float] = (0, 20)) -> TrialsView:
    return TrialsView(sweep_of(SweepSettings(kind="alphabeta", trials=20), progress))


def test_a_row_of_a_trial() -> None:
    look = view_of_a_sweep()
    best = look.columns.index("best")
    rows = [
        row(0, "FAIL", None, seconds=None, reason="no memory"),
        row(1, "COMPLETE", 0.5, best=0.5),
        row(2, "PRUNED", 0.9, best=0.5),
    ]
    cells = [look.cells(one) for one in rows]
    assert [texts[best] for texts in cells] == ["–", "0.500", "0.500"]
    assert cells[0] == ["0", "failed", "–", "0.013", "–", "–"]
    assert cells[2][1:3] == ["pruned", "0.900"]
    assert [look.remark(one) for one in rows] == ["trial 0: no memory", None, None]
    head = look.head()
    assert len(head) == len(look.line(rows[1], 60.0)) <= 80


RATING_TIME = rating_seconds("standard", 20, 1)


def test_the_time_left_goes_by_trials_of_this_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr("evolve.cli.display.TimeLeft", partial(TimeLeft, clock=lambda: now))
    look = view_of_a_sweep(progress=(10, 20))
    display = Display(look)
    assert display.time.left is None
    assert look.line(row(9, "COMPLETE", 0.5), math.nan)[-1] == "–"
    now += 30.0
    display.row(row(11, "COMPLETE", 0.5, seconds=30.0), 12, 20)
    assert display.time.left == pytest.approx(120.0 + RATING_TIME)


def test_the_time_left_knows_of_the_final(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr("evolve.cli.display.TimeLeft", partial(TimeLeft, clock=lambda: now))
    sweep = sweep_of(SweepSettings(kind="alphabeta", trials=20))
    display, left = Display(TrialsView(sweep)), []
    now += 30.0
    for number, sweep.final_seconds in ((9, 7.0), (18, 70.0), (19, 700.0)):
        display.row(row(number, "COMPLETE", 0.5, seconds=30.0), number + 1, 20)
        left.append(display.time.left)
    assert left == pytest.approx([RATING_TIME + s for s in (30 + 7, 30 / 19 + 70, 700)])
    display.stage("final", 0, 8)
    assert display.time.left == pytest.approx(RATING_TIME + 700)
    display.stage("final", 8, 8)
    assert display.time.left == pytest.approx(RATING_TIME)


def test_a_program_has_no_rating_to_wait_for() -> None:
    settings = ProgramSweepSettings(program="gtp:engine {a:1:9=3}", games=400)
    assert TrialsView(sweep_of(settings)).endings(1.0) == {"final": 0.0, RATING: 0.0}


def test_the_study_opens_in_optuna_dashboard(swept: Path) -> None:
    """Its importances are what `evolve` leaves to it."""
    dashboard = pytest.importorskip("optuna_dashboard")
    storage = JournalStorage(JournalFileBackend(str(swept / JOURNAL_FILE)))
    client = httpx.Client(transport=httpx.WSGITransport(dashboard.wsgi(storage)))
    (study,) = client.get("http://x/api/studies").json()["study_summaries"]
    found = client.get(f"http://x/api/studies/{study['study_id']}/param_importances").json()
    names = {one["name"] for one in found["param_importances"][0]}
    assert names == set(load_run(swept).trials.columns[5:-11])


def test_what_ctrl_c_waits_for_in_a_final(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(view_of_a_sweep()) as display:
        display.stage("final", 2, 80)
        signal.raise_signal(signal.SIGINT)
    assert "Ctrl-C" in capsys.readouterr().out
