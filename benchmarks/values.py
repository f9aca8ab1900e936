"""What an agent's values in discs say about the positions of its own games.

    python -m benchmarks.values AGENT ... [--rules R] [--positions 400] [--empties 36 20] [--seed 0]

Each agent meets itself, 2000 nodes a move, on openings of the match part, which no training uses. A
game gives one position with so many empties and a choice of moves. The positions of the first agent
serve all. They are worth what a search of that first agent says: at most 20 empties the exact
score, else the mean of 15 and 16 plies, since odd and even depths favour different sides. For 0
(static) to 6 plies without cuts it prints the slope of that worth over the value (1 where values
mean what they say), the mean error of the value with its standard error, and the standard deviation
of the error.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Limit
from evolve.agents.analysis import solved
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules
from evolve.engine.patterns.patterns import DISC
from evolve.fitness.openings import Part, listed_openings
from evolve.runs.loading import load_agent

_EXACT = 20
_DEEP = 16
_PLIES = 6


def positions(agent: PatternAgent, count: int, empties: int, seed: int) -> list[Board]:
    """Positions of the agent's games, one a game."""
    rules: Rules = agent.rules or DEFAULT_RULES
    player = agent.limited(Limit(nodes=2000))
    openings = listed_openings(2 * count, Part.MATCH, rules, np.random.default_rng(seed))
    found: list[Board] = []
    for number, moves in enumerate(openings.moves.tolist()):
        if len(found) == count:
            break
        board, sides = Board.start(), [player.for_game(2 * number + side) for side in range(2)]
        book = [square for square in moves if square >= 0]
        while board.empties > empties and not board.is_over():
            if not board.legal_moves():
                board = board.pass_move()
            elif book:
                board = board.play(book.pop(0))
            else:
                board = board.play(sides[number % 2].choose(board))
            sides = sides[::-1]
        if board.empties == empties and len(board.legal_moves()) > 1:
            found.append(board)
    return found


def worth(agent: PatternAgent, board: Board) -> float:
    """What a position is worth to the side to move, in discs."""
    if board.empties <= _EXACT:
        return float(solved(board, agent.rules or DEFAULT_RULES)[1])
    return (agent.value(board, _DEEP) + agent.value(board, _DEEP - 1)) / 2.0


def show(
    name: str, agent: PatternAgent, boards: list[Board], known: npt.NDArray[np.float64]
) -> None:
    """Print a row for each number of plies."""
    plain = agent._changed(probcut=0.0)
    rows = np.array([plain.values_by_depth(board, _PLIES) for board in boards]) / DISC
    print(f"{name}, {boards[0].empties} empties, {len(boards)} positions, sd {known.std():.1f}:")
    for plies in range(_PLIES + 1):
        values = rows[:, plies]
        slope = float(np.cov(known, values)[0, 1] / values.var(ddof=1))
        error = values - known
        print(
            f"  {plies} plies: slope {slope:.2f}, mean error {error.mean():+.2f} ± "
            f"{error.std() / len(error) ** 0.5:.2f}, sd {error.std():.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--rules", choices=[*RULE_SETS], default=DEFAULT_RULES)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--empties", type=int, nargs="+", default=[36, 20])
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    agents = []
    for name in given.agents:
        agent = load_agent(name)
        if agent.rules not in (None, given.rules):
            parser.error(f"{name} plays {agent.rules}: give --rules {agent.rules}")
        agent = agent.with_rules(given.rules)
        if not isinstance(agent, PatternAgent):
            parser.error(f"{name} is no agent with patterns")
        agents.append(agent)
    for empties in given.empties:
        boards = positions(agents[0], given.positions, empties, given.seed)
        known = np.array([worth(agents[0], board) for board in boards])
        for name, agent in zip(given.agents, agents, strict=True):
            show(name, agent, boards, known)


if __name__ == "__main__":
    main()
