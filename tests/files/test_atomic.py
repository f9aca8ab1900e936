"""Files that are replaced whole, or not at all."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from evolve.files.atomic import Tail, replacing, write_text
from tests.engine import posix


def test_what_cannot_be_written_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="space"), replacing(tmp_path / "wanted.txt"):
        raise OSError(28, "No space left on device")
    assert not any(tmp_path.iterdir())


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    write_text(path, "old")

    with suppress(KeyError), replacing(path) as file:
        file.write(b"half")
        temporary = Path(file.name)
        raise KeyError
    assert (temporary.parent, temporary.suffix) == (tmp_path, ".txt")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.txt"]
    write_text(path, "nëw")
    assert path.read_bytes() == "nëw".encode()
    assert os.listdir(tmp_path) == ["x.txt"]


@posix
def test_others_may_read_what_any_new_file_would_let_them(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "x", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


@posix
def test_pipes_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match=f"a pipe or a device, not a file: .*{name}"):
            write_text(tmp_path / name, "text")
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def test_a_folder_that_is_missing_is_told_by_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing.x\.txt"):
        write_text(tmp_path / "missing" / "x.txt", "")


def line(number: int) -> bytes:
    return json.dumps({"event": "progress", "done": number}).encode() + b"\n"


def numbers(tail: Tail, most: int = -1) -> list[int]:
    return [event["done"] for event in tail.read(most)]


def test_lines_come_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    found = Tail(path)
    assert numbers(found) == [], "there is no file yet"
    path.write_bytes(line(0) + line(1)[:9])
    assert numbers(found) == [0]
    assert numbers(found) == []
    with path.open("ab") as file:
        file.write(line(1)[9:] + line(2))
    assert numbers(found) == [1, 2]


def test_what_is_no_event_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(b"{\n[]\n1\n{}\n" + b'{"event": 3}\n' + b"\xff\n" + line(7))
    assert numbers(Tail(path)) == [7]


def test_much_is_read_in_pieces_and_the_rest_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(b"".join(map(line, range(50))))
    found = Tail(path)
    first = numbers(found, 100)
    assert 0 < len(first) < 50
    assert first + numbers(found) == [*range(50)]
