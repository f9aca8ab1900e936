"""A run's folder for its writer: locks, and links that lead elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.tables import folder as store
from evolve.tables.kinds import FILES, PARTS
from tests.cli import snapshot

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links")


@posix
def test_every_name_in_a_folder_is_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for name in (*FILES, *PARTS, *(f"{part}/x" for part in PARTS)):
        shutil.rmtree(folder, ignore_errors=True)
        (folder / name).parent.mkdir(parents=True)
        (folder / name).symlink_to("nowhere")
        with pytest.raises(RunError, match="is a link to nowhere"), store.locked(folder):
            pass
        assert not (folder / "nowhere").exists()


@posix
def test_a_link_is_thrown_away_without_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "kept" / "sub").mkdir(parents=True)
    (tmp_path / "kept" / "sub" / "file").write_text("precious")
    before = snapshot(tmp_path / "kept")
    (tmp_path / "link").symlink_to("kept")
    store.discard(tmp_path / "link", made=True)
    assert not os.path.lexists(tmp_path / "link")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "generations").symlink_to(tmp_path / "kept" / "sub")
    store.discard(tmp_path / "run", made=True)
    assert not (tmp_path / "run").exists()
    assert snapshot(tmp_path / "kept") == before


def test_looking_at_the_lock_hinders_no_writer(tmp_path: Path) -> None:
    end = threading.Event()

    def look() -> None:
        while not end.is_set():
            store.is_locked(tmp_path)

    with ThreadPoolExecutor() as pool:
        looking = pool.submit(look)
        try:
            for _ in range(50):
                with store.locked(tmp_path):
                    pass
        finally:
            end.set()
        looking.result()
