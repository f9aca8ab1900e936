"""The notebooks run from their first cell to their last, and show what their pages show.

Their sizes are made small first: `python -m benchmarks.notebooks` runs them as they stand.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli import ROOT

NOTEBOOKS: Final = [
    ROOT / "docs/tutorials/python.ipynb",
    *sorted(ROOT.glob("docs/gallery/*.ipynb")),
]
MOST: Final = {
    "generations": 3, "population": 6, "games": 20, "trials": 3, "panel_openings": 2,
    "playoff_openings": 2, "move_budget": 300, "seeds=range": 2,
}  # fmt: skip
"""The most that a setting in a cell gets, as `games=100`, `"games": 100` or `seeds=range(10)`."""
GAMES_OF_SWEEP: Final = 180
"""The fewest with which the search for a program's parameters begins."""
SIZES: Final = re.compile(rf"\b({'|'.join(MOST)})(\"?\s*[=:(]\s*)(\d+)")


def smaller(source: str) -> str:
    most = MOST | ({"games": GAMES_OF_SWEEP} if "program=" in source else {})
    return SIZES.sub(lambda size: f"{size[1]}{size[2]}{min(int(size[3]), most[size[1]])}", source)


def kinds(outputs: list[Any]) -> set[str]:
    """What a cell shows: text, tables, pictures; but for the line of progress."""
    return {kind for output in outputs for kind in output.get("data", ())}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Jupyter's own
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    book = nbformat.read(path, as_version=4)
    codes = [cell for cell in book.cells if cell.cell_type == "code"]
    shown = [kinds(cell.outputs) for cell in codes]
    assert any("image/png" in kind for kind in shown), "it is stored with its pictures"
    for cell in codes:
        cell.source = smaller(cell.source)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    folder = tmp_path / "docs/gallery"
    folder.mkdir(parents=True)
    place = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()
    assert [kinds(cell.outputs) for cell in codes] == shown
    outputs = [output for cell in codes for output in cell.outputs]
    assert not [output for output in outputs if output.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small(path: Path) -> None:
    assert path.stat().st_size < (200_000 if path.parent.name == "gallery" else 300_000)
