"""The one door through which files of people's folders are changed."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import evolve
from evolve.errors import LinkError
from evolve.files import changes
from evolve.files.atomic import write_bytes, write_text
from evolve.files.changes import (
    Appender,
    append,
    cut,
    make_folder,
    move,
    refuse_links,
    remove,
    remove_folder,
    remove_tree,
)
from tests.engine import posix

PACKAGE: Final = Path(evolve.__file__).parent
DOOR: Final = ("files/changes.py", "files/atomic.py")
_CACHE: Final = "the kernel cache, which holds nobody's work and has its own tests of damage"
_PRIVATE: Final = "the folder of the kernel cache and of the user's secret, made with its own mode"
_CHILD: Final = "what a child process prints"
_SCRATCH: Final = "in a temporary folder of this process, of which nothing is kept"
_MEMORY: Final = "into memory, or into the file that `replacing` gives"
_PANDAS: Final = "a column of pandas gets another name"
EXEMPT: Final = {
    ("engine/compiled/compile.py", "os.replace"): _CACHE,
    ("engine/compiled/compile.py", "os.unlink"): _CACHE,
    ("engine/compiled/compile.py", "unlink"): _CACHE,
    ("engine/compiled/compile.py", "tempfile.NamedTemporaryFile"): _CACHE,
    ("engine/compiled/private.py", "mkdir"): _PRIVATE,
    ("service/processes.py", "open"): _CHILD,
    ("cli/options.py", "write_bytes"): _SCRATCH,
    ("runs/time_slice.py", "mkdir"): _SCRATCH,
    ("runs/time_slice.py", "write_bytes"): _SCRATCH,
    ("agents/agent_file.py", "ZipFile"): _MEMORY,
    ("tables/parquet.py", "ParquetWriter"): _MEMORY,
    ("plots/figure.py", "savefig"): _MEMORY,
    ("tables/parquet.py", "to_csv"): _MEMORY,
    ("sweeps/tables.py", "rename"): _PANDAS,
}
"""Changes that do not go through the door, by module and function, and why."""
_OF_MODULES: Final = {
    "os": {
        *("chmod", "chown", "fdatasync", "fsync", "ftruncate", "link", "makedirs", "mkdir"),
        *("mkfifo", "mknod", "remove", "removedirs", "rename", "renames", "replace", "rmdir"),
        *("symlink", "truncate", "unlink", "utime"),
    },
    "shutil": {"copy", "copy2", "copyfile", "copyfileobj", "copytree", "move", "rmtree"},
    "tempfile": {"mkdtemp", "mkstemp", "NamedTemporaryFile"},
    "np": {"save", "savetxt", "savez", "savez_compressed"},
    "torch": {"save"},
}
_OF_ANYTHING: Final = {
    *("chmod", "hardlink_to", "mkdir", "rmdir", "symlink_to", "touch", "truncate", "unlink"),
    *("write_bytes", "write_text", "savefig", "to_csv", "to_parquet", "to_pickle", "tofile"),
    "ParquetWriter",
}
_CREATING: Final = {"O_CREAT", "O_TRUNC", "O_APPEND"}


def _changes_in(tree: ast.AST) -> Iterator[str]:
    """The name of everything that may change a file, called or handed on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in _OF_MODULES:
            names = {one.name for one in node.names} & _OF_MODULES[node.module]
            yield from (f"{node.module}.{name}" for name in names)
        elif isinstance(node, ast.Attribute):
            module = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in _OF_MODULES.get(module, ()):
                yield f"{module}.{node.attr}"
            elif node.attr in _OF_ANYTHING:
                yield node.attr
        elif isinstance(node, ast.Call) and (found := _change_of(node)) is not None:
            yield found


def _change_of(call: ast.Call) -> str | None:
    """The name of a call that changes a file because of what it is called with."""
    module, dot, name = ast.unparse(call.func).rpartition(".")
    if (module, name) == ("os", "open"):
        flags = {one.attr for one in ast.walk(call) if isinstance(one, ast.Attribute)}
        return "os.open" if flags & _CREATING else None
    if name in ("rename", "replace") and len(call.args) == 1 and not call.keywords:
        return name if dot and module != "os" else None
    if name not in ("open", "ZipFile"):
        return None
    # The first argument of a method of Path, else the second.
    given = [one.value for one in call.keywords if one.arg == "mode"] or call.args[:2]
    modes = [one.value for one in given if isinstance(one, ast.Constant)]
    writes = any(
        isinstance(mode, str) and set(mode) <= set("rwxabt+") and set(mode) & set("wxa+")
        for mode in modes
    )
    return name if writes else None


