"""Run notebooks from the first cell to the last, and store what they show.

    python -m benchmarks.notebooks docs/gallery/*.ipynb docs/tutorials/python.ipynb

Each runs in a new folder beside a copy of examples/. Pictures are stored with a palette, a third
of their size. The metadata carry the hash of the agents that evolve came with.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from PIL import Image

from benchmarks.weights import shipped_weights

COLOURS = 192
SECONDS = 1200
"""The most that a cell may take."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="+", type=Path)
    for path in parser.parse_args().notebooks:
        book = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            execute(book, Path(folder))
        for cell in book.cells:
            cell.metadata.pop("execution", None)  # when it ran
            for output in cell.get("outputs", ()):
                make_small(output)
        book.metadata["evolve"] = {"weights": shipped_weights()}
        nbformat.write(book, path)
        print(path, path.stat().st_size, "bytes")


def weights_of(path: Path) -> str:
    """The hash of the agents that a notebook was run with; empty for none."""
    return str(nbformat.read(path, as_version=4).metadata.get("evolve", {}).get("weights", ""))


def execute(book: Any, folder: Path) -> None:
    """Run all cells in docs/gallery of that folder, with this package."""
    here, work = Path(__file__).parent.parent, folder / "docs/gallery"
    shutil.copytree(here / "examples", folder / "examples")
    work.mkdir(parents=True)
    place = {"metadata": {"path": str(work)}}
    client = nbclient.NotebookClient(
        book, timeout=SECONDS, kernel_name="python3", resources=place, coalesce_streams=True
    )
    client.execute(env={**os.environ, "PYTHONPATH": str(here)})


def make_small(output: Any) -> None:
    """Give the picture of an output, if it has one, a palette."""
    data = output.get("data", {})
    if "image/png" in data:
        picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGB")
        kept = io.BytesIO()
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
        data["image/png"] = base64.b64encode(kept.getvalue()).decode()


if __name__ == "__main__":
    main()
