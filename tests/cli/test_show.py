"""`evolve show`: tables and agents, and that looking changes nothing."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evolve
from tests.cli import done, fails, finish, invoke, misused, program, snapshot, spawn

COLUMNS = {
    "individuals": [
        "generation", "individual", "born", "origin", "parents", "score", "disc_difference",
        "games", "weights", "mobility", "depths", "endgame",
    ],
    "games": [
        "generation", "kind", "game", "black", "white", "opening", "moves", "discs_black",
        "discs_white", "winner", "plies", "nodes_black", "nodes_white", "reason",
    ],
    "generations": [
        "generation", "best", "best_score", "mean_score", "games", "panel_score", "panel_elo",
        "panel_elo_low", "panel_elo_high", "seconds",
    ],
    "trials": ["number", "state", "score", "score_error", "seconds", "agent"],
}  # fmt: skip
"""Columns that others rely on, as DESIGN.md has them."""
ROWS = {"individuals": 18, "generations": 3}


@pytest.mark.parametrize("table", ["generations", "individuals", "games"])
def test_json_and_csv_have_every_column_and_row(first: Path, table: str) -> None:
    rows = done("show", first, "--table", table, "--format", "json").document
    text = done("show", first, "--table", table, "--format", "csv").out
    frame = pd.read_csv(io.StringIO(text), keep_default_na=False)
    assert isinstance(rows, list)
    assert len(rows) == len(frame) == ROWS.get(table, len(rows))
    assert set(COLUMNS[table]) <= set(frame.columns)
    if rows:
        assert list(rows[0]) == list(frame.columns)


@pytest.mark.parametrize("table", ["individuals", "games", "generations"])
def test_json_says_exactly_what_the_tables_hold(first: Path, table: str) -> None:
    rows = done("show", first, "--table", table, "--format", "json").document
    frame = getattr(evolve.load_run(first), table).astype(object)
    for row, kept in zip(rows, frame.to_dict("records"), strict=True):
        for column, value in kept.items():
            missing = isinstance(value, float) and value != value
            assert row[column] == (None if missing else value), column


@pytest.mark.parametrize("table", ["generations", "individuals", "games"])
def test_tables_for_people(first: Path, table: str) -> None:
    shown = done("show", first, "--table", table)
    assert shown.lines[0].split()[0] == "generation"
    assert len(shown.lines) > 3


def test_generations_are_the_default_and_name_the_champion(first: Path) -> None:
    shown = done("show", first)
    assert shown == done("show", first, "--table", "generations")
    assert evolve.load_agent(first).name in shown.lines[-1]


def test_top_is_the_best_first(first: Path) -> None:
    every = evolve.load_run(first).individuals
    for options, generation in (((), 2), (("--generation", 1), 1)):
        among = every[every["generation"] == generation]["score"]
        words = ("show", first, "--table", "individuals", "--top", 4, *options)
        rows = done(*words, "--format", "json").document
        assert [row["score"] for row in rows] == sorted(among, reverse=True)[:4]
    rows = done("show", first, "--top", 2, "--format", "json").document
    panel = evolve.load_run(first).generations["panel_score"]
    assert [row["panel_score"] for row in rows] == pytest.approx(sorted(panel, reverse=True)[:2])


def test_generation_alone(first: Path) -> None:
    for table in ("individuals", "games", "generations"):
        arguments = ("show", first, "--table", table, "--generation", 1, "--format", "json")
        rows = done(*arguments).document
        assert {row["generation"] for row in rows} == {1}
    last = done("show", first, "--table", "games", "--generation", 2, "--format", "json").document
    assert {row["kind"] for row in last} >= {"fitness", "panel", "playoff"}


def test_a_generation_that_is_not_there(first: Path) -> None:
    for table in ("generations", "individuals", "games"):
        message = fails("show", first, "--table", table, "--generation", 9)
        assert "9" in message
        assert "0 to 2" in message


def test_a_table_that_a_run_does_not_have(first: Path) -> None:
    for table in ("trials", "metrics"):
        for style in ("table", "json"):
            said = fails("show", first, "--table", table, "--format", style)
            assert f"has no {table}; it has {', '.join(evolve.load_run(first).tables)}" in said


@pytest.mark.parametrize(
    ("table", "column", "command"),
    [
        ("games", "moves", ("replay", "0:0")),
        ("individuals", "parents", ("export", "--individual", "2-0", "-o", "x.json")),
        ("individuals", "weights", ("export", "--individual", "2-0", "-o", "x.json")),
    ],
)
def test_cells_of_others_that_hold_nothing(
    copy: Path, table: str, column: str, command: tuple[str, ...]
) -> None:
    """Files without a digest pass as those of another program."""
    folder = "games" if table == "games" else "generations"
    path = copy / folder / f"gen-{0 if table == 'games' else 2:04d}.parquet"
    found = pq.read_table(path)
    kind = found.schema.field(column).type
    place = found.schema.get_field_index(column)
    empty = found.set_column(place, column, pa.nulls(len(found), kind))
    rest = {k: v for k, v in (found.schema.metadata or {}).items() if k != b"evolve-digest"}
    pq.write_table(empty.replace_schema_metadata(rest), path)
    verb, *words = command
    ended = invoke(verb, copy, *words)
    assert "Traceback" not in ended.err
    assert ended.code == 0 or ended.err.startswith("error: ")


def test_an_agent_as_json(first: Path, tmp_path: Path) -> None:
    document = done("show", first / "champion.json", "--format", "json").document
    assert document == json.loads((first / "champion.json").read_text(encoding="utf-8"))
    done("show", "swh", "--format", "json", "-o", "swh.json")
    assert evolve.load_agent("swh.json") == evolve.load_agent("swh")
    assert "table" in misused("show", "swh", "--format", "csv")
    assert "table" in misused("show", "swh", "-o", "swh.csv")
    done("show", "swh", "-o", "other.json")
    assert evolve.load_agent("other.json") == evolve.load_agent("swh")
    assert "run" in misused("show", "swh", "--table", "games")


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("level-7", "level-7 · any rules · 7000 nodes a move · exact from"),
        ("patterns-standard?nodes=7000&depth=8", "7000 nodes a move · depth 8 at most · exact"),
        ("swh?mistakes=0.1", "10% of its moves at random"),
        ("random", "random · any rules"),
    ],
)
def test_an_agent_that_no_file_could_hold_is_shown_as_well(agent: str, text: str) -> None:
    assert text in done("show", agent).out
    assert "file" in fails("show", agent, "--json")


def test_a_run_without_a_generation(copy: Path) -> None:
    for part in ("generations", "games"):
        for path in (copy / part).iterdir():
            path.unlink()
    (copy / "champion.json").unlink()
    for table in ("generations", "individuals", "games"):
        assert "no " + table in done("show", copy, "--table", table).out
        assert done("show", copy, "--table", table, "--format", "json").document == []
    done("compare", copy)
    assert "no champion yet" in fails("export", copy, "-o", "x.json")
    assert "no whole generation" in fails("plot", copy, "-o", "x.png")
    assert "none yet" in fails("show", copy, "--generation", 0)
    assert "none yet" in fails("replay", copy, "0")


@pytest.mark.slow
def test_looking_changes_nothing(copy: Path) -> None:
    before = snapshot(copy)
    for arguments in (
        ("show", copy),
        ("show", copy, "--table", "games"),
        ("show", copy / "champion.json"),
        ("compare", copy, copy),
        ("replay", copy, "1:1"),
        ("plot", copy, "-o", "x.png"),
        ("export", copy, "-o", "x.json"),
        ("match", copy, "zero", "--games", 2),
        ("runs", copy.parent),
    ):
        done(*arguments)
        assert snapshot(copy) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "RUN", "--table", "games"),
        ("show", "RUN", "--table", "games", "--format", "json"),
        ("replay", "RUN", "0:1"),
    ],
    ids=" ".join,
)
def test_head_ends_a_command_quietly(first: Path, tmp_path: Path, arguments: Any) -> None:
    if shutil.which("head") is None:
        pytest.skip("there is no head here")
    words = [str(first) if word == "RUN" else word for word in arguments]
    process = spawn(tmp_path, *words)
    head = subprocess.run(
        ["head", "-c", "5"], stdin=process.stdout, capture_output=True, check=True
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    assert len(head.stdout) == 5
    ended = finish(process)
    assert (ended.code, ended.err) == (0, "")


def test_outputs_that_are_no_plain_files_are_written_to(first: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.csv"
    target.write_text("old")
    (tmp_path / "link.csv").symlink_to(target)
    done("show", first, "--format", "csv", "-o", "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert target.read_text().startswith("generation,")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_output_into_a_pipe(first: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    done("show", first, "--format", "csv", "-o", "pipe")
    assert (tmp_path / "pipe").is_fifo()
    assert os.read(reader, 10) == b"generation"
    os.close(reader)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_in_a_narrow_encoding(first: Path, tmp_path: Path, encoding: str) -> None:
    # As when output goes to a file on Windows; neither encoding has all signs that we print.
    words = ("show", first / "champion.json")
    if encoding == "cp1252":
        words = ("export", first, "-o", "best.json")
    ended = program(tmp_path, *words, PYTHONIOENCODING=encoding)
    assert (ended.code, ended.err) == (0, "")
    assert evolve.load_agent(first).name in ended.out


def test_a_missing_source(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for verb in ("show", "compare"):
        assert "nowhere" in fails(verb, "nowhere")
        assert "empty" in fails(verb, "empty")
    assert invoke("runs", "empty").code == 0
