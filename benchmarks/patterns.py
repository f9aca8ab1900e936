"""Patterns against the evolved champions and each other, with the CPU time that both take.

    python -m benchmarks.patterns champions [--rules standard] [--seeds 3] [--pairs 200]
    python -m benchmarks.patterns duels OPPONENT AGENT ... [--rules standard] [--pairs 200]
    python -m benchmarks.patterns cuts AGENT [--nodes 16000] [--rules standard] [--pairs 200]
    python -m benchmarks.patterns budgets [60 240 960] [--rules standard] [--seeds 3] [--pairs 400]
    python -m benchmarks.patterns margins AGENT ... [--margins 0 1.6] [--nodes 16000] [--pairs 200]

`champions` trains one agent a seed by the defaults (60 CPU seconds), keeps it in runs/trained, and
lets it meet the five champions in docs/evidence/data/evolution: both at depth 5 and exact from 10
empties, without forward cuts; and against theirs at depth 7, with cuts, at the depth that takes
about as much CPU time. `duels` lets agents, one of each seed, meet an opponent. `cuts` leaves out
the forward cuts of static values, of one depth, or of one stage at a time: where the rest is
stronger with as many nodes, they do not pay. `budgets` trains agents by the defaults for so many
CPU seconds, which meet the agent that comes with evolve. `margins` lets agents, one of each seed,
meet themselves with other margins of their cuts, 0 for none, at as many nodes. Openings are of the
match part, which no training uses.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import evolve
from benchmarks.trained import Recipe, train
from evolve.agents.agent import Agent, Limit
from evolve.agents.chance import delegated
from evolve.agents.patterns import PatternAgent
from evolve.agents.probcut import Cuts
from evolve.arena.match import Match
from evolve.engine.board.board import Board
from evolve.engine.board.rules import RULE_SETS
from evolve.fitness.openings import Part, balanced_openings

CHAMPIONS = Path("docs/evidence/data/evolution")
MEETINGS = (
    ("equal depth", "depth=5&endgame=10&probcut=0", "depth=5&endgame=10"),
    ("less CPU", "depth=8&endgame=10", "depth=7&endgame=10"),
    ("more CPU", "depth=9&endgame=10", "depth=7&endgame=10"),
)


_DEEPEST_CUT = 12
"""Of those that are left out in turn: at 16 000 nodes a move deeper ones are not come to."""


class Timed(Agent):
    """An agent whose thinking is timed, in CPU seconds of its thread."""

    name, rules, repeats = (delegated("_agent", member) for member in ("name", "rules", "repeats"))

    def __init__(self, agent: Agent, spent: list[float]) -> None:
        self._agent, self._spent = agent, spent

    def with_rules(self, rules: str) -> Any:
        return Timed(self._agent.with_rules(rules), self._spent)

    def choose(self, board: Board) -> int:
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        begin = time.thread_time()
        chosen = self._agent.choose_counted(board)
        self._spent.append(time.thread_time() - begin)
        return chosen

    def for_game(self, seed: int) -> Any:
        return Timed(self._agent.for_game(seed), self._spent)


def meet(a: Agent, b: Agent, rules: str, pairs: int) -> tuple[float, float, float]:
    """A's score, and the CPU seconds of both."""
    openings = balanced_openings(pairs, Part.MATCH, rules, np.random.default_rng(0))
    spent: tuple[list[float], list[float]] = ([], [])
    players = [Timed(agent, found) for agent, found in zip((a, b), spent, strict=True)]
    result = Match(players[0], players[1], openings, rules).play()
    return result.score.value, sum(spent[0]), sum(spent[1])


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


def duels(opponent: str, agents: list[str], rules: str, pairs: int) -> None:
    """Print a row an agent, then the mean over them with Student's interval."""
    scores, mine, theirs = [], 0.0, 0.0
    for name in agents:
        score, one, other = meet(evolve.load_agent(name), evolve.load_agent(opponent), rules, pairs)
        print(f"{name}: {score:.3f}, {one / other:.2f} of its CPU time", flush=True)
        scores.append(score)
        mine, theirs = mine + one, theirs + other
    print(
        f"against {opponent}: {over(scores)}, {2 * pairs} games each; "
        f"{mine / theirs:.2f} of its CPU time"
    )


