"""The stand-alone Python file: what the contest asks for, and the same moves as the agent."""

from __future__ import annotations

import ast
import functools
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import textwrap
import time
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board import Board
from evolve.engine.genes import TERM_NAMES
from evolve.engine.rules import RULE_SETS, Rules
from evolve.errors import AgentError, PositionError
from evolve.standalone import part_board as standalone_board
from evolve.standalone import part_contest as standalone_contest
from evolve.standalone.render import render

RULES: tuple[Rules, ...] = tuple(RULE_SETS)
BLACK, WHITE = -1, 1
AMPLE = 1000.0
"""Seconds a move where time must not matter."""


def random_agent(
    rng: random.Random, rules: Rules, depths: list[int], endgame: int, largest: int = 40
) -> AlphaBetaAgent:
    """All terms on, other weights in every phase; with small weights there are many ties."""
    terms: dict[str, Any] = {
        key: [rng.randint(-largest, largest) for _ in depths] for key in TERM_NAMES
    }
    return AlphaBetaAgent(
        weights=[[rng.randint(-largest, largest) for _ in range(10)] for _ in depths],
        depths=depths,
        boundaries=sorted(rng.sample(range(8, 60), len(depths) - 1)),
        endgame=endgame,
        rules=rules,
        **terms,
    )


def random_board(rng: random.Random, discs: int) -> Board:
    """A position with that many discs, met in random play, or the end of a shorter game."""
    board = Board.start()
    while board.disc_count < discs and not board.is_over():
        moves = board.legal_moves()
        board = board.play(rng.choice(moves)) if moves else board.pass_move()
    return board


