"""The registry of formats: each is read as it is written, packed or not; others are refused."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path

import pytest

import evolve
import evolve.cli.games
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, Rules
from evolve.errors import RecordError
from evolve.records.formats import FORMATS, ending_of, read_bytes, read_games, text_of, write_games
from evolve.records.record import GameRecord
from tests.records import check_file_refused
from tests.records.test_ggf import NBOARD, random_record
from tests.records.test_wthor import database, game_bytes

ROOT = Path(evolve.__file__).parent.parent
WRITTEN = (".ggf", ".pgn", ".csv", ".parquet", ".json", ".txt", ".obf")
RULES: tuple[Rules, ...] = ("standard", "reversed")
WHITE = Board.parse(Board.start().play(37).cells(), "white")


CORNER = "X" + "-" * 26 + "OX" + "-" * 6 + "XO" + "-" * 27
STARTS = [
    *(Board.start(), Board.parse(Board.start().cells(), "white"), Board.parse(CORNER)),
    Board.parse(Board.start().play(19).play(18).cells().translate({88: 79, 79: 88})),
]


def from_board(board: Board, seed: int, rules: Rules = "standard") -> GameRecord:
    """A game of ten random moves from a board."""
    agent, moves, start = evolve.RandomAgent(seed), [], board
    for _ in range(10):
        moves.append(agent.choose(board) if board.legal_moves() else PASS)
        board = board.pass_move() if moves[-1] == PASS else board.play(moves[-1])
    return GameRecord(tuple(moves), "a", "b", rules, start)


def games(rules: Rules) -> list[GameRecord]:
    """Of all kinds: whole ones with passes, those that stopped or begin elsewhere, a position."""
    return [
        *(random_record(seed, rules) for seed in range(12)),
        GameRecord((37, 43), "a", 'b "c"', rules, result=4.0, stopped="resigned"),
        GameRecord((37, 43), "a", "b", rules, result=-64.0, stopped="time"),
        GameRecord((37, 43), "a", "b", rules),
        GameRecord((43, 18), "=1+1", "b", rules, WHITE, 12.0, "resigned", "here", "2004", "e"),
        *(from_board(board, seed, rules) for seed, board in enumerate(STARTS)),
        GameRecord(rules=rules),
    ]


def facts(record: GameRecord, ending: str) -> tuple[object, ...]:
    """What a format keeps of a game."""
    if ending == ".obf":
        return (record.final, record.rules)
    found = (record.moves, record.rules, record.final, record.final.moves)
    if ending == ".txt":
        return found
    found += (record.start, record.winner, record.ending, record.black)
    about = {
        ".ggf": (record.site or "evolve", record.date),
        ".pgn": (record.site, record.date, record.white, record.event),
    }
    return found + about.get(ending, ())


@pytest.mark.parametrize(
    ("ending", "packing"),
    [(".ggf", ".gz"), (".pgn", ".bz2"), (".txt", ".GZ"), *((one, "") for one in WRITTEN)],
)
@pytest.mark.parametrize("rules", RULES)
def test_written_games_are_read(rules: Rules, ending: str, packing: str, tmp_path: Path) -> None:
    """The same games with the same rules, which others may not be asked for."""
    path, records = tmp_path / f"games.of.mine{ending}{packing}", games(rules)
    if ending == ".txt":  # it cannot say where a game begins, nor that it has no move
        with pytest.raises(RecordError, match="position"):
            write_games(path, records)
        assert not path.exists()
        records = [one for one in records if one.moves and one.start == Board.start()]
    write_games(path, records)
    assert ending_of(path) == ending
    assert (path.read_bytes() != read_bytes(path)) is bool(packing)
    if ending == ".pgn":
        assert max(map(len, read_bytes(path).decode().splitlines())) <= 80
    wanted = [facts(one, ending) for one in records]
    for asked in (None, rules):
        assert [facts(one, ending) for one in read_games(path, asked).whole()] == wanted
    if ending == ".csv":
        assert "'=1+1" in read_bytes(path).decode(), "no formula of a spreadsheet"
    silent, other = (ending in (".txt", ".obf"), RULES[rules == RULES[0]])
    if rules == "reversed" or not silent:
        with pytest.raises(RecordError, match=rules):
            read_games(path, other)
    else:
        assert {one.rules for one in read_games(path, other).records} == {other}
    both = [random_record(0, other), random_record(1, rules)]
    if silent:
        with pytest.raises(RecordError, match="rules"):
            write_games(path, both)
        return
    write_games(path, both)
    assert [record.rules for record in read_games(path).records] == [other, rules]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("games.xyz", [".xyz is not known", ".ggf", ".pgn", ".gz"]),
        ("games", ["has no ending"]),
        ("games.gz", ["has no ending"]),
        ("games.zip", [".zip is not known"]),
        ("games.ggf.xz", [".xz is not known"]),
        ("games.doc.gz", [".doc is not known"]),
    ],
)
def test_endings_that_are_not_known(tmp_path: Path, name: str, words: list[str]) -> None:
    (tmp_path / name).write_text("f5d6c3\n")
    with pytest.raises(RecordError) as caught:
        read_games(tmp_path / name)
    assert not [word for word in words if word not in str(caught.value)]
    with pytest.raises(RecordError, match="written"):
        write_games(tmp_path / name, [GameRecord()])


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_bad_game_among_others_costs_itself(tmp_path: Path, place: int) -> None:
    path = tmp_path / "games.wtb"
    records = [random_record(seed) for seed in range(5)]
    games = [game_bytes(record) for record in records]
    games[place] = games[place][:9] + b"\x63" + games[place][10:]
    path.write_bytes(database(*games))
    reading = read_games(path)
    del records[place]
    assert [record.moves for record in reading.records] == [record.moves for record in records]
    (left,) = reading.left_out
    assert left.number == place + 1
    assert place + 1 not in reading.numbers
    head, line, *_ = reading.messages(path)
    assert head == f"{path}: 1 game of 5 left out"
    assert str(left) in line
    with pytest.raises(RecordError, match=left.where):
        read_games(path, strict=True)
    with pytest.raises(RecordError, match=f"{place + 1}"):
        reading.game(path, place + 1)


def test_games_that_are_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "a.ggf"
    ten = NBOARD.replace("TY[8]", "TY[10]").replace("BO[8 ", "BO[10 " + "-" * 36)
    komi, cut = NBOARD.replace("TY[8]", "TY[8k]"), NBOARD[:-40]
    open_ = NBOARD.replace("W[F4];)", "W[F4")
    path.write_text(
        f"Archive of 2003 (Saio)\n2 {NBOARD}{NBOARD}\n{ten}\n1 {komi}\n{cut}\n{NBOARD}\n"
        f"{open_}\n{NBOARD}\n{NBOARD.replace('TY[8]', 'TY[s8r18]')}\nthe end ;-)\n"
    )
    reading = read_games(path)
    assert reading.numbers == [1, 2, 6, 8, 9]
    assert [one.where for one in reading.left_out] == [
        "line 3, game 3", "line 4, game 4", "line 5, game 5", "line 7, game 7",
    ]  # fmt: skip
    words = ("TY[10]", "komi", "cut off", "cut off")
    reasons = [one.reason for one in reading.left_out]
    assert not [one for one, word in zip(reasons, words, strict=True) if word not in one]


def test_a_database_that_is_cut_off_or_longer(tmp_path: Path) -> None:
    path, games = tmp_path / "a.wtb", [game_bytes(random_record(seed)) for seed in range(3)]
    path.write_bytes(database(*games, count=2_000_000_000))
    reading = read_games(path)
    assert (len(reading.records), reading.missing) == (3, 1_999_999_997)
    assert "game 4: it is cut off" in str(reading.left_out[0])
    with pytest.raises(RecordError, match="17"):
        reading.game(path, 17)
    path.write_bytes(database(*games, count=2))
    assert len(read_games(path).records) == 2
    assert read_games(path).left_out[0].where == "byte 152"


def names(width: int, *texts: str) -> bytes:
    head = database(count=0)[:8] + len(texts).to_bytes(2, "little") + bytes(6)
    return head + b"".join(text.encode("latin-1").ljust(width, b"\0") for text in texts)


@pytest.mark.parametrize("stem", ["WTHOR", "wth_2004", "Wthor"])
def test_names_beside_a_database(tmp_path: Path, stem: str) -> None:
    (tmp_path / "WTH_2004.wtb").write_bytes(database(game_bytes(random_record(0))))
    players = [f"Müller {number}" for number in range(20)]
    (tmp_path / f"{stem}.JOU").write_bytes(names(20, *players))
    (tmp_path / f"{stem}.trn").write_bytes(
        names(26, "Open A", "", "é", "4", "5", "6", "7", "Kyoto")
    )
    (record,) = read_games(tmp_path / "WTH_2004.wtb").records
    assert (record.black, record.white, record.site) == ("Müller 12", "player 34", "Kyoto")
    (tmp_path / f"{stem}.JOU").write_bytes(b"x" * 40)
    with pytest.raises(RecordError, match=rf"{stem}\.JOU"):
        read_games(tmp_path / "WTH_2004.wtb")


TEXT = "(;PB[Poül]) f5d6\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252"])
def test_text_in_the_encodings_that_people_have(encoding: str) -> None:
    assert text_of(TEXT.encode(encoding)) == TEXT
    assert text_of(b"f5d6\r\n\x1a") == "f5d6\r\n"  # as DOS ended it


@pytest.mark.parametrize(
    ("data", "place"), [(b"f5\x00", 2), ("é".encode() + b"\x01", 1), (b"\xe9\x07", 1)]
)
def test_what_is_no_text_says_where(data: bytes, place: int) -> None:
    with pytest.raises(RecordError, match=rf"{place}"):
        text_of(data)


@pytest.mark.parametrize("name", ["none", ".", "none.gz"])
def test_what_cannot_be_read_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match=re.escape(str(tmp_path / name))):
        read_bytes(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.ggf.gz", b"plain"), ("b.ggf.gz", gzip.compress(b"x" * 99, mtime=0)[:-9]),
        ("c.ggf.bz2", b"BZh"), ("d.ggf.bz2", bz2.compress(b"x" * 99)[:-9]),
        ("e.ggf.gz", b"\x1f\x8b\x08\x00" + b"\xff" * 30), ("f.txt", "f5f5\n" * 4),
    ],
)  # fmt: skip
def test_files_that_are_damaged(tmp_path: Path, name: str, data: str | bytes) -> None:
    check_file_refused(tmp_path / name, data, ())


@pytest.mark.parametrize("name", ["x.gz", "x.bz2"])
def test_too_large_packed_files(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_bytes({".gz": gzip, ".bz2": bz2}[path.suffix].compress(bytes(5 << 20)))
    monkeypatch.setattr("evolve.records.formats._LIMIT", 5 << 20)
    assert len(read_bytes(path)) == 5 << 20
    monkeypatch.setattr("evolve.records.formats._LIMIT", 4 << 20)
    with pytest.raises(RecordError, match=rf"{name}"):
        read_bytes(path)


def test_the_table_of_the_docs_is_that_of_the_formats() -> None:
    text = (ROOT / "docs/reference/formats.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `.")]
    assert rows == [
        [f"`{ending}`", one.name, one.holds, "read, written" if one.write else "read"]
        for ending, one in FORMATS.items()
    ]
    help_text = evolve.cli.games.convert_command.help
    assert not [ending for ending in FORMATS if ending not in help_text]
