"""How the tests look at a picture: drawn, or by what is written in its file."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def drawn(figure: Figure) -> Any:
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return canvas.get_renderer()


def written_in(path: Path) -> list[str]:
    """The texts of an SVG file; matplotlib says in a comment what each shape of letters reads."""
    return [unescape(text) for text in re.findall("<!-- (.*?) -->", path.read_text("utf-8"))]
