"""Positions whose values in discs are known, and how well agents' values tell them.

    python -m benchmarks.discs make RULES     evolve/agents/calibration/discs-RULES.npz again
    python -m benchmarks.discs errors [--rules R] AGENT …

The positions are of games of `patterns-RULES` with itself, two plies ahead, with 5 to 40 % of the
moves at random. Their values are exact from 18 empties; before, they are the mean of searches of 11
and 12 plies, since an odd and an even search favour different sides. The file carries the hash of
the agents that evolve came with then.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.weights import shipped_weights
from evolve.agents.analysis import solved
from evolve.agents.calibration.discs import EDGES, fit_of, position_file
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules
from evolve.engine.patterns.patterns import DISC
from evolve.runs.loading import load_agent

_COUNT = 480
_EXACT = 18
_DEEP = 12
_FEWEST, _MOST = 8, 61
"""Discs of a position, from and to."""


def make(rules: Rules) -> None:
    """Write the file of positions."""
    deep = load_agent(f"patterns-{rules}")
    assert isinstance(deep, PatternAgent)
    rng, found = np.random.default_rng(0), {}
    for number in range(_COUNT):
        discs = _FEWEST + number % (_MOST - _FEWEST + 1)
        board = _played(deep, discs, float(rng.uniform(0.05, 0.4)), number)
        if board is not None:
            found[board.own, board.opp] = _value(deep, board, rules)
    np.savez_compressed(
        position_file(rules),
        own=np.array([own for own, _ in found], np.uint64),
        opp=np.array([opp for _, opp in found], np.uint64),
        discs=np.array([*found.values()], np.float32),
        weights=np.array(shipped_weights()),
    )
    print(f"{position_file(rules)}: {len(found)} positions")


def weights_of(rules: Rules) -> str:
    """The hash of the agents that the positions of some rules were made with; empty for none."""
    with np.load(position_file(rules), allow_pickle=False) as arrays:
        return str(arrays["weights"]) if "weights" in arrays else ""


def _played(deep: PatternAgent, discs: int, mistakes: float, seed: int) -> Board | None:
    """A position with so many discs and two moves or more; None where the game has none."""
    player = deep.with_settings({"depth": 2, "endgame": 0, "mistakes": mistakes}, "player")
    player, board = player.for_game(seed), Board.start()
    while 64 - board.empties < discs or len(board.legal_moves()) < 2:
        if board.is_over():
            return None
        moves = board.legal_moves()
        board = board.play(player.choose(board)) if moves else board.pass_move()
    return board


def _value(deep: PatternAgent, board: Board, rules: Rules) -> float:
    """The value of a position in discs."""
    if board.empties <= _EXACT:
        return float(solved(board, rules)[1])
    value = float(np.mean(deep.values_by_depth(board, _DEEP)[-2:])) / DISC
    return float(np.clip(value, -64.0, 64.0))


def errors(rules: Rules, names: list[str]) -> None:
    """Print the fit of every agent, and how far its values change from one depth to the next."""
    for name in names:
        agent = load_agent(name).with_rules(rules)
        for depth in (3, 4):
            fit = fit_of(agent, depth)
            if fit is not None:
                print(f"{name}, {depth} plies:")
                for row in zip((4, *EDGES), fit.slopes, fit.offsets, fit.errors, strict=True):
                    print("  from {:2} discs: {:.4g} x {:+.2f}, ± {:.1f}".format(*row))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("make").add_argument("rules", choices=RULE_SETS)
    of_errors = steps.add_parser("errors")
    of_errors.add_argument("--rules", choices=RULE_SETS, default=DEFAULT_RULES)
    of_errors.add_argument("agents", nargs="+")
    given = parser.parse_args()
    if given.step == "make":
        make(given.rules)
    else:
        errors(given.rules, given.agents)


if __name__ == "__main__":
    main()
