"""Levels: how far each is from the next one, and the Elo of all agents that are known by name.

    python -m benchmarks.levels [distances] [--rules R] [--games 2000] [--cpu 60] [AGENT …]
    python -m benchmarks.levels ratings [--rules R] [--games 800] [--cpu 60] [AGENT …]

`distances` lets neighbouring levels, or neighbours among the AGENTs, play each other on openings as
`evolve match` draws them, both colours on each, and prints Elo differences with their 95 %
intervals. `ratings` rates agents on the scale of the ladder, by games with the four rungs nearest
to each, as `benchmarks.ladder players` does. Every pair of agents plays so many games, or fewer
where these take more CPU seconds than `--cpu`. Levels have limits of plies and nodes, so results
do not depend on the speed or the load of a machine; the seconds of a move are CPU time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.ladder import NEIGHBOURS, SEED
from evolve.agents.agent import Agent
from evolve.agents.ratings import RATINGS
from evolve.agents.registry import LEVELS
from evolve.arena.judges import Ladder
from evolve.arena.match import play_match
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules
from evolve.fitness.openings import Openings, Part, balanced_openings, listed_openings
from evolve.fitness.roundrobin import pair_scores
from evolve.fitness.statistics import Estimate, Floats, in_elo, rate_one, score_of_pairs
from evolve.runs.loading import load_agent

_MOVES = 52
"""Moves of a game after its opening, about."""
_ROUND = 20
"""Games between two looks at the clock."""


def meet(a: Agent, b: Agent, openings: Openings, rules: Rules, cpu: float) -> tuple[Floats, float]:
    """A's score in pairs of games, and the CPU seconds of a move, the mean of both agents."""
    for agent in (a, b):
        agent.with_rules(rules).prepare()
    begin, scores = time.process_time(), []
    for start in range(0, len(openings), _ROUND // 2):
        if time.process_time() - begin >= cpu:
            break
        part = openings.taken(np.arange(start, min(start + _ROUND // 2, len(openings))))
        _, games = play_match(a, b, part, rules, seed=SEED + start)
        scores.append(pair_scores(games).reshape(-1))
    found = np.concatenate(scores)
    return found, (time.process_time() - begin) / (2 * len(found) * _MOVES)


def distances(rules: Rules, names: list[str], games: int, cpu: float) -> None:
    """Print how much stronger every agent is than the one before it."""
    rng = np.random.default_rng(SEED)
    openings = listed_openings(games // 2, Part.MATCH, rules, rng)
    for weaker, stronger in pairwise(names):
        scores, seconds = meet(load_agent(stronger), load_agent(weaker), openings, rules, cpu)
        print(_row(stronger, weaker, in_elo(score_of_pairs(scores)), seconds), flush=True)


def ratings(rules: Rules, names: list[str], games: int, cpu: float) -> None:
    """Print the Elo of agents on the ladder."""
    ladder, rng = Ladder(rules), np.random.default_rng(SEED)
    openings = balanced_openings(games // 2, Part.MATCH, rules, rng)
    for name in names:
        agent = load_agent(name)
        met: dict[float, Floats] = {}
        known = RATINGS[rules].get(name)
        near = ladder.nearest(ladder.rungs[-1].elo if known is None else known.elo, NEIGHBOURS)
        while True:
            for rung in near:
                if rung.elo not in met:
                    met[rung.elo], _ = meet(agent, rung.agent, openings, rules, cpu / NEIGHBOURS)
            fewest = min(len(met[rung.elo]) for rung in near)
            scores = np.array([met[rung.elo][:fewest] for rung in near])
            elo = rate_one(np.array([rung.elo for rung in near]), scores)
            before, near = near, ladder.nearest(elo.value, NEIGHBOURS)
            if near == before or all(rung.elo in met for rung in near):
                break
        print(_row(name, "the ladder", elo, move_seconds(agent, rules)), flush=True)


def move_seconds(agent: Agent, rules: Rules, games: int = 2) -> float:
    """CPU seconds of an agent's move in games with itself."""
    rng = np.random.default_rng(SEED)
    openings = listed_openings(games, Part.MATCH, rules, rng)
    begin = time.process_time()
    _, played = play_match(agent, agent, openings, rules)
    return (time.process_time() - begin) / (len(played.results) * _MOVES)


def _row(a: str, b: str, elo: Estimate, seconds: float) -> str:
    interval = f"[{elo.low:+.0f}, {elo.high:+.0f}]"
    return f"{a:42} {b:42} {elo.value:+6.0f} {interval:16} n {elo.n:5} {seconds:.2g} s a move"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps: dict[str, Callable[[Rules, list[str], int, float], None]]
    steps = {"distances": distances, "ratings": ratings}
    parser.add_argument("step", nargs="?", choices=steps, default="distances")
    parser.add_argument("agents", nargs="*", metavar="AGENT")
    parser.add_argument("--rules", choices=RULE_SETS, default=DEFAULT_RULES)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--cpu", type=float, default=60.0)
    given = parser.parse_args()
    names = given.agents or [*LEVELS]
    if not given.agents and given.step == "ratings":
        names = [*RATINGS[given.rules]]
    steps[given.step](given.rules, names, given.games, given.cpu)


if __name__ == "__main__":
    main()
