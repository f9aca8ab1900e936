"""`evolve train`: the run it leaves, going on with it, and all that takes its result."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from tests import forks
from tests.cli import (
    INTERRUPTED,
    command,
    done,
    environment,
    fails,
    finish,
    invoke,
    misused,
    spawn,
    wait_until,
)
from tests.cli.test_export import play_one_move

pytestmark = pytest.mark.learning

SMALL = (
    "--games=60",
    "--games-per-iteration=20",
    "--check-every=20",
    "--panel-openings=2",
    "--batch=32",
)
MCTS = ("train", "mcts", *SMALL, "--simulations=8", "--layers=dense 8 relu, dense 1 tanh")
DQN = ("train", "dqn", *SMALL, "--layers=dense 8 relu, dueling")
LONG = (*DQN[:2], "--games=100000", *DQN[3:])


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished training of each kind. Look, do not touch."""
    folder = tmp_path_factory.mktemp("trained")
    for kind, words in (("mcts", MCTS), ("dqn", DQN)):
        done(*words, "--out", folder / kind)
    return {"mcts": folder / "mcts", "dqn": folder / "dqn"}


@pytest.fixture
def copy(shared: dict[str, Path], tmp_path: Path) -> Path:
    shutil.copytree(shared["dqn"], tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.parametrize("kind", ["mcts", "dqn"])
def test_a_run_like_any_other(kind: str, shared: dict[str, Path], tmp_path: Path) -> None:
    folder = shared[kind]
    run = evolve.load_run(folder)
    assert run.command == f"train {kind}"
    assert run.metrics["games"].tolist() == [20, 40, 60]
    assert run.metrics["random"].between(0, 1).all()
    assert (run.metrics["random_low"] <= run.metrics["random"]).all()
    assert run.config["rules"] == "standard"
    assert "torch" in run.config["versions"]
    rows = done("show", folder, "--format", "json").document
    assert [row["check"] for row in rows] == [0, 1, 2]
    assert "champion" in done("show", folder).out
    assert "no individuals; it has metrics" in fails("show", folder, "--table", "individuals")
    assert len(done("show", folder, "--top", 1, "--format", "csv").lines) == 2
    agent = evolve.load_agent(folder)
    assert isinstance(agent, MctsAgent if kind == "mcts" else DqnAgent)
    assert 0 <= agent.provenance["score"] <= 1
    listed = done("runs", folder.parent, "--json").document
    assert {row["command"] for row in listed} == {"train mcts", "train dqn"}
    assert [(row["games"], row["target"], row["state"]) for row in listed] == [(60, 60, "done")] * 2
    assert all(isinstance(row["games"], int) for row in listed)
    assert all(row["score_low"] < row["score"] < row["score_high"] for row in listed)
    assert "60/60" in done("runs", folder.parent).out
    text = done("show", folder / "champion.npz").out
    assert "dense 8 relu" in text
    assert "standard" in text
    document = done("show", folder / "champion.npz", "--format", "json").document
    assert document["kind"] == kind
    done("plot", folder, "-o", "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    compared = done("compare", shared["mcts"], shared["dqn"], "--json").document
    assert [row["command"] for row in compared] == ["train mcts", "train dqn"]


@pytest.mark.parametrize("kind", ["mcts", "dqn"])
def test_the_result_plays_wherever_agents_play(
    kind: str, shared: dict[str, Path], tmp_path: Path
) -> None:
    folder = shared[kind]
    found = done("match", folder, "random", "--games", 4, "--json").document
    assert found["games"] == 4
    assert found["wins"] + found["draws"] + found["losses"] == 4
    rated = done("rate", folder, "swh", "random", "--games", 2, "--json").document
    assert len(rated["agents"]) == 3
    done("export", folder, "-o", "best.npz")
    again = done("match", "best.npz", "random", "--games", 4, "--json").document
    assert again["wins"] == found["wins"]
    asked = "genmove black\nquit\n"
    engine = forks.run(command("engine", folder, "--protocol", "gtp"), stdin=asked)
    assert engine.returncode == 0
    assert engine.stdout.split()[1].lower() in ("d3", "c4", "f5", "e6")
    hinted = invoke("play", folder, stdin="hint\nd3\nquit\n")
    assert "values of the moves" in hinted.out
    done("export", folder, "--to", "python", "-o", "player.py")
    board = evolve.Board.start()
    assert play_one_move(tmp_path / "player.py", board) == evolve.load_agent(folder).choose(board)
    assert "alpha-beta" in misused("export", folder, "--to", "python", "--numba", "-o", "x.py")
    assert ".npz" in fails("export", folder, "-o", "best.json")


def test_the_same_settings_give_the_same_tables_and_jobs_change_nothing(
    shared: dict[str, Path],
) -> None:
    done(*MCTS, "--jobs", 1, "--out", "again")
    one, other = (evolve.load_run(path).metrics for path in (shared["mcts"], "again"))
    kept = [column for column in one if not column.endswith("seconds")]
    assert one[kept].equals(other[kept])
    digests = []
    for path in (shared["mcts"], "again"):
        agent = evolve.load_agent(path)
        assert isinstance(agent, MctsAgent)
        assert agent.network is not None
        digests.append(agent.network.digest)
    assert digests[0] == digests[1]


def test_finished_ones_say_so_and_go_on_when_asked(copy: Path) -> None:
    assert "is finished, 60 games" in done("resume", copy).out
    out = done("resume", copy, "--games", 100).out
    assert "resuming after 60 games" in out
    assert evolve.load_run(copy).metrics["games"].tolist() == [20, 40, 60, 80, 100]
    assert evolve.load_run(copy).config["games"] == 100
    assert "--generations is not for" in misused("resume", copy, "--generations", 5)


def test_kill_and_resume_ends_as_if_nothing_had_been(
    shared: dict[str, Path], tmp_path: Path
) -> None:
    process = spawn(tmp_path, *DQN, "--out", "killed")
    checkpoint = tmp_path / "killed" / "checkpoint.npz"
    wait_until(checkpoint.exists, process)
    process.kill()
    finish(process)
    # What a writer leaves that was killed between a check's metrics and its checkpoint.
    folder = tmp_path / "killed"
    count = len(list((folder / "metrics").glob("check-*")))
    shutil.copy(
        folder / "metrics" / "check-0000.parquet", folder / f"metrics/check-{count:04d}.parquet"
    )
    (folder / ".writing-x").write_bytes(b"half")
    done("resume", "killed")
    one, other = (evolve.load_run(path).metrics for path in (shared["dqn"], folder))
    kept = [column for column in one if not column.endswith("seconds")]
    assert one[kept].equals(other[kept])
    assert not (folder / ".writing-x").exists()


def test_ctrl_c_ends_after_the_games_in_hand(tmp_path: Path) -> None:
    process = spawn(tmp_path, *LONG, "--out", "long")
    wait_until((tmp_path / "long" / "checkpoint.npz").exists, process)
    process.send_signal(signal.SIGINT)
    ended = finish(process)
    assert ended.code in INTERRUPTED, ended
    assert "ending after these games" in ended.out
    assert "evolve resume long" in ended.out
    assert "Traceback" not in ended.err


def test_a_budget_is_kept_and_does_not_count_compilation(tmp_path: Path) -> None:
    done(*MCTS[:2], *MCTS[3:], "--budget", 1.5, "--out", "short")
    spent = evolve.load_run("short").metrics["cpu_seconds"].iloc[-1]
    assert 1.5 <= spent < 3.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--layers=dense 3"], "must give 1 value or 64"),
        (["--layers=dense 1"], "the output is value"),
        (["--bootstrap=negamax", "--reward=halves"], "negamax"),
        (["--preset=s5-network2", "--lookahead=2"], "lookahead: it takes"),
        (["--minimax", "--bootstrap=own"], "positional"),
        (["--no-legal=x"], "does not take a value"),
        (["--reward=none"], "positional"),
        (["--gamma=2"], "gamma"),
        (["--opponents=self=0"], "share over 0"),
        (["--input=coloured-move", "--layers=dense 1", "--others-zero"], "legal moves"),
        (["--preset=s9"], "s9"),
        (["--seed=99999999999999999999999"], "seed"),
    ],
)
def test_settings_that_cannot_be(options: list[str], words: str, tmp_path: Path) -> None:
    assert words.lower() in misused("train", "dqn", *options).lower()
    assert list(tmp_path.iterdir()) == []


