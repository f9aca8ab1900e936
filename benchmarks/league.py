"""One-ply players of the published Othello league against an agent with patterns.

    python -m benchmarks.league FOLDER AGENT [AGENT …] [--boards 1000] [--inverting PART …]

FOLDER holds players (*.player) and boards (*.txt) in the format of the published ones, of which
none come with evolve. A player is whole numbers and weights, brackets counting for nothing: how
many tuples; for each its length n and how many places it has, then the squares of each place (0 is
a1, 63 is h8, row by row), then 3**n weights, the first square's value counting most: 0 for white, 1
for an empty square, 2 for black. A player may also be 64 weights of squares, each times -1, 0 or 1.
It is for black; as white it prefers low values, or it sees the board with its colours inverted, as
those do whose file names have one of the PARTs in them: as published by default. Boards are 64 such
values each, after seven plies, white to move. AGENT plays one ply ahead without an exact end. Every
board is played with both colours.

The published league (Jaskowski and Szubert 2016) has sixteen: four of 64 weights, Burrow2011,
CTDL and ETDL of 2013, Manning2010's four, IPref1 and IPrefN, All2, and CoCMAES-2 and CoCMAES-4+2x2.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

import evolve
from evolve.agents.memory import PatternMemory
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.bits import ONE, ZERO, U, flips_of, moves_of
from evolve.engine.compiled.intrinsics import int64, lowest, popcount
from evolve.engine.patterns.pattern_search import pattern_move
from evolve.engine.search.context import AGE, STOPPED
from evolve.fitness.statistics import score_of_pairs

EMPTY = 1
INVERTING = ("GECCO", "IPref", "All2", "CoCMAES")
"""Parts of the names of those that invert, as their authors' league has them."""


@dataclass(frozen=True)
class Tuples:
    """A player: squares of all places one after the other; for each place where its squares begin
    and its weights; all weights."""

    squares: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    tables: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]


def read_player(path: Path) -> Tuples:
    """The player of a file; ValueError where it is none."""
    text = path.read_text(encoding="utf-8").replace("{", " ").replace("}", " ")
    numbers = [float(word) for word in text.split()]
    if len(numbers) == 64:
        weights = np.outer(numbers, (-1.0, 0.0, 1.0)).ravel()
        return Tuples(np.arange(64), np.arange(65), 3 * np.arange(64), weights)
    squares: list[int] = []
    starts, tables = [0], list[int]()
    weights_of: list[float] = []
    rest = iter(numbers)
    try:
        for _ in range(int(next(rest))):
            size, places = int(next(rest)), int(next(rest))
            first = len(weights_of)
            for _ in range(places):
                squares += [int(next(rest)) for _ in range(size)]
                starts.append(len(squares))
                tables.append(first)
            weights_of += [next(rest) for _ in range(3**size)]
    except StopIteration:
        raise ValueError(f"{path} ends before its last weight") from None
    if next(rest, None) is not None or not all(0 <= square < 64 for square in squares):
        raise ValueError(f"{path} is not a player")
    return Tuples(np.array(squares), np.array(starts), np.array(tables), np.array(weights_of))


def read_boards(path: Path) -> npt.NDArray[np.uint64]:
    """White's and black's discs of every board, [N, 2]; ValueError where there are none."""
    values = np.array(path.read_text(encoding="utf-8").split(), np.int64)
    if values.size == 0 or values.size % 64 or not np.isin(values, (0, 1, 2)).all():
        raise ValueError(f"{path} does not hold boards of 64 values 0, 1 and 2")
    bits = U(1) << np.arange(64, dtype=np.uint64)
    boards = values.reshape(-1, 64)
    return np.stack([(boards == colour) @ bits for colour in (0, 2)], axis=1)


@numba.njit(nogil=True)
def _value(white: Any, black: Any, squares: Any, starts: Any, tables: Any, weights: Any) -> Any:
    total = 0.0
    for place in range(tables.size):
        entry = 0
        for number in range(starts[place], starts[place + 1]):
            bit = ONE << U(squares[number])
            entry *= 3
            if black & bit != ZERO:
                entry += 2
            elif white & bit == ZERO:
                entry += EMPTY
        total += weights[tables[place] + entry]
    return total


@numba.njit(nogil=True)
def _play(
    boards: Any,
    agent_is_white: Any,
    squares: Any,
    starts: Any,
    tables: Any,
    weights: Any,
    inverts: bool,
    context: Any,
) -> Any:
    """The agent's points on every board, playing one colour."""
    points = np.zeros(len(boards))
    for number in range(len(boards)):
        own, opp = boards[number, 0], boards[number, 1]
        white_to_move = True
        while True:
            moves = moves_of(own, opp)
            if moves == ZERO:
                own, opp, white_to_move = opp, own, not white_to_move
                moves = moves_of(own, opp)
                if moves == ZERO:
                    break
            if white_to_move == agent_is_white:
                square, _ = pattern_move(own, opp, int64(1), context)
            else:
                best, square = -np.inf, int64(0)
                while moves != ZERO:
                    move = lowest(moves)
                    moves &= moves - ONE
                    turned = flips_of(move, own, opp)
                    mine, theirs = own ^ turned ^ (ONE << U(move)), opp ^ turned
                    if white_to_move and not inverts:
                        value = -_value(mine, theirs, squares, starts, tables, weights)
                    else:
                        value = _value(theirs, mine, squares, starts, tables, weights)
                    if value > best:
                        best, square = value, move
            turned = flips_of(square, own, opp)
            own, opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
            white_to_move = not white_to_move
        lead = popcount(own) - popcount(opp)
        if white_to_move != agent_is_white:
            lead = -lead
        points[number] = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
    return points


def scores(
    agent: PatternAgent, player: Tuples, inverts: bool, boards: npt.NDArray[np.uint64]
) -> Any:
    """The agent's points in each pair of games, 0 to 1."""
    agent = replace(agent, probcut=0.0)
    memory = PatternMemory(1)
    context = memory.set(agent.patterns, agent.block, "standard")
    parts = (player.squares, player.starts, player.tables, player.weights)
    found = []
    for white in (True, False):
        memory.context[AGE] += 1
        memory.context[STOPPED] = 0
        found.append(_play(boards, white, *parts, inverts, context))
    return (found[0] + found[1]) / 2


def main() -> None:
    """Print a row a player, and the mean of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--boards", type=int, help="so many alone, the first ones")
    parser.add_argument("--inverting", nargs="*", default=INVERTING, metavar="PART")
    options = parser.parse_args()
    players = {path.stem: read_player(path) for path in sorted(options.folder.glob("*.player"))}
    found = [read_boards(path) for path in sorted(options.folder.glob("*.txt"))]
    if not players or not found:
        raise SystemExit(f"{options.folder} holds no *.player or no boards (*.txt)")
    boards = np.concatenate(found)[: options.boards]
    for name in options.agents:
        agent = evolve.load_agent(name)
        if not isinstance(agent, PatternAgent):
            raise SystemExit(f"{name} is not an agent with patterns")
        pairs = []
        for player, tuples in players.items():
            inverts = any(part in player for part in options.inverting)
            pairs.append(scores(agent, tuples, inverts, boards))
            print(f"{name} against {player}: {pairs[-1].mean():.3f}", flush=True)
        # Boards are the units: all players meet on each.
        score = score_of_pairs(np.mean(pairs, axis=0))
        print(
            f"{name}: league {score.value:.4f} [{score.low:.4f}, {score.high:.4f}], "
            f"{len(players)} players, {len(boards)} boards"
        )


if __name__ == "__main__":
    main()
