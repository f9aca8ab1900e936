"""How agents keep to the time of a move, on a machine as busy as it is.

    python -m benchmarks.clock [--seconds 0.02] [--moves 300]

Besides the time on the wall it gives the CPU time of the thread that thinks, and what a loop takes
that does nothing but look at the clock until the same moment: what that is late by, others do.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

import evolve
from evolve.agents.agent import Agent
from evolve.agents.mcts import MctsAgent
from evolve.agents.timed_search import thinking_seconds
from evolve.engine.board.board import Board
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network

SPECIFICATIONS = ("swh-mobility", "swh-mobility?endgame=20", "uct", "uct?endgame=20&reuse=1")
LAYERS = ("conv 64 relu", "conv 64 relu", "dense 128 relu", "policy-value")
"""Of a network that takes 0.1 ms a position."""
LATE = 1.25


def positions(count: int) -> list[Board]:
    """Of random games, from their first move to 5 empties, each with a choice of moves."""
    rng = np.random.default_rng(0)
    found: list[Board] = []
    while len(found) < count:
        board, wanted = Board.start(), int(rng.integers(5, 60))
        while not board.is_over() and board.empties > wanted:
            moves = board.legal_moves()
            board = board.play(int(rng.choice(moves))) if moves else board.pass_move()
        if len(board.legal_moves()) > 1:
            found.append(board)
    return found


def one_game(count: int) -> list[Board]:
    """Successive positions with a choice of moves, of games one after the other: random moves."""
    rng = np.random.default_rng(1)
    found: list[Board] = []
    board = Board.start()
    while len(found) < count:
        if board.is_over():
            board = Board.start()
        moves = board.legal_moves()
        if len(moves) > 1:
            found.append(board)
        board = board.play(int(rng.choice(moves))) if moves else board.pass_move()
    return found


def network() -> Network:
    """One of random weights."""
    architecture = Architecture("planes", LAYERS)
    rng = np.random.default_rng(0)
    weights = []
    for matrix in architecture.matrices:
        inputs = matrix.inputs * matrix.neighbours
        shape = inputs, matrix.outputs
        weights.append(
            (
                rng.normal(0, inputs**-0.5, shape).astype(np.float32),
                np.zeros(matrix.outputs, np.float32),
            )
        )
    return Network(architecture, weights)


def spin(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def report(name: str, wall: list[float], cpu: list[float], seconds: float) -> None:
    texts = []
    for kind, times in (("wall", wall), ("CPU", cpu)):
        middle, high, most = 1e3 * np.quantile(times, [0.5, 0.99, 1.0])
        late = 100 * np.mean(np.array(times) > LATE * seconds)
        texts.append(
            f"{kind} median {middle:.1f}, 99 % {high:.1f}, most {most:.1f} ms, late {late:.1f} %"
        )
    print(f"{name:24} first {1e3 * wall[0]:5.1f} ms; {'; '.join(texts)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--moves", type=int, default=300)
    given = parser.parse_args()
    boards = positions(given.moves)
    print(f"{given.moves} moves of {given.seconds:g} s; load {os.getloadavg()[0]:.1f}")
    for name in (*SPECIFICATIONS, "network"):
        if name == "network":
            agent: Agent = MctsAgent(network=network(), selection="puct", seconds=given.seconds)
        else:
            agent = evolve.load_agent(name, time=given.seconds)
        reuse = isinstance(agent, MctsAgent) and agent.reuse
        wall: list[float] = []
        cpu: list[float] = []
        alone: list[float] = []
        if reuse:
            agent, boards = agent.for_game(0), one_game(given.moves)
        for board in boards:
            begin, spent = time.perf_counter(), time.thread_time()
            agent.choose(board)
            cpu.append(time.thread_time() - spent)
            wall.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            spin(thinking_seconds(given.seconds))
            alone.append(time.perf_counter() - begin)
        report(name, wall, cpu, given.seconds)
        late = 100 * np.mean(np.array(alone) > LATE * given.seconds)
        print(f"{'':24} a loop that only waits: late {late:.1f} %", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
