"""Agent files: they hold the whole agent, and what is damaged is refused in one line."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.agent import StoredAgent
from evolve.agents.agent_file import content_of, read_arrays, write_arrays
from evolve.agents.mcts import MctsAgent
from evolve.errors import AgentError, AgentFileError
from tests.agents.conftest import CUTS, dqn_agent, mcts_agent, pattern_agent, refused, sample_agent

MISSING: Any = object()
LIES = {
    sample_agent(): (
        ("format", "other", "not an agent file"),
        ("version", 2, "version 2"),
        ("kind", "oracle", "oracle"),
        ("kind", {"kind": "dqn"}, "unknown"),
        ("parameters", None, "parameters"),
        ("rules", "freestyle", "freestyle"),
        ("name", 3, "name"),
        ("provenance", "mine", "provenance"),
        ("depths", MISSING, "depths is missing"),
        ("magic", 1, "magic is unknown"),
        ("weights", [[10**30] * 10], "weights"),
    ),
    dqn_agent(): (
        ("kind", "alphabeta", "unknown"),
        ("layers", "dense 1", "layers .*valid list"),
        ("layers", ["dense 3"], "must give"),
        ("layers", ["dense 64"], "weights 0 are"),
        ("input", "none", "no input"),
        ("lookahead", 9, "lookahead 9"),
        ("lookahead", "2", "it must be a whole number"),
        ("rewards", 3, "dictionary"),
        ("rewards", {"squares": [1]}, "squares.* 10"),
        ("rewards", {"squares": ["a"] * 10}, "squares.* number"),
        ("rewards", {"discount": 2}, "discount.* 1"),
        ("rewards", {"step": "game"}, "step.*turn"),
        ("endgame", True, "it must be a whole number"),
        ("networks", 2, "missing"),
        ("temper", 2, "temper is unknown"),
    ),
    pattern_agent(): (
        ("shapes", MISSING, "shapes is missing"),
        ("boundaries", MISSING, "boundaries is missing"),
        ("shapes", [3], "shapes.0 = 3: it must be a valid string"),
        ("shapes", ["a1-b2"], "the weights are"),
        ("shapes", ["a1-b2", "a1-h1 a2 b2 c2"], "has 11 squares"),
        ("shapes", ["a1-b2", "g7-h8"], "image"),
        ("shapes", ["a1-b2", "a1 a1"], "twice"),
        ("shapes", ["a1-b2", "a9"], "not part of a shape"),
        ("boundaries", [30, 20], "must ascend"),
        ("boundaries", [65], "must ascend"),
        ("boundaries", "30", "must ascend"),
        ("boundaries", [], "the weights are"),
        ("depth", 61, "depth 61 must be 1 to 60"),
        ("depth", 3.0, "it must be a whole number"),
        ("endgame", -1, "endgame -1"),
        ("probcut", 0.05, r"probcut 0\.05 must be 0\.1 to 10"),
        ("probcut", "1", "it must be a number"),
    ),
}
"""What an agent's document, or its parameters, have under a name, and what must be said of it."""


@pytest.mark.parametrize(
    ("agent", "name", "value", "words"),
    [(agent, *lie) for agent, lies in LIES.items() for lie in lies],
)
def test_documents_that_lie_are_refused_in_one_line(
    agent: StoredAgent, name: str, value: Any, words: str, tmp_path: Path
) -> None:
    document = agent.document
    place = document if name in document else document["parameters"]
    place[name] = value
    if value is MISSING:
        del place[name]
    path = tmp_path / ("x.npz" if agent.arrays else "x.json")
    path.write_bytes(content_of(document, agent.arrays))
    refused(path, words)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00", b"5", b"[" * 100_000, b"9" * 5000, b"\xef\xbb\xbf" * 2 + b"{}"],
)
def test_what_is_no_agent_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(AgentFileError, match="not an agent file"):
        evolve.load_agent(tmp_path / "x.json")


def test_names_of_files_say_what_is_in_them(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"\.npz"):
        mcts_agent().save(tmp_path / "x.json")
    with pytest.raises(AgentError, match="network"):
        MctsAgent().save(tmp_path / "x.npz")


@pytest.mark.parametrize("agent", [dqn_agent(), pattern_agent(cuts=CUTS, probcut=1.0)])
def test_damaged_files(agent: StoredAgent, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    agent.save(path)
    whole = path.read_bytes()
    for size in (0, 3, 10, 500, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:size])
        refused(path, r"x\.npz")
    rng, read = np.random.default_rng(0), 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with suppress(AgentFileError):
            evolve.load_agent(path)
            read += 1
    assert read < 20  # some bytes of an archive mean nothing


class Trap:
    """Unpickled, it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    path, sprung = tmp_path / "x.npz", tmp_path / "sprung"
    np.savez(path, header=np.array([Trap(sprung)], dtype=object))
    with pytest.raises(AgentFileError):
        evolve.load_agent(path)
    assert not sprung.exists()
    write_arrays(path, {"x": np.zeros(3)})
    with pytest.raises(AgentFileError, match="header"):
        evolve.load_agent(path)


def array_bytes(array: Any, shape: str) -> bytes:
    """An array that says it has another shape."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    data = stream.getvalue()
    old = data[data.index(b"(") : data.index(b")") + 1]
    return data.replace(old, shape.encode().ljust(len(old)), 1)


def test_archives_that_are_bombs(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, header=np.array("{}"), weights=np.zeros(1_000_000))
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match="5000"):
        read_arrays(path, 5000)
    # A checkpoint is not packed: whatever would be larger unpacked is none.
    with pytest.raises(ValueError, match="unpack"):
        read_arrays(path)
    # An agent that says it has 4 GB, as one could that really has.
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x01\x02") + 24
    data[place : place + 4] = b"\xf0\xff\xff\xff"
    path.write_bytes(data)
    with pytest.raises(AgentFileError, match="400000000"):
        evolve.load_agent(path)


@pytest.mark.parametrize(
    "data",
    [
        array_bytes(np.zeros(9), "(9999999999,)"),
        array_bytes(np.zeros(111), "(-1,)"),
        b"\x93NUMPY\x01\x00\x76\x00" + b"[" * 118,
        b"\x93NUMPY\x09\x00",
        b"no array",
        b"",
    ],
)
def test_arrays_that_are_not_what_they_say(tmp_path: Path, data: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as file:
        file.writestr("a.npy", data)
    with pytest.raises(ValueError, match=r"array|header"):
        read_arrays(tmp_path / "x.npz")


def test_arrays_come_back(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(12.0).reshape(3, 4),
        "f": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "text": np.array('{"x": 1}'),
        "none": np.zeros((0, 5), np.uint8),
        "one": np.array(7),
    }
    write_arrays(tmp_path / "x.npz", arrays)
    found = read_arrays(tmp_path / "x.npz", 1_000_000)
    np.testing.assert_equal(found, arrays)
    dtypes = ({name: array.dtype for name, array in each.items()} for each in (found, arrays))
    assert next(dtypes) == next(dtypes)
    assert all(array.flags.writeable for array in found.values())
