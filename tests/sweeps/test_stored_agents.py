"""Agents of a shared study: copied from the folders of the processes that ran their trials."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from optuna.trial import FrozenTrial

from evolve.errors import RunError
from evolve.sweeps import final
from evolve.sweeps.final import fetch_agents
from tests.sweeps import setting


def ended(folder: Path, number: int, data: bytes, score: float, **facts: str) -> FrozenTrial:
    """A complete trial of another process."""
    path = folder / f"trials/trial-{number:04d}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return setting(number, score, number, agent=f"trials/{path.name}", folder=str(folder), **facts)


def test_the_best_and_the_defaults_are_fetched_and_what_is_here_stays(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    trials = [
        ended(there, 0, b"defaults", 0.1, origin="defaults"),
        *(ended(there, number, b"%d" % number, number / 10) for number in range(1, 6)),
    ]
    here.mkdir()
    assert fetch_agents(here, trials[:-1], 1) == []
    (here / "trials/trial-0005.npz").write_bytes(b"own")
    assert fetch_agents(here, trials, 2) == []
    assert {path.name: path.read_bytes() for path in (here / "trials").iterdir()} == {
        "trial-0000.npz": b"defaults",
        "trial-0004.npz": b"4",
        "trial-0005.npz": b"own",
    }
    (there / "trials/trial-0003.npz").unlink()
    assert fetch_agents(here, trials, 3) == [str(there / "trials/trial-0003.npz")]


def test_a_full_disk_here_is_no_agent_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(final, "write_bytes", full)
    with pytest.raises(OSError, match="space"):
        fetch_agents(tmp_path, [ended(tmp_path / "there", 1, b"agent", 0.5)], 1)


@pytest.mark.parametrize(
    "name", ["../trial-0001.npz", "/tmp/trial-0001.npz", "trials/champion.npz"]
)
def test_no_file_is_written_under_any_other_name(name: str, tmp_path: Path) -> None:
    trial = ended(tmp_path / "there", 1, b"agent", 0.5)
    trial.set_user_attr("agent", name)
    with pytest.raises(RunError, match="names"):
        fetch_agents(tmp_path / "here", [trial], 1)
