"""Text that is not ours cannot steer a terminal, and our own signs are there in any encoding."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tomli_w

import evolve
from evolve.cli import terminal
from evolve.cli.options import readable
from evolve.cli.runs import print_compared
from evolve.studies.comparison import Comparison
from evolve.tables.trials import write_trials
from tests.cli import done, invoke, on_a_terminal, program
from tests.studies.test_document import FRAME
from tests.test_terminal_text import HOSTILE, harmless


@pytest.fixture
def hostile(copy: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder of runs in which every text of a file is the parameter."""
    text: str = request.param
    stored = text.encode("utf-8", "replace").decode()  # files cannot hold half a pair
    folder = tmp_path / "all"
    for name in ("broken", "sweep"):
        (folder / name).mkdir(parents=True)
    run = copy.rename(folder / "run")
    config = evolve.load_run(run).config
    settings = {**config, "preset": stored, "versions": {stored: stored}, stored: stored}
    (run / "config.toml").write_text(tomli_w.dumps(settings), encoding="utf-8")
    document = json.loads((run / "champion.json").read_text(encoding="utf-8"))
    document["name"] = stored
    document["provenance"] |= {stored: stored, "against": stored, "parents": [stored]}
    (run / "champion.json").write_text(json.dumps(document), encoding="utf-8")
    for path in (run / "games").glob("gen-*.parquet"):
        table = pq.read_table(path)
        for name in ("black", "white", "reason", "kind"):
            column = pa.array([stored] * table.num_rows)
            table = table.set_column(table.column_names.index(name), name, column)
        pq.write_table(table, path, write_page_checksum=True)
    (folder / "broken/config.toml").write_text(f'rules = "{stored}', "utf-8", newline="")
    sweep = folder / "sweep"
    values = {"command": "sweep mcts", "rules": stored, "seed": 0, "trials": 3}
    (sweep / "config.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
    rows = [
        {"number": n, "state": "COMPLETE", "score": 0.5 + n / 10, "score_error": 0.1,
         "seconds": 1.0, stored: stored, "layers": stored, "reports": [0.5], "origin": stored,
         "worker": stored, "agent": stored, "reason": stored}
        for n in range(3)
    ]  # fmt: skip
    write_trials(sweep, rows, {stored: str, "layers": str})
    return folder


def looks(folder: Path, text: str) -> list[tuple[object, ...]]:
    # What an argument can be: no end of a text, and of the halves of a pair those for bytes.
    run, named = folder / "run", text.replace("\0", "").replace("\ud800", "")
    return [
        ("runs", folder), ("compare", run, folder / "sweep"), ("compare", run, folder / "broken"),
        ("show", run), ("show", run, "--table", "games"), ("show", folder / "sweep"),
        ("show", run, "--table", "individuals", "--top", 2), ("show", run / "champion.json"),
        ("show", run / "champion.json", "--format", "json"), ("replay", run, "1:1"),
        ("replay", run, named), ("plot", run, "-o", "a.png"),
        ("plot", folder / "sweep", "-o", "b.png"),
        ("export", run, "--individual", named, "-o", "x.json"), ("play", run),
        ("match", run, "zero", "--games", 2, "--jobs", 1), ("engine", named, "--protocol", "gtp"),
        ("solve", named), ("resume", run), ("resume", folder / "broken"),
        ("run", "--start-from", named), ("run", "--rules", named), ("run", f"--fix={named}"),
        (named,), (f"--{named}",),
    ]  # fmt: skip


ALL = "".join(HOSTILE)
WORKING = ("plot", "match", "play", "engine")
"""Commands that take half a second and more: they are shown all texts at once, and none alone."""


@pytest.mark.parametrize(
    ("hostile", "text"),
    [(ALL, ALL), *(pytest.param(text, text, marks=pytest.mark.slow) for text in HOSTILE)],
    ids=ascii,
    indirect=["hostile"],
)
@pytest.mark.filterwarnings("ignore:Glyph")  # that no font has; the command tells it as a warning
def test_no_command_prints_what_a_terminal_obeys(hostile: Path, text: str) -> None:
    for arguments in looks(hostile, text):
        if arguments[0] in WORKING and text != ALL:
            continue
        result = invoke(*arguments, stdin="quit\n")
        said = result.out + result.err
        assert result.code in (0, 1, 2), (arguments, result)
        assert "Traceback" not in said
        assert harmless(said.replace("\r", "\\r")), (arguments, said)
        assert "\r" not in said
        printed = [line[:7] for line in result.err.splitlines() if line]
        assert not result.code or printed == ["error: "], (arguments, result.err)


@pytest.mark.parametrize("hostile", ["[bold]x[/]"], indirect=True)
def test_markup_is_shown_as_it_stands_and_a_broken_run_is_a_row(hostile: Path) -> None:
    shown = done("runs", hostile)
    assert len(shown.lines) == 4
    assert re.search(r"broken.*config\.toml", shown.out)
    run = hostile / "run"
    calls = (("runs", hostile), ("show", run / "champion.json"), ("show", run), ("compare", run))
    assert not [words for words in calls if "[bold]x[/]" not in done(*words).out]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("hostile", ["\x1b[2J[bold]\x9b:x:[/]\u202e"], indirect=True)
def test_a_terminal_gets_no_escape_sequences_of_others(hostile: Path, tmp_path: Path) -> None:
    for arguments in (
        ("runs", hostile),
        ("show", hostile / "run", "--table", "games", "--format", "csv", "--generation", 0),
    ):
        shown = on_a_terminal(tmp_path, *arguments, columns=200)
        own = re.sub(r"\x1b\[[0-9;]*m|[\r]", "", shown)
        assert harmless(own), (arguments, own)
        found = [text in own.replace("\n", "") for text in ("[2J", ":x:", "\x1b[2J")]
        assert found == [True, True, False]


def test_signs_that_an_encoding_lacks_are_never_question_marks(first: Path, tmp_path: Path) -> None:
    ended = program(tmp_path, "show", first / "champion.json", PYTHONIOENCODING="ascii")
    assert (ended.code, ended.err) == (0, "")
    assert (ended.out.isascii(), "?" in ended.out, "4-23" in ended.out) == (True, False, True)
    assert "|" in ended.lines[0]
    # As when output goes to a file on Windows.
    ended = program(tmp_path, "export", first, "-o", "a.json", PYTHONIOENCODING="cp1252")
    assert (ended.code, ended.err) == (0, "")
    assert evolve.load_agent(first).name in ended.out


def test_a_name_of_any_bytes_can_be_shown() -> None:
    assert readable("plain – Ä") == "plain – Ä"
    assert readable(os.fsdecode(b"b\xff.json")) == "b?.json"


def test_json_is_the_same_in_any_encoding(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first, tmp_path / "é\x1b–")
    narrow = program(tmp_path, "runs", ".", "--json", PYTHONIOENCODING="ascii").document
    assert narrow == done("runs", ".", "--json").document
    assert narrow[0]["run"] == "é\x1b–"


@pytest.mark.parametrize(("columns", "tables"), [(60, 2), (120, 1)])
def test_tables_on_a_terminal_break_no_number(
    shown: Callable[..., list[str]], columns: int, tables: int
) -> None:
    heads = ("setting", "against", "difference", "95 %", "p", "p (Holm)")
    row = ("crossover=blend", "crossover=uniform", "-124.8", "[-476.8, 227.1]", 0.3411, 0.3411)
    lines = shown(columns, terminal.print_rows, heads, [row])
    assert len(lines) == 2 * tables
    assert max(map(len, lines)) <= columns
    assert all(line.startswith("setting") for line in lines[::2])
    printed = "\n".join(lines)
    assert all(text in printed for text in (*heads, *map(str, row[:4]), "0.341"))


def test_a_comparison_keeps_probabilities_beside_names(shown: Callable[..., list[str]]) -> None:
    long = FRAME.assign(against=FRAME["against"].map("crossover=uniform population={}".format))
    compared = Comparison([], long.where(FRAME["against"].notna(), FRAME), {})
    lines = shown(80, print_compared, compared)
    heads = [line for line in lines if "(Holm)" in line]
    assert len(heads) == 3
    assert all(line.startswith("comparison") for line in heads)


def test_lines_break_between_words_but_commands_do_not(
    screen: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    screen(20, False)
    terminal.print_text("as many words as a line of this terminal holds")
    terminal.print_text("evolve plot runs/reversed-001 -o plot.png", whole=True)
    assert capsys.readouterr().out.splitlines() == [
        *("as many words as a", "line of this", "terminal holds"),
        "evolve plot runs/reversed-001 -o plot.png",
    ]
