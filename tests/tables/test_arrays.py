"""Archives of arrays: they come back, and nothing in one is unpacked without end."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.errors import AgentFileError


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)


def array_bytes(array: Any, shape: str | None = None) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=False)
    data = stream.getvalue()
    if shape is not None:
        place = data.index(b"(")
        end = data.index(b")", place) + 1
        old = data[place:end]
        data = data.replace(old, shape.encode().ljust(len(old)), 1)
    return data


def test_archives_that_are_bombs(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    header, zeros = array_bytes(np.array("{}")), array_bytes(np.zeros(1_000_000))
    archive(path, {"header.npy": header, "weights.npy": zeros})
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
    archive(tmp_path / "x.npz", {"a.npy": data}, zipfile.ZIP_STORED)
    with pytest.raises(ValueError, match=r"array|header"):
        read_arrays(tmp_path / "x.npz")


@pytest.mark.parametrize("packed", [True, False])
def test_arrays_come_back(tmp_path: Path, packed: bool) -> None:
    arrays = {
        "a": np.arange(12.0).reshape(3, 4),
        "f": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "text": np.array('{"x": 1}'),
        "none": np.zeros((0, 5), np.uint8),
        "one": np.array(7),
    }
    write_arrays(tmp_path / "x.npz", arrays, packed=packed)
    found = read_arrays(tmp_path / "x.npz", 1_000_000)
    assert found.keys() == arrays.keys()
    np.testing.assert_equal(found, arrays)
    assert {name: array.dtype for name, array in found.items()} == {
        name: array.dtype for name, array in arrays.items()
    }
    assert all(array.flags.writeable for array in found.values())
