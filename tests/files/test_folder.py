"""The door to the files of a folder: nothing below it is reached through a link."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from evolve.errors import LinkError, RunError
from evolve.files import changes, folder
from evolve.files.atomic import replacing, write_bytes, write_text
from evolve.files.changes import (
    Appender,
    append,
    cut,
    make_folder,
    move,
    remove,
    remove_folder,
    remove_tree,
    sync_folder,
)
from evolve.files.folder import FolderPath, inside
from tests.cli import snapshot
from tests.engine import posix


@pytest.fixture(params=[True, False], ids=["handles", "looks"])
def root(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> FolderPath:
    """A folder, as systems with handles of folders see it, and as others do."""
    if not request.param:
        monkeypatch.setattr(folder, "_HANDLES", False)
        monkeypatch.setattr(folder, "_NO_LINK", 0)
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / "file").write_bytes(b"text")
    return inside(tmp_path / "runs")


READS: Final[dict[str, Callable[[FolderPath], object]]] = {
    "open": lambda path: path.open("rb").close(),
    "read_bytes": FolderPath.read_bytes,
    "read_text": FolderPath.read_text,
    "exists": FolderPath.exists,
    "is_file": FolderPath.is_file,
    "is_dir": FolderPath.is_dir,
    "stat": FolderPath.stat,
    "iterdir": lambda path: list(path.iterdir()),
    "glob": lambda path: list(path.glob("*")),
    "rglob": lambda path: list(path.rglob("*")),
    "refuse_links": FolderPath.refuse_links,
    "unlinked": FolderPath.unlinked,
}
CHANGES: Final[dict[str, Callable[[FolderPath], object]]] = {
    "open": lambda path: path.open("wb").close(),
    "write": lambda path: write_bytes(path, b"new"),
    "write_text": lambda path: write_text(path, "new"),
    "append": lambda path: append(path, b"more"),
    "Appender": lambda path: Appender(path).close(),
    "cut": lambda path: cut(path, 1),
    "make": make_folder,
    "make_all": lambda path: make_folder(path / "b" / "c", parents=True, exist_ok=True),
    "make_if_missing": lambda path: make_folder(path, exist_ok=True),
    "move_to": lambda path: move(path.base / "other", path),
    "move_from": lambda path: move(path, path.base / "new"),
    "remove_folder": remove_folder,
    "remove_tree": remove_tree,
    "remove_within": lambda path: remove(path / "file"),
    "sync": sync_folder,
}


@posix
@pytest.mark.parametrize("target", ["file", "folder", "nothing"])
@pytest.mark.parametrize("what", [*READS, *(f"{name} it" for name in CHANGES)])
@pytest.mark.parametrize("level", ["last", "middle"])
def test_a_link_is_named_and_left_alone(
    root: FolderPath, what: str, target: str, level: str
) -> None:
    outside = root.base.parent / "outside"
    (outside / "folder" / "deeper").mkdir(parents=True)
    (outside / "folder" / "deeper" / "file").write_text("theirs")
    (outside / "file").write_text("theirs")
    (root.base / "other").write_text("ours")
    link = root / "a" / "link"
    os.symlink(outside / target, link)
    path = link if level == "last" else link / "deeper"
    before = snapshot(root.base.parent)
    does = CHANGES[what.removesuffix(" it")] if what.endswith(" it") else READS[what]
    if level == "middle" and target != "folder":
        with pytest.raises(OSError, match="link"):
            does(path)
    else:
        refused = (LinkError, NotADirectoryError, FileExistsError)  # as the system says it
        with pytest.raises(refused, match="link") as raised:
            does(path)
        if isinstance(raised.value, LinkError):
            told = f"{link} is a link to {outside / target}: put what it names there"
            assert str(raised.value) == told
    assert snapshot(root.base.parent) == before
    assert os.readlink(link) == str(outside / target)


@posix
def test_a_link_itself_goes_with_its_folder(root: FolderPath) -> None:
    outside = root.base.parent / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    for name in ("one", "two"):
        os.symlink(outside, root / "a" / name)
    remove(root / "a" / "one")
    assert (root / "a" / "two").is_symlink()
    remove_tree(root / "a")
    assert not (root / "a").exists()
    assert [path.name for path in outside.iterdir()] == ["kept"]


@posix
def test_the_folder_itself_may_be_a_link(root: FolderPath) -> None:
    link = root.base.parent / "link"
    link.symlink_to(root.base)
    named = inside(link)
    assert (named / "a" / "file").read_bytes() == b"text"
    write_bytes(named / "a" / "new", b"new")
    sync_folder(named)
    assert sorted(path.name for path in (named / "a").iterdir()) == ["file", "new"]
    assert not named.is_symlink()
    assert named.is_dir()


def test_it_is_used_as_any_path_is(root: FolderPath) -> None:
    file = root / "a" / "file"
    assert isinstance(file, Path)
    assert file == root.base / "a" / "file"
    assert (file.name, file.read_text(), file.stat().st_size) == ("file", "text", 4)
    assert (file.exists(), file.is_file(), file.is_dir(), file.is_symlink()) == (1, 1, 0, 0)
    assert not (root / "b").exists()
    assert not (file / "below").exists()
    assert [one.name for one in root.iterdir()] == ["a"]
    assert list(root.glob("*/f*")) == [file]
    assert list((root / "b").glob("*")) == []
    assert list(root.rglob("f*")) == [file]
    for made in (
        *(file.parent, file.with_name("x"), file.with_suffix(".x"), root.joinpath("a", "x")),
        *(*root.iterdir(), *root.glob("*/*"), inside(root, "a", "x"), inside(file)),
        *(pickle.loads(pickle.dumps(file)),),
    ):
        assert type(made) is FolderPath, made
        assert made.base == root.base
    plains = (root.parent, file.relative_to(root), file.resolve(), file.absolute())
    for plain in (*plains, *file.parents):
        assert type(plain) is type(Path()), plain
    with pytest.raises(FileNotFoundError, match=r"'.*/runs/a/none'"):
        (root / "a" / "none").open()
    with pytest.raises(FileNotFoundError, match=r"'.*/runs/b'"):
        (root / "b" / "none").read_bytes()
    with pytest.raises(NotADirectoryError, match=r"'.*/runs/a/file'"):
        list(file.iterdir())


@pytest.mark.parametrize("name", ["..", "../x", "a/../../x", "/etc/passwd"])
def test_no_name_leads_out_of_it(root: FolderPath, name: str) -> None:
    with pytest.raises(RunError, match="leads out of"):
        _ = root / name


@posix
def test_a_pipe_is_not_waited_for(root: FolderPath) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(RunError, match="is a pipe or a device"):
        (root / "pipe").open("rb")
    with pytest.raises(RunError, match="is not a file"):
        write_bytes(root / "pipe", b"new")
    with pytest.raises(OSError, match="pipe"):
        append(root / "pipe", b"more")


@posix
def test_a_link_that_comes_meanwhile_is_not_followed(tmp_path: Path) -> None:
    """Between the look and the change, at the moment that tests can choose."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    root = inside(tmp_path / "runs")
    make_folder(root)

    def replace(change: changes.Change, path: Path, piece: bytes) -> None:
        if path.parent.name == "a":
            os.rename(tmp_path / "runs" / "a", tmp_path / "runs" / "was")
            os.symlink(outside, tmp_path / "runs" / "a")

    for does in (
        lambda path: remove(path),
        lambda path: append(path.with_name("new"), b"more"),
        lambda path: cut(path, 0),
        lambda path: make_folder(path.with_name("new")),
        lambda path: write_bytes(path, b"ours"),
        lambda path: move(path, path.with_name("new")),
    ):
        make_folder(root / "a")
        write_bytes(root / "a" / "file", b"ours")
        with hooked(replace), pytest.raises(LinkError, match="is a link"):
            does(root / "a" / "file")
        remove(root / "a")
        remove_tree(root / "was")
        assert [path.name for path in outside.iterdir()] == ["file"]
        assert (outside / "file").read_text() == "theirs"


