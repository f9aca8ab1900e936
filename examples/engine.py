"""A small engine that speaks GTP. It looks one move ahead."""

import argparse
import sys

options = argparse.ArgumentParser()
options.add_argument("--corner", type=int, default=0)
options.add_argument("--mobility", type=int, default=0)
PARAMETERS = options.parse_args()
SQUARES = [10 * row + column for row in range(1, 9) for column in range(1, 9)]
CORNERS = (11, 18, 81, 88)


def flips(board, square, side):
    turned = []
    for way in (-11, -10, -9, -1, 1, 9, 10, 11) if board[square] == "." else ():
        line = [square + way]
        while board.get(line[-1], ".") not in (".", side):
            line.append(line[-1] + way)
        turned += line[:-1] if board.get(line[-1]) == side else []
    return turned


def moves(board, side):
    return [square for square in SQUARES if flips(board, square, side)]


def after(board, square, side):
    return board | dict.fromkeys([*flips(board, square, side), square], side)


def value(board, side):
    other = "w" if side == "b" else "b"
    discs = list(board.values())
    total = discs.count(side) - discs.count(other)
    for corner in CORNERS:
        total += PARAMETERS.corner * ((board[corner] == side) - (board[corner] == other))
    return total + PARAMETERS.mobility * (len(moves(board, side)) - len(moves(board, other)))


for command in sys.stdin:
    word, side, vertex = [*command.lower().split(), "", "", ""][:3]
    side, answer, square = side[:1], "=", None
    if word == "clear_board":
        board = dict.fromkeys(SQUARES, ".") | {44: "w", 45: "b", 54: "b", 55: "w"}
    elif word == "genmove":
        square = max(moves(board, side), key=lambda one: value(after(board, one, side), side))
        answer = f"= {chr(96 + square % 10)}{square // 10}"
    elif word == "play" and vertex != "pass":
        square = 10 * int(vertex[1]) + ord(vertex[0]) - 96
    if square is not None:
        board = after(board, square, side)
    print(answer + "\n", flush=True)
