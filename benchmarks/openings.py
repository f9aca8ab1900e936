"""Makes the lists of balanced openings that come with evolve.

    python -m benchmarks.openings RULES [--depth 16] [--longer 3000] [-o FILE.npz]

All positions after 8 moves that belong to panels, play-offs or matches, each once of its images,
are searched by `patterns-RULES` to 10 plies, and those worth 4 discs at most to `--depth`. Those
worth 2 at most are listed. For long matches the list goes on with openings of 10 moves: the same
positions of matches, whatever they are worth, and two random moves each.

FILE holds `moves` int8 [N, 10], -1 after the last; `values` float32 [N], in discs for the side to
move; `slots` int8 [N], see `games.opening`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.bits import canonical
from evolve.engine.board.board import Board
from evolve.engine.board.rules import check_rules
from evolve.engine.games.opening import slot_of
from evolve.fitness.openings import LISTS, Part

PLIES, LONGER_PLIES = 8, 10
MOST = 2.0
_FIRST_DEPTH, _FIRST_MOST = 10, 4.0
_SEED = 0

Lines = dict[tuple[int, int], tuple[int, ...]]
"""Positions, own and opp, with moves that lead there."""


def distinct(boards: Lines) -> Lines:
    """Each of these positions once of its images."""
    keys = list(boards)
    _, first = np.unique(canonical(np.array(keys, np.uint64)), axis=0, return_index=True)
    return {keys[number]: boards[keys[number]] for number in sorted(first)}


def positions(plies: int) -> Lines:
    """All positions after so many moves."""
    start = Board.start()
    found: Lines = {(start.own, start.opp): ()}
    for _ in range(plies):
        after: Lines = {}
        for key, line in found.items():
            board = Board(*key, "black")
            for move in board.legal_moves():
                child = board.play(move)
                after.setdefault((child.own, child.opp), (*line, move))
        found = distinct(after)
    return found


def slots_of(lines: Lines) -> list[int]:
    """The slots of these positions."""
    return [slot_of(*map(np.uint64, board)) for board in lines]


def balanced(
    agent: PatternAgent, lines: Lines, depth: int
) -> Iterator[tuple[tuple[int, ...], float]]:
    """The moves to those of the positions that are balanced, with their values."""
    for key, line in lines.items():
        board = Board(*key, "black")
        if board.legal_moves() and abs(agent.value(board, _FIRST_DEPTH)) <= _FIRST_MOST:
            value = agent.value(board, depth)
            if abs(value) <= MOST:
                yield line, value


def longer(lines: Lines, rng: np.random.Generator) -> Iterator[Lines]:
    """Batches of these positions after two more random moves, without end; none comes twice."""
    seen: set[tuple[int, ...]] = set()
    while True:
        after: Lines = {}
        for key, line in lines.items():
            board, more = Board(*key, "black"), line
            while len(more) < LONGER_PLIES and board.legal_moves():
                more = (*more, int(rng.choice(board.legal_moves())))
                board = board.play(more[-1])
            if len(more) == LONGER_PLIES:
                after[board.own, board.opp] = more
        fresh: Lines = {}
        for key, line in distinct(after).items():
            image = tuple(canonical(np.array([key], np.uint64))[0].tolist())
            if image not in seen:
                seen.add(image)
                fresh[key] = line
        yield fresh


def main() -> None:
    """Write a list and print how long it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules")
    parser.add_argument("--depth", type=int, default=16)
    parser.add_argument("--longer", type=int, default=3000)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    rules = check_rules(options.rules)
    agent = evolve.load_agent(f"patterns-{rules}?endgame=0")
    assert isinstance(agent, PatternAgent)
    agent = replace(agent, rules=rules)
    every = positions(PLIES)
    by_slot = dict(zip(every, slots_of(every), strict=True))
    rows: list[tuple[tuple[int, ...], float, int]] = []
    ours: Lines = {}
    for part in (Part.PANEL, Part.PLAYOFF, Part.MATCH):
        slot = part.value.start
        ours = {key: line for key, line in every.items() if by_slot[key] == slot}
        found = [(*pair, slot) for pair in balanced(agent, ours, options.depth)]
        print(f"{rules}: {part.name.lower()}: {len(found)} of {len(ours)}", flush=True)
        rows += found
    more: dict[tuple[int, ...], float] = {}
    for batch in longer(ours, np.random.default_rng(_SEED)):
        if len(more) >= options.longer:
            break
        more.update(balanced(agent, batch, options.depth))
    rows += [(*pair, Part.MATCH.value.start) for pair in list(more.items())[: options.longer]]
    moves = np.full((len(rows), LONGER_PLIES), -1, np.int8)
    for row, (line, _, _) in zip(moves, rows, strict=True):
        row[: len(line)] = line
    np.savez_compressed(
        options.output or LISTS / f"{rules}.npz",
        moves=moves,
        values=np.array([value for _, value, _ in rows], np.float32),
        slots=np.array([slot for _, _, slot in rows], np.int8),
    )
    print(f"{rules}: {len(rows)} openings")


if __name__ == "__main__":
    main()
