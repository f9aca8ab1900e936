"""Measurements of the engine, each a function that gives the rows of a table.

Times are medians of CPU seconds, and of wall seconds where several threads work. Nothing is
compiled while the clock runs.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.bench.plain import PlainAgent, play_game
from evolve.bench.positions import SEED, half_random, measured_agent
from evolve.engine import bits, game
from evolve.engine.board import Board
from evolve.engine.context import NODES, STOPPED, table_bits_for
from evolve.engine.deepening import DEEP_FROM, best_move_deep
from evolve.engine.entry import new_context
from evolve.engine.perft import perft
from evolve.engine.results import (
    NODES_BLACK,
    NODES_WHITE,
)
from evolve.engine.rules import RULE_SETS, STANDARD, Rules
from evolve.engine.search import best_move
from evolve.engine.solver import solve_move, solve_outcome_move
from evolve.errors import BenchError
from evolve.fitness.executor import Threads
from evolve.fitness.games import play_games
from evolve.fitness.openings import Openings, Part, balanced_openings

Figures = dict[str, Any]
Work = Callable[[], int]
"""Something to time; it gives the nodes it searched."""

REPEATS: Final = 5
PERFT_DEPTHS: Final = (9, 10, 11)
SEARCH_DEPTHS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10)
SEARCHED: Final = 100
DEEPLY_SEARCHED: Final = 10
SOLVED: Final = {8: 200, 10: 100, 12: 60, 14: 30, 16: 15, 18: 5, 20: 3}
"""Empties, and how many positions."""
PLAYED_GAMES: Final = 256
PLAIN_GAMES: Final = 5
GAME_DEPTHS: Final = (5, 3, 6)
TERMS: Final = {"table, mobility": False, "all": True}


def timed(work: Work, clock: Callable[[], float] = time.process_time) -> tuple[float, int]:
    """Median seconds of `work`, and its nodes."""
    nodes = work()  # compiles, and fills the caches
    times = []
    for _ in range(REPEATS):
        begin = clock()
        work()
        times.append(clock() - begin)
    return statistics.median(times), nodes


def perft_rows() -> list[Figures]:
    """Perft from the start position on one thread."""
    rows = []
    for depth in PERFT_DEPTHS:
        seconds, nodes = timed(lambda d=depth: perft(bits.START_OWN, bits.START_OPP, d))  # type: ignore[misc]
        row = {"depth": depth, "nodes": nodes, "seconds": seconds}
        rows.append({**row, "million_per_second": nodes / seconds / 1e6})
    return rows


def search_rows() -> list[Figures]:
    """Searches for a move in middle-game positions of 16 to 40 discs, and their nodes."""
    rows = []
    boards = half_random(SEARCHED, (24, 48))
    for terms, everything in TERMS.items():
        agent = measured_agent(everything)
        for depth in SEARCH_DEPTHS:
            some = boards if depth < DEEP_FROM else boards[:DEEPLY_SEARCHED]
            figures = _a_position(searches(some, agent, depth), len(some))
            rows.append({"terms": terms, "depth": depth, **figures})
    return rows


def solver_rows() -> list[Figures]:
    """Exact searches, and proofs of the outcome alone, of positions from half-random games."""
    rows = []
    kernels = {"score": solve_move, "outcome": solve_outcome_move}
    for rules in RULE_SETS:
        for empties, count in SOLVED.items():
            boards = half_random(count, (empties, empties), rules)
            for what, kernel in kernels.items():
                figures = _a_position(_solving(boards, rules, kernel), count)
                rows.append({"rules": rules, "empties": empties, "finds": what, **figures})
    return rows


def game_rows() -> list[Figures]:
    """Whole games at depths 5, 3, 6 without an exact end: one core, and all of them."""
    rows = []
    openings = balanced_openings(PLAYED_GAMES, Part.MATCH, "standard", np.random.default_rng(SEED))
    cores = os.cpu_count() or 1
    for terms, everything in TERMS.items():
        agent = replace(measured_agent(everything), depths=GAME_DEPTHS)
        alone, _ = timed(_games(agent, openings, 1), time.perf_counter)
        row: Figures = {"terms": terms, "cores": 1, "games_per_second": PLAYED_GAMES / alone}
        rows.append({**row, "speed_up": 1.0})
        if cores > 1:
            together, _ = timed(_games(agent, openings, cores), time.perf_counter)
            row = {"terms": terms, "cores": cores, "games_per_second": PLAYED_GAMES / together}
            rows.append({**row, "speed_up": alone / together})
    return rows


def plain_rows() -> list[Figures]:
    """Whole games of the plain-Python agent and of the kernels: the same moves and nodes.

    Raises BenchError when they differ.
    """
    rows = []
    openings = balanced_openings(PLAIN_GAMES, Part.MATCH, "standard", np.random.default_rng(SEED))
    agent = replace(measured_agent(), depths=GAME_DEPTHS)
    player = PlainAgent(agent.weights, agent.terms["mobility"], agent.depths, agent.boundaries)
    for number in range(PLAIN_GAMES):
        opening = Openings(openings.moves[number : number + 1])
        kernels, nodes = timed(_games(agent, opening, 1))
        begin = time.process_time()
        moves, plain_nodes = play_game(player, player, opening.moves[0].tolist())
        plain = time.process_time() - begin
        games = play_games([agent, agent], _PAIRING, opening, "standard")
        played = [int(move) for move in games.moves[0] if move >= 0]
        if moves != played or plain_nodes != nodes:
            raise BenchError(
                f"the plain-Python agent played {moves} with {plain_nodes} nodes, the kernels "
                f"{played} with {nodes}"
            )
        row = {"game": number, "plies": len(moves), "nodes": nodes, "plain_seconds": plain}
        rows.append({**row, "seconds": kernels, "ratio": plain / kernels})
    return rows


_PAIRING: Final = np.array([[0, 1, 0]], np.int32)


def _games(agent: AlphaBetaAgent, openings: Openings, jobs: int) -> Work:
    pairings = np.array([[0, 1, number] for number in range(len(openings))], np.int32)

    def work() -> int:
        games = play_games([agent, agent], pairings, openings, "standard", executor=Threads(jobs))
        return int(games.results[:, [NODES_BLACK, NODES_WHITE]].sum())

    return work


def searches(boards: Sequence[Board], agent: AlphaBetaAgent, depth: int) -> Work:
    """The searches of `search_rows` at one depth."""
    context = new_context(STANDARD, table_bits=table_bits_for(0, depth))
    address = context.ctypes.data
    kernel = best_move if depth < DEEP_FROM else best_move_deep

    def work() -> int:
        nodes = 0
        for board in boards:
            own, opp = bits.U(board.own), bits.U(board.opp)
            context[NODES] = context[STOPPED] = 0
            game.set_phase(own, opp, agent.cells.ctypes.data, address)
            kernel(own, opp, depth, address)
            nodes += int(context[NODES])
        return nodes

    return work


def _solving(boards: Sequence[Board], rules: Rules, kernel: Callable[..., Any]) -> Work:
    bits_of_table = table_bits_for(boards[0].empties)
    context = new_context(RULE_SETS[rules].code, table_bits=bits_of_table)
    address = context.ctypes.data

    def work() -> int:
        nodes = 0
        for board in boards:
            context[NODES] = context[STOPPED] = 0
            kernel(bits.U(board.own), bits.U(board.opp), address)
            nodes += int(context[NODES])
        return nodes

    return work


def _a_position(work: Work, positions: int) -> Figures:
    seconds, nodes = timed(work)
    return {
        "milliseconds": seconds / positions * 1e3,
        "nodes": round(nodes / positions),
        "million_per_second": nodes / seconds / 1e6,
    }
