"""The runs of a study: stopped, killed, failed, and gone on with."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
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


def _kill_now_and_then(folder: Path, words: tuple[object, ...], kills: int) -> None:
    """Start it, and kill it with -9 as soon as some more generations are there."""
    for kill in range(kills):
        process = spawn(folder.parent, *words)
        wanted = _generations(folder) + 8 + 4 * kill
        while _generations(folder) < wanted and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "killed while it works"
        children = psutil.Process(process.pid).children(recursive=True)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert not psutil.wait_procs(children, timeout=PATIENCE)[1], "it takes its runs along"
        words = ("resume", folder)


def _generations(folder: Path) -> int:
    return len(list(folder.glob("*/generations/gen-*.parquet")))


@pytest.mark.slow
def test_five_seeds_and_two_settings_killed_twice(tmp_path: Path) -> None:
    words = ("run", *FEW, "--openings=start", "--generations=4", "--seeds=0-4", "--jobs=2")
    words = (*words, "--grid=crossover=blend,uniform", "--out")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    done(*words, whole)
    _kill_now_and_then(killed, (*words, killed), 2)
    assert "10 of 10 runs: all runs are done" in done("resume", killed).out
    found: Any = evolve.load_run(killed)
    expected: Any = evolve.load_run(whole)
    assert len(found.runs) == 10
    for name in ("individuals", "games", "generations"):
        pd.testing.assert_frame_equal(
            found.table(name).drop(columns=["seconds"], errors="ignore"),
            expected.table(name).drop(columns=["seconds"], errors="ignore"),
        )
