"""The stand-alone Python file: what is in its text, what is refused, and Python 3.7."""

from __future__ import annotations

import ast
import io
import json
import os
import random
import shutil
import subprocess
import tokenize
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evolve.engine.board.rules import RULE_SETS
from evolve.errors import AgentError
from tests.agents.conftest import mcts_agent, pattern_agent, sample_agent
from tests.standalone import (
    boards_with_choice,
    chessboard,
    color_of,
    imported_by,
    load,
    random_agent,
)


@pytest.mark.parametrize(
    ("agent", "numba", "more"),
    [
        (sample_agent(), False, set()),
        (sample_agent(), True, {"numba", "threading"}),
        (mcts_agent(), False, {"base64"}),
        (pattern_agent(), False, {"base64", "zlib"}),
        (pattern_agent(), True, {"base64", "zlib", "numba", "threading"}),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_the_file_is_plain_python_of_an_old_kind(agent: Any, numba: bool, more: set[str]) -> None:
    agent = replace(agent, name='"\n import evolve', provenance={"x": "\nimport os"})
    text = agent.python_source(numba)
    assert text.isascii()
    assert imported_by(text) == {"__future__", "math", "struct", "time", "typing", "numpy"} | more
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert not names & {"open", "exec", "eval", "compile", "__import__", "globals", "input"}


def test_rules_that_the_file_could_not_score_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    strange = {**RULE_SETS, "standard": replace(RULE_SETS["standard"], code=7)}
    monkeypatch.setattr("evolve.engine.board.rules.RULE_SETS", strange)
    with pytest.raises(AgentError, match="standard"):
        sample_agent().with_rules("standard").python_source()


CODE = "\nraise SystemExit('injected')\n"


@pytest.mark.parametrize(
    "header",
    [
        {"name": CODE},
        {"name": 'a"""\n' + CODE + "'''"},
        {"name": "\r" + CODE + "\x0c\x00\x85\u2028" + CODE},
        {"name": "coding: utf-7 +AAo-raise SystemExit+AAo-"},
        {"name": "naïve 黑白棋 \ud800 \u202e \\"},
        {"provenance": {"run" + CODE: CODE, "# --- parameters ---\n": [CODE]}},
        {"provenance": {"seed": 7, "note": "x " * 500, "word": "y" * 500}},
        {"name": "", "provenance": {"": ""}},
    ],
)
def test_no_text_in_the_header_becomes_code(header: dict[str, Any]) -> None:
    agent = random_agent(random.Random(8), "reversed", [2, 3], 5)
    plain = ast.dump(ast.parse(agent.python_source()))
    encoded = replace(agent, **header).python_source().encode("ascii")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(encoded).readline)
    assert encoding == "utf-8"
    assert ast.dump(ast.parse(encoded)) == plain
    assert max(map(len, encoded.splitlines())) <= 100


def test_the_header_says_what_it_is() -> None:
    agent = replace(sample_agent(), provenance={"run": "first", "generation": 167})
    text = agent.python_source()
    lines = ("# name: sample", "# rules: reversed", "# run: first", "# generation: 167")
    assert not [line for line in lines if "\n" + line not in text]
    assert "evolve export" in text.splitlines()[0]


def test_the_parameters_are_literals() -> None:
    agent = random_agent(random.Random(9), "reversed", [3] * 30, 12)
    text = agent.python_source()
    module = load(text)
    found = {**module.TERMS, **{name.lower(): value for name, value in vars(module).items()}}
    assert {name: found[name] for name in ("rules", *agent.parameters)} == {
        "rules": "reversed", **agent.parameters
    }  # fmt: skip
    assert max(map(len, text.splitlines())) <= 100


DRIVER = """
import json, sys
for color, cells in json.load(sys.stdin):
    player = AI(8, color, 5)
    player.go(np.array(cells))
    print(json.dumps([8 * row + column for row, column in player.candidate_list]))
"""


def python_37() -> str | None:
    """A Python 3.7 with numpy: EVOLVE_PYTHON37, the one on the PATH, or one of pyenv's."""
    candidates = [os.environ.get("EVOLVE_PYTHON37", ""), "python3.7"]
    candidates += map(str, sorted(Path.home().glob(".pyenv/versions/3.7*/bin/python")))
    check = "import sys, numpy; sys.exit(sys.version_info[:2] != (3, 7))"
    for python in filter(None, map(shutil.which, candidates)):
        if not subprocess.run([python, "-c", check], capture_output=True, timeout=60).returncode:
            return python
    return None


def test_same_moves_in_python_37(tmp_path: Path) -> None:
    python = python_37()
    if python is None:
        pytest.skip("no Python 3.7 with numpy found; EVOLVE_PYTHON37 may name one")
    rng = random.Random(12)
    agent = random_agent(rng, "reversed", [3, 4], 8)
    boards = boards_with_choice(rng, 30)
    (tmp_path / "player.py").write_text(agent.python_source() + DRIVER, encoding="ascii")
    asked = json.dumps([(color_of(board), chessboard(board).tolist()) for board in boards])
    command = [python, str(tmp_path / "player.py")]
    ran = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    right = [[*board.legal_moves(), agent.choose(board)] for board in boards]
    assert [json.loads(line) for line in ran.stdout.splitlines()] == right
