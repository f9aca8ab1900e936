"""Hand-ins: each kind of agent that is exported passes our own check, and plays our matches."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.cli.hand_in import proposed
from tests import networks
from tests.cli import ALPHABETA, Result, done, invoke, match

PATTERNS = (
    *("train", "patterns", "--shapes", "a1-b2", "--round=100", "--checks=2", "--games=200"),
    *("--panel-openings=2", "--search-depth=2", "--depth=3", "--endgame=6"),
    "--probcut-positions=50",
)
POLICY = networks.Architecture("planes", ("dense 8 relu", "policy-value"))


def _network(architecture: Any) -> Any:
    return networks.random_network(architecture, scale=0.5)


AGENTS: dict[str, Any] = {
    "value.npz": lambda: MctsAgent(
        8, 1.1, "puct", 4, rules="standard", network=_network(networks.VALUE)
    ),
    "policy.npz": lambda: MctsAgent(
        8, 1.1, "puct", 4, rules="reversed", network=_network(POLICY), order="value"
    ),
    "dueling.npz": lambda: DqnAgent((_network(networks.DUELING),), 0, rules="standard"),
    "colours.npz": lambda: DqnAgent(
        (_network(networks.PLAIN), _network(networks.PLAIN)), 1, rules="reversed"
    ),
}
"""Agents with networks, by the files that hold them."""

SOURCES = [
    "swh?depth=2",
    "anti-swh-mobility?endgame=4",
    "champion-standard?depth=1",
    "champion-reversed?time=0.05",
    "patterns-standard?depth=1&endgame=4",
    "patterns-reversed?time=0.05",
    *AGENTS,
    "value.npz?time=0.05",
]


@pytest.mark.parametrize("source", SOURCES)
def test_what_we_export_is_checked_and_played(source: str, tmp_path: Path) -> None:
    file = source.partition("?")[0]
    if file in AGENTS:
        AGENTS[file]().save(tmp_path / file)
    done("export", source, "-o", "agent.py")
    found = invoke("check", "agent.py", "--games", 1, "--memory", 200)
    assert found.code == 0, found
    figures = match("python:agent.py", "random", "--games", 2, "--jobs", 1)
    assert figures["games"] == 2
    assert figures["wins"] + figures["draws"] + figures["losses"] == 2


@pytest.mark.learning
@pytest.mark.parametrize(
    ("kind", "layers"), [("dqn", "dense 8 relu, dueling"), ("mcts", "dense 8 relu, dense 1 tanh")]
)
def test_what_is_taught_is_handed_in(kind: str, layers: str, tmp_path: Path) -> None:
    words = ("--games", 2, "--panel-openings", 2, "--layers", layers)
    said = done("train", kind, *words, "--out", "taught").out
    done("export", *_proposed(said)[:-1], "agent.py")
    done("export", "taught", "-o", "agent.py", "--force")
    assert invoke("check", "agent.py", "--games", 1, "--memory", 200).code == 0
    assert match("python:agent.py", "random", "--games", 2, "--jobs", 1)["games"] == 2


def _proposed(out: str) -> list[str]:
    """The words of the export that the line `next:` proposes."""
    line = next(line for line in out.splitlines() if line.startswith("next: "))
    return shlex.split(line.partition("evolve export ")[2].partition(" · ")[0])


def test_what_is_proposed_at_the_end_goes_by_the_clock(
    first_output: tuple[Path, Result], tmp_path: Path
) -> None:
    sweep = done(*ALPHABETA, "--jobs", 1, "--out", "a sweep").out
    train = done(*PATTERNS, "--out", "taught").out
    for folder, out in (
        (str(first_output[0]), first_output[1].out),
        ("a sweep", sweep),
        ("taught", train),
    ):
        words = _proposed(out)
        assert words == [f"{folder}?time=4.5", "-o", "agent.py"]
        assert "as deep as 4.5 s" in done("export", *words, "--force").out
        assert "SECONDS = 4.5" in (tmp_path / "agent.py").read_text(encoding="ascii")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (AGENTS["value.npz"], "export 'runs/a b?time=4.5' -o agent.py"),
        (AGENTS["dueling.npz"], "export 'runs/a b' -o agent.py"),
        (lambda: MctsAgent(network=_network(networks.POLICY)), "export 'runs/a b' -o best.npz"),
        (lambda: evolve.load_agent("uct"), "export 'runs/a b' -o best.json"),
        (lambda: evolve.load_agent("patterns-standard"), "export 'runs/a b?time=4.5' -o agent.py"),
    ],
)
def test_what_is_proposed_can_be_written(made: Any, words: str) -> None:
    assert proposed(made(), Path("runs/a b")) == f"evolve {words}"
