"""The champion file of a run, before its end and after."""

from __future__ import annotations

from pathlib import Path

from tests.evolution.conftest import StopAfter, go_on, start


def test_champion_of_a_stopped_run_is_the_best_so_far(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(folder, observer=StopAfter(2))
    expected = (folder / "champion.json").read_text()
    assert '"against": "panel"' in expected
    (folder / "champion.json").unlink()
    go_on(folder, observer=StopAfter(1))
    assert (folder / "champion.json").exists()
