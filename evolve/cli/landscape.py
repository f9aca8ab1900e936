"""What a sweep of a program found, in the terminal: a picture, and the winner to paste."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from evolve.cli.terminal import out, say
from evolve.tables.paths import BEST_FILE
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolve.sweeps.landscape import Axis, Landscape

_SIZE: Final = (40, 11)
_NARROWEST: Final = 12
_SHADES: Final = " ░▒▓█"
_PLAIN: Final = " .:+#"
_BARS: Final = "▁▂▃▄▅▆▇█"


def print_landscape(folder: Path) -> None:
    """Print the scores that a sweep's trials let expect, over its two first parameters."""
    from evolve.sweeps.landscape import Trials

    trials, columns = Trials.of(folder), max(_NARROWEST, min(_SIZE[0], out().width - 24))
    land = trials.over(trials.pair, (columns, _SIZE[1]))
    if land is None:
        return
    for line in _curve(land) if land.y is None else _map(land, land.y):
        say(plain(line))


def _map(land: Landscape, y: Axis) -> list[str]:
    shades, best, usual, far = _signs()
    low, high = float(land.mean.min()), float(land.mean.max())
    cells = [
        [_shade(one, low, high, shades) if near else far for one, near in zip(*row, strict=True)]
        for row in zip(land.mean.tolist(), land.near.tolist(), strict=True)
    ]
    few = len(land.across) < _NARROWEST  # choices: wide cells
    wide = max(2, 24 // len(land.across)) if few else 1
    for place, sign in ((land.defaults, usual), (land.best, best)):
        if place is not None:
            row, column = _nearest(land.up, place[1]), _nearest(land.across, place[0])
            cells[row][column] = sign
    rows = [
        "".join(one * wide if len(one) == 1 and one not in (best, usual) else one.center(wide, " ")
                for one in row)
        for row in cells
    ]  # fmt: skip
    labels = [""] * len(rows)
    labels[0], labels[-1] = _end(y, 0), _end(y, 1)
    if y.choices and len(y.choices) == len(rows):
        labels = [one[:16] for one in y.choices]
    width = max(map(len, labels))
    lines = [
        f"expected score by {land.x.name} (across) and {y.name} (up): blank {low:.2f} to "
        f"{shades[-1]} {high:.2f}, {best} best, {usual} defaults, {far} nothing near was tried"
    ]
    pairs = reversed([*zip(labels, rows, strict=True)])
    lines += [f"{label.rjust(width)} |{row}|" for label, row in pairs]
    first, last = _end(land.x, 0), _end(land.x, 1)
    length = len(rows[0])
    lines.append(f"{' ' * width}  {first}{last.rjust(length - len(first))}")
    if land.x.choices:
        lines[-1] = f"{' ' * width}  {' · '.join(land.x.choices)}"
    return lines


def _curve(land: Landscape) -> list[str]:
    _, best, usual, _ = _signs()
    mean = land.mean[0].tolist()
    if land.x.choices:
        pairs = zip(land.x.choices, mean, land.error[0].tolist(), strict=True)
        return [
            f"expected score by {land.x.name}: "
            + ", ".join(f"{name} {one:.2f} ± {error:.2f}" for name, one, error in pairs)
        ]
    low, high = min(mean), max(mean)
    bars = _BARS if best == "★" else "_.-=+*#@"
    line = [_shade(one, low, high, bars) for one in mean]
    marks = [" "] * len(line)
    for place, sign in ((land.defaults, usual), (land.best, best)):
        if place is not None:
            marks[_nearest(land.across, place[0])] = sign
    ends = _end(land.x, 0), _end(land.x, 1)
    return [
        f"expected score by {land.x.name}: {low:.2f} to {high:.2f}, {best} best, {usual} defaults",
        "".join(marks).rstrip(),
        "".join(line),
        f"{ends[0]}{ends[1].rjust(len(line) - len(ends[0]))}",
    ]


def _signs() -> tuple[str, str, str, str]:
    """Return shades, and the signs of the best trial, of the defaults and of what is far."""
    try:
        f"{_SHADES}★◆·".encode(out().encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return _PLAIN, "*", "o", "?"
    return _SHADES, "★", "◆", "·"


def _shade(value: float, low: float, high: float, shades: str) -> str:
    share = 0.5 if high <= low else (value - low) / (high - low)
    return shades[min(len(shades) - 1, int(share * len(shades)))]


def _nearest(places: npt.NDArray[np.float64], place: float) -> int:
    return int(abs(places - place).argmin())


def _end(axis: Axis, place: int) -> str:
    return axis.choices[-place] if axis.choices else f"{axis.value(place):.4g}"


def print_winner(folder: Path) -> None:
    """Print the winner of a sweep of a program as an agent for any command; nothing before it."""
    if not (folder / BEST_FILE).exists():
        return
    from evolve.sweeps.winner import tuned_program  # imported here: it loads optuna

    program = tuned_program(folder)
    if program is None:
        return
    if program.commands:
        say(f"its values are GTP commands, to send at its start: {', '.join(program.commands)}")
    else:
        say(f"paste: {program.match_line}")
