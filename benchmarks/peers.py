"""Other programs beside ours, in one run: perft in C, and the searches of rust-reversi.

    python -m benchmarks.peers [--json]

Perft needs a C compiler (`cc`) and AVX2; the searches need `pip install rust-reversi`. What is
not there is said and left out. Each pair is timed in turn, five times; ratios are medians of the
ratios of a turn, so that a busy machine weighs on both sides.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import SWH
from evolve.cli.speed import half_random, searches
from evolve.engine.board import bits
from evolve.engine.board.bits import perft
from evolve.engine.compiled.intrinsics import LANES
from evolve.engine.search.evaluation import CLASS_OF_SQUARE

REPEATS = 5
PERFT_DEPTH = 11
PLIES = (4, 6)
RUST_WIN = 10**6

Figures = dict[str, Any]


def in_turn(ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float, float]:
    """Median seconds of either, and the median of theirs / ours."""
    pairs = [(ours(), theirs()) for _ in range(REPEATS)]
    mine, other = zip(*pairs, strict=True)
    ratio = statistics.median(b / a for a, b in pairs)
    return statistics.median(mine), statistics.median(other), ratio


def cpu(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def perft_row() -> Figures:
    """Perft 11 on one thread against `perft.c` at -O3 -march=native."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise RuntimeError("there is no C compiler `cc`")
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "perft")
        source = str(Path(__file__).parent / "perft.c")
        subprocess.run([compiler, "-O3", "-march=native", source, "-o", program], check=True)

        def c() -> float:
            done = subprocess.run(
                [program, str(PERFT_DEPTH), "1"], check=True, capture_output=True, text=True
            )
            depth, nodes, seconds = done.stdout.split()
            assert (int(depth), int(nodes)) == (PERFT_DEPTH, expected)
            return float(seconds)

        expected = int(perft(bits.START_OWN, bits.START_OPP, PERFT_DEPTH))
        ours, theirs, ratio = in_turn(
            lambda: cpu(lambda: perft(bits.START_OWN, bits.START_OPP, PERFT_DEPTH)), c
        )
    return {"what": f"perft {PERFT_DEPTH}", "peer": "C, AVX2 -O3 -march=native"} | figures(
        ours, theirs, ratio
    )


def search_rows() -> list[Figures]:
    """The same table, no mobility, same positions, against rust-reversi's alpha-beta.

    Its depth does not count the move at the root: `depth - 1` is a search of `depth` plies.
    """
    import rust_reversi

    boards = half_random(60, (24, 48))
    table = [[SWH[CLASS_OF_SQUARE[8 * row + column]] for column in range(8)] for row in range(8)]
    evaluator = rust_reversi.MatrixEvaluator(table)
    positions = []
    for board in boards:
        position = rust_reversi.Board()
        position.set_board(mirrored(board.own), mirrored(board.opp), rust_reversi.Turn.BLACK)
        positions.append(position)
    rows = []
    for plies in PLIES:
        rust = rust_reversi.AlphaBetaSearch(evaluator, plies - 1, RUST_WIN)
        theirs = partial(choose_all, rust, positions)
        ours = searches(boards, AlphaBetaAgent([SWH], [0], [plies]), plies)
        ours()  # compiles
        mine, other, ratio = in_turn(partial(cpu, ours), partial(cpu, theirs))
        moves = figures(mine / len(boards), other / len(boards), ratio)
        rows.append({"what": f"move, {plies} plies", "peer": "rust-reversi"} | moves)
    return rows


def choose_all(rust: Any, positions: list[Any]) -> None:
    for position in positions:
        rust.get_move(position)


def mirrored(squares: int) -> int:
    """rust-reversi counts squares from the highest bit."""
    return int(f"{squares:064b}"[::-1], 2)


def figures(ours: float, theirs: float, ratio: float) -> Figures:
    return {"ours_ms": ours * 1e3, "theirs_ms": theirs * 1e3, "times_faster": ratio}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows: list[Figures] = []
    parts: dict[str, Callable[[], list[Figures]]]
    parts = {"perft": lambda: [perft_row()], "search": search_rows}
    for name, measure in parts.items():
        try:
            rows += measure()
        except (ImportError, RuntimeError, subprocess.CalledProcessError) as error:
            print(f"{name} is left out: {error}")
    if arguments.json:
        print(json.dumps({"lanes": LANES, "rows": rows}))
        return
    for row in rows:
        print(
            f"{row['what']:14} {row['peer']:26} ours {row['ours_ms']:9.4f} ms   "
            f"theirs {row['theirs_ms']:9.4f} ms   {row['times_faster']:.2f} times faster"
        )


if __name__ == "__main__":
    main()
