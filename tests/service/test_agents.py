"""Agents by id, values of moves, and games of people."""

from __future__ import annotations

import base64
import io
import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.agents.registry import parse_name
from evolve.arena.person import rating_text
from evolve.errors import RunError
from evolve.runs.loading import load_agent
from evolve.service.agents import LIMITS, Agents
from evolve.service.folders import Folders
from evolve.service.responses import ProblemError
from tests.service import Service
from tests.service.inside import App


def upload(service: Service, name: str, content: bytes, status: int = 201) -> Any:
    data = base64.b64encode(content).decode()
    return service.post("agents", {"name": name, "data": data}, status)


def test_a_whole_game_with_moves_taken_back(service: Service) -> None:
    (row,) = service.get("runs/small/generations/0/individuals?limit=1")["items"]
    agent = f"run:small:{row['individual']}?depth=1&endgame=4"
    play = service.post("plays", {"agent": agent, "side": "white"}, 201)
    assert (play["rules"], len(play["moves"])) == ("reversed", 1)
    draw, moves = random.Random(1), f"plays/{play['id']}/moves"
    one = service.post(moves, {"move": play["legal"][0]}, 200)
    assert len(one["moves"]) == 3
    assert service.post(moves, {"move": "undo"}, 200) == {**play, "rated": False}
    service.post(moves, {"move": "undo"}, 422)
    service.post(moves, {"move": "a1"}, 409)
    service.post(moves, {"move": play["legal"][0], "ply": 9}, 409)
    while play["to_move"] is not None:
        asked = {"move": draw.choice(play["legal"]), "ply": len(play["moves"])}
        play = service.post(moves, asked, 200)
    fewer = "won" if play["discs_white"] < play["discs_black"] else "lost"
    assert play["result"] in (fewer, "draw")
    assert service.get(f"plays/{play['id']}") == play
    record = service.client.get(f"plays/{play['id']}/game.ggf")
    assert "PW[person]" in record.text
    page = service.client.get(f"plays/{play['id']}/game.html")
    assert page.headers["content-type"].startswith("text/html")
    assert f"black {play['discs_black']}, white {play['discs_white']} " in page.text
    assert "– person</h1>" in page.text
    service.post(moves, {"move": "a1"}, 409)


def test_a_game_is_given_up_and_taken_up_again(service: Service) -> None:
    play = service.post("plays", {"agent": "random", "moves": "f5 d6"}, 201)
    moves = f"plays/{play['id']}/moves"
    gone = service.post(moves, {"move": "resign", "ply": 2}, 200)
    over = {"result": "lost", "resigned": True, "to_move": None, "legal": []}
    assert gone == {**play, **over}
    assert "-64.00:r" in service.client.get(f"plays/{play['id']}/game.ggf").text
    service.post(moves, {"move": "resign"}, 409)
    service.post(moves, {"move": play["legal"][0]}, 409)
    assert service.post(moves, {"move": "undo"}, 200) == play


def test_games_with_rated_agents_count_for_ones_own_rating(
    own_user: None, local: App, tmp_path: Path
) -> None:
    """Each rules apart; not those of agents without an Elo, from elsewhere, or taken back."""

    def give_up(agent: str, *words: str, **how: str) -> None:
        play = local.post("plays", {"agent": agent, "rules": "reversed", **how}, 201)
        for word in ("resign", *words):
            local.post(f"plays/{play['id']}/moves", {"move": word}, 200)

    def games() -> list[int]:
        kept = json.loads((tmp_path / "data/played.json").read_text())
        counts = Counter(one["rules"] for one in kept)
        return [counts["standard"], counts["reversed"]]

    give_up("level-1", moves="d3")
    give_up("run:small", side="white")
    assert games() == [0, 2]
    give_up("level-1", "undo")
    give_up("level-1", moves="d3 c5 d6")
    give_up("level-1?depth=1")
    give_up("run:small:0-1")
    assert games() == [0, 2]
    give_up("level-1", rules="standard")
    give_up("level-2")
    assert games() == [1, 3]
    assert local.get("rating?rules=reversed")["text"] == rating_text("reversed")
    (tmp_path / "data/played.json").write_text("[1]")
    give_up("level-1")  # and so the game goes on
    local.get("rating?rules=reversed", 422)
    assert (tmp_path / "data/played.json").read_text() == "[1]"


def test_a_game_from_a_position(service: Service) -> None:
    board = "---------------------------OX------XXX-------------------------- O"
    asked = {"agent": "random", "board": board, "side": "white", "rules": "reversed"}
    play = service.post("plays", asked, 201)
    assert (play["start"], play["moves"], play["to_move"]) == (f"{board};", [], "white")
    one = service.post(f"plays/{play['id']}/moves", {"move": "d6", "ply": 0}, 200)
    assert one["moves"][0] == "d6"
    assert service.post(f"plays/{play['id']}/moves", {"move": "undo"}, 200) == play
    ggf = service.client.get(f"plays/{play['id']}/game.ggf").text
    assert service.post("records", {"text": ggf}, 200)["games"][0]["start"] == play["start"]
    wrong = service.post("plays", {**asked, "board": "x"}, 422)
    assert wrong["errors"][0]["pointer"] == "/board"


def test_an_upload_plays(service: Service, runs: Path) -> None:
    content = (runs / "small/champion.json").read_bytes()
    found = upload(service, "friend.json", content)
    assert found["kind"] == "alphabeta"
    assert upload(service, "again.json", content)["id"] == found["id"]
    position = {"agent": f"{found['id']}?depth=1", "position": {}}
    assert len(service.post("evaluations", position, 200)["moves"]) == 4
    assert found["id"] in [one["id"] for one in service.get("agents?limit=500")["items"]]
    assert service.client.delete(f"agents/{found['id']}").status_code == 204
    service.post("evaluations", position, 404)
    assert service.client.delete("agents/swh").status_code == 409


