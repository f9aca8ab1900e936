"""Agents and boards, printed for people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from evolve.cli.terminal import out, print_rows, say

if TYPE_CHECKING:
    from evolve.agents.agent import StoredAgent
    from evolve.engine.board import Board

_BESIDE: Final = 3
"""Number of boards of eight columns that fit side by side in 120 characters."""


def print_agent(agent: StoredAgent, ancestors: Sequence[tuple[int, str, str]]) -> None:
    """Print the agent's description, its boards side by side, its provenance and ancestors."""
    description = agent.describe()
    say(" · ".join([agent.name, agent.rules or "any rules", *description.facts]))
    for line in description.lines:
        say(line)
    if description.rows:
        print_rows(description.columns, description.rows)
    titles = list(description.boards)
    for first in range(0, len(titles), _BESIDE):
        say("")
        shown = titles[first : first + _BESIDE]
        _print_boards({title: description.boards[title] for title in shown}, description.boards)
    if agent.provenance:
        say("")
        for key, value in agent.provenance.items():
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            say(f"{key}: {f'{text:.4f}' if isinstance(text, float) else text}")
    if ancestors:
        say("")
        say("ancestry")
        for steps, name, origin in ancestors:
            say("  " * (steps + 1) + f"{name} ({origin})")


def _print_boards(shown: Mapping[str, Sequence[Any]], every: Mapping[str, Sequence[Any]]) -> None:
    """Print boards side by side, all as wide as the widest number of `every` needs."""
    width = max(len(str(number)) for board in every.values() for number in board) + 1
    say("   ".join(title.ljust(2 + 8 * width) for title in shown).rstrip())
    heads = "".join(letter.rjust(width) for letter in "abcdefgh")
    say("   ".join("  " + heads for _ in shown))
    for row in range(8):
        say(
            "   ".join(
                f"{row + 1} " + "".join(str(n).rjust(width) for n in board[8 * row : 8 * row + 8])
                for board in shown.values()
            )
        )


_LAST = "bold reverse"
_LEGAL = "green"


def board_lines(board: Board, last: int | None = None, legal: Collection[int] = ()) -> list[Text]:
    """The board as lines: legal moves as stars, the last move highlighted if there are colours."""
    glyphs = {"X": "●", "O": "○", "-": "·"} if out().encoding.lower().startswith("utf") else {}
    cells = board.cells()
    lines = [Text("  a b c d e f g h")]
    for row in range(8):
        line = Text(f"{row + 1}")
        for square in range(8 * row, 8 * row + 8):
            shown = "*" if square in legal else glyphs.get(cells[square], cells[square])
            style = _LAST if square == last else _LEGAL if square in legal else ""
            line.append(" ").append(shown, style)
        lines.append(line)
    marks = glyphs.get("X", "X"), glyphs.get("O", "O")
    black, white = board.discs("black"), board.discs("white")
    lines.append(Text(f"{marks[0]} black {black}, {marks[1]} white {white}; {board.side} to move"))
    return lines


def show_board(board: Board, last: int | None = None, legal: Collection[int] = ()) -> None:
    """Print the board; see `board_lines`."""
    for line in board_lines(board, last, legal):
        out().print(line)
