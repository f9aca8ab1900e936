"""`evolve train patterns`: the run it leaves, and all that takes its result, without PyTorch."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.patterns import PatternAgent
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

TRAIN = (
    *("train", "patterns", "--shapes", "a1-b2, a1-d1", "--round=100", "--checks=2"),
    *("--panel-openings=2", "--search-depth=2", "--depth=3", "--endgame=6"),
    "--probcut-positions=50",
)
SMALL = (*TRAIN, "--games=600")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A finished training, and what was said. Look, do not touch."""
    folder = tmp_path_factory.mktemp("trained") / "patterns"
    return folder, done(*SMALL, "--jobs=2", "--out", folder).out


@pytest.fixture
def shared(trained: tuple[Path, str]) -> Path:
    return trained[0]


@pytest.fixture
def copy(shared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared, tmp_path / "copy"))


def content(folder: Path) -> tuple[Any, list[bytes]]:
    """The metrics without times, and the champion's weights and cuts."""
    metrics = evolve.load_run(folder).metrics
    kept = metrics[[name for name in metrics if not str(name).endswith("seconds")]]
    agent = evolve.load_agent(folder)
    assert isinstance(agent, PatternAgent)
    rows = kept.astype(object).where(kept.notna(), None).to_numpy().tolist()
    return rows, [array.tobytes() for array in agent.arrays.values()]


def test_what_is_said_while_it_learns(trained: tuple[Path, str]) -> None:
    folder, said = trained
    lines = said.splitlines()
    assert "train patterns · standard · default · seed 0" in lines[0]
    assert lines[1] == "a1-b2, a1-d1; 6 phases; to 600 games; 2 threads"
    assert lines[2].split() == [
        *("check", "games", "steps", "loss", "visited", "elo", "score", "cpu_seconds", "left"),
    ]
    rows = [line.split() for line in lines[3:5]]
    metrics = evolve.load_run(folder).metrics
    assert [row[:2] for row in rows] == [["0", "300"], ["1", "600"]]
    assert [int(row[5]) for row in rows] == [round(elo) for elo in metrics["elo"]]
    ends = [lines[2].index(f"{name} ") + len(name) for name in lines[2].split()[:-1]]
    assert all(line[end - 1] != " " and line[end] == " " for line in lines[3:5] for end in ends)
    assert "all games are played" in lines[5]
    assert re.match(r"best patterns-600: Elo -?\d+ ± \d+ on the ladder, score", lines[6])
    # and nothing of too few games before it
    assert "against the ladder" in lines[6]


