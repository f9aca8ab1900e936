"""What a command tells, as its file grows."""

from __future__ import annotations

import json
from pathlib import Path

from evolve.files.atomic import Tail


def line(number: int) -> bytes:
    return json.dumps({"event": "progress", "done": number}).encode() + b"\n"


def test_lines_come_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    found = Tail(path)
    assert list(found.read()) == [], "there is no file yet"
    path.write_bytes(line(0) + line(1)[:9])
    assert [event["done"] for event in found.read()] == [0]
    assert list(found.read()) == []
    with path.open("ab") as file:
        file.write(line(1)[9:] + line(2))
    assert [event["done"] for event in found.read()] == [1, 2]


def test_what_is_no_event_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(b"{\n[]\n1\n{}\n" + b'{"event": 3}\n' + b"\xff\n" + line(7))
    assert [event["done"] for event in Tail(path).read()] == [7]


def test_much_is_read_in_pieces_and_the_rest_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    path.write_bytes(b"".join(map(line, range(50))))
    found = Tail(path)
    first = [event["done"] for event in found.read(100)]
    assert 0 < len(first) < 50
    assert first + [event["done"] for event in found.read()] == list(range(50))
    assert not list(found.read())