def boards_with_choice(rng: random.Random, count: int, low: int = 4, high: int = 62) -> list[Board]:
    """Positions with two moves or more; the disc counts go evenly from `low` to `high`."""
    boards: list[Board] = []
    while len(boards) < count:
        board = random_board(rng, low + (high - low) * len(boards) // count)
        if len(board.legal_moves()) > 1:
            boards.append(board)
    return boards


def chessboard(board: Board) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The board as the contest's server hands it over."""
    cells = np.zeros((8, 8), int)
    for square in range(64):
        if board.black >> square & 1:
            cells[square // 8, square % 8] = BLACK
        elif board.white >> square & 1:
            cells[square // 8, square % 8] = WHITE
    return cells


def color_of(board: Board) -> int:
    return BLACK if board.side == "black" else WHITE


def text_of(agent: AlphaBetaAgent, numba: bool = False, **header: Any) -> str:
    return render(
        agent.parameters,
        agent.rules or "standard",
        header.get("name", agent.name),
        header.get("provenance", {}),
        numba,
    )


def load(text: str) -> Any:
    """The module that the text makes; every call makes a new one."""
    module = ModuleType("player")
    exec(compile(text, "player.py", "exec", dont_inherit=True), module.__dict__)
    return module


def exported(agent: AlphaBetaAgent) -> Any:
    return load(text_of(agent))


def square_chosen(module: Any, board: Board, seconds: float = AMPLE) -> int:
    player = module.AI(8, color_of(board), seconds)
    player.go(chessboard(board))
    row, column = player.candidate_list[-1]
    return int(8 * row + column)


# --- what the contest asks for ---


def test_the_list_holds_the_legal_moves_and_then_the_choice() -> None:
    rng = random.Random(1)
    module = exported(random_agent(rng, "standard", [2], 4))
    player = {color: module.AI(8, color, 5) for color in (BLACK, WHITE)}
    without_moves = 0
    for number in range(150):
        board = random_board(rng, rng.randint(4, 64))
        for side in (board, Board(board.opp, board.own, board.other_side)):
            listed = player[color_of(side)].candidate_list
            cells = chessboard(side).astype([np.int64, np.int8, float][number % 3])
            before = cells.copy()
            player[color_of(side)].go(cells)
            moves = [(square // 8, square % 8) for square in side.legal_moves()]
            without_moves += not moves
            assert player[color_of(side)].candidate_list is listed
            assert listed[:-1] == moves
            assert listed[-1:] == [] if not moves else listed[-1] in moves
            assert all(type(number) is int for move in listed for number in move)
            assert (cells == before).all()
    assert without_moves > 5


def test_the_start_position_is_the_right_way_up() -> None:
    player = exported(AlphaBetaAgent(weights=[[0] * 10], depths=[1])).AI(8, BLACK, 5)
    cells = np.zeros((8, 8), int)
    cells[3, 3] = cells[4, 4] = WHITE
    cells[3, 4] = cells[4, 3] = BLACK
    player.go(cells)
    assert player.candidate_list == [(2, 3), (3, 2), (4, 5), (5, 4), (2, 3)]


@pytest.mark.parametrize(("size", "color"), [(10, BLACK), (8, 0), (8, 2)])
def test_another_board_or_color_is_refused(size: int, color: int) -> None:
    with pytest.raises(ValueError, match=r"chessboard_size|color"):
        standalone_contest.AI(size, color, 5)


def test_only_the_standard_library_and_numpy_are_used() -> None:
    tree = ast.parse(text_of(AlphaBetaAgent(weights=[[1] * 10])))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module))
    assert imported == {"__future__", "struct", "time", "typing", "numpy"}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"open", "exec", "eval", "compile", "__import__", "globals", "input"}


def test_the_file_is_python_37() -> None:
    ast.parse(text_of(AlphaBetaAgent(weights=[[1] * 10])), feature_version=(3, 7))


def test_rules_that_the_file_could_not_score_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    strange = {**RULE_SETS, "standard": replace(RULE_SETS["standard"], code=7)}
    monkeypatch.setattr("evolve.engine.rules.RULE_SETS", strange)
    with pytest.raises(AgentError, match=r"for standard: part_solver\.py lacks it"):
        text_of(AlphaBetaAgent(weights=[[1] * 10]))


# --- the same moves as the agent ---


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("depths", "endgame", "largest", "agents"),
    [([1, 2, 1], 0, 40, 6), ([3, 2, 4], 6, 400, 4), ([3], 8, 1, 4), ([5, 4], 9, 15, 2)],
)
def test_same_moves_as_the_agent(
    rules: Rules, depths: list[int], endgame: int, largest: int, agents: int
) -> None:
    rng = random.Random(f"{rules} {depths}")
    for _ in range(agents):
        agent = random_agent(rng, rules, depths, endgame, largest)
        module = exported(agent)
        for board in boards_with_choice(rng, 24):
            assert square_chosen(module, board) == agent.choose(board), board


@pytest.mark.parametrize("rules", RULES)
def test_same_moves_in_the_endgame(rules: Rules) -> None:
    rng = random.Random(2)
    agent = random_agent(rng, rules, [2], 11)
    module = exported(agent)
    for board in boards_with_choice(rng, 40, 53, 63):
        assert square_chosen(module, board) == agent.choose(board), board


@pytest.mark.parametrize("term", ["weights", *TERM_NAMES])
def test_same_moves_with_a_single_term(term: str) -> None:
    rng = random.Random(term)
    values: dict[str, Any] = {"weights": [[0] * 10], term: [rng.choice((-3, 7))]}
    if term == "weights":
        values = {"weights": [list(range(10))]}
    agent = AlphaBetaAgent(depths=[2], **values)
    module = exported(agent)
    for board in boards_with_choice(rng, 30):
        assert square_chosen(module, board) == agent.choose(board), board


@pytest.mark.parametrize("rules", RULES)
def test_same_moves_with_the_largest_weights(rules: Rules) -> None:
    rng = random.Random(3)
    agent = random_agent(rng, rules, [2, 3], 3, largest=2700)
    module = exported(agent)
    for board in boards_with_choice(rng, 30):
        assert square_chosen(module, board) == agent.choose(board), board


def test_same_moves_with_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    agent = random_agent(rng, "standard", [4], 9)
    module = exported(agent)
    monkeypatch.setattr(module, "TABLE_LIMIT", 20)
    monkeypatch.setattr(module, "MEMO_LIMIT", 50)
    for board in boards_with_choice(rng, 30):
        assert square_chosen(module, board) == agent.choose(board), board


def test_the_template_runs_as_it_stands() -> None:
    template = cast(Any, standalone_board)
    agent = AlphaBetaAgent(
        weights=template.WEIGHTS,
        depths=template.DEPTHS,
        endgame=template.ENDGAME,
        **template.TERMS,
    )
    for board in boards_with_choice(random.Random(5), 12):
        assert square_chosen(cast(Any, standalone_contest), board) == agent.choose(board), board


# --- the clock ---


@pytest.mark.parametrize(("discs", "endgame"), [(14, 0), (30, 0), (44, 24), (47, 17)])
def test_a_search_without_end_stays_in_time(discs: int, endgame: int) -> None:
    rng = random.Random(discs)
    module = exported(random_agent(rng, "standard", [60], endgame))
    (board,) = boards_with_choice(rng, 1, discs, discs)
    cells = chessboard(board)
    player = module.AI(8, color_of(board), 0.5)
    seconds = []
    for _ in range(3):  # a busy machine may well take the processor away once
        start = time.perf_counter()
        player.go(cells)
        seconds.append(time.perf_counter() - start)
        if seconds[-1] < 0.5:
            break
    assert seconds[-1] < 0.5
    assert [8 * row + column for row, column in player.candidate_list[:-1]] == board.legal_moves()
    assert player.candidate_list[-1] in player.candidate_list[:-1]


class Clock:
    """A clock that goes one second further whenever someone looks."""

    def __init__(self) -> None:
        self.looks: Iterator[int] = itertools.count()

    def __call__(self) -> float:
        return float(next(self.looks))


def test_a_search_cut_short_plays_the_best_move_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(6)
    deepest = 4
    agent = random_agent(rng, "standard", [deepest], 0)
    module = exported(agent)
    cut_short = 0
    for board in boards_with_choice(rng, 12, 8, 56):
        values = [agent.at(depth).analyse(board).values for depth in range(1, deepest + 1)]
        best = [agent.at(depth).choose(board) for depth in range(1, deepest + 1)]
        for looks in (1, 3, 10, 20, 40, 80, 160, 320):
            monkeypatch.setattr(module, "perf_counter", Clock())
            square = square_chosen(module, board, looks / module.TIME_SHARE)
            cut_short += square != best[-1]
            # The best of a whole depth, or better than that in the next one.
            assert square in best or any(
                deeper[square] > deeper[known]
                for known, deeper in zip(best[:-1], values[1:], strict=True)
            )
    assert cut_short > 10


@pytest.mark.parametrize("rules", RULES)
def test_an_exact_search_cut_short_is_no_worse_than_the_fallback(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(7)
    agent = random_agent(rng, rules, [3], 12)
    module = exported(agent)
    better = 0
    for board in boards_with_choice(rng, 8, 52, 54):
        assert square_chosen(module, board) == agent.choose(board)
        exact = agent.analyse(board).values
        search = module.Search(board.own | board.opp << 64, 0, AMPLE)
        children = search.deepen(time.perf_counter() + AMPLE, 2)
        assert children[0].square == agent.at(2, 0).choose(board)
        for looks in (0, 10, 40, 160, 640):
            monkeypatch.setattr(module, "perf_counter", Clock())
            search.solved[0].clear()
            search.solved[1].clear()
            square = search.solve_root(children, looks)
            assert exact[square] >= exact[children[0].square]
            better += exact[square] > exact[children[0].square]
        monkeypatch.undo()
    assert better > 0


# --- the text ---


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


def test_numpy_integers_are_parameters_too() -> None:
    agent = random_agent(random.Random(10), "standard", [2, 3], 5)
    as_arrays = {
        key: value if key == "endgame" else np.array(value)
        for key, value in agent.parameters.items()
    }
    assert render(as_arrays, "standard", agent.name, {}) == text_of(agent)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"weights": [[1] * 9] * 2}, "weights has 9 numbers"),
        ({"mobility": [1]}, "mobility has 1 numbers"),
        ({"stability": ["1; import os", 2]}, "stability must hold whole numbers"),
        ({"depths": [0, 1]}, "depths"),
        ({"boundaries": []}, "boundaries has 0 numbers"),
        ({"endgame": 1.5}, "endgame must hold whole numbers"),
    ],
)
def test_what_is_no_agent_is_refused(change: Mapping[str, Any], complaint: str) -> None:
    agent = random_agent(random.Random(11), "standard", [2, 3], 5)
    with pytest.raises(AgentError, match=complaint):
        render({**agent.parameters, **change}, "standard", "", {})


