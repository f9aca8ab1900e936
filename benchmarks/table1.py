"""Table I of the published experiment (S1), ours beside theirs.

    python -m benchmarks.table1 [--pairs 400] [--jobs N]

Four parameter sets play a round robin under reversed rules. The paper gives each set's depths
and its first two weights; here the other eight and the mobility weight are those of a champion
evolved with one list for all phases:

    evolve run --rules reversed --terms mobility --tie weights,terms --fix depths=3 \\
        --bounds weights=-500:500 --generations 60 --seed 0

Published wins (of how many games is not said): 22, 19, 19, 1. Two conclusions are checked:
weights matter most, and deeper is better. The four sets differ in weights and depths at once, so
the second one is also checked by itself: set 1 with the depths of the others, weights unchanged.
"""

from __future__ import annotations

import argparse

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, pair_scores, schedule, standings
from evolve.fitness.statistics import score_of_pairs

EVOLVED_REST = (-254, -178, -264, -194, -149, -155, -79, -13)
"""c1 d1 b2 c2 d2 c3 d3 d4 of the evolved champion, whose a1 and b1 were −500 and −388."""
EVOLVED_MOBILITY = 99
PUBLISHED_WINS = (22, 19, 19, 1)
SETS = (
    ("set 1", -500, 20, (5, 3, 6)),
    ("set 2", -500, 25, (5, 2, 6)),
    ("set 3", -500, 15, (4, 3, 7)),
)


def agent(name: str, corner: int, beside: int, depths: tuple[int, ...]) -> AlphaBetaAgent:
    weights = (corner, beside, *EVOLVED_REST)
    mobility = [EVOLVED_MOBILITY] * 3
    return AlphaBetaAgent([weights] * 3, mobility, depths, rules="reversed", name=name)


def tournament(agents: list[AlphaBetaAgent], pairs: int, jobs: int) -> None:
    rng = np.random.default_rng(0)
    openings = balanced_openings(pairs, Part.MATCH, "reversed", rng)
    count = len(agents)
    numbers = np.tile(np.arange(len(openings), dtype=np.int64), (count * (count - 1) // 2, 1))
    games = play_games(
        agents, schedule(all_pairs(count), numbers), openings, "reversed", executor=Threads(jobs)
    )
    table = standings(games, count)
    for index, player in enumerate(agents):
        score = score_of_pairs(pair_scores(games, index))
        published = f"published wins {PUBLISHED_WINS[index]:2}" if count == 4 else ""
        print(
            f"  {player.name} {list(player.depths)}  score {score.value:.3f} "
            f"[{score.low:.3f}, {score.high:.3f}]  discs {table.disc_difference[index]:+6.1f}  "
            f"{published}"
        )
    for a in range(count):
        for b in range(a + 1, count):
            mine = (games.pairings[:, :2].min(axis=1) == a) & (
                games.pairings[:, :2].max(axis=1) == b
            )
            points = np.where(games.pairings[mine, 0] == a, games.winner[mine], -games.winner[mine])
            share = ((points + 1) / 2).reshape(-1, 2).mean(axis=1)
            error = 1.96 * share.std(ddof=1) / np.sqrt(len(share))
            names = f"{agents[a].name} against {agents[b].name}"
            print(f"    {names}: {share.mean():.3f} ± {error:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=400, help="openings of each pair of sets")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    zero = AlphaBetaAgent([[0] * 10] * 3, None, (5, 3, 7), rules="reversed", name="set 4")
    print(f"the four sets of Table I, reversed, {2 * arguments.pairs} games a pair")
    tournament([agent(*one) for one in SETS] + [zero], arguments.pairs, arguments.jobs)
    print("deeper alone: the weights of set 1 at five choices of depths")
    deeper = [
        agent(f"depths {d}", -500, 20, d)
        for d in ((5, 3, 6), (5, 2, 6), (4, 3, 5), (3, 3, 3), (2, 2, 2))
    ]
    tournament(deeper, arguments.pairs, arguments.jobs)


if __name__ == "__main__":
    main()
