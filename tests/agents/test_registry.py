"""Every kind of agent is named once, and what is not named is an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.reference import reference_agent
from evolve.agents.registry import KINDS, PROGRAM_FORMS, PROGRAMS, REFERENCES
from evolve.errors import AgentFileError
from evolve.extras import imported


@pytest.mark.parametrize("name", KINDS)
def test_kinds_know_their_name(name: str) -> None:
    kind = imported(KINDS[name])
    assert issubclass(kind, StoredAgent)
    assert kind.kind == name


@pytest.mark.parametrize("name", REFERENCES)
def test_references_bear_their_name(name: str) -> None:
    agent = reference_agent(name)
    assert isinstance(agent, Agent)
    assert agent.name == name


def test_programs_are_named_by_their_protocol() -> None:
    commands = {"gtp": "sh -c true", "nboard": "sh -c true", "python": __file__}
    assert list(commands) == list(PROGRAMS) == [form.partition(":")[0] for form in PROGRAM_FORMS]
    assert [
        evolve.load_agent(f"{protocol}:{command}").name for protocol, command in commands.items()
    ] == [f"{protocol}:{command}" for protocol, command in commands.items()]


def test_a_file_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "genius.json"
    agent = evolve.load_agent("swh")
    document = {**agent.stored().document, "kind": "genius"}
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(AgentFileError, match=r"genius\.json"):
        evolve.load_agent(path)


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


@pytest.mark.parametrize("name", [name for name in REFERENCES if name.startswith("champion-")])
def test_champions_come_with_what_evolved_them(name: str) -> None:
    agent = reference_agent(name)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert evolve.load_agent(name) == agent
    assert agent.rules is not None
    assert agent.provenance
