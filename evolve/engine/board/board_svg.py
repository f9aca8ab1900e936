"""A board as an SVG picture, in the colours of the page; notebooks show it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

_SQUARE: Final = 36
"""Side of a square."""
_EDGE: Final = 20
"""Width of the frame, which has the names of columns and rows."""
_GREEN, _LINE, _FRAME, _LAST = "#2b8257", "#1c5f3f", "#14422c", "#ffd23f"
_DISCS: Final = {"X": ("#101513", "#3a4644"), "O": ("#f8f8f2", "#b3b9ae")}
"""Fill and edge of the discs, by their cell."""
_TEXT: Final = 'font-family="sans-serif" text-anchor="middle" dominant-baseline="central"'


def board_svg(cells: str, text: str, legal: Collection[int] = (), last: int | None = None) -> str:
    """Draw 64 cells a1..h8, `X` black and `O` white, with a line of text below.

    legal: squares with a dot; last: the square of the last move, which has a ring.
    """
    side = 8 * _SQUARE + 2 * _EDGE
    height = side + 26
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{height}" '
        f'viewBox="0 0 {side} {height}" role="img">',
        f"<title>{text}: {cells}</title>",
        f'<rect width="{side}" height="{side}" rx="6" fill="{_FRAME}"/>',
    ]
    for index, (column, row) in enumerate(zip("abcdefgh", "12345678", strict=True)):
        middle = _EDGE + _SQUARE * index + _SQUARE // 2
        style = f'fill="#dff0e6" font-size="11" {_TEXT}'
        parts.append(f'<text x="{middle}" y="{_EDGE // 2}" {style}>{column}</text>')
        parts.append(f'<text x="{_EDGE // 2}" y="{middle}" {style}>{row}</text>')
    for square, cell in enumerate(cells):
        x, y = _EDGE + _SQUARE * (square % 8), _EDGE + _SQUARE * (square // 8)
        at = f'cx="{x + _SQUARE // 2}" cy="{y + _SQUARE // 2}"'
        parts.append(
            f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{_GREEN}" '
            f'stroke="{_LINE}"/>'
        )
        if cell in _DISCS:
            fill, edge = _DISCS[cell]
            ring = f'stroke="{_LAST}" stroke-width="3"' if square == last else f'stroke="{edge}"'
            parts.append(f'<circle {at} r="{_SQUARE * 0.41:.1f}" fill="{fill}" {ring}/>')
        elif square in legal:
            parts.append(f'<circle {at} r="4" fill="{_LAST}" fill-opacity="0.75"/>')
    parts.append(
        f'<rect y="{side}" width="{side}" height="{height - side}" fill="#ffffff"/>'
        f'<text x="{side // 2}" y="{side + 14}" fill="#16201a" font-size="13" {_TEXT}>{text}</text>'
    )
    return "".join([*parts, "</svg>"])
