"""`evolve train`: the run it leaves, resuming it, and all that takes its result, by every kind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.errors import SettingsError
from tests import forks
from tests.cli import command, done, fails, invoke, misused, python
from tests.standalone import differing, load

NETWORK = ("--games-per-iteration=20", "--check-every=20", "--panel-openings=2", "--batch=32")

TRAIN: dict[str, tuple[str, ...]] = {
    "mcts": (
        *("train", "mcts", *NETWORK, "--layers=dense 8 relu, dense 1 tanh", "--simulations=8"),
        *("--check-simulations=4", "--play-simulations=8", "--endgame=4"),
    ),
    "dqn": ("train", "dqn", *NETWORK, "--layers=dense 8 relu, dueling"),
    "patterns": (
        *("train", "patterns", "--shapes", "a1-b2, a1-d1", "--checks=2"),
        *("--panel-openings=2", "--search-depth=2", "--depth=3", "--endgame=6"),
        *("--probcut-positions=50", "--phases=3"),
    ),
}
"""Small trainings, without their ends."""

GAMES = {"mcts": [20, 40, 60], "dqn": [20, 40, 60], "patterns": [300, 600]}
"""The games of their checks, up to the end of a small one."""

SMALL = {kind: (*words, f"--games={GAMES[kind][-1]}") for kind, words in TRAIN.items()}

NETWORKS = [
    pytest.param("mcts", marks=[pytest.mark.learning, pytest.mark.slow]),
    pytest.param("dqn", marks=pytest.mark.learning),
]
networks_alone = pytest.mark.parametrize("kind", NETWORKS)
each_kind = pytest.mark.parametrize("kind", [*NETWORKS, "patterns"])
one_of_each = pytest.mark.parametrize("kind", [NETWORKS[1], "patterns"])


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trained")


@pytest.fixture
def shared(trained: Path, kind: str) -> Path:
    """A finished training of that kind. Look, do not touch."""
    if not (trained / kind).exists():
        done(*SMALL[kind], "--jobs=2", "--out", trained / kind)
    return trained / kind


@pytest.fixture
def copy(shared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared, tmp_path / "copy"))


@each_kind
def test_a_run_like_any_other(kind: str, shared: Path, copy: Path, tmp_path: Path) -> None:
    run, command, games = evolve.load_run(shared), f"train {kind}", GAMES[kind][-1]
    assert (run.command, run.config["rules"]) == (command, "standard")
    assert ("torch" in run.config["versions"]) == (kind != "patterns")
    assert kind == "patterns" or run.metrics["random"].between(0, 1).all()
    rows = done("show", shared, "--format", "json").document
    assert [(row["check"], row["games"]) for row in rows] == [*enumerate(GAMES[kind])]
    assert "champion" in done("show", shared).out
    assert "metrics" in fails("show", shared, "--table", "individuals")
    head, *best = done("show", shared, "--top", 1, "--format", "csv").lines
    assert (head.split(","), len(best)) == (list(run.metrics), 1)
    agent: Any = evolve.load_agent(shared)
    known = agent.provenance
    assert (agent.kind, 0 <= known["score"] <= 1) == (kind, True)
    assert known["elo_low"] < known["elo"] < known["elo_high"]
    assert "standard" in done("show", shared / "champion.npz").out
    document = done("show", shared / "champion.npz", "--format", "json").document
    assert document["kind"] == kind
    (listed,) = done("runs", copy.parent, "--json").document
    found = [listed[key] for key in ("command", "done", "target", "state")]
    assert found == [command, games, games, "done"]
    assert isinstance(listed["done"], int)
    assert listed["score_low"] < listed["score"] < listed["score_high"]
    compared = done("compare", shared, copy, "--json").document
    assert [row["command"] for row in compared] == [command] * 2
    sources = (shared, shared / "champion.npz") if kind == "patterns" else (shared,)
    for number, source in enumerate(sources):
        done("plot", source, "-o", f"{number}.png")
    assert {file.read_bytes()[:4] for file in tmp_path.glob("*.png")} == {b"\x89PNG"}


@pytest.mark.slow
@each_kind
def test_the_result_plays_wherever_agents_play(kind: str, shared: Path, tmp_path: Path) -> None:
    found = done("match", shared, "swh", "--games", 4, "--json").document
    rated = done("rate", shared, "swh", "random", "--games", 2, "--json").document
    assert len(rated["agents"]) == 3
    done("export", shared, "-o", "best.npz")
    again = done("match", "best.npz", "swh", "--games", 4, "--json").document
    assert again["wins"] == found["wins"]
    asked = "evolve-analyze black\ngenmove black\nquit\n"
    engine = forks.run(command("engine", shared, "--protocol", "gtp"), stdin=asked)
    assert engine.returncode == 0
    assert engine.stdout.split()[-2].lower() in ("d3", "c4", "f5", "e6")
    hinted = invoke("play", shared, stdin="hint\nd3\nquit\n")
    done("export", shared, "--to", "python", "-o", "player.py")
    assert ".npz" in fails("export", shared, "-o", "best.json")
    if kind == "patterns":
        slower = done("match", f"{shared}?nodes=500&probcut=0", "random", "--games", 2, "--json")
        assert slower.document["wins"] == 2
        assert re.search("unit forecast depth 3 pv", engine.stdout)
        assert "PatternSearch" in (tmp_path / "player.py").read_text(encoding="ascii")
    else:
        assert "values" in hinted.out
        module = load((tmp_path / "player.py").read_text(encoding="ascii"))
        assert not differing(module, evolve.load_agent(shared), [evolve.Board.start()])
        assert "alpha-beta" in misused("export", shared, "--to", "python", "--numba", "-o", "x.py")


@one_of_each
def test_finished_ones_say_so_and_continue_when_asked(kind: str, copy: Path) -> None:
    more = GAMES[kind][-1] + GAMES[kind][0]
    assert "finished," in done("resume", copy).out
    assert "resuming" in done("resume", copy, "--games", more).out
    run = evolve.load_run(copy)
    assert [*run.metrics["games"]] == [*GAMES[kind], more]
    assert run.config["games"] == more
    assert evolve.load_agent(copy).name.startswith(f"{kind}-")
    misused("resume", copy, "--generations", 5)


@pytest.mark.slow
def test_a_budget_is_kept_and_does_not_count_compilation() -> None:
    """Those of networks are in tests/learning/test_training.py."""
    said = done(*TRAIN["patterns"], "--budget", 1.5, "--jobs=2", "--out", "short").out
    run = evolve.load_run("short")
    assert 1.3 < run.metrics["cpu_seconds"].iloc[-1] < 1.7
    assert len(run.metrics) >= 2
    agent: Any = evolve.load_agent("short")
    assert ("forward" in said) != bool(agent.cuts)


@pytest.mark.parametrize(
    "end", ["--budget=0.01", pytest.param("--games=1", marks=pytest.mark.slow)]
)
def test_too_little_to_learn_from_is_said_in_a_line(end: str) -> None:
    said = done(*TRAIN["patterns"], end, "--out", "short")
    assert len([line for line in said.lines if re.search("few.*--budget", line)]) == 1
    assert "forward" not in said.out
    agent: Any = evolve.load_agent("short")
    assert agent.patterns.weights.any()


@one_of_each
def test_work_that_cannot_be_done(kind: str, shared: Path, tmp_path: Path) -> None:
    assert "generations" in fails("show", shared, "--generation", 0)
    if kind == "dqn":
        assert "alpha-beta" in fails(*SMALL[kind], "--opponents", "uct=1", "--out", "x")
    with pytest.raises(SettingsError, match="panel_openings"):
        evolve.train(kind, tmp_path / "x", panel_openings=0)
    with pytest.raises(SettingsError, match="'pattern'"):
        evolve.train("pattern", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@networks_alone
def test_a_trained_network_plays_without_torch(shared: Path) -> None:
    code = "import sys; sys.modules['torch'] = None\nimport evolve\n"
    code += f"print(evolve.load_agent({str(shared)!r}).choose(evolve.Board.start()))\n"
    ended = python(code)
    assert ended.code == 0, ended
    assert int(ended.out) in (19, 26, 37, 44)
