"""Speed in parts, where `evolve bench` gives three figures.

    python -m benchmarks.speed [search] [solver] [games] [calls] [patterns] [mcts] [selfplay]
                               [start] [--json]

Times are medians of CPU seconds. Nothing is compiled while a clock runs, except in the part
`start`, which measures that.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from evolve.agents.mcts import MctsAgent
from evolve.agents.memory import PatternMemory
from evolve.agents.patterns import PatternAgent
from evolve.agents.reference import reference_agent
from evolve.cli.speed import (
    SEED,
    Figures,
    games,
    half_random,
    measured_agent,
    searches,
    solutions,
    timed,
)
from evolve.cli.terminal import out, print_rows
from evolve.config.learning import MctsSettings
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.games.training_games import Lineup
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.engine.patterns.pattern_search import pattern_move
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.patterns.shape_set import DEFAULT_SET, ShapeSet
from evolve.engine.patterns.shapes import parse_shapes
from evolve.engine.search.context import AGE, NODES, STOPPED
from evolve.engine.search.search import DEEP_FROM
from evolve.engine.search.solver import solve_move, solve_outcome
from evolve.fitness.executor import processors
from evolve.fitness.openings import Part, balanced_openings
from evolve.learning.self_play import TreeGames

TERMS: Final = {"table, mobility": False, "all": True}
SEARCH_DEPTHS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10)
SEARCHED: Final = 100
DEEPLY_SEARCHED: Final = 10
SOLVED: Final = {8: 200, 10: 100, 12: 60, 14: 30, 16: 15, 18: 5, 20: 3}
"""Number of positions by empties."""
PLAYED_GAMES: Final = 256
GAME_DEPTHS: Final = (5, 3, 6)

DEPTHS: Final = (1, 4, 6, 8, 10, 12)
_WITHOUT_CUTS: Final = 10
"""The deepest search without forward cuts: 400 000 nodes a position."""
_POSITIONS: Final = 40
_TABLE_BITS: Final = 16

SIMULATIONS: Final = 20_000
TREE_EMPTIES: Final = (60, 40, 20)
SELFPLAY_GAMES: Final = 200
SELFPLAY_SIMULATIONS: Final = 100
NETWORKS: Final = {
    "RevNet": Architecture("canonical", ("gate", "gate", "dense 1 tanh")),
    "mobility": Architecture("mobility", ("dense 64 relu", "dense 32 relu", "dense 1 tanh")),
}

CALLS: Final = 20_000

STARTS: Final = 3
_RUN: Final = ("run", "--generations", "1", "--population", "4", "--jobs", "1", "--out")
_IMPORTS: Final = "import evolve.cli.run\n"
_KERNELS: Final = (
    _IMPORTS
    + """
import numpy as np
from evolve.agents.reference import reference_agent
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games

