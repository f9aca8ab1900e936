"""Folders that no other user of the machine can change."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from evolve.engine.compiled.private import check_private, private_folder
from tests.engine import as_root, posix


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
    (tmp_path / "other" / "own").mkdir(parents=True)
    os.chown(tmp_path / "other", 4321, -1)
    for path in (tmp_path / "other", tmp_path / "other" / "own"):
        with pytest.raises(PermissionError, match="user"):
            private_folder(path)
    (tmp_path / "file").write_text("")
    check_private(tmp_path / "file")
    os.chown(tmp_path / "file", 4321, -1)
    with pytest.raises(PermissionError, match="user"):
        check_private(tmp_path / "file")