def test_missing_parameters_and_unknown_rules_are_refused() -> None:
    parameters = AlphaBetaAgent(weights=[[1] * 10]).parameters
    with pytest.raises(PositionError, match="anti"):
        render(parameters, "anti", "", {})
    del parameters["c_squares"]
    with pytest.raises(AgentError, match="needs c_squares"):
        render(parameters, "standard", "", {})


# --- a real Python 3.7 ---

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


# --- with numba ---


@pytest.fixture(scope="module")
def compiler() -> Any:
    """A search compiled by one such file, for all: it knows nothing of the agent."""
    module = load(text_of(random_agent(random.Random(30), "standard", [3], 6), numba=True))
    module.COMPILER.work()
    assert module.COMPILER.best_of is not None
    return module.COMPILER


def compiled(agent: AlphaBetaAgent, compiler: Any) -> Any:
    """The file's module of an agent, with its search compiled already."""
    module = load(text_of(agent, numba=True))
    module.COMPILER = compiler
    return module


@pytest.mark.xdist_group("compiled")
@pytest.mark.parametrize("rules", RULES)
def test_the_compiled_search_plays_the_same_moves(rules: Rules, compiler: Any) -> None:
    rng = random.Random(31)
    agent = random_agent(rng, rules, [4, 2, 5], 12)
    small = replace(agent, weights=[[0] * 10, [1] * 10, [0, 1] * 5])  # ties
    for one in (agent, small):
        module = compiled(one, compiler)
        for board in boards_with_choice(rng, 60):
            assert square_chosen(module, board) == one.choose(board), f"\n{board}"


