"""`evolve export`: agent files and stand-alone Python files."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import evolve
from evolve.agents.names import with_clock
from tests.cli import done, fails, misused


def test_an_agent_file_is_carried_over_unchanged(first: Path, tmp_path: Path) -> None:
    done("export", first, "-o", "one.json")
    done("export", "one.json", "-o", "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert (tmp_path / "one.json").read_bytes() == (first / "champion.json").read_bytes()


def test_any_individual(first: Path, tmp_path: Path) -> None:
    individuals = evolve.load_run(first).individuals
    rows = individuals.drop_duplicates("individual", keep="last").to_dict("records")
    names = ("individual", "weights", "depths", "endgame")
    found = []
    for row in rows:
        done("export", first, "--individual", row["individual"], "-o", "one.json", "--force")
        agent = cast(evolve.AlphaBetaAgent, evolve.load_agent("one.json"))
        weights = [weight for table in agent.weights for weight in table]
        facts = (agent.name, weights, [*agent.depths], agent.endgame, agent.rules)
        known = agent.provenance
        found.append((*facts, known["run"], known["parents"], round(known["score"], 9)))
    assert found == [
        (
            *(row[name] for name in names),
            "reversed",
            "first",
            row["parents"],
            round(row["score"], 9),
        )
        for row in rows
    ]


@pytest.mark.parametrize("name", ["9-9", "0-99", "nobody", "0-", "-1", "0-01", " 0-1", "²-1"])
def test_an_individual_that_is_not_there(first: Path, tmp_path: Path, name: str) -> None:
    assert repr(name) in fails("export", first, f"--individual={name}", "-o", "one.json")
    assert list(tmp_path.iterdir()) == []


def test_settings_of_the_agent_come_along() -> None:
    done("export", "swh?depth=3&endgame=7", "-o", "deep.json")
    agent = evolve.load_agent("deep.json")
    assert (agent.depths, agent.endgame) == ((3,), 7)


def play_one_move(path: Path, board: evolve.Board) -> int:
    """What the player of a stand-alone file chooses, having given all legal moves."""
    cells = np.zeros((8, 8), int)
    for square in range(64):
        cells[divmod(square, 8)] = (board.white >> square & 1) - (board.black >> square & 1)
    player = runpy.run_path(str(path))["AI"](8, -1 if board.side == "black" else 1, 5)
    player.go(cells)
    moves = [8 * row + column for row, column in player.candidate_list]
    assert sorted(moves[:-1]) == board.legal_moves()
    return moves[-1]


def test_python_file_plays_the_moves_of_the_agent(first: Path, tmp_path: Path) -> None:
    done("export", first, "--to", "python", "-o", "player.py")
    agent = evolve.load_agent(first)
    board = evolve.Board.start()
    moves, expected = [], []
    for _ in range(12):
        moves.append(play_one_move(tmp_path / "player.py", board))
        expected.append(agent.choose(board))
        board = board.play(expected[-1])
    assert moves == expected


@pytest.mark.slow
def test_python_file_says_where_it_comes_from_and_what_compiles_it(first: Path) -> None:
    for source, options, words in (
        (first, (), ("rules: reversed", "run: first", "seed: 0")),
        ("patterns-standard", ("--numba",), ("PatternSearch", "import numba")),
    ):
        done("export", source, "--to", "python", *options, "-o", "player.py", "--force")
        text = Path("player.py").read_text(encoding="ascii")
        assert all(word in text for word in words)
        assert not re.search(r"^import evolve", text, re.MULTILINE)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="there is no folder that nobody can write")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("export", ("-o", "/proc/best.json")),
        ("show", ("--format", "csv", "-o", "/proc/table.csv")),
        pytest.param("plot", ("-o", "/proc/picture.png"), marks=pytest.mark.slow),
    ],
)
def test_a_path_that_cannot_be_written_is_named_as_it_was_given(
    first: Path, name: str, words: tuple[str, ...]
) -> None:
    assert words[-1] in fails(name, first, *words)


def test_what_cannot_be_exported(first: Path, tmp_path: Path) -> None:
    assert "random" in fails("export", "random", "-o", "x.json")
    assert "nobody" in fails("export", "nobody", "-o", "x.json")
    for source in ("swh", first / "champion.json"):
        fails("export", source, "--individual", "0-1", "-o", "x.json")
    assert "--output" in misused("export", first)
    assert "--to" in misused("export", first, "--to", "pickle", "-o", "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "python"),
    [
        (("-o", "x.PY"), True),
        (("-o", "x.json"), False),
        (("-o", "x"), False),
        (("--to", "python", "-o", "x.txt"), True),
        (("--to", "agent", "-o", "x.agent"), False),
    ],
)
def test_the_ending_says_what_is_written(words: tuple[str, ...], python: bool) -> None:
    done("export", "swh", *words)
    text = Path(words[-1]).read_text(encoding="utf-8")
    assert ("\nclass " in text) is python


@pytest.mark.parametrize(
    "words",
    [
        ("--numba", "-o", "x.json"),
        ("--numba", "--to", "agent", "-o", "x.py"),
        ("--numba", "-o", "x"),
    ],
)
def test_agent_files_need_no_compiler(words: tuple[str, ...], tmp_path: Path) -> None:
    assert words[-1] in misused("export", "swh", *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["agent.py", "other"])
def test_nothing_is_written_over_without_force(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    said = fails("export", "swh", "-o", name)
    assert name in said
    assert "--force" in said
    assert (tmp_path / name).read_text() == "mine"
    done("export", "swh", "-o", name, "--force")
    assert (tmp_path / name).read_text() != "mine"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("swh?depth=2&endgame=6", "to depth 2; exact from 6 empties"),
        ("champion-standard", "by phase; exact from 8 empties"),
        pytest.param(
            "champion-standard?time=4.5",
            "4.5 s a move (or 88 % of the contest's, if less) allow",
            marks=pytest.mark.slow,
        ),
        pytest.param("champion-standard?time=4.5", "exact from 18 empties", marks=pytest.mark.slow),
        ("champion-standard?time=0.5&depth=6", "allow, 6 plies at most; exact from 16 empties"),
        ("patterns-reversed?time=2&endgame=20", "exact from 20 empties"),
        pytest.param(
            "patterns-standard?depth=3", "to depth 3; exact from 12 empties", marks=pytest.mark.slow
        ),
    ],
)
def test_it_says_how_the_file_plays(source: str, says: str) -> None:
    said = done("export", source, "-o", "agent.py").out
    assert says in said
    header = Path("agent.py").read_text(encoding="ascii").partition("To use it")[0]
    assert says in " ".join(header.replace("#", " ").split())


@pytest.mark.parametrize(
    ("source", "clocked"),
    [
        ("swh", "swh?time=4.5"),
        ("swh?depth=2&endgame=6", "swh?endgame=6&time=4.5"),
        ("swh?depth=2", "swh?time=4.5"),
        ("patterns-standard?probcut=1.5&depth=3", "patterns-standard?probcut=1.5&time=4.5"),
        ("runs/why?", "runs/why??time=4.5"),
    ],
)
def test_by_the_clock_no_depth_stops_it(source: str, clocked: str) -> None:
    assert with_clock(source) == clocked


@pytest.mark.parametrize(
    ("source", "deepest"),
    [
        ("swh?time=1&depth=3", 3),
        ("patterns-standard?time=1&depth=2", 2),
        ("swh?time=1", 60),
    ],
)
@pytest.mark.slow
def test_a_depth_beside_the_time_is_kept(tmp_path: Path, source: str, deepest: int) -> None:
    done("export", source, "-o", "agent.py", "--force")
    text = (tmp_path / "agent.py").read_text(encoding="ascii")
    assert re.findall(r"^DEEPEST = (\d+)$", text, re.M) == [f"{deepest}"]