def pickled() -> bytes:
    file = io.BytesIO()
    np.savez(file, header=np.array([print], dtype=object))
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", b""), ("x.json", b"{}"), ("x.json", b"[" * 100_000),
        ("x.json", b'{"format": "evolve-agent", "version": 1, "kind": "alphabeta"}'),
        ("x.npz", b"PK\x03\x04"), ("x.npz", pickled()), ("x.py", b"print(1)"), ("../x", b"{}"),
    ],
    ids=range(8),
)  # fmt: skip
def test_uploads_of_no_agents(service: Service, runs: Path, name: str, content: bytes) -> None:
    found = upload(service, name, content, 422)
    assert found["errors"][0]["pointer"] in ("/data", "/name")
    assert str(runs) not in found["detail"]
    assert not list((runs / ".service/agents/uploads").iterdir())
    assert not list((runs / ".service/tmp").iterdir())


def test_a_client_sets_nothing_that_a_program_is_started_with(tmp_path: Path) -> None:
    programs = ("python:a.py", "gtp:b --x?cwd=/tmp&time=1", "nboard:c")
    agents = Agents(Folders(tmp_path), programs)
    for setting in ("memory=1048576", "cwd=1", "margin=9", "clock=60", "nonsense=1"):
        for name in ("program:1", "program:2", "program:3", "swh"):
            with pytest.raises(ProblemError, match="service"):
                agents.source(f"{name}?{setting}")
    with pytest.raises(ProblemError, match="time"):
        agents.source("program:2?time=9")
    assert agents.source("program:1?time=3") == "python:a.py?time=3"
    settings = parse_name(agents.source("program:2?seed=3")).settings
    assert settings == {"cwd": "/tmp", "time": 1, "seed": 3}
    allowed = (*programs, "python:a.py?time=3", "nboard:c?depth=2")
    assert all(map(agents.allows, allowed)), "a run with these goes on"
    others = ("gtp:b", "python:a.py?cwd=/", "nboard:c d", "nboard:c?time=99", "swh")
    assert not [strange for strange in others if agents.allows(strange)]
    kinds = (load_agent("swh"), load_agent("random"), load_agent("patterns-standard"))
    assert not [kind for kind in kinds if not set(kind.settings) <= set(LIMITS)]


def test_a_champion_has_the_elo_of_its_run(service: Service) -> None:
    run = service.get("runs/small")
    listed = service.get("agents?limit=500")["items"]
    (ratings,) = (one["ratings"] for one in listed if one["id"] == "run:small")
    assert [(one["rules"], one["elo"]) for one in ratings] == [(run["rules"], round(run["elo"]))]


@pytest.fixture
def agents(runs: Path, tmp_path: Path) -> Agents:
    """Those of a run, a run of a study, an upload and programs."""
    shutil.copytree(runs / "small", tmp_path / "runs/small")
    shutil.copytree(runs / "small", tmp_path / "runs/two/seed-0")
    (tmp_path / "runs/two/study.toml").write_text("")
    (tmp_path / "runs/.service/agents/uploads").mkdir(parents=True)
    champion = runs / "small/champion.json"
    shutil.copy(champion, tmp_path / "runs/.service/agents/uploads/0123456789abcdef.json")
    (tmp_path / "runs/empty").mkdir()
    (tmp_path / "runs/empty/config.toml").touch()
    return Agents(Folders(tmp_path / "runs"), ("gtp:a", "gtp:b --x?time=1", "gtp:a?cwd=/tmp"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("run:none", "no run none"), ("run:empty", "no champion of empty yet"),
        ("run:small:x", "no individual 'x'"), ("run:..", "not the name of a run"),
        ("run:study+..", "no run"), ("run:.service", "not the name"), ("upload:../x", "not the id"),
        ("upload:0000000000000000", "no agent"), ("/runs/small", "not the id"),
        ("small", "no agent"), ("gtp:true", "no agent gtp:true"), ("", "not the id"),
    ],
)  # fmt: skip
def test_an_id_is_no_path_and_no_command(agents: Agents, name: str, why: str) -> None:
    with pytest.raises((ProblemError, RunError), match=why):
        agents.source(name)


def test_agents_of_a_run_are_shown_by_their_ids(agents: Agents, tmp_path: Path) -> None:
    names = [
        "swh?depth=2", "run:small", "run:small:0-1?depth=2", "run:two+seed-0",
        "upload:0123456789abcdef", "program:1", "program:1?time=2", "program:2",
        "program:2?depth=3", "program:3",
    ]  # fmt: skip
    assert [agents.id_of(agents.source(name)) for name in names] == names
    assert agents.id_of("runs/small/champion.json?depth=2") == "run:small?depth=2", "as typed"
    trial = tmp_path / "runs/small/trials/trial-0001.json"
    assert agents.id_of(str(trial)) == "runs/small/trials/trial-0001.json"
    assert agents.id_of("/elsewhere/small") == "/elsewhere/small"


def test_settings_of_a_run_come_back_as_those_of_a_form(local: App, tmp_path: Path) -> None:
    config = local.folders.run("small") / "config.toml"
    config.write_text(f'start_from = "{config.parent}"\n{config.read_text()}')
    answers = [local.get("runs/small"), local.get("compare?run=small")]
    assert str(tmp_path) not in json.dumps(answers)
    assert answers[0]["settings"]["start_from"] == "run:small"
