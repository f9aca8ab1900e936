"""How a sweep shows its trials, and what it waits for at its end."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from evolve.cli.display import watching
from evolve.cli.sweeps import TrialsView
from evolve.config.sweep import SweepSettings
from evolve.runs.run import load_run
from evolve.tables.paths import JOURNAL_FILE


def row(number: int, state: str, score: float | None, **others: Any) -> dict[str, Any]:
    facts = {"number": number, "state": state, "score": score, "score_error": 0.0125, "best": None}
    return {**facts, "seconds": 2.04, "reason": None, **others}


def view_of_a_sweep() -> TrialsView:
    return TrialsView(SweepSettings(kind="alphabeta", trials=20))


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
