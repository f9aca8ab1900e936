"""Agents and their names: what is a name in a text, and what a setting; what is not named."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.agents import registry
from evolve.agents.registry import PROGRAMS, located, parse_name, why_not, words_of
from evolve.errors import AgentError, EngineError
from evolve.programs.external import ExternalAgent
from evolve.runs.loading import individual_agent
from evolve.service.engine_worker import describe
from tests.cli import ROOT
from tests.programs.test_external import ENGINE

PLACE = """
import os, sys
sys.exit(f"{os.getcwd()} is {open('here.txt').read()}")
"""


@pytest.mark.parametrize(
    ("text", "place", "settings"),
    [
        ("swh?depth=3", "swh", {"depth": 3}),
        ("best.json?depth=3&time=.5", "best.json", {"depth": 3, "time": 0.5}),
        ("gtp:engine -x?time=5", "gtp:engine -x", {"time": 5}),
        ("gtp:engine what?", "gtp:engine what?", {}),
        ("gtp:engine --x a?b=1 --y", "gtp:engine --x a?b=1 --y", {}),
        ("gtp:engine 'a?b=1'", "gtp:engine 'a?b=1'", {}),
        ("gtp:engine?cwd=/my dir", "gtp:engine", {"cwd": "/my dir"}),
        ("gtp:engine?time=5&cwd=/a b&c", "gtp:engine", {"time": 5, "cwd": "/a b&c"}),
        (r"gtp:e?cwd=C:\R&D&time=2", "gtp:e", {"cwd": r"C:\R&D", "time": 2}),
        ("gtp:engine?cwd=/what?&time=1", "gtp:engine", {"cwd": "/what?", "time": 1}),
        ("nboard:engine?cwd=x?time=3", "nboard:engine", {"cwd": "x", "time": 3}),
        ("gtp:engine --k a?b=1?time=3", "gtp:engine --k a?b=1", {"time": 3}),
        ("python:a.py:AI?memory=90", "python:a.py:AI", {"memory": 90}),
        ("python:it's.py?time=5", "python:it's.py", {"time": 5}),
        ('python:a "b.py:AI?time=5&memory=90', 'python:a "b.py:AI', {"time": 5, "memory": 90}),
        ("python:it's mine/my ai.py?cwd=it's", "python:it's mine/my ai.py", {"cwd": "it's"}),
        ("gtp:./e --x {x:1:5}?time=1", "gtp:./e --x {x:1:5}", {"time": 1}),
        ("gtp:./e?x={x:1:5}", "gtp:./e?x={x:1:5}", {}),
    ],
)
def test_settings_follow_the_right_mark(text: str, place: str, settings: dict[str, Any]) -> None:
    found = parse_name(text)
    assert (found.base, found.settings) == (place, settings)


@pytest.mark.parametrize("name", ["a?b.json", "what? it is.json", "x?depth=9.json"])
def test_files_with_question_marks(name: str, tmp_path: Path) -> None:
    evolve.load_agent("swh").stored().save(tmp_path / name)
    found = [evolve.load_agent(f"{tmp_path / name}{end}").name for end in ("", "?depth=3")]
    assert found == ["swh", "swh?depth=3"]


@pytest.mark.parametrize("name", ["my runs", "runs?x=1", "what?/now?"])
def test_runs_in_folders_with_odd_names(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name / "my run?"
    shutil.copytree(ROOT / "tests/cli/run-0.2", folder)
    assert parse_name(f"{folder}?depth=4") == (str(folder), "depth=4")
    champion = evolve.load_agent(folder)
    assert evolve.load_agent(f"{folder}?depth=2").name == f"{champion.name}?depth=2"
    sources = (f"{folder}", f"{folder}?depth=2", f"run:{folder}:0-0?depth=1")
    assert {describe(source)["kind"] for source in sources} == {"alphabeta"}


def test_an_individual_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests/cli/run-0.2", tmp_path / "kept")
    monkeypatch.chdir(tmp_path)
    one = evolve.load_agent("run:kept:0-1?depth=2")
    assert isinstance(one, evolve.AlphaBetaAgent)
    assert one.name == "0-1?depth=2"
    assert {*one.depths} == {2}
    assert one.parameters["weights"] == individual_agent("kept", "0-1").parameters["weights"]
    assert evolve.load_agent("run:kept") == evolve.load_agent("kept")
    found = parse_name(f"run:{tmp_path}/kept:0-1")
    assert (found.path, found.individual) == (tmp_path / "kept", "0-1")
    with pytest.raises(AgentError, match="0-999"):
        evolve.load_agent("run:kept:0-999")
    with pytest.raises(AgentError, match="'run:none'"):
        evolve.load_agent("run:none")
    Path("run:kept").mkdir()
    with pytest.raises(AgentError, match="champion"):
        evolve.load_agent("run:kept")  # a folder of that name comes first


def program_at(path: Path, command: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell")
@pytest.mark.parametrize("name", ["my engine", "eng?ine"])
def test_programs_with_odd_names_play(name: str, tmp_path: Path) -> None:
    path = program_at(tmp_path / "some place" / name, f'exec "{sys.executable}" "{ENGINE}" "$@"')
    found = evolve.load_agent(f"gtp:'{path}' gtp?time=9")
    assert isinstance(found, ExternalAgent)
    assert found.seconds == 9
    assert found.choose(evolve.Board.start()) == evolve.Board.start().legal_moves()[0]
    found.close()


@pytest.mark.parametrize(
    "form", ["gtp:{python} ./say.py", "nboard:{python} say.py", "python:say.py"]
)
@pytest.mark.parametrize("name", ["home", "my home", "R&D", "what?"])
def test_a_program_runs_in_its_own_folder(
    form: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home = tmp_path / name
    home.mkdir()
    (home / "say.py").write_text(PLACE, encoding="utf-8")
    (home / "here.txt").write_text("its own", encoding="utf-8")
    text = f"{form.format(python=sys.executable)}?cwd={name}"
    found = evolve.load_agent(text)
    assert found.name == text
    assert json.dumps(found.identity) == json.dumps(text)
    with pytest.raises(EngineError, match=re.escape(f"{name} is its own")):
        found.choose(evolve.Board.start())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gtp:cat?cwd=none", "cwd=none of gtp:cat: no such folder"),
        ("python:x.py?cwd=/no where", "no such folder"),
        ("gtp:cat?cwd=~nobody-of-that-name", "cwd=~nobody-of-that-name of gtp:cat: no such folder"),
        ("nboard:cat?cwd=~nobody-of-that-name/x&time=3", "no such folder"),
        ("python:x.py?time=3&cwd=~nobody-of-that-name", "no such folder"),
        ("swh?cwd=.", "has no setting 'cwd'"),
        ("gtp:./no engine/x?cwd=.", r"there is no program './no' to run"),
    ],
)
def test_folders_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(AgentError, match=why):
        evolve.load_agent(text)


def test_programs_of_the_docs_have_only_settings_of_programs() -> None:
    """A setting of the agent that a program plays must not end its name."""
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    found = [parse_name(name) for name in re.findall(r"'((?:gtp|nboard):[^']+)'", text)]
    assert len(found) > 5
    assert {setting for name in found for setting in name.settings} <= {*registry._OF_PROGRAMS}


@pytest.mark.parametrize(
    ("windows", "command", "words"),
    [
        (False, "engine --level 3", ["engine", "--level", "3"]),
        (True, r"C:\engines\rhino.exe --level 3", [r"C:\engines\rhino.exe", "--level", "3"]),
        (True, r'"C:\Program Files\edax.exe" -gtp', [r"C:\Program Files\edax.exe", "-gtp"]),
        (True, r"\\server\share\bot.exe -n 1", [r"\\server\share\bot.exe", "-n", "1"]),
        (False, r"my\ engine --q it\'s", ["my engine", "--q", "it's"]),
        (False, r"engine 'a\b c' \"x\"", ["engine", r"a\b c", '"x"']),
        (False, 'engine "say \\"hi\\" \\\\ to"', ["engine", 'say "hi" \\ to']),
    ],
)
def test_words(
    windows: bool, command: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_WINDOWS", windows)
    assert words_of(command) == words


@pytest.mark.parametrize("command", ["engine 'x", 'engine "x', "it's"])
def test_a_quote_that_is_open(command: str) -> None:
    with pytest.raises(ValueError, match="quotation"):
        words_of(command)


@pytest.mark.parametrize("name", ["text", "my text.py"])
def test_a_text_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("no program", encoding="utf-8")
    assert located(f"./{name}") is None
    assert why_not(name).startswith(f"'{name}' may not be executed: chmod +x")


def test_where_a_program_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, here = tmp_path / "its own", tmp_path / "here"
    both, there = program_at(home / "both"), program_at(home / "bin" / "there")
    only, _ = program_at(here / "only"), program_at(here / "both")
    monkeypatch.chdir(here)
    assert located("./both", home) == both
    assert located("bin/there", home) == there
    assert located("./only", home) == only
    assert located("only") == only
    assert located("sh") == "sh"
    assert located("bin/there") is None
    assert located("") is None
    assert why_not("./none") == "there is no program './none' to run"
    assert why_not(r"C:\none.exe") == r"there is no program 'C:\none.exe' to run"


def test_programs_are_named_by_their_protocol() -> None:
    names = ["gtp:sh -c true", "nboard:sh -c true", f"python:{__file__}"]
    assert [name.partition(":")[0] for name in names] == [*PROGRAMS]
    assert [evolve.load_agent(name).name for name in names] == names


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


@pytest.mark.parametrize("name", ["champion-standard", "champion-reversed"])
def test_champions_come_with_what_evolved_them(name: str) -> None:
    agent = evolve.load_agent(name)
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert agent.rules is not None
    assert agent.provenance
