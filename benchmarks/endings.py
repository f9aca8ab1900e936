"""Points that an agent gives away towards the end, and the CPU of its moves there.

    python -m benchmarks.endings AGENT [--rules R] [--games 600] [--seed N]

The agent plays itself on balanced openings as `evolve match` draws them. Where it has a choice with
20 to 13 empties, an exact search says what the position was worth before the move and after it: a
win 1, a draw ½. It prints the points that a side gives away in a game, with 1.96 standard errors
over games, by empties as well, and the mean CPU of a move. At the end it compares the CPU of a move
with 13 to 16 empties with that of 25 to 40.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np

from evolve.agents.agent import Agent
from evolve.agents.memory import thread_context
from evolve.agents.timed_search import TABLE_BITS, stopping_at
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules
from evolve.engine.search.solver import solve_outcome
from evolve.fitness.openings import Part, listed_openings
from evolve.runs.loading import load_agent

_JUDGED = range(20, 12, -1)
_MIDDLE = range(25, 41)
_LATE = range(13, 17)


class Endings:
    """What a series of games showed: CPU seconds, points given away, and these by game."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.seconds: dict[int, list[float]] = defaultdict(list)
        self.lost: dict[int, float] = defaultdict(float)
        self.games: list[float] = []
        self._context = thread_context(rules, TABLE_BITS)

    def play(self, agent: Agent, board: Board, number: int) -> None:
        """Play a game of the agent with itself from a board on."""
        sides = [agent.for_game(2 * number + side) for side in range(2)]
        played = []
        while not board.is_over():
            moves = board.legal_moves()
            if not moves:
                after = board.pass_move()
            else:
                begin = time.process_time()
                after = board.play(sides[0].choose(board))
                self.seconds[board.empties].append(time.process_time() - begin)
            if len(moves) > 1 and board.empties in _JUDGED:
                played.append((board, after))
            board, sides = after, sides[::-1]
        lost = 0.0
        for board, after in played:  # not between moves, which would find no cache warm
            given = (self._outcome(board) + self._outcome(after)) / 2
            self.lost[board.empties] += given
            lost += given
        self.games.append(lost / 2)

    def _outcome(self, board: Board) -> int:
        """1, 0 or −1 for the side to move."""
        with stopping_at(self._context, None):
            bound = solve_outcome(U(board.own), U(board.opp), self._context.ctypes.data)
        return int(np.sign(bound))

    def print(self) -> None:
        mean, error = np.mean(self.games), 1.96 * np.std(self.games) / np.sqrt(len(self.games))
        print(f"{mean:.4f} ± {error:.4f} points a side and game, {len(self.games)} games")
        for empties in _JUDGED:
            lost = self.lost[empties] / 2 / len(self.games)
            print(f"  {empties} empties: {lost:.4f}, {1e3 * self._cpu([empties]):.2f} ms a move")
        late, middle = self._cpu(_LATE), self._cpu(_MIDDLE)
        print(f"25 to 40 empties: {1e3 * middle:.2f} ms a move")
        print(f"CPU of 13 to 16 empties: {late / middle:.2f} times that of 25 to 40")

    def _cpu(self, empties: list[int] | range) -> float:
        return float(np.mean([each for count in empties for each in self.seconds[count]]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agent")
    parser.add_argument("--rules", choices=[*RULE_SETS], default=DEFAULT_RULES)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    agent = load_agent(given.agent).with_rules(given.rules)
    rng = np.random.default_rng(given.seed)
    openings = listed_openings(given.games, Part.MATCH, given.rules, rng)
    endings = Endings(given.rules)
    Endings(given.rules).play(agent, Board.start(), 0)  # compiles
    for number, moves in enumerate(openings.moves.tolist()):
        board = Board.start()
        for square in moves:
            if square >= 0:
                board = board.play(square) if board.legal_moves() else board.pass_move()
        endings.play(agent, board, number)
    endings.print()


if __name__ == "__main__":
    main()
