"""Agents over REST: lists, and values of moves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.engine.board.squares import square_name
from evolve.records.moves import read_moves
from tests.service import Service

CELLS = "---------------------------OX------XXX--------------------------"


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
    for square in read_moves(moves).squares:
        board = board.play(square)
    analysis = mine.with_rules("reversed").analyse(board)
    assert analysis is not None
    values = {square_name(square): value for square, value in analysis.values.items()}
    assert {one["move"]: one["value"] for one in found["moves"]} == values
    assert (found["side"], found["line"][0]) == ("white", found["moves"][0]["move"])


def test_an_agent_without_an_opinion(service: Service) -> None:
    found = service.post("evaluations", {"agent": "random", "position": {}}, 200)
    assert (found["unit"], found["moves"]) == (None, [])


@pytest.mark.parametrize(
    ("agent", "position", "status"),
    [
        ("swh", {"moves": "a1"}, 422), ("swh", {"moves": "f5 f5"}, 422),
        ("swh", {"moves": "x"}, 422), ("swh", {"rules": "odd"}, 422),
        ("swh?depth=21", {}, 422), ("swh?time=99", {}, 422), ("swh?nonsense=1", {}, 422),
        ("swh?depth=.", {}, 422), ("none", {}, 404), ("run:none", {}, 404),
        ("run:small:9-9", {}, 404), ("upload:0123456789abcdef", {}, 404), ("program:1", {}, 404),
        ("gtp:sh", {}, 404), ("/etc/passwd", {}, 422), ("swh", {"board": "nonsense"}, 422),
        ("swh", {"board": CELLS}, 422), ("swh", {"board": f"{CELLS} X", "moves": "f5"}, 422),
    ],
)  # fmt: skip
def test_what_cannot_be_valued(service: Service, agent: str, position: Any, status: int) -> None:
    asked = {"agent": agent, "position": position}
    (error,) = service.post("evaluations", asked, status)["errors"]
    assert error["pointer"] == (f"/position/{[*position][-1]}" if position else "/agent")
    assert not re.search(f"pattern|{service.runs}", error["detail"])


def test_all_positions_of_a_game_are_valued_in_one_answer(service: Service) -> None:
    asked = {"position": {"moves": "f5 d6 c3"}, "agent": "swh"}
    found = service.post("reviews", asked, 200)["evaluations"]
    positions = [{"moves": moves} for moves in ("", "f5", "f5 d6", "f5 d6 c3")]
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


@pytest.mark.parametrize(
    ("text", "start", "moves"),
    [
        ("1. f5 d6 2. c3 *", None, "f5 d6 c3"),
        (CELLS, f"{CELLS} X;", ""),
        ("(;GM[2]FF[4]SZ[8]PB[a]PW[b];B[f5];W[d6])", None, "f5 d6"),
    ],
)
def test_games_are_pasted(service: Service, text: str, start: str | None, moves: str) -> None:
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
