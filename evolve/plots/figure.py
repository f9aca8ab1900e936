"""Pictures and how they look: styles, sizes, colours, files, and parts that several of them have.

The colours are those of the page of `evolve serve`: six for curves, each with a dash of its own,
and one palette of eleven steps from orange to blue for weights and values.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation

from evolve.errors import OptionsError, RunError
from evolve.files.atomic import write_bytes
from evolve.number_text import whole
from evolve.runs.run import Run
from evolve.tables.paths import PICTURES
from evolve.terminal_text import plain

SERIES: Final = ("#007c4b", "#416ee7", "#6c2200", "#431096", "#b53ea2", "#004e5e")
"""Colours of curves, in their order; any two differ for colour-blind readers as well."""
DASHES: Final = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 2, 2)), (0, (4, 1.5)), (0, (1, 1)))
GREEN, BLUE, ORANGE, PURPLE = SERIES[0], SERIES[1], "#ac5928", SERIES[3]
GREY: Final = "#52605a"
INK: Final = "#16201a"
LINE: Final = "#dce2da"
DIVERGING: Final = ListedColormap(
    (
        "#8e3a00", "#ac5928", "#da936e", "#e9b69c", "#efd4c7", "#eef1ef",
        "#cbddf2", "#a2c6ef", "#77aae3", "#3575b9", "#0b579c",
    ),
    "evolve",
)  # fmt: skip
"""From −1 to 1; each colour is that of the multiple of 0.2 in its middle."""


_RC: Final[dict[Any, Any]] = {
    "axes.edgecolor": GREY, "axes.labelcolor": INK, "axes.spines.right": False,
    "axes.spines.top": False, "axes.titlecolor": INK, "pdf.fonttype": 42, "text.color": INK,
    "xtick.color": GREY, "ytick.color": GREY,
}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """How a picture looks: by default for a screen.

    chart: width and height of a chart in inches; pictures of other contents have their own. dpi: of
    PNG. titled: whether it has a title where none is given. rc: matplotlib's settings. size, title:
    those of one picture, where they are not the usual ones; an empty title leaves it out.
    """

    chart: tuple[float, float] = (9.0, 5.0)
    dpi: int = 130
    titled: bool = True
    rc: dict[Any, Any] = field(default_factory=lambda: {**_RC, "axes.titlesize": "large"})
    size: tuple[float, float] | None = None
    title: str | None = None


_STYLES: Final = {
    "screen": Look(),
    "paper": Look(
        (5.5, 3.2), 300, False,
        {**_RC, "font.size": 8.0, "axes.linewidth": 0.6, "xtick.major.width": 0.6,
         "ytick.major.width": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5},
    ),
}  # fmt: skip
"""All styles: for a screen, or for print, where the text of the paper says what a title would."""
_SIZE: Final = re.compile(
    r"([0-9]{1,5}(?:\.[0-9]{1,4})?)x([0-9]{1,5}(?:\.[0-9]{1,4})?)(in|cm|mm|px)?"
)
_LEAST, _MOST = 0.8, 40.0  # least and largest width and height of a picture, in inches


def look_of(style: str, size: str | Sequence[float] | None, title: str | None) -> Look:
    """Return the look of a style's name, a size in inches or as text, and a title.

    Raises OptionsError where there is no such style or size.
    """
    if style not in _STYLES:
        raise OptionsError(f"style: {style!r} is unknown; there are {', '.join(_STYLES)}")
    chosen = _STYLES[style]
    if size is None:
        return replace(chosen, title=title)
    if isinstance(size, str):
        match = _SIZE.fullmatch(size.strip().replace("×", "x"))
        if match is None:
            raise OptionsError(f"size: {size!r} is not WIDTHxHEIGHT, such as 9x6cm or 1200x800px")
        inches = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "px": 1 / chosen.dpi}
        factor = inches[match[3] or "in"]
        width, height = factor * float(match[1]), factor * float(match[2])
    else:
        width, height = map(float, size)
    if not (_LEAST <= width <= _MOST and _LEAST <= height <= _MOST):
        raise OptionsError(
            f"size: {width:.3g} x {height:.3g} inches; from {_LEAST:g} to {_MOST:g} are possible"
        )
    return replace(chosen, size=(width, height), title=title)


class Picture(Figure):
    """A figure that notebooks show, and that is written as a PNG, SVG or PDF file."""

    def __init__(self, look: Look, size: tuple[float, float]) -> None:
        super().__init__(figsize=look.size or size, dpi=look.dpi, layout="constrained")
        self._look = look

    def _repr_png_(self) -> bytes:
        return self._written("png")

    def save(self, output: str | Path) -> Path:
        """Write it in one step, in the format that the name ends in; return the file."""
        check_output(output)
        path = Path(output)
        write_bytes(path, self._written(path.suffix[1:].lower()))
        return path

    def _written(self, form: str) -> bytes:
        # In memory first: where the disk is full, the writer of PDF fails again while it closes.
        content = io.BytesIO()
        with rc_context(self._look.rc):
            self.savefig(content, format=form, dpi=self._look.dpi)
        return content.getvalue()


@contextmanager
def picture(look: Look, text: str, size: tuple[float, float]) -> Iterator[Picture]:
    """Give a picture to draw into; text, size: its usual title, and its size in inches."""
    with rc_context(look.rc):
        figure = Picture(look, size)
        shown = look.title if look.title is not None else text if look.titled else ""
        if shown:
            # Dollars in the name of a run are not a formula.
            figure.suptitle(short(shown, 110), parse_math=False, fontsize="large")
        yield figure
        _fit(figure)


def _fit(figure: Figure) -> None:
    """Make titles and labels that would be cut at the edge of the picture smaller."""
    for _ in range(2):  # the first time moves the axes a little
        figure.draw_without_rendering()
        edges = np.array([[0.0, 0.0], figure.bbox.size])
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            if isinstance(text, Annotation) or not text.get_text() or not text.get_visible():
                continue
            at = text.get_transform().transform(text.get_position())
            needed = np.abs(text.get_window_extent().get_points() - at)
            share = float((np.abs(edges - at) / np.maximum(needed, 1e-9)).min())
            if 0.0 < share < 1.0:
                text.set_fontsize(float(text.get_fontsize()) * share)


def check_output(output: str | Path | None) -> None:
    """Raise RunError unless a picture can be written under this name, if there is one."""
    if output is not None and Path(output).suffix.lower() not in PICTURES:
        raise RunError(f"{output}: the name must end in one of {' '.join(PICTURES)}")


def run_title(run: Run, *words: Any) -> str:
    """The title of a run: its name, these words, and its seed."""
    return f"{run.name}: {', '.join(map(str, words))}, seed {run.config.get('seed')}"


def short(text: str, longest: int) -> str:
    """Shorten a name to leave room for the picture, and make it harmless for a terminal."""
    text = plain(text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def legend_below(axes: Axes, columns: int = 2) -> None:
    """Put the legend below the axes and their label, where no curve can be."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    # The axis' numbers and its label are 3.4 times as high as their type.
    below = 3.4 * float(axes.xaxis.label.get_fontsize()) / 72
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=axes.transAxes + ScaledTranslation(0.0, -below, figure.dpi_scale_trans),
        ncols=columns,
        frameon=False,
        fontsize="small",
        handlelength=3.0,
    )


def whole_numbers(axis: XAxis | YAxis) -> None:
    """Put ticks of an axis only at whole numbers, with spaces between thousands."""
    axis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: whole(round(value))))