def budgets(seconds: list[float], seeds: int, nodes: int, rules: str, pairs: int) -> None:
    """Print a row an agent that the defaults teach in so many CPU seconds, and a mean a budget."""
    opponent = evolve.load_agent(f"patterns-{rules}?nodes={nodes}")
    for budget in seconds:
        recipe, scores = Recipe.of("patterns", budget, rules=rules), []
        for seed in range(seeds):
            agent = evolve.load_agent(f"{train(recipe, seed)}?nodes={nodes}")
            scores.append(meet(agent, opponent, rules, pairs)[0])
            print(f"{budget:g} CPU s, seed {seed}: {scores[-1]:.3f}", flush=True)
        print(f"{budget:g} CPU s: {over(scores)}, {2 * pairs} games each", flush=True)


def over(scores: list[float]) -> str:
    """Their mean with Student's interval."""
    half = stats.t.ppf(0.975, len(scores) - 1) * np.std(scores, ddof=1) / len(scores) ** 0.5
    return f"{np.mean(scores):.3f} ± {half:.3f} over {len(scores)} agents"


def margins(names: list[str], others: list[float], nodes: int, rules: str, pairs: int) -> None:
    """Print a row an agent and margin, and the mean over the agents of each margin."""
    for margin in others:
        scores, mine, theirs = [], 0.0, 0.0
        for name in names:
            agent = evolve.load_agent(name)
            assert isinstance(agent, PatternAgent)
            whole = agent.limited(Limit(nodes=nodes))
            score, one, other = meet(replace(whole, probcut=margin), whole, rules, pairs)
            print(f"{name}, {margin:g} for {agent.probcut:g}: {score:.3f}", flush=True)
            scores.append(score)
            mine, theirs = mine + one, theirs + other
        print(
            f"margin {margin:g}, {nodes} nodes: {over(scores)}, {2 * pairs} games each; "
            f"{mine / theirs:.2f} of the CPU time",
            flush=True,
        )


def cuts(name: str, nodes: int, rules: str, pairs: int) -> None:
    """Print what is left of the agent's score without the cuts of each depth and stage."""
    agent = evolve.load_agent(name)
    assert isinstance(agent, PatternAgent)
    whole = agent.limited(Limit(nodes=nodes))
    openings = balanced_openings(pairs, Part.MATCH, rules, np.random.default_rng(0))
    rows = agent.cuts.rows
    depths, discs = rows[:, 0], rows[:, 2]
    without = {"all": Cuts.of()}
    without |= {"static values": Cuts(rows[rows[:, 1] > 0])}
    without |= {f"depth {at}": Cuts(rows[depths != at]) for at in range(1, _DEEPEST_CUT + 1)}
    without |= {
        f"discs {at} to {at + 7}": Cuts(rows[discs // 8 != at // 8]) for at in range(0, 64, 8)
    }
    for left_out, kept in without.items():
        score = Match(replace(whole, cuts=kept), whole, openings, rules).play().score
        print(
            f"without {left_out}: {score.value:.3f} [{score.low:.3f}, {score.high:.3f}]", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("champions")
    one.add_argument("--seeds", type=int, default=3)
    two = commands.add_parser("duels")
    two.add_argument("opponent")
    two.add_argument("agents", nargs="+")
    three = commands.add_parser("cuts")
    three.add_argument("agent")
    three.add_argument("--nodes", type=int, default=16_000)
    four = commands.add_parser("margins")
    four.add_argument("agents", nargs="+")
    four.add_argument("--margins", type=float, nargs="+", default=[0.0])
    four.add_argument("--nodes", type=int, default=16_000)
    five = commands.add_parser("budgets")
    five.add_argument("seconds", nargs="*", type=float, default=[60.0, 240.0, 960.0])
    five.add_argument("--seeds", type=int, default=3)
    five.add_argument("--nodes", type=int, default=10_000)
    for command in (one, two, three, four, five):
        command.add_argument("--rules", choices=list(RULE_SETS), default="standard")
        command.add_argument("--pairs", type=int, default=200)
    options = parser.parse_args()
    if "margins" in options:
        found, nodes = options.margins, options.nodes
        margins(options.agents, found, nodes, options.rules, options.pairs)
    elif "seconds" in options:
        found, seeds = options.seconds, options.seeds
        budgets(found, seeds, options.nodes, options.rules, options.pairs)
    elif "nodes" in options:
        cuts(options.agent, options.nodes, options.rules, options.pairs)
    elif "opponent" in options:
        duels(options.opponent, options.agents, options.rules, options.pairs)
    else:
        champions(options.rules, options.seeds, options.pairs)


if __name__ == "__main__":
    main()
