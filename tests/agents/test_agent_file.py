"""Agent files: they hold the whole agent, and what is damaged is refused in one line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents import agent_file as files
from evolve.agents.agent import StoredAgent
from evolve.agents.agent_file import _HEADER, write_arrays
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.errors import AgentError, AgentFileError
from tests.agents.conftest import (
    CUTS,
    NETWORK_AGENTS,
    dqn_agent,
    mcts_agent,
    pattern_agent,
    refused,
    sample_agent,
)
from tests.agents.test_mcts import ends


def test_a_file_holds_the_whole_agent(tmp_path: Path) -> None:
    sample_agent().save(tmp_path / "best.json")
    assert evolve.load_agent(tmp_path / "best.json") == sample_agent()
    document = json.loads((tmp_path / "best.json").read_text())
    assert {"format", "version", "kind", "rules", "name", "parameters", "provenance"} == set(
        document
    )
    assert document["format"] == "evolve-agent"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "not an agent file"),
        ({"version": 2}, "version 2"),
        ({"kind": "oracle"}, "oracle"),
        ({"parameters": None}, "parameters"),
        ({"parameters": {"weights": [[0] * 10]}}, "depths is missing"),
        ({"parameters": {"weights": [[0] * 10], "depths": [1], "magic": 1}}, "magic is unknown"),
        ({"parameters": {"weights": [[0] * 9], "depths": [1]}}, "10 numbers"),
        ({"rules": "freestyle"}, "freestyle"),
        ({"name": 3}, "name"),
        ({"provenance": "mine"}, "provenance"),
        *(
            ({"parameters": {"weights": weights, "depths": [1]}}, "weights")
            for weights in ([[0.5] * 10], [[10**30] * 10], "many")
        ),
        ({"parameters": {"weights": [[0] * 10], "depths": [0]}}, "depth"),
    ],
)
def test_damaged_files_are_refused_with_one_line(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = tmp_path / "agent.json"
    sample_agent().save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    refused(path, words)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"5",
        b"[" * 100_000,
        b"9" * 5000,
        b"\xef\xbb\xbf" * 2 + b"{}",
    ],
)
def test_what_is_no_agent_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(AgentFileError, match="not an agent file"):
        evolve.load_agent(tmp_path / "x.json")


def test_saving_leaves_nothing_behind_when_it_fails(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        sample_agent().save(tmp_path / "missing" / "x.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("agent", NETWORK_AGENTS, ids=lambda agent: str(agent.parameters)[:60])
def test_a_file_holds_the_networks_too(agent: StoredAgent, tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    agent.save(path)
    found = evolve.load_agent(path)
    assert isinstance(found, MctsAgent | DqnAgent)
    assert found.parameters == agent.parameters
    assert (found.rules, found.name, found.provenance) == (
        agent.rules,
        agent.name,
        agent.provenance,
    )
    assert [found.choose(board) for board in ends(5, 30)] == [
        agent.choose(board) for board in ends(5, 30)
    ]
    first = path.read_bytes()
    found.save(path)
    assert path.read_bytes() == first
    with np.load(path, allow_pickle=False) as stored:
        assert json.loads(str(stored[_HEADER]))["format"] == "evolve-agent"


def test_names_of_files_say_what_is_in_them(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"\.npz"):
        mcts_agent().save(tmp_path / "x.json")
    with pytest.raises(AgentError, match="network"):
        MctsAgent().save(tmp_path / "x.npz")
    MctsAgent(simulations=33).save(tmp_path / "x.json")
    found = evolve.load_agent(tmp_path / "x.json")
    assert isinstance(found, MctsAgent)
    assert (found.simulations, found.network) == (33, None)


@pytest.mark.parametrize("agent", [dqn_agent(), pattern_agent(cuts=CUTS, probcut=1.0)])
def test_damaged_files(agent: StoredAgent, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    agent.save(path)
    whole = path.read_bytes()
    for size in (0, 3, 10, 500, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:size])
        refused(path, r"x\.npz")
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            evolve.load_agent(path)
        except AgentFileError:
            told += 1
    assert told > 40  # some bytes of an archive mean nothing


def test_nothing_in_a_file_is_run_or_unpacked_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npz"
    with path.open("wb") as file:
        np.savez(file, header=np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(AgentFileError):
        evolve.load_agent(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", b"\0" * (1 << 22))
    monkeypatch.setattr(files, "_LARGEST", 1 << 21)  # 400 MB take seconds to write
    with pytest.raises(AgentFileError, match="unpack"):
        evolve.load_agent(path)
    monkeypatch.undo()
    write_arrays(path, {"x": np.zeros(3)})
    with pytest.raises(AgentFileError, match="header"):
        evolve.load_agent(path)
