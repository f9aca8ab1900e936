"""The stand-alone file of an agent with patterns: the agent's moves, from numpy or compiled."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import DEFAULT_SHAPES, parse_shapes
from tests.agents.conftest import boards
from tests.standalone import RULES, check_time, compiled, differing, exported, load, thought

BOARDS = [board for empties in (50, 40, 30, 20, 12, 9, 6) for board in boards(4, 4, empties)]
SMALL = ("a1-b2", "b1-g1", "c3/f6")
AGENTS = pytest.mark.parametrize(
    "parts",
    [(SMALL, 3, 1, "standard"), (SMALL, 3, 3, "reversed"), (DEFAULT_SHAPES, 6, 4, "standard")],
    ids=["one-ply", "reversed", "default"],
)


def agent_of(shapes: tuple[str, ...], phases: int, depth: int, rules: Rules) -> PatternAgent:
    """One with random weights, and no forward cuts."""
    made = ShapeSet(parse_shapes(shapes))
    rng = np.random.default_rng(phases)
    weights = rng.integers(-600, 600, (phases, made.weights)).astype(np.int16)
    boundaries = tuple(range(24, 24 + 7 * (phases - 1), 7))
    tempo = rng.integers(-600, 600, 65).astype(np.int16)
    patterns = Patterns.of_weights(made, boundaries, weights, tempo)
    return PatternAgent(patterns, depth, endgame=7, probcut=0.0, rules=rules)


@AGENTS
def test_the_moves_are_the_agents(parts: Any) -> None:
    agent = agent_of(*parts)
    assert not differing(exported(agent), agent, BOARDS)


@pytest.mark.clock
def test_the_time_is_kept() -> None:
    module = exported(agent_of(DEFAULT_SHAPES, 2, 30, "standard"))
    for board in BOARDS[::9]:
        check_time(module, board)


PLAYED = """
import player, numpy
board = numpy.zeros((8, 8), int)
board[3, 3] = board[4, 4] = 1
board[3, 4] = board[4, 3] = -1
player.AI(8, -1, 5).go(board)
lines = open('/proc/self/status').read().splitlines()
print(*(line.split()[1] for line in lines if line.startswith('VmHWM')))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("rules", RULES)
def test_the_file_is_small(rules: Rules, tmp_path: Path) -> None:
    """2.2 MB of text and 80 MB of memory, for the largest weights: those that come with us."""
    text = evolve.load_agent(f"patterns-{rules}").python_source()
    assert len(text) < 2_250_000
    (tmp_path / "player.py").write_text(text, encoding="ascii")
    command = [sys.executable, "-c", PLAYED]
    ran = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    assert int(ran.stdout) < 80 * 1024


def passed_boards() -> list[Board]:
    """Positions in which a move leaves the other side none, though the game goes on."""
    return [
        board
        for empties in (5, 4)
        for board in boards(5, 40, empties)
        for after in map(board.play, board.legal_moves())
        if not after.legal_moves() and not after.is_over()
    ]


ASKED = [board for empties in range(56, 2, -3) for board in boards(empties, 1, empties)]


@pytest.fixture(scope="module")
def compiler() -> Any:
    """The search that a bundled agent's file compiled, for all: it knows nothing of the agent.
    Meanwhile the file plays moves that are legal."""
    agent: Any = evolve.load_agent("patterns-standard?probcut=0")
    module = load(agent.python_source(numba=True))
    for board in itertools.cycle(ASKED):
        if module.COMPILER.best_of is not None:
            break
        thought(module, board, 0.5)
    module.COMPILER.thread.join()
    return module.COMPILER


@pytest.mark.slow  # on a new machine it compiles for half a minute
@pytest.mark.xdist_group("compiled patterns")
@AGENTS
def test_the_compiled_moves_are_the_agents(parts: Any, compiler: Any) -> None:
    agent = agent_of(*parts)
    module = compiled(agent, compiler)
    passes = passed_boards()
    assert len(passes) > 5
    assert not differing(module, agent, BOARDS + passes)
    module.EXACT = 0
    assert not differing(module, replace(agent, endgame=0), passes)


def test_without_numba_the_file_plays_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(SMALL, 3, 3, "standard")
    monkeypatch.setitem(sys.modules, "numba", None)
    module = load(agent.python_source(numba=True))
    assert module.COMPILER.thread.ident is None, "importing does nothing yet"
    assert not differing(module, agent, BOARDS[::6])
    module.COMPILER.thread.join()
    assert not differing(module, agent, BOARDS[1::6])
    assert module.COMPILER.best_of is None


def test_the_part_with_numba_keeps_the_rules_of_the_file() -> None:
    """Small, and no name stands for two things but those that are replaced."""
    text = agent_of(DEFAULT_SHAPES, 6, 3, "standard").python_source(numba=True)
    assert len(text) < 2_000_000
    names: Counter[str] = Counter()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] += 1
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [part for target in targets for part in ast.walk(target)]
            names.update(part.id for part in parts if isinstance(part, ast.Name))
    assert {name for name, count in names.items() if count > 1} == {"AI", "Search", "WIN"}


@pytest.mark.clock
def test_a_bundled_agent_keeps_the_time_from_its_first_move_on() -> None:
    """A contest's 5 seconds a move, also while the search is compiled beside it, and after; then
    any other time, wherever the search is.

    Of one rule set alone: what is compiled is the same for both, and takes half a minute.
    """
    agent: Any = evolve.load_agent("patterns-standard?probcut=0")
    module = load(agent.python_source(numba=True))
    asked = [board for empties in range(56, 2, -2) for board in boards(empties, 2, empties)]
    after, longest = 0, 0.0
    for board in itertools.cycle(asked):
        after += module.COMPILER.best_of is not None
        longest = max(longest, thought(module, board, 5))
        if after == len(asked):
            break
    assert longest < 5
    module.COMPILER.thread.join()
    other = agent_of(DEFAULT_SHAPES, 2, 40, "standard")
    for one, empties in ((other, 50), (replace(other, depth=1, endgame=40), 36)):
        (board,) = boards(6, 1, empties)
        check_time(compiled(one, module.COMPILER), board)


@pytest.mark.slow
@pytest.mark.xdist_group("compiled patterns")
@pytest.mark.parametrize("rules", RULES)
def test_the_bundled_agents_once_compiled(rules: Rules, compiler: Any) -> None:
    agent: Any = evolve.load_agent(f"patterns-{rules}?probcut=0")
    # With time for its whole depth, as the agent has
    assert not differing(compiled(agent, compiler), agent, ASKED)
