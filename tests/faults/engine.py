"""A program with a parameter that starts and plays in milliseconds: it speaks GTP, and takes that
of its legal moves whose number is the parameter, counted round and round."""

import sys

_WAYS = (-11, -10, -9, -1, 1, 9, 10, 11)
_SQUARES = [10 * y + x for y in range(1, 9) for x in range(1, 9)]
_NAMES = {f"{'abcdefgh'[square % 10 - 1]}{square // 10}": square for square in _SQUARES}
_START = {44: "white", 55: "white", 45: "black", 54: "black"}


def turned(side: str, square: int) -> list[int]:
    """The discs that a move turns, on a board with a border."""
    found: list[int] = []
    if square in board:
        return found
    for way in _WAYS:
        line, at = [], square + way
        while board.get(at, side) != side:
            line.append(at)
            at += way
        if line and at in board:
            found += line
    return found


def play(side: str, square: int) -> None:
    """Make a move."""
    for at in [*turned(side, square), square]:
        board[at] = side


board = dict(_START)
for text in sys.stdin:
    words = text.split()
    said = ""
    if words == ["list_commands"]:
        said = "boardsize\nclear_board\nplay\ngenmove\nquit"
    elif words == ["clear_board"]:
        board = dict(_START)
    elif words[0] == "play" and words[2] != "pass":
        play(words[1], _NAMES[words[2].lower()])
    elif words[0] == "genmove":
        legal = [name for name, square in _NAMES.items() if turned(words[1], square)]
        said = legal[int(sys.argv[1]) % len(legal)]
        play(words[1], _NAMES[said])
    print(f"= {said}\n", flush=True)
    if words == ["quit"]:
        break
