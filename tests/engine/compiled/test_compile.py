"""The kernel cache: who may write to its folder, and what damage to its files does."""

from __future__ import annotations

import hashlib
import os
import random
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evolve.engine.compiled import compile as compiling
from evolve.engine.compiled.private import check_private, private_folder
from tests.cli import environment, python
from tests.engine import as_root, posix

FLIPS = 300
"""Flipped bits that the loader is asked about."""
DIGEST = hashlib.sha256().digest_size


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    place = private_folder(tmp_path / "cache")
    monkeypatch.setattr(compiling, "CACHE_DIR", place)
    return place


def tripled(x: int) -> int:
    return 3 * x


def compiled() -> Any:
    """A kernel as a new process would make it: from the cache where it is there."""
    return compiling.kernel(tripled)


def files_of(folder: Path) -> list[Path]:
    """Files of kernels; numba makes folders beside them that stay empty."""
    return [path for path in folder.rglob("*") if path.is_file()]


def hits(kernel: Any) -> int:
    return sum(kernel.stats.cache_hits.values())


def test_the_sources_are_those_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = compiling.sources_hash()
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compile.py"))
    assert compiling.sources_hash() == loaded


def test_a_kernel_is_compiled_once(folder: Path) -> None:
    first, second = compiled(), compiled()
    assert (first(5), hits(first)) == (15, 0)
    assert (second(5), hits(second)) == (15, 1)
    assert compiled()(2.5) == 7.5
    assert len(files_of(folder)) == 2
    third = compiled()
    assert (third(5), third(2.5), hits(third)) == (15, 7.5, 2)


@pytest.mark.parametrize("make", [compiling.inner, compiling.inlined])
def test_a_part_of_kernels_is_machine_code_only_there(folder: Path, make: Any) -> None:
    part = make(tripled)
    whole = compiling.kernel(lambda x: part(x) + 1)
    assert [whole(5), whole(2.5)] == [16, 8.5]
    assert len(part.overloads) == 2
    codes = [(one.library, one.fndesc.mangled_name) for one in part.overloads.values()]
    assert [library.get_pointer_to_function(name) for library, name in codes] == [0, 0]


def with_a_bit_flipped(whole: bytes, rng: random.Random) -> bytes:
    place, damaged = rng.randrange(8 * len(whole)), bytearray(whole)
    damaged[place // 8] ^= 1 << place % 8
    return bytes(damaged)


def warned(folder: Path, call: Callable[[], Any]) -> Any:
    """What a call returns, which warns once that kernels were damaged."""
    compiling._warn_once.cache_clear()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        answer = call()
    assert [str(one.message) for one in given] == [
        f"compiled kernels in {folder} were damaged; they are made anew"
    ]
    return answer


def test_no_flipped_bit_is_loaded(folder: Path) -> None:
    """What the dispatcher asks before it compiles: as many compilations would take 11 s."""
    kernel = compiled()
    assert kernel(5) == 15
    (path,), rng = files_of(folder), random.Random(1)
    whole, (signature,) = path.read_bytes(), kernel.signatures

    def load() -> Any:
        return kernel._cache.load_overload(signature, kernel.targetctx)

    def load_flipped() -> Any:
        path.write_bytes(with_a_bit_flipped(whole, rng))
        return warned(folder, load)

    assert load() is not None
    assert {load_flipped() for _ in range(FLIPS)} == {None}


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "flipped", b"", b"short", bytes(DIGEST), bytes(5000)])
def test_a_damaged_file_compiles_anew(folder: Path, damage: str | bytes) -> None:
    """What is compiled is kept. Damage to two files is one warning."""
    kernel, rng = compiled(), random.Random(0)
    assert (kernel(5), kernel(2.5)) == (15, 7.5)
    for path in files_of(folder):
        whole = path.read_bytes()
        broken = whole[: len(whole) // 2] if damage == "cut" else with_a_bit_flipped(whole, rng)
        path.write_bytes(damage if isinstance(damage, bytes) else broken)
    again = compiled()
    assert warned(folder, lambda: (again(5), again(2.5), hits(again))) == (15, 7.5, 0)
    third = compiled()
    assert (third(5), third(2.5), hits(third)) == (15, 7.5, 2)


def test_a_kernel_not_saved_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "no space left")

    kernel = compiled()
    monkeypatch.setattr("os.replace", fail)
    with pytest.warns(RuntimeWarning, match="space"):
        assert kernel(5) == 15
    assert files_of(folder) == []