@pytest.mark.xdist_group("compiled")
def test_the_compiled_search_stops_in_time(compiler: Any) -> None:
    agent = random_agent(random.Random(32), "standard", [40], 60)
    module = compiled(agent, compiler)
    for board in boards_with_choice(random.Random(33), 3, 4, 30):
        begin = time.perf_counter()
        square = square_chosen(module, board, 0.5)
        assert time.perf_counter() - begin < 0.5
        assert square in board.legal_moves()


def test_the_first_moves_come_while_it_compiles() -> None:
    agent = random_agent(random.Random(34), "reversed", [3], 6)
    module = load(text_of(agent, numba=True))
    assert module.COMPILER.thread.ident is None, "importing does nothing yet"
    boards = boards_with_choice(random.Random(35), 200)
    before = after = 0
    for board in itertools.cycle(boards):
        ready = module.COMPILER.best_of is not None
        assert square_chosen(module, board) == agent.choose(board)
        before, after = before + (not ready), after + ready
        if after == 20:
            break
    assert before > 0
    module.COMPILER.thread.join()


def test_without_numba_the_file_plays_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    agent = random_agent(random.Random(36), "standard", [3], 6)
    module = load(text_of(agent, numba=True))
    for board in boards_with_choice(random.Random(37), 5):
        assert square_chosen(module, board) == agent.choose(board)
        module.COMPILER.thread.join()
    assert module.COMPILER.best_of is None


def test_the_part_with_numba_keeps_the_rules_of_the_file() -> None:
    text = text_of(random_agent(random.Random(38), "standard", [3], 6), numba=True)
    assert "import os" not in text
    ast.parse(text, feature_version=(3, 7))
    assert "numba" not in text_of(random_agent(random.Random(38), "standard", [3], 6))


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


def test_same_moves_in_python_37(tmp_path: Path) -> None:
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
    result = json.loads(ran.stdout)
    for board, listed in zip(boards, result["moves"], strict=True):
        squares = [8 * row + column for row, column in listed]
        assert squares == [*board.legal_moves(), agent.choose(board)], board
    assert result["slowest"] < 4.9
    assert result["imported"] < 1
    assert result["memory"] < 100 * 1024
