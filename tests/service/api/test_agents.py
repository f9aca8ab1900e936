"""Agents over REST: lists, and values of moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evolve
from tests.service import Service


def test_agents_are_listed(service: Service) -> None:
    found = {one["id"]: one for one in service.get("agents?limit=500")["items"]}
    assert found["champion-reversed"]["rules"] == "reversed"
    assert found["run:small"]["origin"] == "run"
    assert service.get("agents?q=swh&limit=1")["next"]


@pytest.mark.parametrize("agent", ["swh?depth=2", "run:small", "patterns-standard?depth=3"])
def test_values_are_those_of_the_agent(service: Service, runs: Path, agent: str) -> None:
    moves = "f5 d6 c3 d3 c4"
    asked = {"agent": agent, "position": {"moves": moves, "rules": "reversed"}}
    found = service.post("evaluations", asked, 200)
    mine = evolve.load_agent(agent.replace("run:small", str(runs / "small")))
    board = evolve.Board.start()
    for move in moves.split():
        board = board.play("abcdefgh".index(move[0]) + 8 * (int(move[1]) - 1))
    analysis = mine.with_rules("reversed").analyse(board)
    assert analysis is not None
    assert found["side"] == "white"
    assert {one["move"]: one["value"] for one in found["moves"]} == {
        "abcdefgh"[square % 8] + str(square // 8 + 1): value
        for square, value in analysis.values.items()
    }
    assert found["line"][0] == found["moves"][0]["move"]


def test_an_agent_without_an_opinion(service: Service) -> None:
    found = service.post("evaluations", {"agent": "random", "position": {}}, 200)
    assert (found["unit"], found["moves"]) == (None, [])


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"agent": "swh", "position": {"moves": "a1"}}, 422),
        ({"agent": "swh", "position": {"moves": "f5 f5"}}, 422),
        ({"agent": "swh", "position": {"moves": "x"}}, 422),
        ({"agent": "swh", "position": {"rules": "odd"}}, 422),
        ({"agent": "swh?depth=21", "position": {}}, 422),
        ({"agent": "swh?time=99", "position": {}}, 422),
        ({"agent": "swh?nonsense=1", "position": {}}, 422),
        ({"agent": "swh?depth=.", "position": {}}, 422),
        ({"agent": "none", "position": {}}, 404),
        ({"agent": "run:none", "position": {}}, 404),
        ({"agent": "run:small:9-9", "position": {}}, 404),
        ({"agent": "upload:0123456789abcdef", "position": {}}, 404),
        ({"agent": "program:1", "position": {}}, 404),
        ({"agent": "gtp:sh", "position": {}}, 404),
        ({"agent": "/etc/passwd", "position": {}}, 422),
    ],
)
def test_what_cannot_be_valued(service: Service, asked: Any, status: int) -> None:
    (error,) = service.post("evaluations", asked, status)["errors"]
    faulty = "/position/" if asked["position"] else "/agent"
    assert error["pointer"].startswith(faulty)
    assert str(service.runs) not in error["detail"]
    assert "pattern" not in error["detail"]
