"""Patterns against the evolved champions, at equal depth and at about equal CPU time.

    python -m benchmarks.patterns champions [--rules standard] [--seeds 3] [--pairs 200]

Trains one agent a seed by the defaults (60 CPU seconds), keeps it in runs/trained, and lets it
meet the five champions of docs/evolution: both at depth 5 and exact from 10 empties, without
forward cuts; and against theirs at depth 7, with cuts, at the depth that takes about as much CPU
time. Openings are those of the match part, which no training uses.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import evolve
from benchmarks.trained import Recipe, train
from evolve.agents.agent import Agent
from evolve.arena.match import Match
from evolve.engine.board import Board
from evolve.engine.rules import RULE_SETS
from evolve.fitness.openings import Part, balanced_openings

CHAMPIONS = Path("docs/evolution")
MEETINGS = (
    ("equal depth", "depth=5&endgame=10&probcut=0", "depth=5&endgame=10"),
    ("less CPU", "depth=8&endgame=10", "depth=7&endgame=10"),
    ("more CPU", "depth=9&endgame=10", "depth=7&endgame=10"),
)


class Timed(Agent):
    """An agent whose thinking is timed, in CPU seconds of its thread."""

    def __init__(self, agent: Agent, spent: list[float]) -> None:
        self._agent, self._spent = agent, spent
        self.name, self.rules = agent.name, agent.rules

    def with_rules(self, rules: str) -> Any:  # noqa: D102 - as in Agent, and so are the others
        return Timed(self._agent.with_rules(rules), self._spent)

    def choose(self, board: Board) -> int:  # noqa: D102
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:  # noqa: D102
        begin = time.thread_time()
        chosen = self._agent.choose_counted(board)
        self._spent.append(time.thread_time() - begin)
        return chosen

    def for_game(self, seed: int) -> Any:  # noqa: D102
        return Timed(self._agent.for_game(seed), self._spent)

    @property
    def repeats(self) -> bool:  # noqa: D102
        return self._agent.repeats


def meet(a: Agent, b: Agent, rules: str, pairs: int) -> tuple[float, float, float]:
    """A's score, and the CPU seconds of both."""
    openings = balanced_openings(pairs, Part.MATCH, rules, np.random.default_rng(0))
    spent: tuple[list[float], list[float]] = ([], [])
    players = [Timed(agent, found) for agent, found in zip((a, b), spent, strict=True)]
    result = Match(players[0], players[1], openings, rules, jobs=1).play()
    return result.score.score, sum(spent[0]), sum(spent[1])


def champions(rules: str, seeds: int, pairs: int) -> None:
    """Print a row a meeting: the mean over seeds with Student's interval, and the CPU ratio."""
    paths = sorted(CHAMPIONS.glob(f"tuned-{rules}-*.json"))
    recipe = Recipe.of("patterns", 60.0, rules=rules)
    for name, mine, theirs in MEETINGS:
        means, ratios = [], []
        for seed in range(seeds):
            path = train(recipe, seed)
            rows = [
                meet(
                    evolve.load_agent(f"{path}?{mine}"),
                    evolve.load_agent(f"{champion}?{theirs}"),
                    rules,
                    pairs,
                )
                for champion in paths
            ]
            means.append(float(np.mean([score for score, _, _ in rows])))
            ratios.append(sum(row[1] for row in rows) / sum(row[2] for row in rows))
            print(f"{rules}, {name}, seed {seed}: {means[-1]:.3f}, {ratios[-1]:.2f} of their CPU")
        half = stats.t.ppf(0.975, seeds - 1) * np.std(means, ddof=1) / seeds**0.5
        print(
            f"{rules}, {name}: {np.mean(means):.3f} ± {half:.3f} over {seeds} seeds, {len(paths)} "
            f"champions, {2 * pairs} games each; {np.mean(ratios):.2f} of their CPU time"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("champions")
    one.add_argument("--rules", choices=list(RULE_SETS), default="standard")
    one.add_argument("--seeds", type=int, default=3)
    one.add_argument("--pairs", type=int, default=200)
    options = parser.parse_args()
    champions(options.rules, options.seeds, options.pairs)


if __name__ == "__main__":
    main()