@pytest.mark.slow
def test_a_run_like_any_other(shared: Path, copy: Path, tmp_path: Path) -> None:
    run = evolve.load_run(shared)
    assert run.command == "train patterns"
    assert run.config["shapes"] == ["a1-b2", "a1-d1"]
    assert "torch" not in run.config["versions"]
    rows = done("show", shared, "--format", "json").document
    assert [(row["check"], row["games"], row["random"]) for row in rows] == [
        (0, 300, None),
        (1, 600, None),
    ]
    shown = done("show", shared)
    # People see the columns that it fills, programs see all.
    assert shown.lines[0].split() == [
        *("check", "games", "steps", "loss", "score", "elo", "elo_low", "elo_high", "visited"),
        *("cpu_seconds", "accept_seconds", "seconds"),
    ]
    done("show", shared, "-o", "t.txt")
    assert (tmp_path / "t.txt").read_text().split()[:12] == shown.lines[0].split()
    assert "champion patterns-600" in shown.out
    heads = done("show", shared, "--format", "csv").lines[0].split(",")
    assert heads == list(evolve.load_run(shared).metrics)
    text = done("show", shared / "champion.npz").out
    assert "a1 b1 c1 d1" in text
    assert "2 shapes with 12 images, 6 phases" in text
    document = done("show", shared / "champion.npz", "--format", "json").document
    assert document["kind"] == "patterns"
    (listed,) = done("runs", copy.parent, "--json").document
    assert (listed["command"], listed["games"], listed["target"]) == ("train patterns", 600, 600)
    assert listed["state"] == "done"
    assert listed["score_low"] < listed["score"] < listed["score_high"]
    last = evolve.load_run(shared).metrics.iloc[-1]
    assert [listed[key] for key in ("elo", "elo_low", "elo_high")] == [
        last[key] for key in ("elo", "elo_low", "elo_high")
    ]
    interval = f"{last['elo']:.0f} ± {(last['elo_high'] - last['elo_low']) / 2:.0f}"
    assert interval in done("runs", copy.parent).lines[-1]
    assert f"Elo {interval} on the ladder" in shown.out
    compared = done("compare", shared, copy, "--json").document
    assert [row["command"] for row in compared] == ["train patterns"] * 2
    assert "best_ladder_score" in done("compare", shared, copy).out
    done("plot", shared, "-o", "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    done("plot", shared / "champion.npz", "-o", "q.png")
    assert (tmp_path / "q.png").read_bytes().startswith(b"\x89PNG")


def test_the_result_plays_wherever_agents_play(shared: Path, tmp_path: Path) -> None:
    found = done("match", shared, "swh", "--games", 4, "--json").document
    assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 4
    slower = done("match", f"{shared}?nodes=500&probcut=0", "random", "--games", 2, "--json")
    assert slower.document["wins"] == 2
    rated = done("rate", shared, "swh", "random", "--games", 2, "--json").document
    assert len(rated["agents"]) == 3
    done("export", shared, "-o", "best.npz")
    again = done("match", "best.npz", "swh", "--games", 4, "--json").document
    assert again["wins"] == found["wins"]
    asked = "evolve-analyze black\ngenmove black\nquit\n"
    engine = forks.run(command("engine", shared, "--protocol", "gtp"), stdin=asked)
    assert engine.returncode == 0
    assert "unit forecast depth 3 pv" in engine.stdout
    hinted = invoke("play", shared, stdin="hint\nd3\nquit\n")
    assert "discs that it expects, ±" in hinted.out
    done("export", shared, "--to", "python", "-o", "x.py")
    assert "class PatternSearch" in (tmp_path / "x.py").read_text(encoding="ascii")
    assert ".npz" in fails("export", shared, "-o", "best.json")


def test_finished_ones_say_so_and_go_on_when_asked(copy: Path) -> None:
    assert "is finished, 600 games" in done("resume", copy).out
    out = done("resume", copy, "--games", 900).out
    assert "resuming after 600 games" in out
    run = evolve.load_run(copy)
    assert run.metrics["games"].tolist()[-1] == 900
    assert run.metrics["games"].is_monotonic_increasing
    assert run.config["games"] == 900
    assert evolve.load_agent(copy).name == "patterns-900"
    assert "--generations is not for" in misused("resume", copy, "--generations", 5)


def killed(folder: Path, seconds: float) -> None:
    """Kill a training so long after its folder is there, unless it has ended; then go on."""
    process = spawn(folder.parent, *SMALL, "--jobs=2", "--out", folder.name)
    wait_until((folder / "config.toml").exists, process)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    finish(process)
    done("resume", folder)


@pytest.mark.slow
def test_kill_and_resume_ends_as_if_nothing_had_been(shared: Path, tmp_path: Path) -> None:
    process = spawn(tmp_path, *SMALL, "--out", "killed")
    folder = tmp_path / "killed"
    wait_until((folder / "checkpoint.npz").exists, process)
    process.kill()
    finish(process)
    # What a writer leaves that was killed between a check's metrics and its checkpoint.
    count = len(list((folder / "metrics").glob("check-*")))
    shutil.copy(
        folder / "metrics" / "check-0000.parquet", folder / f"metrics/check-{count:04d}.parquet"
    )
    (folder / ".writing-x").write_bytes(b"half")
    done("resume", "killed")
    assert content(folder) == content(shared)
    assert not (folder / ".writing-x").exists()


@pytest.mark.slow
def test_killed_at_any_moment_it_ends_as_if_nothing_had_been(shared: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for kill in range(2):  # at every write of its files: tests/faults/test_trainings.py
        folder = tmp_path / f"killed-{kill}"
        killed(folder, float(rng.uniform(0.0, 5.0)))
        assert content(folder) == content(shared), kill


def test_ctrl_c_ends_after_the_games_in_hand(tmp_path: Path) -> None:
    process = spawn(tmp_path, *TRAIN, "--games=100000000", "--checks=1000", "--out", "long")
    # Games are played from then on.
    wait_until((tmp_path / "long" / "config.toml").exists, process)
    process.send_signal(signal.SIGINT)
    ended = finish(process)
    assert ended.code in INTERRUPTED, ended
    assert "Traceback" not in ended.err


@pytest.mark.slow
def test_a_budget_is_kept_and_does_not_count_compilation() -> None:
    told = done(*TRAIN, "--budget", 1.5, "--jobs=2", "--out", "short").out
    assert ("the agent makes no forward cuts" in " ".join(told.split())) != bool(
        evolve.load_agent("short").cuts
    )
    run = evolve.load_run("short")
    assert 1.3 < run.metrics["cpu_seconds"].iloc[-1] < 1.7
    assert len(run.metrics) >= 2


@pytest.mark.parametrize(
    "end", ["--budget=0.01", pytest.param("--games=1", marks=pytest.mark.slow)]
)
def test_too_little_to_learn_from_is_said_in_a_line(end: str) -> None:
    lines = done(*TRAIN, end, "--out", "short").lines
    (line,) = [line for line in lines if "too few games to learn from" in line]
    assert "higher --budget (60 by default)" in line
    assert "forward cuts" not in "".join(lines)
    assert evolve.load_agent("short").patterns.weights.any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--shapes=corners"], "not part of a shape"),
        (["--shapes=corner, corner"], "image"),
        (["--shapes=a1-h2"], "16 squares"),
        (["--last-rate=0.5"], "not be over search_rate"),
        (["--probcut=0.05"], "0.1 or more"),
        (["--phases=0"], "phases"),
        (["--greedy=2"], "greedy"),
        (["--preset=weak"], "weak"),
        (["--layers=dense 1"], "no such option"),
    ],
)
def test_settings_that_cannot_be(options: list[str], words: str, tmp_path: Path) -> None:
    assert words in misused("train", "patterns", *options).lower()
    assert list(tmp_path.iterdir()) == []


