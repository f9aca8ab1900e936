"""CPU of as many nodes, here and in another checkout of evolve, in turns.

    python -m benchmarks.nodes CHECKOUT [--agents AGENT ...] [--nodes 10000 100000] [--rounds 5]

Agents search positions of 24 to 44 empties of `benchmarks/regret-standard.obf`, each in a process
of its own that starts in the checkout, `--rounds` times in turn; a process searches each position
ten times. The time of a position is the least of all its times, since other programs disturb the
rest. It prints a row an agent and number of nodes: nodes a second there and here, and the time here
over the time there, for the nodes that each counted. A path is an agent's file for both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

_POSITIONS = Path(__file__).resolve().with_name("regret-standard.obf")
_SEARCHES = 10


def measure(name: str, nodes: int) -> list[tuple[float, int]]:
    """The least seconds of a move in each position, and its nodes."""
    import evolve
    from evolve.engine.board.board import Board

    agent = evolve.load_agent(f"{name}?nodes={nodes}")
    rows = []
    for line in _POSITIONS.read_text().splitlines():
        cells, mover = line[:64], line[65:66]
        if mover not in ("X", "O") or not 24 <= cells.count("-") <= 44:
            continue
        if mover == "O":
            cells = cells.translate(str.maketrans("XO", "OX"))
        board = Board.parse(cells)
        times, counted = [], 0
        for _ in range(_SEARCHES):
            begin = time.perf_counter()
            _, counted = agent.choose_counted(board)
            times.append(time.perf_counter() - begin)
        rows.append((min(times), counted))
    return rows


def measured_in(checkout: Path, name: str, nodes: int) -> list[tuple[float, int]]:
    """What `measure` finds by the evolve of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, str(Path(__file__).resolve()), "--only", name, str(nodes)]
    text = subprocess.run(
        command, cwd=checkout, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return [(float(seconds), int(counted)) for seconds, counted in json.loads(text)]


def compare(there: Path, name: str, nodes: int, rounds: int) -> None:
    """Print the row of an agent and a number of nodes."""
    here = Path(__file__).resolve().parents[1]
    found: dict[Path, list[list[tuple[float, int]]]] = {there: [], here: []}
    for _ in range(rounds):
        for checkout, rows in found.items():
            rows.append(measured_in(checkout, name, nodes))
    costs = []
    for rows in found.values():
        seconds = sum(min(row[at][0] for row in rows) for at in range(len(rows[0])))
        costs.append(seconds / sum(counted for _, counted in rows[0]))
    speeds = [1e-6 / cost for cost in costs]
    print(
        f"{name}, {nodes} nodes: {speeds[0]:.2f} million a second there, {speeds[1]:.2f} here; "
        f"a node takes {costs[1] / costs[0]:.3f} of its time",
        flush=True,
    )


def main() -> None:
    if sys.argv[1:2] == ["--only"]:
        print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--agents", nargs="+", default=["patterns-standard"])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if not (given.checkout / "evolve").is_dir():
        parser.error(f"{given.checkout} is no checkout of evolve")
    for name in given.agents:
        path = Path(name)
        known = str(path.resolve()) if path.is_file() else name
        for nodes in given.nodes:
            compare(given.checkout.resolve(), known, nodes, given.rounds)


if __name__ == "__main__":
    main()
