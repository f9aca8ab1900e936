"""How well individuals are ranked when each meets some others by lot, and by which score.

    python -m benchmarks.lots [--population 128] [--seeds 5] [--jobs 2] [--rules reversed …]

The populations are those of real runs, early and late. What they are worth is the mean of four
whole round robins; then each meets K others by lot, as in a run, and plain scores and ratings by
Bradley and Terry are held against it: by Spearman's correlation, and by how many of the best
quarter, who would be selected, are found. The intervals are Student's, over seeds.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt
from scipy import stats

from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.toml import config_text, resolve_as
from evolve.engine.board.rules import Rules
from evolve.evolution.loop import Evolution
from evolve.fitness.executor import Executor, Threads
from evolve.fitness.games import Games
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.roundrobin import RoundRobin
from evolve.fitness.statistics import bradley_terry, mean_of
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.runs.run import Run
from evolve.tables.individuals import row_genes

GENERATIONS: Final = (1, 4, 12)
"""Whose individuals are ranked."""
OPPONENTS: Final = (4, 8, 16, 32)
_TRUTH: Final = 4
"""Openings of each pair, both colours each, that say what individuals are worth."""


def evolved(folder: Path, rules: Rules, population: int, seed: int, executor: Executor) -> Run:
    """A run up to the last of the generations."""
    options = {"rules": rules, "population": population, "seed": seed, "panel_every": 1000}
    options |= {"generations": max(GENERATIONS) + 1, "playoff_openings": 2, "opponents": 16}
    settings = resolve_as(EvolutionSettings, PRESETS, options)
    run_folder.create(folder, config_text(settings, {}))
    Evolution(folder, settings, executor).run(Observer())
    return Run(folder)


def rated(games: Games, players: int) -> npt.NDArray[np.float64]:
    """Elo by Bradley and Terry, from all games."""
    points = (games.winner.astype(np.float64) + 1.0) / 2.0
    pairs = np.stack([points[0::2], 1.0 - points[1::2]]).mean(axis=0)
    meetings = [
        (int(black), int(white), np.array([score]))
        for (black, white, _), score in zip(games.pairings[0::2], pairs, strict=True)
    ]
    return np.array([one.value for one in bradley_terry(players, meetings)])


def measured(rules: Rules, population: int, seed: int, executor: Executor) -> dict[Any, float]:
    """Correlation, and share of the best quarter found, by generation, opponents and score."""
    found: dict[Any, float] = {}
    rng = np.random.default_rng([seed, 18])
    pool = balanced_openings(4096, Part.PANEL, rules, rng, 8)
    with tempfile.TemporaryDirectory() as scratch:
        run = evolved(Path(scratch) / "run", rules, population, seed, executor)
        settings = resolve_as(EvolutionSettings, PRESETS, {"rules": rules})
        evolution = Evolution(Path(scratch) / "other", settings, executor)
        for generation in GENERATIONS:
            rows = run.individuals_table(generation).to_pylist()
            names = [row["individual"] for row in rows]
            genome = evolution.genome
            agents = [
                genome.agent(genome.vector(row_genes(row, [*genome.sizes])), name)
                for row, name in zip(rows, names, strict=True)
            ]

            def league(opponents: int | None, openings: int) -> RoundRobin:
                return RoundRobin(
                    rules,
                    "pair",
                    pool,
                    openings_per_pair=openings,
                    opponents=opponents,
                    move_budget=settings.move_budget,
                    largest_endgame=evolution.genome.largest_endgame,
                    executor=executor,
                )

            worth = league(None, _TRUTH).play(names, agents, rng)[0].score
            best = set(np.argsort(worth)[-population // 4 :].tolist())
            for opponents in OPPONENTS:
                table, games = league(opponents, 1).play(names, agents, rng)
                for kind, scores in (
                    ("plain", table.score),
                    ("Bradley–Terry", rated(games, population)),
                ):
                    chosen = set(np.argsort(scores)[-population // 4 :].tolist())
                    key = (generation, opponents, kind)
                    found[(*key, "rho")] = float(stats.spearmanr(worth, scores).statistic)
                    found[(*key, "best")] = len(best & chosen) / len(best)
    return found


def main(rules: Rules, population: int, seeds: int, jobs: int) -> None:
    """Print a row for each generation and number of opponents."""
    found = [measured(rules, population, seed, Threads(jobs)) for seed in range(seeds)]
    print(f"{rules}, {population} individuals, {seeds} seeds")
    print("generation opponents   correlation: plain, Bradley–Terry, gain       best quarter found")
    for generation in GENERATIONS:
        for opponents in OPPONENTS:
            cells = []
            for what in ("rho", "best"):
                plain, rating = (
                    [one[generation, opponents, kind, what] for one in found]
                    for kind in ("plain", "Bradley–Terry")
                )
                gain = [b - a for a, b in zip(plain, rating, strict=True)]
                mean, low, high, _ = mean_of(gain)
                cells.append(
                    f"{np.mean(plain):.3f}  {np.mean(rating):.3f}  "
                    f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
                )
            print(f"{generation:10}{opponents:10}   {'    '.join(cells)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--population", type=int, default=128)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rules", choices=get_args(Rules), nargs="+", default=["reversed"])
    given = parser.parse_args()
    for rules in given.rules:
        main(rules, given.population, given.seeds, given.jobs)
