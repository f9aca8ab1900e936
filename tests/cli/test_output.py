"""Tables as files, for programs and for people; agents as a person wants to see them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evolve
from evolve.cli import terminal
from evolve.cli.output import board_lines, narrow, print_agent, print_frame, rounded
from tests.cli import done, misused


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes standard output a terminal of so many columns, with colours unless `colour` is off."""

    def become(columns: int, colour: bool = True) -> None:
        values = {"FORCE_COLOR": "1", "TERM": "xterm", "COLORTERM": "truecolor"}
        for name, value in {**values, "COLUMNS": str(columns), "LINES": "24"}.items():
            monkeypatch.setenv(name, value)
        if colour:
            monkeypatch.delenv("NO_COLOR", raising=False)
        else:
            monkeypatch.setenv("NO_COLOR", "1")
        terminal.out.cache_clear()

    yield become
    terminal.out.cache_clear()


@pytest.mark.parametrize("name", ["g.csv", "g.CSV", "g.json", "g.parquet", "g.txt", "g"])
def test_the_end_of_the_name_decides_the_format(first: Path, name: str) -> None:
    done("show", first, "--table", "games", "-o", name)
    games = evolve.load_run(first).games
    match Path(name).suffix.lower():
        case ".csv":
            frame = pd.read_csv(name, keep_default_na=False)
        case ".json":
            frame = pd.read_json(name)
        case ".parquet":
            frame = pd.read_parquet(name)
            assert b"evolve-digest" in pq.read_metadata(name).metadata
        case _:
            lines = Path(name).read_text(encoding="utf-8").splitlines()
            assert len(lines) == len(games) + 1
            return
    assert list(frame) == list(games)
    assert frame["moves"].tolist() == games["moves"].tolist()


def test_formats_that_contradict_the_name(first: Path, tmp_path: Path) -> None:
    for options, word in (
        (("--format", "json", "-o", "g.csv"), "contradict"),
        (("-o", "g.xlsx"), ".parquet"),
        (("--format", "parquet"), "-o NAME.parquet"),
    ):
        assert word in misused("show", first, *options)
    assert list(tmp_path.iterdir()) == []
    done("show", first, "--format", "csv", "-o", "g.dat")
    assert len(pd.read_csv("g.dat")) == 3


@pytest.mark.parametrize("style", ["table", "csv", "json"])
def test_output_to_a_file(first: Path, tmp_path: Path, style: str) -> None:
    arguments = ("show", first, "--table", "games", "--format", style)
    assert done(*arguments, "-o", "games.txt").out == ""
    written = (tmp_path / "games.txt").read_text(encoding="utf-8")
    if style == "table":
        assert len(written.splitlines()) == len(evolve.load_run(first).games) + 1
    else:
        assert written == done(*arguments).out
    done(*arguments, "-o", "games.txt")  # again, over the first
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]


def test_csv_of_hostile_names_is_what_the_table_holds(copy: Path) -> None:
    path = copy / "games/gen-0000.parquet"
    table = pq.read_table(path)
    column = pa.array(["a\x1b[2J"] * table.num_rows)
    pq.write_table(table.set_column(table.column_names.index("reason"), "reason", column), path)
    said = done("show", copy, "--table", "games", "--generation", 0, "--format", "csv").out
    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(said)))
    assert {row["reason"] for row in rows} == {"a\x1b[2J"}


def test_what_is_long_is_cut_for_people_alone() -> None:
    assert narrow("x" * 28) == "x" * 28
    assert narrow("x" * 29) == "x" * 27 + "…"
    assert narrow(["dense 8 relu", "dense 64"]) == "dense 8 relu dense 64"
    assert narrow(1.25) == 1.25


def test_an_agent_as_boards(first: Path) -> None:
    shown = done("show", first / "champion.json").out
    assert shown.count("weights, ") == 3
    for word in ("depth", "mobility", "ancestry", "seed: 0", "reversed"):
        assert word in shown
    assert "100" in done("show", "swh").out
    assert "  3 " in done("show", "swh?depth=3").out


def test_names_in_agent_files_are_shown_as_text(copy: Path) -> None:
    path = copy / "champion.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["name"] = "[bold]a[/bold] [red"
    path.write_text(json.dumps(document), encoding="utf-8")
    for arguments in (("show", path), ("show", copy), ("compare", copy)):
        assert "[bold]a[/bold] [red" in done(*arguments).out


def test_boards_are_green_and_mark_the_last_move(screen: Callable[..., None]) -> None:
    board = evolve.Board.start().play(19)
    for colour in (True, False):
        screen(80, colour)
        lines = board_lines(board, 19, board.legal_moves())
        row = lines[3]
        assert row.plain.strip() == "3 · · * ● * · · ·"
        assert f"{'●' if colour else '○'} white 1" in lines[-1].plain
        text = str(row.spans)
        assert ("on #1f7a4d" in text) is colour
        assert ("on #c9a227" in text) is colour
        assert ("reverse" in text) is not colour


def test_weights_are_coloured_by_their_sign(
    screen: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    agent = evolve.load_agent("swh").stored()
    shown = {}
    for colour in (True, False):
        screen(60, colour)
        print_agent(agent, [])
        shown[colour] = capsys.readouterr().out
    assert "48;2;33;102;172" in shown[True]  # a corner, the largest: all blue
    assert "48;2;" not in shown[False]
    plain = {key: re.sub(r"\x1b\[[0-9;]*m", "", text) for key, text in shown.items()}
    assert plain[True] == plain[False]


@pytest.mark.parametrize(("columns", "beside"), [(60, 1), (90, 2), (140, 3)])
def test_as_many_boards_stand_side_by_side_as_have_room(
    first: Path,
    screen: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    columns: int,
    beside: int,
) -> None:
    screen(columns, False)
    print_agent(evolve.load_agent(first).stored(), [])
    lines = capsys.readouterr().out.splitlines()
    assert max(line.count("weights, ") for line in lines) == beside
    boards = [line for line in lines if re.match(r"[1-8]  ", line)]
    assert max(map(len, boards)) <= columns


def test_a_narrow_terminal_leaves_columns_out_whole(
    screen: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.DataFrame({f"column_{n}": [n * 1000, n] for n in range(12)})
    for columns, shown in ((60, 6), (80, 8), (200, 12)):
        screen(columns, False)
        print_frame(frame)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
        assert lines[0].split() == [f"column_{n}" for n in range(shown)]
        assert lines[1].split() == [str(n * 1000) for n in range(shown)]
        assert max(map(len, lines)) <= columns
        told = " ".join(lines[3:])
        assert ("no room for column_" in told) is (shown < 12)
        assert re.findall(r"column_\d+", told) == [f"column_{n}" for n in range(shown, 12)]


def test_figures_are_rounded_as_people_read_them() -> None:
    for name, value, text in (
        ("panel_elo_low", -308.89, "-309"),
        ("rating", 551.2, "551"),
        ("best_score", 0.12345, 0.12345),
        ("seconds", 0.2789, "0.28"),
        ("cpu_seconds", 1234.5, "1234"),
        ("disc_difference", -3.567, "-3.6"),
        ("games", 12, 12),
    ):
        assert rounded(name, value) == text


def test_show_has_json_as_other_commands(first: Path) -> None:
    rows = done("show", first, "--json").document
    assert rows == done("show", first, "--format", "json").document
    assert len(rows) == 3
    agent = done("show", "swh", "--json").document
    assert agent["format"] == "evolve-agent"
    assert "contradict each other" in misused("show", first, "--json", "--format", "csv")
