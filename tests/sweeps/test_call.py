"""evolve.sweep: as `evolve sweep` does, from a script without a guard as well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.errors import RunError, SettingsError
from tests.cli import done, environment

SMALL: dict[str, Any] = {
    "panel": ("random", "swh"), "panel_openings": 4, "final_openings": 4, "finalists": 2,
    "startup": 2, "reports": 2, "fix": {"depths": 1, "endgame": 0},
}  # fmt: skip


@pytest.mark.slow
def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "import evolve\n"
        f"run = evolve.sweep('alphabeta', 'swept', trials=2, progress=True, **{SMALL!r})\n"
        "print(run.champion.name)\n"
    )
    ended = subprocess.run(
        [sys.executable, script.name],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    *lines, champion = ended.stdout.splitlines()
    assert champion.startswith("trial-")
    assert any("100 %" in line for line in lines)
    run = evolve.load_run(tmp_path / "swept")
    assert run.tables == tuple(dict(run.tables)) == ("trials", "final")
    assert len(run.tables["trials"]) == 2
    assert "2 trials" in done("resume", run.path).out
    # The same call has nothing to do.
    before = (run.path / "trials.parquet").read_bytes()
    evolve.sweep("alphabeta", run.path, trials=2, **SMALL)
    assert (run.path / "trials.parquet").read_bytes() == before
    with pytest.raises(RunError, match="panel_openings"):
        evolve.sweep("alphabeta", run.path, trials=2, **{**SMALL, "panel_openings": 6})
    more = evolve.sweep("alphabeta", run.path, trials=4, **SMALL)
    assert more.trials["number"].tolist() == [0, 1, 2, 3]


def test_wrong_settings_leave_no_folder(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'depths'"):
        evolve.sweep("depths", tmp_path / "x")
    with pytest.raises(SettingsError, match="trials"):
        evolve.sweep("alphabeta", tmp_path / "x", trials=0)
    with pytest.raises(SettingsError, match=r"none\.toml"):
        evolve.sweep("alphabeta", tmp_path / "x", start_from=str(tmp_path / "none.toml"))
    assert list(tmp_path.iterdir()) == []
