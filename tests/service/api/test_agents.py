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


def test_all_positions_of_a_game_are_valued_in_one_answer(service: Service) -> None:
    moves = "f5 d6 c3"
    asked = {"position": {"moves": moves}, "agent": "swh"}
    found = service.post("reviews", asked, 200)["evaluations"]
    positions = [{"moves": " ".join(moves.split()[:ply])} for ply in range(4)]
    alone = [service.post("evaluations", {"agent": "swh", "position": p}, 200) for p in positions]
    assert [{**one, "seconds": 0} for one in found] == [{**one, "seconds": 0} for one in alone]
    later = service.post("reviews", {**asked, "first": 2}, 200)["evaluations"]
    assert [one["moves"] for one in later] == [one["moves"] for one in found[2:]]


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_coach_values_in_discs_by_both_rules(service: Service, rules: str) -> None:
    found = service.post("reviews", {"position": {"moves": "f5d6", "rules": rules}}, 200)
    assert found["agent"].startswith(f"patterns-{rules}?")
    discs = [[abs(move["discs"]) for move in one["moves"]] for one in found["evaluations"]]
    assert all(len(moves) > 0 and max(moves) <= 64 for moves in discs)


def test_a_game_in_which_a_side_passes_is_valued_to_its_end(service: Service) -> None:
    board = "XXXXXXOX" + "XXXXXXXX" * 6 + "OOOOOO-O X"  # white ends it: black must pass
    found = service.post("reviews", {"position": {"board": board, "moves": "pass g8"}}, 200)
    assert [len(one["moves"]) for one in found["evaluations"]] == [0, 1, 0]


CELLS = "---------------------------OX------XXX--------------------------"


@pytest.mark.parametrize(
    ("text", "start", "moves"),
    [
        ("1. f5 d6 2. c3 *", None, "f5 d6 c3"),
        (CELLS, f"{CELLS} X;", ""),
        ("(;GM[2]FF[4]SZ[8]PB[a]PW[b];B[f5];W[d6])", None, "f5 d6"),
    ],
)
def test_games_and_positions_are_pasted(
    service: Service, text: str, start: str | None, moves: str
) -> None:
    found = service.post("records", {"text": text}, 200)
    (game,) = found["games"]
    assert (found["total"], game["start"], " ".join(game["moves"])) == (1, start, moves)
    position = {"moves": moves, **({} if start is None else {"board": start})}
    service.post("evaluations", {"agent": "swh", "position": position}, 200)


@pytest.mark.parametrize("text", ["", "hello", "f5f5", CELLS[1:], "(;GM[Othello]B[a1];)"])
def test_what_cannot_be_pasted(service: Service, text: str) -> None:
    (error,) = service.post("records", {"text": text}, 422)["errors"]
    assert error["pointer"] == "/text"


def test_of_many_pasted_games_the_first_come_back(service: Service) -> None:
    found = service.post("records", {"text": "f5d6\n" * 30 + "f5f5\n", "rules": "reversed"}, 200)
    assert (found["total"], len(found["games"]), len(found["left_out"])) == (30, 20, 1)
    assert found["games"][0]["rules"] == "reversed"
