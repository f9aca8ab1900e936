"""docs/python.ipynb runs from its first cell to its last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli import ROOT


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Jupyter's own
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    book = nbformat.read(ROOT / "docs/python.ipynb", as_version=4)
    codes = [cell for cell in book.cells if cell.cell_type == "code"]
    shown = [json.dumps(cell.outputs) for cell in codes]
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {
        "first", "own", "rings", "crossovers", "patterns", "sweep",
    }  # fmt: skip
    for cell, before in zip(codes, shown, strict=True):
        plain = [one["data"]["text/plain"] for one in cell.outputs if "data" in one]
        for text in plain:
            if "seconds" not in text and "Image" not in text:
                assert json.dumps(text)[1:-1] in before, "what the page shows is what comes out"
