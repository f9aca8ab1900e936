"""`evolve cluster check`, `--executor` and `--scheduler`."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from evolve.cli.cluster import executor_for, on_cluster, where
from tests.cli import done, misused
from tests.cluster.dask import cluster, place

pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


@pytest.mark.slow
def test_who_the_workers_are_and_what_a_run_gains(tmp_path: Path) -> None:
    with place(tmp_path, 2) as there, cluster(there, 2):
        (tmp_path / "run.toml").write_text("population = 16")
        words = (
            "cluster",
            "check",
            "--scheduler",
            there.address,
            "--config",
            tmp_path / "run.toml",
        )
        text = done(*words, "--jobs", 2).out
        found = json.loads(done(*words, "--json").out)
    assert [worker["left_out"] for worker in found["workers"]] == [None, None]
    assert all(worker["address"] in text for worker in found["workers"])
    assert found["slots"] == 2
    assert found["games_a_generation"] == 16 * 15
    by_slots = {row["slots"]: row["speed_up"] for row in found["model"]}
    assert by_slots[1] == 1.0 < by_slots[2] <= 2.0
    assert "240 games a generation" in text
    assert "available" in text
    assert "needs --scheduler" in misused("cluster", "check")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--executor=dask",), "--executor dask needs --scheduler URL, or EVOLVE_SCHEDULER"),
        (("--executor=threads", "--scheduler=tcp://127.0.0.1:9"), "--scheduler is for --executor"),
    ],
)
def test_options_that_do_not_go_together(options: tuple[str, ...], said: str) -> None:
    assert said in misused("match", "swh", "zero", *options)


def test_without_options_games_are_played_on_threads() -> None:
    with click.Context(click.Command("match")), executor_for(2) as executor:
        assert not on_cluster()
        assert executor.slots == 2
        assert where(executor) == "2 threads"
