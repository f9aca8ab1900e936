"""The runs of a study: stopped, killed, failed, and gone on with."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

import evolve
from tests.cli import done, invoke, spawn, wait_until
from tests.cli.conftest import _inside_tmp_path
from tests.cli.test_studies import FEW
from tests.waits import PATIENCE

__all__ = ["_inside_tmp_path"]


@pytest.mark.slow
def test_ctrl_c_ends_it_and_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "stopped"
    words = (*FEW, "--openings=start", "--generations=400", "--seeds=0-1", "--jobs=2")
    process = spawn(tmp_path, "run", *words, "--out", folder)
    runs = [folder / f"seed-{seed}" for seed in (0, 1)]
    wait_until(
        lambda: all((run / "generations/gen-0001.parquet").exists() for run in runs), process
    )
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert f"continue with: evolve resume {folder}" in out
    assert "0 of 2 runs: stopped" in out
    assert not list((folder / "logs").glob("*.progress"))
    (row,) = json.loads(done("runs", tmp_path, "--json").out)
    assert row["state"] == "stopped"


@pytest.mark.slow
def test_a_run_that_fails_leaves_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "failed"
    done("run", *FEW, "--openings=start", "--generations=1", "--seeds=0-1", "--out", folder)
    file = folder / "seed-0/generations/gen-0000.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:100])
    said = invoke("resume", folder, "--generations=2")
    assert said.code == 1
    assert "seed-0: " in said.out
    assert "1 run failed: seed-0; see" in said.err
    assert evolve.load_run(folder / "seed-1").generation_count == 2
    file.write_bytes(content)
    assert "2 of 2 runs" in done("resume", folder, "--generations=2").out
