"""What a match costs over its bare kernels, and how agents fare against GNU Rhino.

    python -m benchmarks.arena overhead                 two alpha-beta agents, one thread
    python -m benchmarks.arena grhino AGENT [--level 3] [--games 100]

`overhead` needs nothing but the kept champions in docs/evidence/data/evolution; `grhino` needs
gtp-rhino (Debian: apt-get install grhino, whose opening book comes along).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import time
from pathlib import Path

import numpy as np

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.match import Match
from evolve.engine.board.rules import (
    MAX_PLIES,
    RESULT_COLUMNS,
    STANDARD,
)
from evolve.engine.games import game as kernels
from evolve.engine.games.game import new_context
from evolve.fitness.executor import Threads
from evolve.fitness.games import agent_rows
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.roundrobin import all_pairs, schedule

CHAMPIONS = [f"docs/evidence/data/evolution/tuned-standard-{seed}.json" for seed in (0, 1)]
PAIRS = 200
REPEATS = 15


def overhead() -> None:
    agents = [evolve.load_agent(path) for path in CHAMPIONS]
    a, b = (agent for agent in agents if isinstance(agent, AlphaBetaAgent))
    openings = balanced_openings(PAIRS, Part.MATCH, "standard", np.random.default_rng(0))
    pairings = schedule(all_pairs(2), np.arange(PAIRS).reshape(1, -1))
    rows, bits = agent_rows([a, b]), max(a.table_bits, b.table_bits)
    choice = kernels.choice_address()

    def bare() -> None:
        context = new_context(STANDARD, 0, bits)
        moves = np.empty((2 * PAIRS, MAX_PLIES), np.int8)
        results = np.empty((2 * PAIRS, RESULT_COLUMNS), np.int64)
        kernels.play_games(choice, rows, pairings, openings.moves, context, moves, results)

    def match() -> None:
        Match(a, b, openings, "standard").play()

    bare()
    match()
    ratios = []
    for _ in range(REPEATS):
        start = time.process_time()
        bare()
        middle = time.process_time()
        match()
        ratios.append((time.process_time() - middle) / (middle - start))
    low, high = sorted(ratios)[REPEATS // 4], sorted(ratios)[-REPEATS // 4]
    print(f"match / bare kernels, CPU time of {2 * PAIRS} games, {REPEATS} times:", end=" ")
    print(f"median {statistics.median(ratios):.3f}, quartiles {low:.3f} to {high:.3f}")


def grhino(agent: str, level: int, games: int) -> None:
    program = shutil.which("gtp-rhino") or "/usr/games/gtp-rhino"
    if not Path(program).exists():
        raise SystemExit("gtp-rhino is not installed (Debian's package grhino)")
    player, rhino = evolve.load_agent(agent), evolve.load_agent(f"gtp:{program} --level={level}")
    rng = np.random.default_rng(0)
    openings = balanced_openings(games // 2, Part.MATCH, "standard", rng)
    result = Match(
        player, rhino, openings, "standard", executor=Threads(os.cpu_count() or 1)
    ).play()
    score = result.score
    print(f"{agent} against gtp-rhino --level={level}: {result.games} games,", end=" ")
    print(f"{result.wins} won, {result.draws} drawn, {result.losses} lost,", end=" ")
    print(f"score {score.value:.3f} [{score.low:.3f}, {score.high:.3f}],", end=" ")
    print(f"failures {result.failures_a} and {result.failures_b}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["overhead", "grhino"])
    parser.add_argument("agent", nargs="?", default=f"{CHAMPIONS[0]}?depth=8&endgame=16")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--games", type=int, default=100)
    arguments = parser.parse_args()
    if arguments.part == "overhead":
        overhead()
    else:
        grhino(arguments.agent, arguments.level, arguments.games)


if __name__ == "__main__":
    main()
