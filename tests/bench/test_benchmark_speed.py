"""`benchmarks.speed`: the same work again, and figures that add up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import speed
from tests.bench import numbers_are_sound


@pytest.fixture(autouse=True)
def smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SIMULATIONS", "SELFPLAY_SIMULATIONS", "SELFPLAY_GAMES"):
        monkeypatch.setattr(speed, name, 20)


def test_searches_and_games_have_figures() -> None:
    searched, played = speed.search_rows(), speed.game_rows()
    assert {row["depth"] for row in searched} == {1, 2, 8}
    assert all(row["games_per_second"] > 0 for row in played)
    numbers_are_sound([*searched, *played])


def test_each_search_is_of_so_many_simulations() -> None:
    rows = speed.mcts_rows()
    numbers_are_sound(rows)
    assert {row["simulations"] for row in rows} == {speed.SIMULATIONS}
    assert {row["empties"] for row in rows} == set(speed.TREE_EMPTIES)
    assert {row["values"] for row in rows} == {"random games", *speed.NETWORKS}


@pytest.mark.slow
def test_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real processes, with one kernel to compile in place of all that a run needs."""
    monkeypatch.setattr(speed, "STARTS", 1)
    monkeypatch.setattr(speed, "_RUN", ("--version",))
    kernel = "from evolve.engine.board.bits import perft\n"
    kernel += "from evolve.engine.board.bits import START_OPP, START_OWN\n"
    monkeypatch.setattr(speed, "_KERNELS", f"{kernel}perft(START_OWN, START_OPP, 1)\n")
    rows = {row["what"]: row for row in speed.start_rows()}
    assert list(rows) == ["evolve --help", "imports", "first use", "later use", "evolve run"]
    assert rows["first use"]["cpu_seconds"] > rows["later use"]["cpu_seconds"]
    assert rows["evolve run"]["wall_seconds"] > 0 < rows["imports"]["wall_seconds"]
    with pytest.raises(RuntimeError, match=r"SystemExit\(3\)"):
        speed._measure(["-c", "raise SystemExit(3)"], Path("none"))


def test_parts_are_chosen_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["speed", "mcts", "--json"])
    speed.main()
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["mcts"]
    assert all(row["million_per_second"] > 0 for row in document["mcts"])
    monkeypatch.setattr("sys.argv", ["speed", "plain"])
    with pytest.raises(SystemExit):
        speed.main()
    assert "'plain' is not one of search, solver, games, calls" in capsys.readouterr().err
