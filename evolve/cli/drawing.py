"""Boards on a terminal: of a game, green with black and white discs, and of an agent's weights.

Where there are no colours, signs tell discs apart, and numbers stand alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from rich.columns import Columns
from rich.text import Text

from evolve.cli.output import rounded
from evolve.cli.terminal import cell, out, print_rows, print_text
from evolve.number_text import whole
from evolve.terminal_text import plain

if TYPE_CHECKING:
    from evolve.agents.agent import Agent
    from evolve.engine.board.board import Board


def print_agent(
    agent: Agent,
    provenance: Mapping[str, Any] = MappingProxyType({}),
    ancestors: Sequence[tuple[int, str, str]] = (),
) -> None:
    """Print the agent's description, its boards side by side, its provenance and ancestors."""
    description = agent.describe()
    print_text(" · ".join([agent.name, agent.rules or "any rules", *description.facts]))
    for line in description.lines:
        print_text(line)
    if description.rows:
        print_rows(description.columns, description.rows)
    texts = _boards(description.boards)
    for first in range(0, len(texts), 3):
        print_text("")
        out().print(Columns(texts[first : first + 3], padding=(0, 3)))
    if provenance:
        print_text("")
        for key, value in provenance.items():
            if isinstance(value, list):
                value = ", ".join(map(str, value))
            elif isinstance(value, int) and key != "seed":
                value = whole(value)
            print_text(f"{key}: {cell(rounded(key, value)) if isinstance(value, float) else value}")
    if ancestors:
        print_text("")
        print_text("ancestry")
        for steps, name, origin in ancestors:
            print_text("  " * (steps + 1) + f"{name} ({origin})")


def _boards(boards: Mapping[str, Sequence[Any]]) -> list[Text]:
    """Boards with their titles, all as wide as the widest number needs.

    Where there are colours, positive numbers are blue and negative ones red, large ones darker.
    """
    every = [number for board in boards.values() for number in board]
    width = 1 + max((len(str(number)) for number in every), default=0)
    largest = (
        max((abs(number) for number in every if isinstance(number, int | float)), default=0) or 1
    )
    texts = []
    for title, board in boards.items():
        text = Text(f"{plain(title)}\n  {''.join(letter.rjust(width) for letter in 'abcdefgh')}")
        for row in range(8):
            text.append(f"\n{row + 1} ")
            for number in board[8 * row : 8 * row + 8]:
                text.append(str(number).rjust(width), _shade(number, largest))
        texts.append(text)
    return texts


def _shade(number: Any, largest: float) -> str:
    """The style of a number on a board of weights: from white to blue, or to red."""
    if not isinstance(number, int | float):
        return ""
    share = abs(number) / largest
    pale, end = (247, 247, 247), (33, 102, 172) if number > 0 else (178, 24, 43)
    mixed = [round(a + (b - a) * share) for a, b in zip(pale, end, strict=True)]
    ink = "bright_white" if share > 0.55 else "black"
    return f"{ink} on rgb({mixed[0]},{mixed[1]},{mixed[2]})"


_GREEN: Final = "on #1f7a4d"
_COLOURS: Final = {"X": f"black {_GREEN}", "O": f"bright_white {_GREEN}", "-": f"#6fb892 {_GREEN}"}
"""Styles of the cells of a board, where there are colours."""


def board_text(board: Board, last: int | None = None, legal: Collection[int] = ()) -> Text:
    """The board in several lines, legal moves as stars and the last move marked.

    Where there are colours it is green, and discs are black and white; else signs tell them apart.
    """
    colours = out().color_system is not None and not out().no_color
    utf = out().encoding.lower().startswith("utf")
    glyphs = {"X": "●", "O": "●" if colours else "○", "-": "·"} if utf else {}
    styles = _COLOURS if colours else {}

    def disc(sign: str, text: str = "") -> Text:
        return Text((text or glyphs.get(sign, sign)), styles.get(sign, ""))

    cells = board.cells()
    lines = [Text("  a b c d e f g h")]
    for row in range(8):
        line = Text(f"{row + 1}")
        for square in range(8 * row, 8 * row + 8):
            shown = disc(cells[square], "*" if square in legal else "")
            if square in legal and colours:
                shown.stylize("bold #d8f5e4")
            if square == last:
                shown.stylize("on #c9a227" if colours else "bold reverse")
            line.append(" ", _GREEN if colours else "").append_text(shown)
        lines.append(line.append(" ", _GREEN) if colours else line)
    black, white = board.discs("black"), board.discs("white")
    lines.append(
        Text.assemble(
            disc("X"), f" black {black}, ", disc("O"), f" white {white}; {board.side} to move"
        )
    )
    return Text("\n").join(lines)
