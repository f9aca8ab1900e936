"""Pictures as files, and parts that several of them have."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.errors import RunError
from evolve.files.atomic import write_bytes
from evolve.runs.run import Run
from evolve.terminal_text import plain

PICTURES: Final = (".png", ".svg", ".pdf")
BLUE: Final = "#1f6fb4"
ORANGE: Final = "#d9731a"
GREEN: Final = "#3a8f5c"
PURPLE: Final = "#7b4fa0"
GREY: Final = "#7a7a7a"


def check_format(output: Path) -> None:
    """Raise RunError unless a picture can be written under that name."""
    if output.suffix.lower() not in PICTURES:
        raise RunError(f"{output}: the name must end in one of {' '.join(PICTURES)}")


@contextmanager
def picture(output: Path, text: str, width: float, height: float) -> Iterator[Figure]:
    """Yield a new figure with a title, and write it to a PNG, SVG or PDF file at the end."""
    check_format(output)
    figure = Figure(figsize=(width, height), layout="constrained")
    title(figure, text)
    yield figure
    write_figure(figure, output)


def write_figure(figure: Figure, output: Path) -> None:
    """Write a picture in one step, in the format that its name ends in."""
    # In memory first: where the disk is full, the writer of PDF fails again while it closes.
    picture = io.BytesIO()
    figure.savefig(picture, format=output.suffix[1:].lower(), dpi=130)
    write_bytes(output, picture.getvalue())


def title(figure: Figure, text: str) -> None:
    """Set the picture's title; dollars in the name of a run are not a formula."""
    figure.suptitle(short(text, 110), parse_math=False)


def run_title(run: Run, *words: Any) -> str:
    """The title of a run: its name, these words, and its seed."""
    return f"{run.name}: {', '.join(map(str, words))}, seed {run.config.get('seed')}"


def short(text: str, longest: int) -> str:
    """Shorten a name to leave room for the picture, and make it harmless for a terminal."""
    text = plain(text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def legend_below(axes: Axes, columns: int = 2) -> None:
    """Put the legend below the axes, where no curve can be."""
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=columns,
        frameon=False,
        fontsize="small",
    )


def whole_numbers(axis: XAxis | YAxis) -> None:
    """Put ticks of an axis only at whole numbers."""
    axis.set_major_locator(MaxNLocator(integer=True))


def draw_band(axes: Axes, x: Any, low: Any, high: Any, colour: str) -> None:
    """Draw an interval around a curve of that colour."""
    axes.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)


def draw_boards(
    axes: Sequence[Axes], boards: npt.NDArray[Any], starts: Sequence[int], form: str = "d"
) -> Any:
    """Draw the numbers of boards [phases, 64] on one scale of colours, as many as there are axes.

    starts: discs at which each phase begins, and those after the last; form: of the numbers. NaN is
    left out. Returns an image for a colour bar.
    """
    largest = float(np.nanmax(np.abs(boards))) or 1.0
    image: Any = None
    for one, numbers, (first, after) in zip(axes, boards, pairwise(starts), strict=False):
        image = one.imshow(numbers.reshape(8, 8), cmap="RdBu", vmin=-largest, vmax=largest)
        for (y, x), number in np.ndenumerate(numbers.reshape(8, 8)):
            if not np.isnan(number):
                colour = "white" if abs(number) > 0.6 * largest else "black"
                text = f"{number:{form}}"
                one.text(x, y, text, ha="center", va="center", fontsize=6, color=colour)
        one.set_xticks(range(8), list("abcdefgh"))
        one.set_yticks(range(8), list("12345678"))
        one.tick_params(length=0, labelsize=7)
        one.set_title(f"{first}–{after - 1} discs", fontsize=9)
    return image
