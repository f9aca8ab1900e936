from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.errors import AgentError, AgentFileError
from tests.agents.conftest import sample_agent


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
        ({"format": "other"}, "no agent file"),
        ({"version": 2}, "version 2"),
        ({"kind": "oracle"}, "oracle"),
        ({"parameters": None}, "parameters"),
        ({"parameters": {"weights": [[0] * 10]}}, "depths is missing"),
        ({"parameters": {"weights": [[0] * 10], "depths": [1], "magic": 1}}, "magic is unknown"),
        ({"parameters": {"weights": [[0] * 9], "depths": [1]}}, "10 numbers"),
        ({"parameters": {"weights": 3, "depths": [1]}}, "weights"),
        ({"rules": "freestyle"}, "freestyle"),
        ({"name": 3}, "name"),
    ],
)
def test_damaged_files_are_refused_with_one_line(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = tmp_path / "agent.json"
    sample_agent().save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(AgentFileError, match=words) as caught:
        evolve.load_agent(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[1]", b"[" * 100_000])
def test_what_is_no_agent_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(AgentFileError, match="no agent file"):
        evolve.load_agent(tmp_path / "x.json")


def test_saving_leaves_nothing_behind_when_it_fails(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        sample_agent().save(tmp_path / "missing" / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_reference_agents_and_settings() -> None:
    swh = evolve.load_agent("swh?depth=3&endgame=4")
    assert isinstance(swh, evolve.AlphaBetaAgent)
    assert (swh.depths, swh.endgame, swh.rules, swh.name) == (
        (3,),
        4,
        None,
        "swh?depth=3&endgame=4",
    )
    anti = evolve.load_agent("anti-swh-mobility", depth=2)
    assert isinstance(anti, evolve.AlphaBetaAgent)
    assert (anti.weights[0][0], anti.mobility, anti.depths, anti.rules) == (
        -100,
        (3,),
        (2,),
        "reversed",
    )
    mobile = evolve.load_agent("swh-mobility")
    assert isinstance(mobile, evolve.AlphaBetaAgent)
    assert (mobile.weights[0][1], mobile.mobility, mobile.depths) == (-25, (3,), (1,))
    zero = evolve.load_agent("zero")
    assert isinstance(zero, evolve.AlphaBetaAgent)
    assert zero.weights == ((0,) * 10,)
    assert isinstance(evolve.load_agent("random?seed=4"), evolve.RandomAgent)


def test_settings_of_a_call_come_before_those_in_the_name() -> None:
    agent = evolve.load_agent("swh?depth=3", depth=2)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert agent.depths == (2,)


@pytest.mark.parametrize(
    "source", ["nobody", "swh?depth", "swh?depth=x", "swh?width=3", "swh?depth=0", "random?depth=1"]
)
def test_what_names_no_agent_is_refused(source: str) -> None:
    with pytest.raises(AgentError):
        evolve.load_agent(source)
