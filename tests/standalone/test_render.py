"""The stand-alone Python file: what is in its text, what is refused, and Python 3.7."""

from __future__ import annotations

import ast
import functools
import io
import json
import os
import random
import shutil
import subprocess
import textwrap
import tokenize
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.search.genes import TERM_NAMES
from evolve.errors import AgentError, PositionError
from evolve.standalone.render import render
from tests.standalone import boards_with_choice, chessboard, color_of, load, random_agent, text_of


def test_only_the_standard_library_and_numpy_are_used() -> None:
    tree = ast.parse(text_of(AlphaBetaAgent(weights=[[1] * 10])))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module))
    assert imported == {"__future__", "math", "struct", "time", "typing", "numpy"}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"open", "exec", "eval", "compile", "__import__", "globals", "input"}


def test_the_file_is_python_37() -> None:
    ast.parse(text_of(AlphaBetaAgent(weights=[[1] * 10])), feature_version=(3, 7))


def test_rules_that_the_file_could_not_score_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    strange = {**RULE_SETS, "standard": replace(RULE_SETS["standard"], code=7)}
    monkeypatch.setattr("evolve.engine.board.rules.RULE_SETS", strange)
    with pytest.raises(AgentError, match=r"for standard: part_values\.py lacks it"):
        text_of(AlphaBetaAgent(weights=[[1] * 10]))


def hostile_headers() -> list[dict[str, Any]]:
    code = "\nraise SystemExit('injected')\n"
    return [
        {"name": code},
        {"name": 'a"""\n' + code + "'''"},
        {"name": "\r" + code + "\x0c\x00\x85\u2028" + code},
        {"name": "coding: utf-7 +AAo-raise SystemExit+AAo-"},
        {"name": "naïve 黑白棋 \ud800 \u202e \\"},
        {"provenance": {"run" + code: code, "# --- parameters ---\n": [code]}},
        {"provenance": {"seed": 7, "note": "x " * 500, "word": "y" * 500}},
        {"name": "", "provenance": {"": ""}},
    ]


@pytest.mark.parametrize("header", hostile_headers())
def test_no_text_in_the_header_becomes_code(header: dict[str, Any]) -> None:
    agent = random_agent(random.Random(8), "reversed", [2, 3], 5)
    plain = ast.dump(ast.parse(text_of(agent)))
    encoded = text_of(agent, **header).encode("ascii")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(encoded).readline)
    assert encoding == "utf-8"
    assert ast.dump(ast.parse(encoded)) == plain
    assert max(map(len, encoded.splitlines())) <= 100


def test_the_header_says_what_it_is() -> None:
    text = text_of(
        AlphaBetaAgent(weights=[[1] * 10], rules="reversed"),
        name="champion",
        provenance={"run": "first", "generation": 167},
    )
    for line in ("# name: champion", "# rules: reversed", "# run: first", "# generation: 167"):
        assert "\n" + line in text
    assert "evolve export" in text.splitlines()[0]


def test_the_parameters_are_literals() -> None:
    agent = random_agent(random.Random(9), "reversed", [3] * 30, 12)
    text = text_of(agent)
    module = load(text)
    assert agent.rules == module.RULES
    for key, value in agent.parameters.items():
        found = module.TERMS[key] if key in TERM_NAMES else getattr(module, key.upper())
        assert found == value
    assert max(map(len, text.splitlines())) <= 100


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(PositionError, match="anti"):
        render(AlphaBetaAgent(weights=[[1] * 10]).parameters, "anti", "", {})


DRIVER = """\
import json, sys, time
import numpy as np
start = time.perf_counter()
import player
imported = time.perf_counter() - start
moves, slowest = [], 0.0
for color, cells in json.load(open(sys.argv[1])):
    one = player.AI(8, color, 5)
    start = time.perf_counter()
    one.go(np.array(cells))
    slowest = max(slowest, time.perf_counter() - start)
    moves.append(one.candidate_list)
memory = 0
if sys.platform == "linux":  # in kB; the maximum that getrusage knows is inherited
    memory = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
print(json.dumps({"moves": moves, "slowest": slowest, "imported": imported, "memory": memory}))
"""


@functools.cache
def python_37() -> str | None:
    """A Python 3.7 with numpy: EVOLVE_PYTHON37, the one on the PATH, or one of pyenv's."""
    candidates = [os.environ.get("EVOLVE_PYTHON37"), shutil.which("python3.7")]
    pyenv = shutil.which("pyenv")
    if pyenv:
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True).stdout.strip()
        candidates += map(str, sorted(Path(root).glob("versions/3.7*/bin/python")))
    check = "import sys, numpy; sys.exit(sys.version_info[:2] != (3, 7))"
    for candidate in candidates:
        if candidate and shutil.which(candidate):
            command = [candidate, "-c", check]
            if subprocess.run(command, capture_output=True, timeout=60).returncode == 0:
                return candidate
    return None


@pytest.fixture(scope="module")
def in_python_37(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[Any]]:
    """What an exported file does there, and the moves that are right."""
    tmp_path = tmp_path_factory.mktemp("old")
    python = python_37()
    if python is None:
        pytest.skip("no Python 3.7 with numpy found; EVOLVE_PYTHON37 may name one")
    rng = random.Random(12)
    agent = random_agent(rng, "reversed", [3, 4], 8)
    boards = boards_with_choice(rng, 30)
    (tmp_path / "player.py").write_text(text_of(agent), encoding="ascii")
    (tmp_path / "driver.py").write_text(textwrap.dedent(DRIVER), encoding="ascii")
    positions = [(color_of(board), chessboard(board).tolist()) for board in boards]
    (tmp_path / "positions.json").write_text(json.dumps(positions), encoding="ascii")
    command = [python, str(tmp_path / "driver.py"), str(tmp_path / "positions.json")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    right = [[*board.legal_moves(), agent.choose(board)] for board in boards]
    return json.loads(ran.stdout), right


def test_same_moves_in_python_37(in_python_37: tuple[dict[str, Any], list[Any]]) -> None:
    result, right = in_python_37
    found = [[8 * row + column for row, column in listed] for listed in result["moves"]]
    assert found == right
    assert result["memory"] < 100 * 1024


@pytest.mark.clock
def test_in_time_in_python_37(in_python_37: tuple[dict[str, Any], list[Any]]) -> None:
    """A contest's 5 s for a move; it gives a start one, as it does not count it."""
    result, _ = in_python_37
    assert result["slowest"] < 4.9
    assert result["imported"] < 1