def test_work_that_cannot_be_done(copy: Path) -> None:
    assert "is taken" in fails(*SMALL, "--out", copy)
    assert "no folder" in fails(*SMALL, "--out", "no/where")
    assert "it has no generations" in fails("show", copy, "--generation", 0)
    whole = (copy / "checkpoint.npz").read_bytes()
    (copy / "checkpoint.npz").write_bytes(whole[: len(whole) // 2])
    assert "damaged" in fails("resume", copy, "--games", 900)
    (copy / "checkpoint.npz").write_bytes(whole)
    config = copy / "config.toml"
    config.write_text(config.read_text().replace("round = 100", "round = 101"))
    assert "of other settings" in fails("resume", copy, "--games", 900)


@pytest.mark.slow
def test_settings_from_a_file() -> None:
    Path("s.toml").write_text('games = 20\nshapes = ["a1-b2"]\nphases = 2\npanel_openings = 2\n')
    options = ("--phases", 3, "--probcut", 0, "--depth", 2)
    done("train", "patterns", "--config", "s.toml", *options, "--out", "x")
    config = evolve.load_run("x").config
    assert (config["shapes"], config["phases"], config["probcut"]) == (["a1-b2"], 3, 0.0)


@pytest.mark.slow
def test_all_of_it_goes_without_torch(shared: Path, tmp_path: Path) -> None:
    """A training, going on with it and its agent, where PyTorch cannot be loaded."""
    code = (
        "import json, sys\n"
        "sys.modules['torch'] = None\n"
        "from evolve.cli.main import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        main(words)\n"
        "    except SystemExit as ended:\n"
        "        assert ended.code in (0, None), words\n"
    )
    lines = [[*SMALL, "--out=x"], ["resume", "x"], ["match", "x", "random", "--games=2"]]
    run = [sys.executable, "-c", code, json.dumps(lines)]
    ended = subprocess.run(
        run, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "x is finished" in ended.stdout
    assert content(tmp_path / "x") == content(shared)


def test_help_has_examples_and_groups() -> None:
    out = done("train", "patterns", "--help").out
    for words in (
        "Examples:",
        "The patterns:",
        "First part: temporal differences:",
        "Second part: searched games:",
        "Checks, and when to end:",
        "The agent, as it plays:",
    ):
        assert words in out, words
    assert "PyTorch" in done("train", "--help").out
