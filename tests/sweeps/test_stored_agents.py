"""Agent files go through the study's database, whole and in pieces that it can hold."""

from __future__ import annotations

import os
from pathlib import Path

import optuna
import pytest
from optuna.trial import FrozenTrial, create_trial

from evolve.errors import RunError
from evolve.files.changes import Change
from evolve.sweeps.final import agent_pieces, fetch_agents
from evolve.sweeps.storage import open_database
from tests.faults import Deaths, hooked


def told(folder: Path, number: int, data: bytes, score: float, **facts: str) -> FrozenTrial:
    """A complete trial as another machine has told of it."""
    path = folder / f"trials/trial-{number:04d}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    attributes = {"place": number, "agent": f"trials/{path.name}", **agent_pieces(path), **facts}
    return create_trial(value=score, user_attrs=attributes)


@pytest.mark.parametrize("size", [1, 36_000, 36_001, 500_000])
def test_a_file_comes_back_by_way_of_a_database(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    trial = told(tmp_path / "there", 4, data, 0.5)
    pieces = [text for name, text in trial.user_attrs.items() if name.startswith("agent:")]
    assert all(len(piece.encode()) < 65_536 for piece in pieces), "what a text in MySQL holds"
    storage = open_database(f"sqlite:///{tmp_path}/study.db")
    study = optuna.create_study(storage=storage.optuna, direction="maximize")
    study.add_trial(trial)
    (tmp_path / "here/trials").mkdir(parents=True)
    fetch_agents(tmp_path / "here", study.get_trials(), 1)
    assert (tmp_path / "here/trials/trial-0004.npz").read_bytes() == data


def test_the_best_and_the_defaults_are_fetched_and_what_is_here_stays(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    trials = [
        told(there, 0, b"defaults", 0.1, origin="defaults"),
        *(told(there, number, b"%d" % number, number / 10) for number in range(1, 6)),
    ]
    (here / "trials").mkdir(parents=True)
    (here / "trials/trial-0005.npz").write_bytes(b"mine")
    fetch_agents(here, trials, 2)
    assert {path.name: path.read_bytes() for path in (here / "trials").iterdir()} == {
        "trial-0000.npz": b"defaults",
        "trial-0004.npz": b"4",
        "trial-0005.npz": b"mine",
    }


@pytest.mark.parametrize(
    "name", ["../trial-0001.npz", "/tmp/trial-0001.npz", "trials/champion.npz"]
)
def test_no_file_is_written_under_any_other_name(name: str, tmp_path: Path) -> None:
    trial = told(tmp_path / "there", 1, b"x", 0.5)
    trial.set_user_attr("agent", name)
    with pytest.raises(RunError, match=r"it must be trials/trial-0001\.json or"):
        fetch_agents(tmp_path / "here", [trial], 1)
    assert not (tmp_path / "here").exists()


def test_a_machine_that_dies_anywhere_while_it_fetches_them_fetches_the_rest(
    tmp_path: Path,
) -> None:
    trials = [told(tmp_path / "there", number, b"%d" % number, 0.5) for number in range(2)]
    here = tmp_path / "here"
    (here / "trials").mkdir(parents=True)
    deaths = [Deaths(here, tmp_path / f"{torn}", range(99), torn=torn) for torn in (False, True)]

    def die(change: Change, path: Path, piece: bytes) -> None:
        for death in deaths:
            death(change, path, piece)

    with hooked(die):
        fetch_agents(here, trials, 2)
    left = [copy for death in deaths for copy in death.copies.values()]
    assert len(left) == 12
    for copy in left:
        fetch_agents(copy, trials, 2)
        for trial in trials:
            name = trial.user_attrs["agent"]
            assert (copy / name).read_bytes() == (here / name).read_bytes()
