"""A small program with parameters, which speaks GTP and looks one ply ahead.

It takes --corner and --mobility, or the variables CORNER and MOBILITY, or the GTP command
`set_parameter NAME VALUE`. With --crash-above X it ends as soon as it is asked for a move with a
corner over X; with --wait it sleeps so many seconds before each move. With --place N it plays, in
milliseconds, that of its legal moves whose number is N, counted round and round.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--corner", type=float, default=float(os.environ.get("CORNER", "1")))
parser.add_argument("--mobility", type=float, default=float(os.environ.get("MOBILITY", "0")))
parser.add_argument("--wait", type=float, default=0.0)
parser.add_argument("--crash-above", type=float, default=1e9)
parser.add_argument("--place", type=int)
given = parser.parse_args()
values: dict[str, float] = {"corner": given.corner, "mobility": given.mobility}

WAYS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
CORNERS = ((0, 0), (0, 7), (7, 0), (7, 7))
Cells = dict[tuple[int, int], str]


START: Cells = {(3, 3): "white", (4, 4): "white", (4, 3): "black", (3, 4): "black"}
OTHER = {"black": "white", "white": "black"}


def turned(cells: Cells, side: str, x: int, y: int) -> list[tuple[int, int]]:
    found = list[tuple[int, int]]()
    for dx, dy in () if (x, y) in cells else WAYS:
        line, i, j = [], x + dx, y + dy
        while cells.get((i, j)) == OTHER[side]:
            line.append((i, j))
            i, j = i + dx, j + dy
        if line and cells.get((i, j)) == side:
            found += line
    return found


def moves(cells: Cells, side: str) -> list[tuple[int, int]]:
    return [(x, y) for y in range(8) for x in range(8) if turned(cells, side, x, y)]


def played(cells: Cells, side: str, x: int, y: int) -> Cells:
    return {**cells, **dict.fromkeys([*turned(cells, side, x, y), (x, y)], side)}


def value(cells: Cells, side: str) -> float:
    discs = sum(1 if owner == side else -1 for owner in cells.values())
    corners = sum(1 if cells[one] == side else -1 for one in CORNERS if one in cells)
    free = len(moves(cells, side)) - len(moves(cells, OTHER[side])) if values["mobility"] else 0
    return discs + values["corner"] * corners + values["mobility"] * free


def answer(words: list[str]) -> str:
    global board
    match words:
        case ["list_commands"]:
            return "boardsize\nclear_board\nplay\ngenmove\nset_parameter\nquit"
        case ["clear_board"]:
            board = START
        case ["play", side, square] if square != "pass":
            board = played(board, side, ord(square[0]) - 97, int(square[1]) - 1)
        case ["set_parameter", name, text]:
            values[name] = float(text)
        case ["genmove", side]:
            if values["corner"] > given.crash_above:
                sys.exit("the corner is too large")
            time.sleep(given.wait)
            legal = moves(board, side)
            if given.place is None:
                x, y = max(legal, key=lambda one: value(played(board, side, *one), side))
            else:
                x, y = legal[given.place % len(legal)]
            board = played(board, side, x, y)
            return f"{'abcdefgh'[x]}{y + 1}"
    return ""


board = START
for text in sys.stdin:
    words = text.split()
    print(f"= {answer(words)}\n", flush=True)
    if words == ["quit"]:
        break
