"""Pictures as files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolve.errors import RunError
from evolve.files.atomic import write_bytes
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


def write_figure(figure: Figure, output: Path) -> None:
    """Write a picture in one step, in the format that its name ends in."""
    # In memory first: where the disk is full, the writer of PDF fails again while it closes.
    picture = io.BytesIO()
    figure.savefig(picture, format=output.suffix[1:].lower(), dpi=130)
    write_bytes(output, picture.getvalue())


def title(figure: Figure, text: str) -> None:
    """Set the picture's title; dollars in the name of a run are not a formula."""
    figure.suptitle(short(text, 110), parse_math=False)


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
