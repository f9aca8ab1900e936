"""Discs that agents lose on fixed positions, judged by a much deeper search.

    python -m benchmarks.regret AGENT [AGENT …] [--half tune|report] [--positions FILE]
    python -m benchmarks.regret --make RULES [--count 620] [--judge AGENT] [--depth 12] > FILE

Each line of a file of positions is a board with the value of every legal move, in discs. Values are
exact below 22 empties; elsewhere they are those of a search without forward cuts, with the weights
of `patterns-RULES`. Where a file comes from is in its first lines. The positions are of games
between different agents, with random moves, and are divided into two halves: choose settings on
`tune` and report figures on `report`.

A move's loss is the best value less its own. For bands of empties and for all positions it prints
the mean loss with 1.96 standard errors, how often the move was not the best one, and the nodes and
milliseconds of CPU per move. Each further agent is also compared with the first one, position by
position. The judge prefers what it sees itself: agents of other weights lose discs for that.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import evolve
from evolve.agents.agent import Agent
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules, check_rules
from evolve.engine.board.squares import parse_square, square_name
from evolve.records.positions import format_obf, read_position

HERE = Path(__file__).parent
BANDS = ((20, 21), (22, 27), (28, 34), (35, 41), (42, 50))
"""Bands of empties, from and to."""
EXACT_BELOW = 22
_FEWEST, _MOST = 20, 50
_LOST = 16.0
"""Positions where the best move is worth more, or less than minus this, decide nothing."""


@dataclass(frozen=True)
class Position:
    """A board to move on, and the value of every legal move in discs."""

    board: Board
    values: dict[int, float]

    def loss(self, square: int) -> float:
        """Discs that a move loses."""
        return max(self.values.values()) - self.values[square]

    @property
    def line(self) -> str:
        """The position as a line of a file."""
        moves = [f"{square_name(move)}:{value:+.2f}" for move, value in self.values.items()]
        return "; ".join([format_obf(self.board).rstrip(";"), *moves])


def read(path: Path) -> list[Position]:
    """The positions of a file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        board, *moves = line.split(";")
        pairs = [move.strip().split(":") for move in moves]
        values = {parse_square(square): float(value) for square, value in pairs}
        found.append(Position(read_position(board), values))
    return found


def judged_by(agent: Agent, path: Path) -> Agent:
    """The agent, by the rules in the first line of a file where it has none of its own."""
    with path.open(encoding="utf-8") as file:
        rules = file.readline().lstrip("# ").partition(":")[0]
    return agent.with_rules(check_rules(rules)) if agent.rules is None else agent


def half_of(positions: Sequence[Position], half: str) -> list[Position]:
    """Every other position, by their places in the file.

    The halves have the same bands of empties, but not as many positions of each number of them: a
    file lacks the positions that were decided.
    """
    return list(positions[0 if half == "tune" else 1 :: 2])


@dataclass(frozen=True)
class Played:
    """An agent's losses in discs [N], its nodes and seconds of CPU per move."""

    losses: npt.NDArray[np.float64]
    nodes: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]


def played(agent: Agent, positions: Sequence[Position]) -> Played:
    """Let an agent move on every position."""
    agent.choose(positions[0].board)  # compiles
    losses, nodes, seconds = [], [], []
    for position in positions:
        begin = time.process_time()
        square, searched = agent.choose_counted(position.board)
        seconds.append(time.process_time() - begin)
        losses.append(position.loss(square))
        nodes.append(searched)
    return Played(np.array(losses), np.array(nodes), np.array(seconds))


def _error(values: npt.NDArray[np.float64]) -> float:
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def rows(agent: Played, empties: npt.NDArray[np.int64]) -> Iterator[str]:
    """A line of text for each band, and for all from 22 empties on."""
    for low, high in (*BANDS, (EXACT_BELOW, _MOST)):
        some = (empties >= low) & (empties <= high)
        if not some.any():
            continue
        losses = agent.losses[some]
        yield (
            f"  {low}-{high} empties, {some.sum()} positions: lost {losses.mean():.3f} ± "
            f"{_error(losses):.3f} discs a move, wrong {(losses > 0).mean():.3f}, "
            f"{agent.nodes[some].mean():.0f} nodes, {1e3 * agent.seconds[some].mean():.3f} ms"
        )


