"""How strong a run's champion is, at fixed depths and without an exact end.

    python -m benchmarks.strength runs/NAME [--pairs 200] [--jobs N]

The champion and its opponents search to the depth named, endgame 0, on random balanced openings
that no training uses, both colours on each. Opponents are the reference agents of the rules and
the best individual of generation 0.
"""

from __future__ import annotations

import argparse

import numpy as np

import evolve
from evolve.agents.agent import Agent
from evolve.agents.searching import SearchingAgent
from evolve.arena.match import Match
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.runs.loading import individual_agent

OPPONENTS = {
    "standard": (("swh", 3), ("swh", 5), ("swh-mobility", 3), ("random", 3)),
    "reversed": (("anti-swh-mobility", 5), ("anti-swh-mobility", 3), ("random", 5)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    run = evolve.load_run(arguments.run)
    champion = evolve.load_agent(arguments.run)
    assert isinstance(champion, SearchingAgent)
    rules = champion.rules or "standard"
    first = individual_agent(arguments.run, str(run.generations["best"].iloc[0]))
    assert isinstance(first, SearchingAgent)
    rng = np.random.default_rng(arguments.seed)
    openings = balanced_openings(arguments.pairs, Part.MATCH, rules, rng)
    rows: list[tuple[str, int, Agent]] = [
        (name, depth, evolve.load_agent(name) if name == "random" else at(name, depth))
        for name, depth in OPPONENTS[rules]
    ]
    rows += [("best of generation 0", depth, first.at(depth, 0)) for depth in (3, 5)]
    print(f"champion of {arguments.run} ({rules}), {2 * arguments.pairs} games each, endgame 0")
    for name, depth, opponent in rows:
        result = Match(
            champion.at(depth, 0), opponent, openings, rules, executor=Threads(arguments.jobs)
        ).play()
        score = result.score
        interval = f"[{score.low:.3f}, {score.high:.3f}]"
        print(f"  depth {depth} against {name:22} {score.value:.3f} {interval}")
    rated = "rating" in run.generations
    curve = run.generations["rating" if rated else "panel_score"]
    tenths = [curve.iloc[round(share * (len(curve) - 1) / 8)] for share in range(9)]
    told = " ".join(f"{value:.0f}" if rated else f"{value:.2f}" for value in tenths)
    print(f"  {'rating' if rated else 'panel score'} through the run: {told}")
    hours = run.generations["seconds"].sum() / 3600
    print(f"  {len(curve)} generations in {60 * hours:.1f} minutes; depths {champion.depths}")


def at(name: str, depth: int) -> SearchingAgent:
    agent = evolve.load_agent(name, depth=depth, endgame=0)
    assert isinstance(agent, SearchingAgent)
    return agent


if __name__ == "__main__":
    main()