class hooked:  # noqa: N801 (used as a function is)
    """With a hook of changes, once."""

    def __init__(self, hook: changes.Hook) -> None:
        self._hook = hook

    def __enter__(self) -> None:
        def once(change: changes.Change, path: Path, piece: bytes) -> None:
            changes.hook = None
            self._hook(change, path, piece)

        changes.hook = once

    def __exit__(self, *error: object) -> None:
        changes.hook = None


def test_changes_inside_pass_the_hook_too(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []
    root = inside(tmp_path)

    def look(change: changes.Change, path: Path, piece: bytes) -> None:
        name = "*" if change == "write" else path.name
        seen.append((change, name))

    changes.hook = look
    try:
        make_folder(root / "a")
        with replacing(root / "a" / "x") as file:
            file.write(b"new")
        append(root / "log", b"piece")
        cut(root / "log", 1)
        move(root / "log", root / "a" / "short")
        remove_tree(root / "a")
    finally:
        changes.hook = None
    assert seen == [
        *(("make", "a"), ("write", "*"), ("rename", "x"), ("sync", "a"), ("make", "log")),
        *(("append", "log"), ("cut", "log"), ("rename", "short"), ("sync", "a")),
        *(("remove", "short"), ("remove", "x"), ("remove", "a")),
    ]
    assert not any(tmp_path.iterdir())


def disk_methods() -> Iterator[str]:
    for name in dir(Path):
        if not name.startswith("_") and callable(getattr(Path, name)):
            yield name


def test_all_that_looks_at_the_disk_takes_the_door() -> None:
    """A method that Python adds some day shows up here."""
    by_open = {"read_bytes", "read_text"}
    no_look = {
        *("as_posix", "as_uri", "is_absolute", "is_relative_to", "is_reserved", "match", "cwd"),
        *("full_match", "home", "expanduser", "from_uri", "with_stem", "readlink"),
    }
    changing = {
        *("chmod", "lchmod", "hardlink_to", "link_to", "mkdir", "rename", "replace", "rmdir"),
        *("symlink_to", "touch", "unlink", "write_bytes", "write_text", "copy", "copy_into"),
        *("move", "move_into"),
    }
    others = {
        *("samefile", "owner", "group", "is_mount", "is_block_device", "is_char_device"),
        *("is_fifo", "is_socket", "is_junction", "walk"),
    }
    left = [name for name in disk_methods() if name not in vars(FolderPath)]
    assert set(left) <= by_open | no_look | changing | others