@pytest.mark.parametrize("above", [False, True])
@posix
@pytest.mark.parametrize("mode", [0o772, 0o777])
def test_a_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, above: bool
) -> None:
    """Machine code, and the pickles that hold it, could be anything."""
    monkeypatch.setenv("EVOLVE_CACHE_DIR", str(tmp_path / "cache"))
    folder = compiling._cache_dir()
    path = folder.parent if above else folder
    path.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"{path}.*EVOLVE_CACHE_DIR"):
        assert compiling._cache_dir() is None


MEETING = """
import sys
from evolve.engine.board import bits
print("ready", flush=True)
sys.stdin.readline()
print(bits.perft(0x0000000810000000, 0x0000001008000000, 3), flush=True)
print(sum(bits.perft.stats.cache_misses.values()))
"""
"""Calls a kernel when a line comes, and says how often it was compiled."""


@pytest.mark.slow
def test_of_processes_that_start_together_one_compiles(tmp_path: Path) -> None:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    settings = environment(EVOLVE_CACHE_DIR=str(tmp_path / "cache"))
    start: Any = partial(subprocess.Popen, [sys.executable, "-c", MEETING], env=settings, text=True)
    started = [start(**pipes) for _ in range(3)]
    assert [process.stdout.readline() for process in started] == ["ready\n"] * 3
    for process in started:
        process.stdin.write("now\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=120) for process in started]
    assert [err for _, err in answers] == [""] * 3
    found = [list(map(int, out.split())) for out, _ in answers]
    assert [nodes for nodes, _ in found] == [56] * 3
    assert sorted(compiled for _, compiled in found) == [0, 0, 1]
    [path] = files_of(tmp_path / "cache")
    content = path.read_bytes()
    assert hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]


@pytest.mark.slow
def test_code_of_others_has_the_blas_that_no_kernel_needs() -> None:
    """numba is loaded without it, which must not say that there is none."""
    code = (
        "import sys, numba, numpy as np, evolve.engine.search.search\n"
        "assert 'numba.np.arraymath' in sys.modules\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "product = numba.njit(lambda one, other: np.dot(one, other))\n"
        "one = np.arange(6.0).reshape(2, 3)\n"
        "assert (product(one, one.T.copy()) == one @ one.T).all()\n"
        "assert 'scipy.linalg' in sys.modules\n"
    )
    done = python(code)
    assert done.code == 0, done.err


@posix
def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = private_folder(tmp_path / "one" / "two")
    finally:
        os.umask(before)
    assert made == (tmp_path / "one" / "two").resolve()
    assert {stat.S_IMODE(place.stat().st_mode) for place in (made, made.parent)} == {0o700}


@posix
def test_the_whole_way_is_looked_at(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "mine").mkdir()
    (tmp_path / "link").symlink_to(shared / "mine")
    shared.chmod(0o1777)  # as /tmp: others cannot take away what is mine
    assert private_folder(shared / "mine") == (shared / "mine").resolve()
    with pytest.raises(PermissionError, match="users"):
        private_folder(shared)
    shared.chmod(0o777)
    for place in (shared / "mine", tmp_path / "link", tmp_path / "new" / ".." / "link"):
        with pytest.raises(PermissionError, match="users"):
            private_folder(place)
    shared.chmod(0o755)
    assert private_folder(tmp_path / "link") == (shared / "mine").resolve()
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OSError, match="exists"):
        private_folder(tmp_path / "round")


@as_root
def test_folders_and_files_of_another_user_are_refused(tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "file"
    (other / "own").mkdir(parents=True)
    file.write_text("")
    check_private(file)
    for path in (other, file):
        os.chown(path, 4321, -1)
    for check, path in (
        (private_folder, other),
        (private_folder, other / "own"),
        (check_private, file),
    ):
        with pytest.raises(PermissionError, match="user"):
            check(path)
