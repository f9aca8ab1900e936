"""`evolve bench` and the comparison with peers, at sizes that take a moment."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks import peers
from evolve.bench import speed, start, trees
from evolve.bench.plain import PlainAgent
from evolve.bench.positions import half_random, measured_agent
from evolve.engine.vector import LANES
from evolve.errors import BenchError
from tests.cli import invoke

PARTS = ("perft", "search", "solver", "games", "mcts", "selfplay", "start", "plain")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[str, Any] = {
        "REPEATS": 1,
        "PERFT_DEPTHS": (3, 5),
        "SEARCH_DEPTHS": (1, 2, 8),
        "SEARCHED": 3,
        "DEEPLY_SEARCHED": 2,
        "SOLVED": {4: 3, 8: 2},
        "PLAYED_GAMES": 2,
        "PLAIN_GAMES": 1,
        "GAME_DEPTHS": (2, 1, 2),
    }
    for name, value in sizes.items():
        monkeypatch.setattr(speed, name, value)
    for name in ("SIMULATIONS", "SELFPLAY_SIMULATIONS", "SELFPLAY_GAMES"):
        monkeypatch.setattr(trees, name, 20)


def numbers_are_sound(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        for value in row.values():
            if isinstance(value, float):
                assert math.isfinite(value)


def test_json() -> None:
    """All parts but the one that starts processes: one document with the machine and the rows."""
    parts = [part for part in PARTS if part != "start"]
    options = [word for part in parts for word in ("--part", part)]
    result = invoke("bench", "--json", *options)
    assert result.code == 0
    document = result.document
    assert list(document) == ["machine", *parts]
    assert document["machine"]["lanes"] == LANES
    assert [row["nodes"] for row in document["perft"]] == [56, 1396]
    assert {row["finds"] for row in document["solver"]} == {"score", "outcome"}
    assert {row["depth"] for row in document["search"]} == {1, 2, 8}
    assert all(row["games_per_second"] > 0 for row in document["games"])
    assert all(row["million_per_second"] > 0 for row in document["mcts"])
    assert all(row["games_per_cpu_minute"] > 0 for row in document["selfplay"])
    assert document["plain"][0]["ratio"] > 1
    for part in parts:
        assert document[part]
        numbers_are_sound(document[part])


def test_text() -> None:
    result = invoke("bench", "--part", "perft")
    assert result.code == 0
    assert "Perft from the start position" in result.out
    assert "1396" in result.out.split()
    assert invoke("bench", "--part", "speed").code == 2


def test_a_plain_agent_that_plays_otherwise_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    first = PlainAgent.ordered
    monkeypatch.setattr(PlainAgent, "ordered", lambda *given: first(*given)[::-1])
    with pytest.raises(BenchError, match="the plain-Python agent played"):
        speed.plain_rows()


def test_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real processes, with one kernel to compile in place of all that a run needs."""
    monkeypatch.setattr(start, "REPEATS", 1)
    monkeypatch.setattr(start, "_RUN", ("--version",))
    kernel = "from evolve.engine.perft import perft\n"
    kernel += "from evolve.engine.bits import START_OPP, START_OWN\n"
    monkeypatch.setattr(start, "_KERNELS", f"{kernel}perft(START_OWN, START_OPP, 1)\n")
    rows = {row["what"]: row for row in start.start_rows()}
    assert list(rows) == ["evolve --help", "imports", "first use", "later use", "evolve run"]
    assert rows["first use"]["cpu_seconds"] > rows["later use"]["cpu_seconds"]
    assert rows["evolve run"]["wall_seconds"] > 0 < rows["imports"]["wall_seconds"]
    with pytest.raises(BenchError, match=r"SystemExit\(3\) failed"):
        start._measure(["-c", "raise SystemExit(3)"], Path("none"))


def test_positions() -> None:
    """The asked empties, a choice of moves, and the same again."""
    boards = half_random(5, (12, 14), "reversed")
    assert all(12 <= board.empties <= 14 for board in boards)
    assert all(len(board.legal_moves()) > 1 for board in boards)
    assert boards == half_random(5, (12, 14), "reversed")
    assert measured_agent(all_terms=True).stability == (5, 5, 5)


def test_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both comparisons on small work; perft in C has to count the same."""
    monkeypatch.setattr(peers, "REPEATS", 1)
    monkeypatch.setattr(peers, "PERFT_DEPTH", 6)
    monkeypatch.setattr(peers, "PLIES", (1, 2))
    rows = peers.search_rows()
    assert [row["what"] for row in rows] == ["move, 1 plies", "move, 2 plies"]
    numbers_are_sound(rows)
    if shutil.which("cc") is None or LANES == 0:
        pytest.skip("there is no C compiler or no AVX2")
    assert peers.perft_row()["theirs_ms"] >= 0