@pytest.mark.slow
def test_every_change_of_a_file_goes_through_the_door() -> None:
    found = {
        (module, name)
        for path in PACKAGE.rglob("*.py")
        if (module := path.relative_to(PACKAGE).as_posix()) not in DOOR
        for name in _changes_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == EXEMPT.keys()


GOES_PAST: Final = (
    "os.replace(a, b)", "from shutil import rmtree", "later(path.unlink)", "path.rename(other)",
    "path.replace(other)", "open(path, 'w')", "open(path, mode='ab')", "path.open('rb+')",
    "os.open(path, os.O_WRONLY | os.O_CREAT)", "zipfile.ZipFile(path, 'w')", "np.save(path, array)",
)  # fmt: skip
CHANGES_NOTHING: Final = (
    "text.replace('a', 'b')", "open(path)", "path.open('rb')", "frame.rename(columns=names)",
    "os.open(path, os.O_RDONLY)", "write_text(path, 'text')", "zipfile.ZipFile(path)",
)  # fmt: skip


@pytest.mark.parametrize("text", [*GOES_PAST, *CHANGES_NOTHING])
def test_a_change_that_goes_past_it_is_seen_and_nothing_else(text: str) -> None:
    assert len(list(_changes_in(ast.parse(text)))) == (text in GOES_PAST)


def test_the_hook_sees_every_change_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str, bytes]] = []

    def look(change: changes.Change, path: Path, piece: bytes) -> None:
        if change == "write":
            assert path.read_bytes() == b"new", "complete before it is renamed"
            assert path.name.startswith(".writing-")
            path = path.with_name("*")
        elif change == "make":
            assert not path.exists()
        elif change == "append":
            assert path.read_bytes() == b""
        elif change in ("remove", "cut"):
            assert os.path.lexists(path)
        seen.append((change, path.relative_to(tmp_path).as_posix(), piece))

    monkeypatch.setattr(changes, "hook", look)
    make_folder(tmp_path / "a" / "b", parents=True)
    make_folder(tmp_path / "a", exist_ok=True)  # it is there: no change
    write_bytes(tmp_path / "a" / "x", b"new")
    append(tmp_path / "log", b"piece\n", sync=True)
    cut(tmp_path / "log", 3)
    move(tmp_path / "log", tmp_path / "short")
    remove(tmp_path / "short")
    remove(tmp_path / "short", missing_ok=True)  # it is not: no change
    (tmp_path / "a" / "link").symlink_to("b")
    remove_tree(tmp_path / "a")
    make_folder(tmp_path / "c")
    remove_folder(tmp_path / "c")
    assert seen == [
        ("make", "a", b""), ("make", "a/b", b""), ("write", "a/*", b""), ("rename", "a/x", b""),
        ("sync", "a", b""), ("make", "log", b""), ("append", "log", b"piece\n"),
        ("cut", "log", b""), ("rename", "short", b""), ("sync", ".", b""), ("remove", "short", b""),
        ("remove", "a/b", b""), ("remove", "a/link", b""), ("remove", "a/x", b""),
        ("remove", "a", b""), ("make", "c", b""), ("remove", "c", b""),
    ]  # fmt: skip
    assert not any(tmp_path.iterdir())


def test_of_a_tree_what_can_be_removed_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_folder(tmp_path / "tree" / "held", parents=True)
    for name in ("a", "held/x", "held/y"):
        write_text(tmp_path / "tree" / name, "")

    def refuse(change: changes.Change, path: Path, piece: bytes) -> None:
        if path.name == "x":
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(changes, "hook", refuse)
    with pytest.raises(PermissionError, match="x"):
        remove_tree(tmp_path / "tree")
    remove_tree(tmp_path / "tree", ignore_errors=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["tree", "held", "x"]


@posix
def test_a_full_disk_is_reported_under_the_name_of_what_grows() -> None:
    file = Appender(Path("/dev/full"))
    with pytest.raises(OSError, match="'/dev/full'"):
        file.append(b"piece")
    file.close()


@posix
@pytest.mark.parametrize("target", ["file", "folder", "nothing"])
@pytest.mark.parametrize("name", ["games", "games/link", "games/deep/link"])
def test_a_link_is_named(tmp_path: Path, name: str, target: str) -> None:
    (tmp_path / "outside" / "folder").mkdir(parents=True)
    (tmp_path / "outside" / "file").touch()
    link = tmp_path / "run" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "outside" / target)
    said = f"{link} is a link to {tmp_path / 'outside' / target}: put what it names there"
    with pytest.raises(LinkError, match=f"^{re.escape(said)}$"):
        refuse_links(tmp_path / "run", ["missing", "games"])


@posix
@pytest.mark.parametrize("name", ["file", "games/pipe"])
def test_a_pipe_is_named_and_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "games").mkdir()
    os.mkfifo(tmp_path / name)
    with pytest.raises(LinkError, match=name):
        refuse_links(tmp_path, ["file", "games"])


@posix
def test_links_of_the_user_stay(tmp_path: Path) -> None:
    (tmp_path / "real" / "games").mkdir(parents=True)
    (tmp_path / "real" / "latest").symlink_to("games")
    (tmp_path / "link").symlink_to("real")
    refuse_links(tmp_path / "link", ["games", "file"])


@posix
@pytest.mark.parametrize("target", ["file", "nothing"])
def test_nothing_is_written_through_a_link(tmp_path: Path, target: str) -> None:
    outside, link = tmp_path / "outside", tmp_path / "link"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    link.symlink_to(outside / target)
    with pytest.raises(OSError, match="link"):
        append(link, b"more")
    write_text(link, "new")
    assert not link.is_symlink()
    link.rename(tmp_path / "new")
    link.symlink_to(outside / target)
    move(tmp_path / "new", link)
    assert link.read_text() == "new"
    assert os.listdir(outside) == ["file"]
    assert (outside / "file").read_text() == "theirs"


@posix
def test_a_tree_goes_with_its_links_and_what_they_name_stays(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").touch()
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").touch()
    for name in ("one", "two", "deep/three"):
        (folder / name).symlink_to(tmp_path / "outside")
    remove(folder / "one")
    assert (folder / "two").is_symlink()
    with pytest.raises(LinkError):
        remove_tree(folder / "two")
    remove_tree(folder)
    assert os.listdir(tmp_path) == ["outside"]
    assert os.listdir(tmp_path / "outside") == ["kept"]
    with pytest.raises(FileNotFoundError):
        remove_tree(folder)
    remove_tree(folder, ignore_errors=True)
