"""Agents by id, values of moves, and games of people."""

from __future__ import annotations

import base64
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.engine.board.board import Board
from tests.service import Service


def upload(service: Service, name: str, content: bytes, status: int = 201) -> Any:
    data = base64.b64encode(content).decode()
    return service.post("agents", {"name": name, "data": data}, status)


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


@pytest.mark.parametrize(
    "moves",
    ["F5D6C3", "1. f5 d6 2. c3", "f5-d6-c3", " f5, d6, c3 ", "1: F5 2: D6 3: C3", "f5d6c3 *"],
)
def test_moves_are_read_as_people_write_them(service: Service, moves: str) -> None:
    def asked(text: str) -> Any:
        position = {"moves": text}
        found = service.post("evaluations", {"agent": "swh", "position": position}, 200)
        return found["side"], found["moves"]

    assert asked(moves) == asked("f5 d6 c3")
    play = service.post("plays", {"agent": "swh", "moves": moves}, 201)
    assert play["moves"][:3] == ["f5", "d6", "c3"]
    name = f" 1. {play['legal'][0].upper()} "
    made = service.post(f"plays/{play['id']}/moves", {"move": name}, 200)
    assert made["moves"][len(play["moves"])] == play["legal"][0]
    service.post(f"plays/{play['id']}/moves", {"move": "z9"}, 422)


def test_boards_are_read_as_people_write_them(service: Service) -> None:
    board = Board.start().play(37).play(43)
    cells = board.cells()
    rows = "\n".join(cells[place : place + 8] for place in range(0, 64, 8))

    def asked(status: int = 200, **position: str) -> Any:
        return service.post("evaluations", {"agent": "swh", "position": position}, status)

    known = asked(moves="f5 d6")["moves"]
    stars = cells.replace("X", "*")
    for text in (f"{cells} X", f"{rows}\nblack to move", f"[8 {stars} *]", str(board)):
        assert asked(board=text)["moves"] == known
    white = Board.start().play(37).cells()
    assert asked(board=f"{white} O", moves="D6")["moves"] == known
    for text in (cells, f"{cells[1:]} X", "nonsense"):
        (error,) = asked(422, board=text)["errors"]
        assert error["pointer"] == "/position/board"
    assert asked(422, board=f"{cells} X", moves="f5")["errors"][0]["pointer"] == "/position/moves"


def test_moves_that_cannot_be_made(service: Service) -> None:
    asked = {"agent": "random", "moves": "a1"}
    assert service.post("plays", asked, 422)["errors"][0]["pointer"] == "/moves"
    play = service.post("plays", {"agent": "random"}, 201)
    found = service.post(f"plays/{play['id']}/moves", {"move": "a1"}, 409)
    assert found["errors"][0]["pointer"] == "/move"


def test_a_whole_game_with_moves_taken_back(service: Service, runs: Path) -> None:
    individual = service.get("runs/small/generations/0/individuals?limit=1")["items"][0]
    agent = f"run:small:{individual['individual']}?depth=2"
    play = service.post("plays", {"agent": agent, "side": "white"}, 201)
    assert (play["rules"], len(play["moves"])) == ("reversed", 1)
    draw = random.Random(1)
    one = service.post(f"plays/{play['id']}/moves", {"move": play["legal"][0]}, 200)
    back = service.post(f"plays/{play['id']}/moves", {"move": "undo"}, 200)
    assert (back["moves"], back["board"]) == (play["moves"], play["board"])
    assert len(one["moves"]) == 3
    service.post(f"plays/{play['id']}/moves", {"move": "undo"}, 422)
    service.post(f"plays/{play['id']}/moves", {"move": "a1"}, 409)
    service.post(f"plays/{play['id']}/moves", {"move": play["legal"][0], "ply": 9}, 409)
    while play["to_move"] is not None:
        move = draw.choice(play["legal"])
        asked = {"move": move, "ply": len(back["moves"])}
        back = play = service.post(f"plays/{play['id']}/moves", asked, 200)
    fewer = "won" if play["discs_white"] < play["discs_black"] else "lost"
    assert play["result"] in (fewer, "draw")
    assert service.get(f"plays/{play['id']}") == play
    record = service.client.get(f"plays/{play['id']}/game.ggf")
    assert "PW[person]" in record.text
    service.post(f"plays/{play['id']}/moves", {"move": "a1"}, 409)


def test_an_upload_plays(service: Service, runs: Path) -> None:
    content = (runs / "small/champion.json").read_bytes()
    found = upload(service, "friend.json", content)
    assert found["kind"] == "alphabeta"
    assert upload(service, "again.json", content)["id"] == found["id"]
    position = {"agent": f"{found['id']}?depth=1", "position": {}}
    assert len(service.post("evaluations", position, 200)["moves"]) == 4
    listed = [one["id"] for one in service.get("agents?limit=500")["items"]]
    assert found["id"] in listed
    assert service.client.delete(f"agents/{found['id']}").status_code == 204
    service.post("evaluations", position, 404)
    assert service.client.delete("agents/swh").status_code == 409


def bomb() -> bytes:
    """An archive that says it is an agent, and unpacks to gigabytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        head = io.BytesIO()
        np.save(head, np.array(json.dumps({"format": "evolve-agent"})))
        archive.writestr("header.npy", head.getvalue())
        with archive.open("weights-00.npy", "w", force_zip64=True) as member:
            for _ in range(600):
                member.write(bytes(1 << 20))
    return file.getvalue()


def pickled() -> bytes:
    file = io.BytesIO()
    np.savez(file, header=np.array([print], dtype=object))
    return file.getvalue()


# A function where making it takes seconds: otherwise each collection of any tests would wait.
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", b""),
        ("x.json", b"{}"),
        ("x.json", b'{"format": "evolve-agent", "version": 1, "kind": "alphabeta"}'),
        ("x.json", b"[" * 100_000),
        ("x.npz", b"PK\x03\x04"),
        ("x.npz", pickled()),
        ("x.npz", bomb),
        ("x.py", b"print(1)"),
        ("../x", b"{}"),
    ],
    ids=range(9),
)
def test_uploads_that_are_no_agents(
    service: Service, runs: Path, name: str, content: bytes | Callable[[], bytes]
) -> None:
    found = upload(service, name, content() if callable(content) else content, 422)
    assert found["errors"][0]["pointer"] in ("/data", "/name")
    assert str(runs) not in found["detail"]
    assert not list((runs / ".service/agents/uploads").iterdir())
    assert not list((runs / ".service/tmp").iterdir())
