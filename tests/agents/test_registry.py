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
