"""Every kind of agent is named once, and what is not named is an error."""

from __future__ import annotations

import pytest

import evolve
from evolve.agents.agent import StoredAgent
from evolve.agents.registry import KINDS, PROGRAM_FORMS, PROGRAMS, REFERENCES
from evolve.extras import imported


@pytest.mark.parametrize("name", KINDS)
def test_kinds_know_their_name(name: str) -> None:
    kind = imported(KINDS[name])
    assert issubclass(kind, StoredAgent)
    assert kind.kind == name


def test_programs_are_named_by_their_protocol() -> None:
    commands = {"gtp": "sh -c true", "nboard": "sh -c true", "python": __file__}
    assert list(commands) == list(PROGRAMS) == [form.partition(":")[0] for form in PROGRAM_FORMS]
    assert [
        evolve.load_agent(f"{protocol}:{command}").name for protocol, command in commands.items()
    ] == [f"{protocol}:{command}" for protocol, command in commands.items()]


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("swh?depth=3&endgame=4", (100, -25, (0,), (3,), 4, None)),
        ("swh-mobility", (100, -25, (3,), (1,), 0, None)),
        ("anti-swh-mobility?depth=2", (-100, 25, (3,), (2,), 0, "reversed")),
        ("zero", (0, 0, (0,), (1,), 0, None)),
    ],
)
def test_reference_agents_and_settings(name: str, facts: tuple[object, ...]) -> None:
    found = evolve.load_agent(name)
    assert isinstance(found, evolve.AlphaBetaAgent)
    corner, beside = found.weights[0][:2]
    assert (corner, beside, found.mobility, found.depths, found.endgame, found.rules) == facts
    assert found.name == name


@pytest.mark.parametrize("name", [name for name in REFERENCES if name.startswith("champion-")])
def test_champions_come_with_what_evolved_them(name: str) -> None:
    agent = evolve.load_agent(name)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert agent.rules is not None
    assert agent.provenance
