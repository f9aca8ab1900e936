"""Parquet files: a flipped bit anywhere is told, in every kind of table that evolve writes."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evolve
from evolve.errors import EvolveError, RunError
from evolve.records.formats import read_games
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.metrics import read_metrics
from evolve.tables.parquet import read_metadata, read_table, write_table
from evolve.tables.trials import read_trials

SHORT, LONG = 60, 1500
"""Flipped bits that are tried in each table, and with -m slow."""


ProgressView = Callable[[Path], Any]


def individuals(folder: Path) -> Any:
    run = evolve.load_run(folder)
    return run.individuals_table(1).to_pylist(), run.metadata(1)


LOOKS: dict[str, ProgressView] = {
    "generations/gen-0001.parquet": individuals,
    "games/gen-0001.parquet": lambda folder: evolve.load_run(folder).games_table(1).to_pylist(),
    "games/playoff.parquet": lambda folder: evolve.load_run(folder).games.to_dict("records"),
    "metrics/check-0000.parquet": lambda folder: read_metrics(folder).to_pylist(),
    "trials.parquet": lambda folder: read_trials(folder).to_pylist(),  # type: ignore[union-attr]
    "match.parquet": lambda folder: read_games(folder / "match.parquet"),
}


def flip(folder: Path, file: str, count: int) -> None:
    """Flip single bits anywhere in a file: each is refused, in a line with the file's name."""
    look, rng = LOOKS[file], random.Random(file)
    path = folder / file
    whole = path.read_bytes()
    places = rng.sample(range(8 * len(whole)), count)
    # And of what says that there is a digest: without it a file would be one of another program.
    for word in (b"evolve-digest", b"sha256-of-this-file:"):
        at = 8 * whole.index(word)
        places += rng.sample(range(at, at + 8 * len(word)), 40)
    for place in places:
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(EvolveError) as told:
            look(folder)
        assert str(path) in str(told.value)
        assert "\n" not in str(told.value)
    path.write_bytes(whole)


@pytest.mark.parametrize("file", LOOKS)
def test_a_flipped_bit_is_refused(made: Path, file: str) -> None:
    flip(made, file, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("file", LOOKS)
def test_any_of_many_flipped_bits_is_refused(made: Path, file: str) -> None:
    flip(made, file, LONG)


def test_every_parquet_file_has_a_digest(made: Path) -> None:
    files = [*made.rglob("*.parquet")]
    assert len(files) > 6
    for path in files:
        assert b"evolve-digest" in pq.read_metadata(path).metadata


def test_other_programs_read_the_same_values(made: Path) -> None:
    path = made / "games/gen-0001.parquet"
    theirs, ours = pd.read_parquet(path), evolve.load_run(made).games_table(1).to_pandas()
    pd.testing.assert_frame_equal(theirs, ours)
    assert pq.read_schema(path).metadata == read_table(path).schema.metadata


def test_the_same_table_is_the_same_file(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "text": ["sha256-of-this-file:" + "0" * 64, "x"]})
    for name in ("one", "two"):
        write_table(tmp_path / name, table.replace_schema_metadata({"k": "v"}))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert read_table(tmp_path / "one").equals(table)
    assert read_metadata(tmp_path / "one") == {b"k": b"v"}


def unsealed(folder: Path) -> None:
    """Turn the tables of a folder into those of another program, without digests."""
    for path in folder.rglob("*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table, path, compression="zstd", write_page_checksum=True)
        assert b"digest" not in path.read_bytes()


def test_tables_without_digests_open(made: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(made, old)
    unsealed(old)
    for file, look in LOOKS.items():
        assert look(old) == look(made), file


def changed(path: Path, name: str, column: pa.Array) -> None:
    table = pq.read_table(path)
    write_table(path, table.set_column(table.column_names.index(name), name, column))


def test_a_column_of_another_type_is_told(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "copy")
    path = tmp_path / "copy/games/gen-0001.parquet"
    table = read_table(path, GAMES_COLUMNS)
    changed(path, "plies", table["plies"].cast(pa.int64()))
    with pytest.raises(RunError, match=r"games.gen-0001.*column plies is of type int64, not int32"):
        evolve.load_run(tmp_path / "copy").games_table(1)
    path = tmp_path / "copy/generations/gen-0001.parquet"
    changed(path, "score", pa.array(["1"] * pq.read_table(path).num_rows))
    with pytest.raises(RunError, match="column score is of type string, not double"):
        evolve.load_run(tmp_path / "copy").individuals_table(1)


def test_reading_begins_no_threads(tmp_path: Path) -> None:
    write_table(tmp_path / "table.parquet", pa.table({"number": range(1000)}))
    script = """
import pathlib, psutil
from evolve.tables.parquet import read_table
before = psutil.Process().num_threads()
assert read_table(pathlib.Path("table.parquet")).num_rows == 1000
print(psutil.Process().num_threads() - before)
"""
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
