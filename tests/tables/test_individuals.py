"""The individuals table: who lived, and their genes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_BLACK,
    MAX_PLIES,
    OUTCOME,
    PLIES,
    REASON,
    RESULT_COLUMNS,
)
from evolve.engine.board.squares import parse_moves
from evolve.errors import RunError
from evolve.fitness.games import Games
from evolve.fitness.openings import Openings
from evolve.runs.run import Run
from evolve.tables.games import GAMES_COLUMNS, move_texts
from evolve.tables.individuals import (
    FITNESS,
    GENERATIONS_COLUMNS,
    INDIVIDUALS_COLUMNS,
    OF_LADDER,
    individuals_table,
    row_genes,
    table_metadata,
)
from evolve.tables.parquet import write_table
from evolve.tables.paths import generation_file

GENES = {"weights": [1, 2], "endgame": [4]}
ROW = {
    "generation": 2, "individual": "0-0", "born": 0, "origin": "random", "parents": ["a"],
    "score": 0.5, "disc_difference": -2.0, "games": 6,
}  # fmt: skip


def test_individuals_and_their_genes_are_read_again() -> None:
    table = individuals_table([{**ROW, FITNESS: 0.25, **GENES}], {"generation": 0}, {"seed": 1})
    assert {*table.column_names} == {*INDIVIDUALS_COLUMNS.names, FITNESS, *GENES}
    assert table.to_pylist() == [{**ROW, FITNESS: 0.25, "weights": [1, 2], "endgame": 4}]
    assert table.schema.field("weights").type == pa.list_(pa.int32(), 2)
    assert table_metadata(table, Path("x")) == ({"generation": 0}, {"seed": 1})
    row = table.to_pylist()[0]
    assert row_genes(row, tuple(GENES)) == GENES
    for damage in ({"weights": None}, {"weights": ["x"]}, {"endgame": None}):
        with pytest.raises(RunError, match="genes"):
            row_genes({**row, **damage}, tuple(GENES))
    with pytest.raises(RunError, match="depths"):
        row_genes(row, ("depths",))


@pytest.mark.parametrize("panel", ["ladder", "fixed"])
def test_generations_without_a_panel_have_none(tmp_path: Path, panel: str) -> None:
    (tmp_path / "generations").mkdir()
    (tmp_path / "config.toml").write_text(f'command = "run"\npanel = "{panel}"\n')
    row = {"generation": 0, "best": "0-1", "best_score": 0.5, "mean_score": 0.4}
    counts: dict[str, object] = {"games": 6, "distinct": 3}

    def write() -> None:
        write_table(generation_file(tmp_path, 0), individuals_table([ROW], row | counts, {}))

    write()
    frame = Run(tmp_path).generations
    none = OF_LADDER if panel == "fixed" else ()
    names = [name for name in GENERATIONS_COLUMNS.names if name not in none]
    assert list(frame) == names
    assert frame[names[-2]].isna().all()
    assert frame["distinct"].dtype == frame["games"].dtype == np.int64
    counts["games"] = "many"
    write()
    with pytest.raises(RunError, match="generation"):
        _ = Run(tmp_path).generations


def played(starts: tuple[Board, ...] = ()) -> pa.Table:
    """Two games: one to its end, and one that a program lost."""
    moves = np.full((2, MAX_PLIES), -1, np.int8)
    moves[0, :2] = [19, 64]
    results = np.zeros((2, RESULT_COLUMNS), np.int64)
    results[0, [DISCS_BLACK, DISCS_WHITE, PLIES]] = [40, 24, 2]
    results[1, REASON] = FAILED_BLACK
    results[0, OUTCOME] = 1
    pairings = np.array([[0, 1, 0], [1, 0, 1]], np.int32)
    games = Games(pairings, moves, results, {1: "black: it crashed"})
    openings = Openings(np.array([[19], [-1]], np.int8), starts)
    return games.table(3, "match", ["a", "b"], "reversed", openings, 7)


def test_games() -> None:
    starts = played((Board(own=0, opp=0), Board.start()))["start"].to_pylist()
    assert starts == ["-" * 64 + " X;", None]
    table = played()
    assert table.schema == GAMES_COLUMNS.schema
    first, second = table.to_pylist()
    expected = {
        "generation": 3, "kind": "match", "game": 7, "black": "a", "white": "b", "opening": "d3",
        "moves": "d3 pass", "discs_black": 40, "discs_white": 24, "winner": "black", "plies": 2,
        "nodes_black": 0, "nodes_white": 0, "reason": "end", "rules": "reversed", "start": None,
    }  # fmt: skip
    assert {**first, **expected} == first
    assert (second["game"], second["winner"]) == (8, "white")
    assert second["reason"] == "failed: black: it crashed"


def test_moves_end_at_the_first_that_is_none() -> None:
    rows = np.array([[37, 43, 64, 18], [37, -1, 43, -1], [-1, -1, -1, -1]], np.int8)
    texts = move_texts(rows).to_pylist()
    assert texts == ["f5 d6 pass c3", "f5", ""]
    assert [parse_moves(text) for text in texts] == [[37, 43, 64, 18], [37], []]