openings = balanced_openings(1, Part.MATCH, "standard", np.random.default_rng(0))
player = reference_agent("swh")
play_games([player, player], np.array([[0, 1, 0]], np.int32), openings, "standard")
"""
)
"""All that a run compiles, with next to no work."""


def search_rows() -> list[Figures]:
    """Searches for a move in middle-game positions of 16 to 40 discs, and their nodes."""
    rows = []
    boards = half_random(SEARCHED, (24, 48))
    for (terms, everything), depth in itertools.product(TERMS.items(), SEARCH_DEPTHS):
        some = boards if depth < DEEP_FROM else boards[:DEEPLY_SEARCHED]
        work = searches(some, measured_agent(everything), depth)
        rows.append({"terms": terms, "depth": depth, **_a_position(*timed(work), len(some))})
    return rows


def solver_rows() -> list[Figures]:
    """Exact searches, and proofs of the outcome alone, of positions from half-random games."""
    rows = []
    kernels = {"score": solve_move, "outcome": solve_outcome}
    for (rules, details), (empties, count) in itertools.product(RULE_SETS.items(), SOLVED.items()):
        boards = half_random(count, (empties, empties), rules)
        for finds, kernel in kernels.items():
            figures = _a_position(*timed(solutions(boards, details.code, kernel)), count)
            rows.append({"rules": rules, "empties": empties, "finds": finds, **figures})
    return rows


def game_rows() -> list[Figures]:
    """Whole games at depths 5, 3, 6 without an exact end, on one core and on all; wall seconds."""
    rows = []
    openings = balanced_openings(PLAYED_GAMES, Part.MATCH, "standard", np.random.default_rng(SEED))
    for terms, everything in TERMS.items():
        agent = replace(measured_agent(everything), depths=GAME_DEPTHS)
        for cores in sorted({1, processors()}):
            seconds, _ = timed(games(agent, openings, cores), time.perf_counter)
            rows.append(
                {"terms": terms, "cores": cores, "games_per_second": PLAYED_GAMES / seconds}
            )
    return rows


def _a_position(seconds: float, nodes: int, positions: int) -> Figures:
    return {
        "milliseconds": seconds / positions * 1e3,
        "nodes": round(nodes / positions),
        "million_per_second": nodes / seconds / 1e6,
    }


def call_rows() -> list[Figures]:
    """What a call of `choose` costs beside its search: a single legal move is not searched."""
    board, agent = Board.parse("XO" + 62 * "-"), reference_agent("swh")

    def calls() -> int:
        for _ in range(CALLS):
            agent.choose(board)
        return CALLS

    seconds, _ = timed(calls)
    return [{"calls": CALLS, "microseconds": 1e6 * seconds / CALLS}]


def pattern_rows() -> list[Figures]:
    """A move by 1, 2, … plies in positions of 12 to 44 discs, with forward cuts and without; and by
    other shapes, whose weights are random."""
    agent = reference_agent("patterns-standard")
    assert isinstance(agent, PatternAgent)
    others = ShapeSet(parse_shapes(("lines-4", "blocks-2x2")))
    rng = np.random.default_rng(SEED)
    weights = rng.integers(-20, 21, (1, others.weights)).astype(np.int16)
    random = PatternAgent(Patterns.of_weights(others, (), weights))
    plain = replace(agent, probcut=0.0)
    rows = [_row(agent, depth, cuts=True) for depth in DEPTHS]
    rows += [_row(plain, depth, cuts=False) for depth in DEPTHS if depth <= _WITHOUT_CUTS]
    return [*rows, _row(random, 4, cuts=False)]


def _row(agent: PatternAgent, depth: int, *, cuts: bool) -> Figures:
    boards = half_random(_POSITIONS, (20, 52))
    memory = PatternMemory(_TABLE_BITS)
    address = memory.set(agent.patterns, agent.block, "standard")
    context: Any = memory.context

    def work() -> int:
        nodes = 0
        for board in boards:
            own, opp = U(board.own), U(board.opp)
            context[NODES] = context[STOPPED] = 0
            context[AGE] += 1
            for plies in range(1, depth + 1):
                pattern_move(own, opp, plies, address)
            nodes += int(context[NODES])
        return nodes

    seconds, nodes = timed(work)
    return {
        "images": len(agent.patterns.shapes.instances),
        "shapes": "default" if agent.patterns.shapes == DEFAULT_SET else "lines-4, blocks-2x2",
        "cuts": cuts,
        "depth": depth,
        **_a_position(seconds, nodes, len(boards)),
    }


def random_network(architecture: Architecture) -> Network:
    """A network of that shape with small random weights, always the same."""
    rng = np.random.default_rng(SEED)
    return Network(
        architecture,
        [
            (
                rng.normal(0, 0.5 / matrix.inputs**0.5, (matrix.inputs, matrix.outputs)).astype(
                    np.float32
                ),
                np.zeros(matrix.outputs, np.float32),
            )
            for matrix in architecture.matrices
        ],
    )


def mcts_rows() -> list[Figures]:
    """Tree searches from the start and from the middle game, by random games and by networks."""
    rows = []
    values: list[tuple[str, Any, Network | None]] = [
        ("random games", "ucb1", None),
        ("random games", "puct", None),
        *((name, "puct", random_network(shape)) for name, shape in NETWORKS.items()),
    ]
    for empties, (name, selection, network) in itertools.product(TREE_EMPTIES, values):
        (board,) = half_random(1, (empties, empties)) if empties < 60 else [Board.start()]
        agent = MctsAgent(SIMULATIONS, selection=selection, endgame=0, network=network)

        def work(agent: MctsAgent = agent, board: Board = board) -> int:
            agent.choose(board)
            return SIMULATIONS

        seconds, simulations = timed(work)
        row = {"empties": empties, "values": name, "selection": selection}
        rows.append(
            {
                **row,
                "simulations": simulations,
                "million_per_second": simulations / seconds / 1e6,
            }
        )
    return rows


def selfplay_rows() -> list[Figures]:
    """Games of a tree search with itself, ended by exact outcomes at 10 empties, one thread."""
    rows = []
    rng = np.random.default_rng(SEED)
    lineup = Lineup.drawn(np.zeros((SELFPLAY_GAMES, 2), np.int32), 12, rng)
    settings = MctsSettings.model_validate({"simulations": SELFPLAY_SIMULATIONS})
    for name, shape in NETWORKS.items():
        network = random_network(shape)

        def work(network: Network = network) -> int:
            played = TreeGames(settings, lineup)
            played.play(network)
            return int(played.records.counts.sum())

        seconds, positions = timed(work)
        rows.append(
            {
                "values": name,
                "simulations_a_move": SELFPLAY_SIMULATIONS,
                "games": SELFPLAY_GAMES,
                "positions": positions,
                "games_per_cpu_minute": 60 * SELFPLAY_GAMES / seconds,
            }
        )
    return rows


def start_rows() -> list[Figures]:
    """Seconds of whole processes, medians of 3: CPU (0 where it is not counted) and wall.

    `imports` is a process that imports all that a run uses; `first use` and `later use` are what
    one takes beyond that to have every kernel of a run compiled, or loaded from the cache, and
    to play one game; `evolve run` is one generation of four with everything in the cache.
    """
    with tempfile.TemporaryDirectory(prefix="evolve-bench-") as folder:
        place = Path(folder)

        def several(arguments: list[str]) -> tuple[float, float]:
            return _median([_measure(arguments, place / "warm") for _ in range(STARTS)])

        first = _median([_measure(["-c", _KERNELS], place / f"cold-{i}") for i in range(STARTS)])
        _measure(["-c", _KERNELS], place / "warm")
        later = several(["-c", _KERNELS])
        imports = several(["-c", _IMPORTS])
        runs = [
            _measure(["-m", "evolve", *_RUN, str(place / f"run-{i}")], place / "warm")
            for i in range(STARTS)
        ]
        measured = {
            "evolve --help": several(["-m", "evolve", "--help"]),
            "imports": imports,
            "first use": _beyond(first, imports),
            "later use": _beyond(later, imports),
            "evolve run": _median(runs),
        }
    return [
        {"what": what, "cpu_seconds": cpu, "wall_seconds": wall}
        for what, (cpu, wall) in measured.items()
    ]


def _beyond(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] - other[0], one[1] - other[1]


def _median(times: list[tuple[float, float]]) -> tuple[float, float]:
    cpu, wall = zip(*times, strict=True)
    return statistics.median(cpu), statistics.median(wall)


def _measure(arguments: list[str], cache: Path) -> tuple[float, float]:
    """CPU and wall seconds of one interpreter and its children."""
    environment = {**os.environ, "EVOLVE_CACHE_DIR": str(cache)}
    before, begin = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    wall, after = time.perf_counter() - begin, os.times()
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed: {done.stderr.strip()}")
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, wall


PARTS: Final = {
    "search": ("A move in the middle game, 16 to 40 discs", search_rows),
    "solver": ("The end solved, half-random games", solver_rows),
    "games": ("Whole games at depths 5, 3, 6", game_rows),
    "calls": ("Calls of `choose`, alpha-beta", call_rows),
    "patterns": ("A move over patterns, 12 to 44 discs", pattern_rows),
    "mcts": ("Tree search by random games and by networks of random weights", mcts_rows),
    "selfplay": ("Games to learn from, one thread", selfplay_rows),
    "start": ("Whole processes", start_rows),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"{min(unknown)!r} is not one of {', '.join(PARTS)}")
    document = {}
    for part in arguments.parts or PARTS:
        title, measure = PARTS[part]
        rows = document[part] = measure()
        if not arguments.json:
            out().print(f"\n{title}")
            print_rows(list(rows[0]), [list(row.values()) for row in rows])
    if arguments.json:
        print(json.dumps(document))


if __name__ == "__main__":
    main()
