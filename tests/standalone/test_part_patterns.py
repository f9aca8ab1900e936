"""The stand-alone file of an agent with patterns: the agent's moves, from numpy alone."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.agents.patterns import PatternAgent
from evolve.engine.patterns import Patterns
from evolve.engine.rules import Rules
from evolve.engine.shapes import DEFAULT_SHAPES, ShapeSet, parse_shapes
from evolve.errors import OptionsError
from tests.agents.test_limited import boards
from tests.standalone.test_part_network import chosen, loaded

BOARDS = [board for empties in (50, 40, 30, 20, 12, 9, 6) for board in boards(4, 4, empties)]


def agent_of(shapes: tuple[str, ...], phases: int, depth: int, rules: Rules) -> PatternAgent:
    """One with random weights, and no forward cuts."""
    made = ShapeSet(parse_shapes(shapes))
    rng = np.random.default_rng(phases)
    weights = rng.integers(-600, 600, (phases, made.weights)).astype(np.int16)
    boundaries = tuple(range(24, 24 + 7 * (phases - 1), 7))
    patterns = Patterns.of_weights(made, boundaries, weights)
    return PatternAgent(patterns, depth, endgame=7, probcut=0.0, rules=rules)


@pytest.mark.parametrize(
    ("shapes", "phases", "depth", "rules"),
    [
        (("a1-b2", "b1-g1", "c3/f6"), 3, 1, "standard"),
        (("a1-b2", "b1-g1", "c3/f6"), 3, 3, "reversed"),
        (DEFAULT_SHAPES, 6, 4, "standard"),
    ],
    ids=["one-ply", "reversed", "default"],
)
def test_the_moves_are_the_agents(
    shapes: tuple[str, ...], phases: int, depth: int, rules: Rules, tmp_path: Path
) -> None:
    agent = agent_of(shapes, phases, depth, rules)
    module = loaded(agent.python_source(), tmp_path / "player.py")
    for board in BOARDS:
        assert chosen(module, board) == agent.choose(board)


def test_the_time_is_kept(tmp_path: Path) -> None:
    agent = agent_of(DEFAULT_SHAPES, 2, 30, "standard")
    module = loaded(agent.python_source(), tmp_path / "player.py")
    for board in BOARDS[::9]:
        for attempt in range(3):  # a busy machine may well take the processor away once
            begin = time.perf_counter()
            chosen(module, board, 0.5)
            if time.perf_counter() - begin < 0.5:
                break
            assert attempt < 2


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_the_file_is_small_plain_and_of_an_old_kind(tmp_path: Path) -> None:
    """Under 2 MB of text and 100 MB of memory, for the largest weights that there can be."""
    agent = replace(agent_of(DEFAULT_SHAPES, 6, 3, "standard"), name='"\n import evolve')
    text = agent.python_source()
    assert text.isascii()
    assert len(text) < 2_000_000
    tree = ast.parse(text, feature_version=(3, 7))
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        str(node.module).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert imported == {"__future__", "base64", "numpy", "struct", "time", "typing", "zlib"}
    (tmp_path / "player.py").write_text(text, encoding="ascii")
    script = (
        "import player, numpy\n"
        "board = numpy.zeros((8, 8), int)\n"
        "board[3, 3] = board[4, 4] = 1\n"
        "board[3, 4] = board[4, 3] = -1\n"
        "player.AI(8, -1, 5).go(board)\n"
        "lines = open('/proc/self/status').read().splitlines()\n"
        "print(*(line.split()[1] for line in lines if line.startswith('VmHWM')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 100 * 1024


def test_numba_is_for_other_agents() -> None:
    with pytest.raises(OptionsError, match="alpha-beta"):
        agent_of(("a1-b2",), 1, 1, "standard").python_source(numba=True)