def varied_boards(rules: Rules, rng: np.random.Generator) -> Iterator[Board]:
    """Boards with 20 to 50 empties in turn and a choice of moves, each of a game of its own.

    The games begin with 4 to 16 random plies. Each side is one of four agents and plays a random
    move with a probability of 2, 10 or 25 %.
    """
    weak = "swh-mobility" if rules == "standard" else "anti-swh-mobility"
    depths = [f"patterns-{rules}?probcut=0&endgame=0&depth={depth}" for depth in (1, 3, 5)]
    agents = [evolve.load_agent(name) for name in (*depths, f"{weak}?depth=3")]
    while True:
        for empties in range(_FEWEST, _MOST + 1):
            while True:
                board = _played_down(empties, agents, rng)
                if board is not None and len(board.legal_moves()) > 1:
                    yield board
                    break


def _played_down(empties: int, agents: Sequence[Agent], rng: np.random.Generator) -> Board | None:
    """The board of a new game with so many empties; None where the game ends before."""
    board, book = Board.start(), int(rng.integers(4, 17))
    sides = {side: agents[int(rng.integers(len(agents)))] for side in ("black", "white")}
    noise = float(rng.choice([0.02, 0.1, 0.25]))
    while board.empties > empties:
        if board.is_over():
            return None
        moves = board.legal_moves()
        if not moves:
            board = board.pass_move()
        elif 60 - board.empties < book or rng.random() < noise:
            board = board.play(int(rng.choice(moves)))
        else:
            board = board.play(sides[board.side].choose(board))
    return board


def judged(agent: PatternAgent, board: Board) -> Position:
    """The position with the value of every move, by the agent's search."""
    exact = replace(agent, endgame=EXACT_BELOW - 1)
    return Position(board, dict(exact.analyse(board).values))


def make(rules: Rules, count: int, judge: str, depth: int, seed: int) -> None:
    """Print a file of positions."""
    agent = evolve.load_agent(judge, depth=depth)
    if not isinstance(agent, PatternAgent):
        raise SystemExit(f"{judge} is not an agent with patterns")
    agent = replace(agent, probcut=0.0, rules=rules)
    print(f"# {rules}: {count} positions of {_FEWEST} to {_MOST} empties, seed {seed}.")
    print(f"# Values in discs: exact below {EXACT_BELOW} empties, else {judge} at depth {depth},")
    print(f"# without forward cuts (weights {agent.patterns.digest[:16]}).")
    print(f"# python -m benchmarks.regret --make {rules} --count {count} --judge {judge}", end="")
    print(f" --depth {depth} --seed {seed}", flush=True)
    boards, made = varied_boards(rules, np.random.default_rng(seed)), 0
    while made < count:
        position = judged(agent, next(boards))
        if abs(max(position.values.values())) <= _LOST:
            made += 1
            print(position.line, flush=True)
            print(f"{made} of {count}", end="\r", file=sys.stderr, flush=True)


def main() -> None:
    """Print a table for each agent, or make a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agents", nargs="*", metavar="AGENT")
    parser.add_argument("--half", choices=("tune", "report"), default="tune")
    parser.add_argument("--positions", type=Path, help="by default those of the agent's rules")
    parser.add_argument("--make", metavar="RULES")
    parser.add_argument("--count", type=int, default=620)
    parser.add_argument("--judge", help="by default patterns-RULES")
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.make:
        rules = check_rules(options.make)
        judge = options.judge or f"patterns-{rules}"
        make(rules, options.count, judge, options.depth, options.seed)
        return
    first: Played | None = None
    for name in options.agents:
        agent = evolve.load_agent(name)
        path = options.positions or HERE / f"regret-{agent.rules or 'standard'}.obf"
        agent = judged_by(agent, path)
        positions = half_of(read(path), options.half)
        empties = np.array([position.board.empties for position in positions])
        result = played(agent, positions)
        print(name)
        print("\n".join(rows(result, empties)))
        if first is not None and len(first.losses) == len(result.losses):
            middle = empties >= EXACT_BELOW
            more = (result.losses - first.losses)[middle]
            print(f"  {more.mean():+.3f} ± {_error(more):.3f} discs a move against the first agent")
        first = first or result


if __name__ == "__main__":
    main()
