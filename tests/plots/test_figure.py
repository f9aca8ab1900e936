"""Pictures as files: their formats, their titles, and a legend beside no curve."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.plots.figure import Look, picture, short
from tests.plots import drawn


def test_names_are_no_formulas_and_leave_room() -> None:
    with picture(Look(), "$\\frac{$ \x1b[2J" + "x" * 500, (9.0, 5.0)) as figure:
        pass
    drawn(figure)
    assert figure._repr_png_().startswith(b"\x89PNG"), "as notebooks show it"
    assert short("\u202e", 10) == "\\u202e"
    assert short("x" * 20, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("name", "magic"), [("a.png", b"\x89PNG"), ("b.SVG", b"<?xml"), ("c.Pdf", b"%PDF")]
)
def test_the_end_of_the_name_decides_the_format(name: str, magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    with picture(Look(), "a title", (3.0, 2.0)) as made:
        made.subplots().plot([1, 2])
    assert made.save(path) == path
    assert path.read_bytes().startswith(magic)
    assert list(tmp_path.iterdir()) == [path]
