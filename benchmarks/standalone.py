"""The stand-alone file under an interpreter of one's choice, against the agent it came from.

    python -m benchmarks.standalone [AGENT] [--numba] [--python /path/to/python3.7]

Exports AGENT, has the other interpreter choose a move in 200 random positions at 5 s each, and
checks every list and every move. Prints the CPU seconds of all moves, the seconds of the slowest
and of the import, and memory (Linux). Forward cuts are not exported: `patterns-standard?probcut=0`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.patterns import PatternAgent

POSITIONS = 200
EVOLVED = "docs/evidence/data/evolution/tuned-standard-0.json"
DRIVER = """
import json, sys, time
start = time.time()
import numpy as np
import player
imported = time.time() - start
compiled = None
if hasattr(player, "COMPILER"):
    start = time.time()
    player.COMPILER.work()
    compiled = time.time() - start
slowest, lists, cpu = 0.0, [], time.process_time()
for color, cells in json.load(sys.stdin):
    agent = player.AI(8, color, 5)
    start = time.time()
    agent.go(np.array(cells).reshape(8, 8))
    slowest = max(slowest, time.time() - start)
    lists.append([int(8 * row + column) for row, column in agent.candidate_list])
cpu = time.process_time() - cpu
# Not getrusage: its figure begins with that of the process that started this one.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
memory = int(status["VmHWM"].split()[0]) / 1024
print(json.dumps({"python": sys.version.split()[0], "numpy": np.__version__, "imported": imported,
                  "compiled": compiled, "cpu": cpu, "slowest": slowest, "megabytes": memory,
                  "lists": lists}))
"""


def positions() -> list[evolve.Board]:
    found: list[evolve.Board] = []
    while len(found) < POSITIONS:
        board, seed = evolve.Board.start(), len(found)
        for ply in range(seed % 56):
            if board.is_over():
                break
            random = evolve.RandomAgent(1000 * seed + ply)
            board = board.play(random.choose(board)) if board.legal_moves() else board.pass_move()
        if not board.legal_moves():
            board = evolve.Board.start()
        found.append(board)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agent", nargs="?", default=EVOLVED)
    parser.add_argument("--numba", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    agent = evolve.load_agent(arguments.agent)
    assert isinstance(agent, AlphaBetaAgent | PatternAgent)
    text = replace(agent, provenance={}).python_source(arguments.numba)
    boards = positions()
    sides = {"X": -1, "O": 1, "-": 0}
    asked = [
        (-1 if board.side == "black" else 1, [sides[cell] for cell in board.cells()])
        for board in boards
    ]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "player.py").write_text(text, encoding="ascii")
        (Path(folder) / "driver.py").write_text(DRIVER, encoding="ascii")
        ran = subprocess.run(
            [arguments.python, "driver.py"],
            cwd=folder,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
    found = json.loads(ran.stdout)
    differ = 0
    for board, squares in zip(boards, found.pop("lists"), strict=True):
        assert squares[:-1] == board.legal_moves(), board
        differ += squares[-1] != agent.choose(board)
    print(f"{arguments.agent}: {differ} of {POSITIONS} moves differ from the agent's; {found}")


if __name__ == "__main__":
    main()
