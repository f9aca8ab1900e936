"""Hand-ins: each kind of agent that is exported passes our own check, and plays our matches."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.cli.hand_in import _choose_source, _contest_agent, _contest_rules, proposed
from tests import networks
from tests.cli import done, fails, invoke, match, misused, program

POLICY = networks.Architecture("planes", ("dense 8 relu", "policy-value"))


def _network(architecture: Any) -> Any:
    return networks.random_network(architecture, scale=0.5)


def _tree(rules: Any, architecture: Any, **order: Any) -> MctsAgent:
    return MctsAgent(8, 1.1, "puct", 4, rules=rules, network=_network(architecture), **order)


AGENTS: dict[str, Any] = {
    "value.npz": lambda: _tree("standard", networks.VALUE),
    "policy.npz": lambda: _tree("reversed", POLICY, order="value"),
    "dueling.npz": lambda: DqnAgent((_network(networks.DUELING),), 0, rules="standard"),
    "colours.npz": lambda: DqnAgent((_network(networks.PLAIN),) * 2, 1, rules="reversed"),
}
"""Agents with networks, by the files that hold them."""

SLOW = (
    *("patterns-standard?depth=1&endgame=4", "patterns-reversed?time=0.05", "policy.npz"),
    *("dueling.npz", "colours.npz", "value.npz?time=0.05"),
)


@pytest.mark.parametrize(
    "source",
    ["anti-swh-mobility?endgame=4", *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW)],
)
def test_what_we_export_is_checked_and_played(source: str, tmp_path: Path) -> None:
    file = source.partition("?")[0]
    if file in AGENTS:
        AGENTS[file]().save(tmp_path / file)
    done("export", source, "-o", "agent.py")
    found = invoke("check", "agent.py", "--games", 1, "--memory", 200)
    assert found.code == 0, found
    figures = match("python:agent.py", "random", "--games", 2, "--jobs", 1)
    assert figures["wins"] + figures["draws"] + figures["losses"] == 2


@pytest.mark.slow
def test_a_hand_in_goes_by_the_clock(first: Path, swept: Path) -> None:
    agents = [_contest_agent(str(one), 5.0, None) for one in (first, swept, "patterns-standard")]
    assert {agent.limit.seconds for agent in agents} == {4.5}


def test_a_hand_in_is_written_checked_and_played(tmp_path: Path) -> None:
    AGENTS["dueling.npz"]().save(tmp_path / "quick.npz")  # it does not think as long as it may
    words = ("hand-in", "quick.npz", "--seconds", 1, "-o")
    said = invoke(*words, "agent.py")
    assert said.code == 0, said
    found = ["imports", "start", "games", "time", "cpu", "memory"]
    assert [line.split()[0] for line in said.lines[1:7]] == found
    assert "exists" in fails(*words, "agent.py")
    piped = program(tmp_path, *words, "-.py")
    assert piped.code == 0, piped.err
    assert piped.out == (tmp_path / "agent.py").read_text()
    ended = invoke(*words, "other.py", "--json", "--memory", 20)
    assert ended.code == 1  # numpy alone has more
    document = ended.document
    assert (document["file"], document["agent"]) == ("other.py", "quick.npz")
    assert (document["good"], document["match"]) == (False, None)
    assert document["findings"][-1]["name"] == "memory"


def test_without_a_name_it_is_the_newest_finished_run(quick: Path, tmp_path: Path) -> None:
    why = " (there is no finished reversed run in runs)"
    assert _choose_source("reversed") == ("patterns-reversed", why)
    for number, name in enumerate(("old", "new", "stopped", "damaged")):
        run = tmp_path / "runs" / name
        shutil.copytree(quick, run)
        os.utime(run / "champion.json", (number, number))
    (tmp_path / "runs/stopped/games/playoff.parquet").unlink()
    (tmp_path / "runs/damaged/config.toml").write_text("[", encoding="utf-8")
    assert _choose_source(None) == ("runs/new", " (the newest finished run)")
    assert _choose_source("reversed")[0] == "runs/new"
    why = " (there is no finished standard run in runs)"
    assert _choose_source("standard") == ("patterns-standard", why)


def test_rules_are_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A guess might lose a contest on purpose: where nothing tells them, and nobody answers."""
    for words in ([], ["swh"], ["swh?depth=1"]):
        misused("hand-in", *words)
    assert not (tmp_path / "agent.py").exists()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    _contest_rules.cache_clear()
    monkeypatch.setattr("click.prompt", lambda *_, **__: "reversed")
    assert _choose_source(None)[0] == "patterns-reversed"
    _contest_rules.cache_clear()


def test_what_no_python_file_can_hold_is_exported() -> None:
    words = "evolve export 'runs/a b' -o best.json"
    assert proposed(evolve.load_agent("uct").stored(), Path("runs/a b")) == words
