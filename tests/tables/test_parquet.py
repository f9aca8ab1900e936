"""Parquet files, where a flipped bit anywhere is told; CSV, where no text is a formula."""

from __future__ import annotations

import csv
import io
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.errors import EvolveError, RunError
from evolve.learning.tables import CHECKS
from evolve.records.formats import read_games
from evolve.tables.parquet import bytes_of, csv_text, read_csv, read_table, write_table
from evolve.tables.trials import read_trials
from tests.cli import python


def individuals(folder: Path) -> Any:
    run = evolve.load_run(folder)
    return run.individuals_table(1).to_pylist(), run.metadata(1)


LOOKS: dict[str, Callable[[Path], Any]] = {
    "generations/gen-0001.parquet": individuals,
    "games/gen-0001.parquet": lambda folder: evolve.load_run(folder).games_table(1).to_pylist(),
    "games/playoff.parquet": lambda folder: evolve.load_run(folder).games.to_dict("records"),
    "metrics/check-0000.parquet": lambda folder: CHECKS.read(folder).to_pylist(),
    "trials.parquet": lambda folder: read_trials(folder).to_pylist(),
    "match.parquet": lambda folder: read_games(folder / "match.parquet"),
}


@pytest.mark.slow
@pytest.mark.parametrize("file", LOOKS)
def test_a_flipped_bit_is_refused(made: Path, file: str) -> None:
    """Anywhere in a file, in a line with the file's name."""
    look, rng = LOOKS[file], random.Random(file)
    path = made / file
    whole = path.read_bytes()
    places = rng.sample(range(8 * len(whole)), 40)
    # And of what says that there is a digest: without it a file would be one of another program.
    for word in (b"evolve-digest", b"sha256-of-this-file:"):
        at = 8 * whole.index(word)
        places += rng.sample(range(at, at + 8 * len(word)), 20)
    for place in places:
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(EvolveError) as told:
            look(made)
        assert str(path) in str(told.value)
        assert "\n" not in str(told.value)
    path.write_bytes(whole)


def test_every_parquet_file_has_a_digest(made: Path) -> None:
    files = [*made.rglob("*.parquet")]
    assert len(files) > 6
    assert not [path for path in files if b"evolve-digest" not in pq.read_metadata(path).metadata]


def test_other_programs_read_the_same_values(made: Path) -> None:
    path = made / "games/gen-0001.parquet"
    theirs, ours = pd.read_parquet(path), evolve.load_run(made).games_table(1).to_pandas()
    pd.testing.assert_frame_equal(theirs, ours)
    assert pq.read_schema(path).metadata == read_table(path).schema.metadata


def test_the_same_table_is_the_same_file(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "text": ["sha256-of-this-file:" + "0" * 64, "x"]})
    write_table(tmp_path / "one", table.replace_schema_metadata({"k": "v"}))
    assert (tmp_path / "one").read_bytes() == bytes_of(table.replace_schema_metadata({"k": "v"}))
    assert read_table(tmp_path / "one").equals(table)
    assert read_table(tmp_path / "one", only=()).schema.metadata == {b"k": b"v"}


def test_tables_without_digests_open(made: Path, tmp_path: Path) -> None:
    """They are another program's."""
    old = tmp_path / "old"
    shutil.copytree(made, old)
    for path in old.rglob("*.parquet"):
        pq.write_table(pq.read_table(path), path, compression="zstd", write_page_checksum=True)
    assert not [path for path in old.rglob("*.parquet") if b"digest" in path.read_bytes()]
    assert [look(old) for look in LOOKS.values()] == [look(made) for look in LOOKS.values()]


@pytest.mark.parametrize(
    ("file", "name", "kind"),
    [
        ("games/gen-0001.parquet", "plies", pa.int64()),
        ("generations/gen-0001.parquet", "score", pa.string()),
    ],
)
def test_a_column_of_another_type_is_refused(
    file: str, name: str, kind: pa.DataType, made: Path, tmp_path: Path
) -> None:
    shutil.copytree(made, tmp_path / "copy")
    table = read_table(made / file)
    column = table[name].cast(kind)
    write_table(
        tmp_path / "copy" / file, table.set_column(table.column_names.index(name), name, column)
    )
    with pytest.raises(RunError, match=f"column {name} is of type {kind}"):
        LOOKS[file](tmp_path / "copy")


def test_reading_begins_no_threads(tmp_path: Path) -> None:
    write_table(tmp_path / "table.parquet", pa.table({"number": range(1000)}))
    script = """
import pathlib, psutil
from evolve.tables.parquet import read_table
before = psutil.Process().num_threads()
assert read_table(pathlib.Path("table.parquet")).num_rows == 1000
print(psutil.Process().num_threads() - before)
"""
    assert python(script, folder=tmp_path) == (0, "0\n", "")


HOSTILE = ["=1+1", "+cmd", "-2", "@x", "'=x", "''-x", "\tx", "'quoted'", "plain", 'ünï, "q"']


def names_in(text: str) -> list[str]:
    head, rows, bad = read_csv(text)
    assert not bad
    return [row[head.index("name")] for row in rows]


def test_cells_that_would_be_formulas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": HOSTILE, "score": -0.25, "count": -3, "parts": [[-1]] * 10})
    (tmp_path / "x.csv").write_text(csv_text(frame), encoding="utf-8")
    plain = pd.read_csv(tmp_path / "x.csv")
    assert plain["name"].tolist()[:4] == ["'=1+1", "'+cmd", "'-2", "'@x"]
    assert plain["score"].tolist() == [-0.25] * 10
    assert plain["count"].tolist() == [-3] * 10
    assert names_in(csv_text(frame)) == HOSTILE
    heads = pd.DataFrame([[1]], columns=["=1+1"])
    assert csv_text(heads) == "'=1+1\n1\n"


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.text("'=+-@\t\r\n,\" aé1"), min_size=1, max_size=5))
def test_any_text_comes_back(texts: list[str]) -> None:
    written = csv_text(pd.DataFrame({"name": texts, "number": -1}))
    assert names_in(written) == texts
    cells = list(csv.reader(io.StringIO(written, newline="")))[1:]
    assert not [cell for cell in cells if re.match(r"[=+\-@\t\r]", cell[0])]
