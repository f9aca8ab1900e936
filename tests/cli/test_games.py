"""`evolve convert` and `evolve solve`: games and positions in every format, and their values."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.records.formats import read_games, write_games
from tests import forks
from tests.cli import command, done, environment, fails, invoke, match, misused
from tests.cli.test_kept_run import KEPT
from tests.records.test_ggf import random_record
from tests.records.test_wthor import database, game_bytes


def test_through_every_format_and_back() -> None:
    records = [random_record(seed) for seed in range(6)]
    Path("a.wtb").write_bytes(database(*map(game_bytes, records)))
    assert not [
        (before, after)
        for before, after in (("a.wtb", "b.ggf"), ("b.ggf", "c.parquet"), ("c.parquet", "d.txt"))
        if done("convert", before, "-o", after).out != f"6 games → {after}\n"
    ]
    done("convert", "d.txt", "-o", "e.csv")
    moves = [" ".join(str(m).split()) for m in pd.read_csv("e.csv")["moves"]]
    assert moves == pd.read_parquet("c.parquet")["moves"].tolist()


@pytest.mark.slow
def test_a_dash_is_standard_input_and_output() -> None:
    """Lines for people go to standard error then."""

    def piped(data: bytes, *words: str) -> bytes:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = forks.start(command(*words), env=environment(), **pipes)
        out, err = process.communicate(data)
        assert process.returncode == 0, err
        assert isinstance(out, bytes)
        return out

    games = (random_record(1), random_record(2))
    write_games(Path("a.ggf"), games)
    text = Path("a.ggf").read_bytes()
    assert piped(text, "convert", "-", "-o", "-") == text
    assert piped(text, "convert", "-", "-o-.pgn").startswith(b"[Event ")
    ends = piped(text, "convert", "-", "--empties=4", "-o", "-.obf")
    assert len(json.loads(piped(ends, "solve", "-", "--json"))["positions"]) == 2
    assert piped(text, "replay", "-", "2") == done("replay", "a.ggf", 2).out.encode().replace(
        b"of a.ggf", b"of standard input"
    )
    for words in (("--out", "-.parquet"), ("--log", "-"), ("--progress", "-")):
        assert "not standard output" in misused("match", "swh", "zero", *words)
    agent = piped(b"", "show", "swh", "--json", "-o", "-")
    assert piped(agent, "show", "-") == done("show", "swh").out.encode()
    config = b'agents = ["swh", "zero"]\ngames = 2\nopenings = "start"\n'
    assert b"2 games" in piped(config, "rate", "--config=-")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("convert", "-", "-o", "-.pgn"), ("solve", "-"), ("replay", "-"), ("show", "-"),
              ("run", "--config=-"), ("study", "-")],
)  # fmt: skip
@pytest.mark.parametrize("content", ["", "rubbish"])
def test_errors_in_standard_input_name_it(
    words: tuple[str, ...], content: str, tmp_path: Path
) -> None:
    if "run" in words:
        content = "generations = 0"
    ended = subprocess.run(
        command(*words), input=content, capture_output=True, text=True, env=environment()
    )
    assert ended.returncode in (1, 2)
    assert ended.stderr.startswith("error: standard input"), ended.stderr
    assert tempfile.gettempdir() not in ended.stderr


def test_names_of_any_kind() -> None:
    Path("-a.ggf").write_text("")
    misused("convert", "-a.ggf", "-o", "b.pgn")
    name = f"gtp:{sys.executable} -c pass {'x' * 300}"
    assert name in done("show", name).out


def winners(file: object) -> list[str | None]:
    return [record.winner for record in read_games(str(file)).records]


@pytest.mark.parametrize("suffix", [pytest.param(".csv", marks=pytest.mark.slow), ".parquet"])
def test_games_of_a_run_say_their_rules(first: Path, suffix: str) -> None:
    done("show", first, "--table", "games", "-o", f"g{suffix}")
    frame = evolve.load_run(first).games
    assert set(frame["rules"]) == {"reversed"}
    assert frame["start"].isna().all()
    shown = done("show", first, "--table", "games", "--format", "json").document
    assert [(row["rules"], row["start"]) for row in shown] == [("reversed", None)] * len(frame)
    head = done("show", first, "--table", "games").lines[0].split()
    assert ("rules" in head, "start" in head) == (True, False)
    ended = frame["reason"] == "end"
    before, found = f"g{suffix}", []
    for after in ("g.ggf", "again.csv", "again.txt", "last.parquet"):
        done("convert", before, "-o", after)
        found.append(np.array(winners(after))[ended])
        before = after
    assert (np.array(found) == frame["winner"][ended].to_numpy()).all()
    fails("convert", f"g{suffix}", "-o", "x.ggf", "--rules", "standard")
    assert not Path("x.ggf").exists()


def test_games_of_a_kept_run_say_its_rules() -> None:
    frame = evolve.load_run(KEPT).games
    assert set(frame["rules"]) == {"reversed"}
    done("show", KEPT, "--table", "games", "-o", "g.csv")
    found = []
    for source in ("g.csv", *(KEPT / f"games/{name}.parquet" for name in ("gen-0001", "playoff"))):
        done("convert", source, "-o", "g.ggf")
        found.append({record.rules for record in read_games("g.ggf").records})
    assert found == [{"reversed"}] * 3


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_games_of_matches_and_ratings_say_their_rules(rules: str) -> None:
    words = ("--games", 6, "--rules", rules)
    found = match("random", "zero", *words, "--out", "m.parquet")
    for name in ("m.csv", "m.ggf"):
        done("convert", "m.parquet", "-o", name)
    done("rate", "random", "zero", *words, "--out", "rated")
    assert winners("m.csv") == winners("m.ggf")
    assert set(pd.read_csv("m.csv")["rules"]) == {rules}
    sources = ("m.csv", "m.ggf", "rated/games/pair-000-001.parquet")
    again = []
    for source in sources:
        done("convert", source, "-o", "again.ggf")
        said = {record.rules for record in read_games("again.ggf").records}
        again.append((said, winners("again.ggf")))
    assert again == [({rules}, winners(source)) for source in sources]
    assert found["wins"] == sum(
        record.winner == ("black" if record.black == "random" else "white")
        for record in read_games("m.ggf").records
    )


def test_what_cannot_be() -> None:
    Path("a.txt").write_text("f5d6\n")
    assert "none.ggf" in fails("convert", "none.ggf", "-o", "a.csv")
    assert ".wtb" in fails("convert", "a.txt", "-o", "a.wtb")
    assert "nowhere" in fails("convert", "a.txt", "-o", "nowhere/a.csv")
    assert "--empties" in misused("convert", "a.txt", "-o", "a.csv", "--empties", 3)
    assert "SOURCE" in misused("convert", "-o", "a.csv")


BAD = "f5d6c3\nf5f5\n1. F5 d6 2. C3\nd3x9\nnothing\nf5f6 pass\nd3\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("convert", "a.txt", "-o", "b.ggf"), "3 games → b.ggf"),
        (("convert", "a.txt", "-o", "b.obf"), "3 positions of 3 games → b.obf"),
        (("replay", "a.txt", "3"), "3. black c3"),
        (("replay", "a.txt", "7"), "1. black d3"),
        (("match", "random", "random", "--openings", "a.txt", "--games", "2"), "games     2"),
        (("rate", "random", "random", "swh", "--openings", "a.txt", "--games", "2"), "random"),
    ],
)
def test_what_cannot_be_read_is_left_out_and_told(arguments: tuple[str, ...], said: str) -> None:
    Path("a.txt").write_text(BAD)
    result = invoke(*arguments)
    assert result.code == 0, result
    assert said in result.out
    assert re.findall(r"line (\d)", result.err) == ["2", "4", "5"]
    assert "a.txt" in fails(*arguments, "--strict")


def test_solve_leaves_out_what_is_no_position() -> None:
    end = random_record(3).final.cells()
    Path("a.obf").write_text(f"{end} X;\n{end}\n{end} O % last\nz{end[1:]} X\n")
    result = invoke("solve", "a.obf", "--json")
    assert [one["position"] for one in result.document["positions"]] == [1, 3]
    assert re.findall(r"line (\d)", result.err) == ["2", "4"]
    sided = invoke("solve", "a.obf", "--json", "--side", "white").document["positions"]
    assert [one["side"] for one in sided] == ["black", "white", "white"]


@pytest.mark.parametrize("empties", [(), ("--empties", "4")])
def test_positions_keep_their_rules_and_are_solved_by_them(empties: tuple[str, ...]) -> None:
    write_games(Path("a.ggf"), [random_record(seed, "reversed") for seed in range(3)])
    done("convert", "a.ggf", *empties, "-o", "a.obf")
    assert Path("a.obf").read_text().startswith("% rules: reversed\n")
    found = done("solve", "a.obf", "--json").document
    assert found["rules"] == "reversed"
    text = Path("a.obf").read_text().partition("\n")[2]
    Path("b.obf").write_text(text)
    again = done("solve", "b.obf", "--rules", "reversed", "--json").document
    scores = [[one["score"] for one in each["positions"]] for each in (found, again)]
    assert scores[0] == scores[1]


# Two empty squares: black takes one of them, then white the other or nobody.
LAST_TWO = "OOOOOOOOXXXXXXXXOOOOOOOOXXXXXXXXOOOOOOOOXXXXXXXXOOOOOOOOXXXXXX-- X"
OVER = "X" * 62 + "-- X; score ignored"
MUST_PASS = "-OX" + "X" * 61 + " O"


def test_solve_of_ends_and_passes(tmp_path: Path) -> None:
    text = f"% a comment\n# another\n\n{LAST_TWO}\n{OVER}\n{MUST_PASS}\n"
    (tmp_path / "ends.obf").write_text(text, encoding="utf-8")
    standard = done("solve", "ends.obf", "--json").document["positions"]
    mirrored = done("solve", "ends.obf", "--json", "--rules", "reversed").document["positions"]
    assert [found["move"] for found in standard[1:]] == [None, "pass"]
    assert standard[1]["score"] == 64  # the empty squares go to the winner
    assert mirrored[1]["score"] == -62  # and here to nobody
    assert standard[2]["score"] == -64
    shown = done("solve", "ends.obf")
    assert shown.lines[0] == "rules standard"
    assert len(shown.lines) == 5


def test_solve_of_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bad.obf").write_bytes(b"\xff\xfe\x00")
    assert "bad.obf" in fails("solve", "bad.obf")
    assert "nowhere.obf" in fails("solve", "nowhere.obf")
    assert fails("solve", ".").startswith(".")
    assert "--rules" in misused("solve", "bad.obf", "--rules", "odd")
