"""Links, pipes and devices: refused when a folder is opened, and never written through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evolve.errors import LinkError
from evolve.files.atomic import write_text
from evolve.files.changes import append, move, refuse_links, remove, remove_tree
from tests.engine import posix

pytestmark = posix


@pytest.mark.parametrize("target", ["file", "folder", "nothing"])
@pytest.mark.parametrize("name", ["games", "games/link", "games/deep/link"])
def test_a_link_is_named(tmp_path: Path, name: str, target: str) -> None:
    (tmp_path / "outside" / "folder").mkdir(parents=True)
    (tmp_path / "outside" / "file").touch()
    link = tmp_path / "run" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "outside" / target)
    with pytest.raises(LinkError) as raised:
        refuse_links(tmp_path / "run", ["missing", "games"])
    told = f"{link} is a link to {tmp_path / 'outside' / target}: put what it names there"
    assert str(raised.value) == told


@pytest.mark.parametrize("name", ["file", "games/pipe"])
def test_a_pipe_is_named_and_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "games").mkdir()
    os.mkfifo(tmp_path / name)
    with pytest.raises(LinkError, match=f"{name}"):
        refuse_links(tmp_path, ["file", "games"])


def test_links_of_the_user_stay(tmp_path: Path) -> None:
    (tmp_path / "real" / "games").mkdir(parents=True)
    (tmp_path / "real" / "latest").symlink_to("games")
    (tmp_path / "link").symlink_to("real")
    refuse_links(tmp_path / "link", ["games", "file"])


@pytest.mark.parametrize("target", ["file", "nothing"])
def test_nothing_is_written_through_a_link(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("theirs")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "outside" / target)
    with pytest.raises(OSError, match="link"):
        append(link, b"more")
    write_text(link, "new")
    assert not link.is_symlink()
    link.rename(tmp_path / "new")
    link.symlink_to(tmp_path / "outside" / target)
    move(tmp_path / "new", link)
    assert link.read_text() == "new"
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["file"]
    assert (tmp_path / "outside" / "file").read_text() == "theirs"


def test_a_link_itself_goes_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").touch()
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    for name in ("one", "two", "deep/three"):
        (folder / name).symlink_to(tmp_path / "outside")
    remove(folder / "one")
    assert (folder / "two").is_symlink()
    with pytest.raises(LinkError):
        remove_tree(folder / "two")
    remove_tree(folder)
    assert not folder.exists()
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["kept"]
