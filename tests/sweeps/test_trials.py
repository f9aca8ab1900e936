"""Trials: their numbers, attempts, files and judges."""

from __future__ import annotations

import errno
from pathlib import Path

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, create_trial

from evolve.errors import RunError
from evolve.sweeps import final
from evolve.sweeps.final import fetch_agents
from evolve.sweeps.trials import Marks, values_of
from tests.sweeps import setting


def test_values_are_those_that_were_to_be_tried() -> None:
    study = optuna.create_study()
    study.enqueue_trial({"x": 1.0, "y": 2.0})
    running = study.ask()
    running.suggest_float("x", 0.0, 5.0)
    frozen = study.get_trials()[0]
    assert values_of(frozen) == {"x": 1.0, "y": 2.0}, "more than it has asked for"
    whole = create_trial(value=1.0, params={"x": 3.0}, distributions={"x": FloatDistribution(0, 5)})
    assert values_of(whole) == {"x": 3.0}


def test_a_mark_says_how_much_of_the_trial_is_done() -> None:
    marks = Marks(4)
    reached = [(share, marks.step) for share in (0.1, 0.3, 0.4, 0.8, 0.9, 1.0) if marks.due(share)]
    assert reached == [(0.3, 1), (0.8, 3)]
    assert not any(Marks(1).due(share) for share in (0.1, 0.5, 1.0))


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
