"""`evolve convert` and `evolve solve`: games and positions in every format, and their values."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.arena.call import _identity_of
from evolve.records.formats import read_games, write_games
from evolve.records.record import GameRecord
from tests import forks
from tests.cli import command, done, environment, fails, match, misused
from tests.programs.test_external import source
from tests.records.test_formats import CORNER, from_board
from tests.records.test_ggf import random_record


@pytest.mark.slow
def test_a_dash_is_standard_input_and_output() -> None:
    def piped(data: bytes, *words: str) -> bytes:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = forks.start(command(*words), env=environment(), **pipes)
        out, err = process.communicate(data)
        assert process.returncode == 0, err
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
def test_errors_in_standard_input_name_it(words: tuple[str, ...], content: str) -> None:
    if "run" in words:
        content = "generations = 0"
    ended = forks.run(command(*words), stdin=content)
    assert ended.returncode in (1, 2)
    assert ended.stderr.startswith("error: standard input"), ended.stderr
    assert tempfile.gettempdir() not in ended.stderr


def records(file: str) -> list[GameRecord]:
    return [*read_games(file).records]


def winners(file: str) -> list[str | None]:
    return [record.winner for record in records(file)]


def starts(file: str) -> list[evolve.Board]:
    return [record.start for record in records(file)]


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_games_of_matches_and_ratings_say_their_rules(rules: str) -> None:
    words = ("--games", 6, "--rules", rules)
    found = match("random", "zero", *words, "--out", "m.parquet")
    for name in ("m.csv", "m.ggf"):
        done("convert", "m.parquet", "-o", name)
    done("rate", "random", "zero", *words, "--out", "rated")
    assert winners("m.csv") == winners("m.ggf")
    assert set(pd.read_csv("m.csv")["rules"]) == {rules}
    assert set(pd.read_parquet("m.parquet")["kind"]) == {"match"}
    sources = ("m.csv", "m.ggf", "rated/games/pair-000-001.parquet")
    again = []
    for each in sources:
        done("convert", each, "-o", "again.ggf")
        again.append(({record.rules for record in records("again.ggf")}, winners("again.ggf")))
    assert again == [({rules}, winners(each)) for each in sources]
    assert found["wins"] == sum(
        record.winner == ("black" if record.black == "random" else "white")
        for record in records("m.ggf")
    )


@pytest.mark.parametrize("empties", [(), ("--empties", "4")])
def test_positions_keep_their_rules_and_are_solved_by_them(empties: tuple[str, ...]) -> None:
    write_games(Path("a.ggf"), [random_record(seed, "reversed") for seed in range(3)])
    done("convert", "a.ggf", *empties, "-o", "a.obf")
    head, _, text = Path("a.obf").read_text().partition("\n")
    assert head == "% rules: reversed"
    found = done("solve", "a.obf", "--json").document
    assert found["rules"] == "reversed"
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


def test_openings_from_a_file() -> None:
    assert match("swh", "zero")["games"] == 100, "without a file"
    Path("openings.txt").write_text("# two\nf5d6c4d3c2b3b4b5\n\nf5f6e6f4\nf5d6c4d3c2b3b4b5\n")
    found = match("swh", "zero", "--openings", "openings.txt", "--out", "games.parquet")
    assert found["games"] == 4, "each once, with both colours"
    table = pd.read_parquet("games.parquet")
    assert sorted(set(table["opening"])) == ["f5 d6 c4 d3 c2 b3 b4 b5", "f5 f6 e6 f4"]
    assert all(m.startswith(o) for m, o in zip(table["moves"], table["opening"], strict=True))
    assert match("swh", "zero", "--openings", "openings.txt", "--games", 6)["games"] == 6
    cut = match("swh", "zero", "--openings", "openings.txt", "--opening-plies", 4)
    assert cut["games"] == 4
    assert "ends the game" in fails("match", "swh", "zero", "--openings", "games.parquet")


def test_openings_from_games_of_any_kind(first: Path) -> None:
    done("show", first, "--table", "games", "--format", "csv", "-o", "games.csv")
    done("convert", "games.csv", "-o", "games.ggf", "--rules", "reversed")
    one = match("swh", "zero", "--openings", "games.csv", "--opening-plies", 6)
    assert one == match("swh", "zero", "--openings", "games.ggf", "--opening-plies", 6)
    assert one["games"] > 10


def test_a_file_is_told_by_what_it_holds() -> None:
    identities = []
    for text in ("f5d6\n", "f5f6\n", "f5d6\n"):
        Path("openings.txt").write_text(text)
        identities.append(_identity_of("openings.txt"))
    assert identities[0] == identities[2] != identities[1]
    assert identities[0].startswith("openings.txt sha256:")


BOARDS = [
    evolve.Board.parse(CORNER),
    evolve.Board.parse("-" * 18 + "XXX" + "-" * 6 + "OXO" + "-" * 5 + "OOO" + "-" * 26, "white"),
    evolve.Board.parse(evolve.Board.start().cells(), "white"),
]
"""A corner that is taken, a random start of a server, and the usual start with white to move."""
GGS = (
    "(;GM[Othello]PC[GGS/os]PB[a]PW[b]TY[8r20]RE[+12.0]BO[8 -------- -------- --***--- ---O*O-- "
    "---OOO-- -------- -------- -------- O];)"
)


def as_obf(path: Path) -> None:
    write_games(path, [GameRecord(start=board) for board in BOARDS])


def as_games(path: Path) -> None:
    write_games(path, [from_board(board, seed) for seed, board in enumerate(BOARDS)])


FILES: dict[str, Callable[[Path], None]] = {
    "a.obf": as_obf, "a.ggf": as_obf, "b.ggf": as_games, "a.csv": as_games, "a.parquet": as_games,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("agents", [("swh?depth=2", "zero"), ("uct?simulations=8", "swh")])
def test_a_match_begins_where_the_openings_do(name: str, agents: tuple[str, str]) -> None:
    FILES[name](Path(name))
    given = [record for record in records(name) for _ in "ab"]
    found = match(*agents, "--openings", name, "--out", "m.parquet", "--jobs", 1)
    done("convert", "m.parquet", "-o", "m.ggf")
    assert found["games"] == 6
    for file in ("m.parquet", "m.ggf"):
        assert starts(file) == [one.start for one in given]
        assert {game.ending for game in records(file)} == {"end"}
        assert not [
            game
            for game, opening in zip(records(file), given, strict=True)
            if game.moves[: len(opening.moves)] != opening.moves
        ]
        assert winners(file) == pd.read_parquet("m.parquet")["winner"].tolist()
    again = match(*agents, "--openings", name, "--out", "m.parquet", "--jobs", 2)
    assert again == found, "read from the file"
    done("convert", "m.parquet", "-o", "again.ggf")
    assert [game.final for game in records("again.ggf")] == [
        game.final for game in records("m.ggf")
    ]


def test_a_finished_game_that_begins_elsewhere_gives_its_start() -> None:
    Path("g.ggf").write_text(GGS)
    done("match", "zero", "random", "--openings", "g.ggf", "--games", 2, "--out", "w.parquet")
    done("convert", "w.parquet", "-o", "whole.ggf")
    assert {*starts("whole.ggf")} == {*starts("g.ggf")}
    found = match("swh", "zero", "--openings", "whole.ggf", "--out", "m.parquet")
    assert found["games"] == 2, "one opening: both games begin there"
    assert pd.read_parquet("m.parquet")["opening"].tolist() == ["", ""]
    words = ("swh", "zero", "--openings", "whole.ggf", "--opening-plies")
    assert match(*words, 4, "--out", "n.parquet")["games"] == 4
    assert (pd.read_parquet("n.parquet")["opening"].str.split().str.len() == 4).all()
    assert match(*words, 0) == found


def test_replay_and_convert_show_the_start() -> None:
    Path("g.ggf").write_text(GGS)
    as_obf(Path("a.obf"))
    assert str(BOARDS[1]) in done("replay", "g.ggf", 1).out
    assert str(BOARDS[2]) in done("replay", "a.obf", 3).out
    done("convert", "a.obf", "-o", "b.parquet")
    done("convert", "b.parquet", "-o", "c.ggf")
    done("convert", "c.ggf", "--empties", 60, "-o", "d.obf")
    assert [record.final for record in records("d.obf")] == [
        board for board in BOARDS if board.empties == 60
    ]


@pytest.mark.parametrize("agents", [("swh", "good"), ("good", "swh")])
def test_a_program_over_gtp_is_refused(agents: tuple[str, str]) -> None:
    as_obf(Path("a.obf"))
    names = [source("gtp", "good") if name == "good" else name for name in agents]
    said = [fails(command, *names, "--openings", "a.obf") for command in ("match", "rate")]
    assert not [line for line in said if "gtp:" not in line or "elsewhere" not in line]


def test_a_program_over_nboard_is_told_the_board_and_a_rating_begins_there() -> None:
    as_obf(Path("a.obf"))
    done("rate", "swh", "zero", "--openings", "a.obf", "--games", 6, "--out", "r")
    assert starts("r/games/pair-000-001.parquet") == [board for board in BOARDS for _ in "ab"]
    found = match("zero", source("nboard", "good"), "--openings", "a.obf", "--out", "m.parquet")
    assert (found["played"], found["failures_b"]) == (6, 0)
    assert starts("m.parquet") == [board for board in BOARDS for _ in "ab"]
