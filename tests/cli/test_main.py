"""`evolve --version`, and the kernel cache as a command meets it."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

import evolve
from tests.cli import done, invoke, program


def test_version() -> None:
    said = done("--version").out
    for word in (evolve.__version__, numba.__version__, "Python", "CPU"):
        assert word in said


@pytest.mark.slow
def test_an_unwritable_kernel_cache_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = str(tmp_path / "file" / "cache")
    ended = program(tmp_path, "perft", 3, "--json", EVOLVE_CACHE_DIR=cache)
    assert ended.code == 0
    assert ended.document["nodes"] == 56
    assert "EVOLVE_CACHE_DIR" in ended.err
    # A line for people: not Python's, with a place in the source and the source's own text.
    assert ended.err.count("\n") == 1, ended.err
    assert "compile.py" not in ended.err


@pytest.mark.slow
def test_a_damaged_kernel_cache_is_compiled_anew(tmp_path: Path) -> None:
    """One line says so; tests/engine/test_compile.py has every kind of damage."""
    cache = tmp_path / "cache"
    program(tmp_path, "perft", 1, EVOLVE_CACHE_DIR=str(cache))
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 16
        path.write_bytes(content)
    for lines in (1, 0):
        ended = program(tmp_path, "perft", 3, "--json", EVOLVE_CACHE_DIR=str(cache))
        assert ended.code == 0, ended.err
        assert ended.document["nodes"] == 56
        assert ended.err.count("\n") == lines
        assert ("damaged" in ended.err) == bool(lines)


def test_help_without_a_command() -> None:
    said = invoke()
    assert (said.code, said.out) == (2, "")
    assert "Commands:" in said.err