def test_work_that_cannot_be_done(copy: Path, tmp_path: Path) -> None:
    assert "is taken" in fails(*DQN, "--out", copy)
    assert "no folder" in fails(*DQN, "--out", "no/where")
    if not torch.cuda.is_available():
        assert "no GPU" in fails(*DQN, "--device", "cuda", "--out", "x")
    assert "it has no generations" in fails("show", copy, "--generation", 0)
    assert "not an alpha-beta agent" in fails(*DQN, "--opponents", "uct=1", "--out", "x")
    assert not (tmp_path / "x").exists()
    (copy / "checkpoint.npz").write_bytes(b"PK")
    assert "damaged" in fails("resume", copy, "--games", 200)


def test_a_trained_agent_plays_without_torch(shared: dict[str, Path], tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import evolve\n"
        f"agent = evolve.load_agent({str(shared['mcts'])!r})\n"
        "print(agent.choose(evolve.Board.start()))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert int(ended.stdout) in (19, 26, 37, 44)


def test_settings_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'games = 20\ngames_per_iteration = 20\nlayers = ["dense 8", "dueling"]\ngamma = 0.5\n'
        "panel_openings = 2\n[opponents]\nself = 0.5\nrandom = 0.5\n"
    )
    done("train", "dqn", "--config", "s.toml", "--gamma", "0.25", "--out", "x")
    config: Any = evolve.load_run("x").config
    assert config["gamma"] == 0.25
    assert config["opponents"] == {"self": 0.5, "random": 0.5}
    shown = json.loads(done("show", "x", "--format", "json").out)
    assert np.isfinite(shown[0]["loss"]) or shown[0]["loss"] is None


def test_help_has_examples() -> None:
    for words in (("train",), ("train", "dqn"), ("train", "mcts")):
        out = done(*words, "--help").out
        assert "Examples:" in out
