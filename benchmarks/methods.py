"""Tune alpha-beta parameters by genetic algorithms, CMA-ES, TPE and chance, with equal games.

    python -m benchmarks.methods [--seeds 5] [--generations 20] [--jobs 2]
    python -m benchmarks.methods --report

An evolution plays about a tenth more, by which it chooses its champion. The results meet one
another. docs/evidence/data/sweeps/methods.csv keeps what came of it; `--report` prints and draws
that again.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from optuna.trial import TrialState

import evolve
from benchmarks.trained import over_seeds, played
from evolve.arena.judges import Panel
from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.sweep import SweepSettings
from evolve.config.toml import config_text, resolve_as
from evolve.evolution.loop import Evolution
from evolve.fitness.executor import ONE_THREAD
from evolve.plots.figure import BLUE, GREY
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.sweeps.evolution_plan import GenesPlan
from evolve.sweeps.plan import plan_of
from evolve.sweeps.study import Study
from evolve.sweeps.trial import TrialResult

METHODS = ("ga tuned", "ga published", "cma (DEAP)", "cma (Optuna)", "tpe", "random")
TABLE = Path("docs/evidence/data/sweeps/methods.csv")
PICTURE = Path("docs/pictures/sweep-methods.png")
JUDGED = {
    "evolved": "against an evolved agent",
    "swh_mobility": "against swh-mobility, depth 2",
    "others": "against the other methods",
}
SEARCH_PANEL = ("swh", "swh-mobility", "positional")
"""Who agents of a study meet at depth 1; they are judged by others."""


def settings_of(method: str, seed: int, generations: int) -> EvolutionSettings:
    """What an evolution runs by; depth 1 without an exact end, so that weights alone count."""
    options: dict[str, Any] = {
        "preset": "published" if method == "ga published" else "tuned",
        "algorithm": "cma" if method == "cma (DEAP)" else "ga",
        "rules": "standard",
        "seed": seed,
        "generations": generations,
        "fix": {"depths": 1, "endgame": 0},
    }
    return resolve_as(EvolutionSettings, PRESETS, options)


def evolved(method: str, seed: int, generations: int) -> tuple[Any, int]:
    """The champion of an evolution, and the games that it took, panel and play-off too."""
    settings = settings_of(method, seed, generations)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        evolution = Evolution(folder, settings, ONE_THREAD)
        run_folder.create(folder, config_text(settings, {}))
        evolution.run(Observer())
        return evolve.load_agent(folder), len(evolve.load_run(folder).games)


def searched(method: str, seed: int, games: int) -> tuple[Any, int]:
    """The best of a study's agents by the panel, after so many games with it."""
    options = {
        "kind": "alphabeta",
        "trials": 10**6,
        "sampler": {"cma (Optuna)": "cma", "tpe": "tpe", "random": "random"}[method],
        "seed": seed,
        "panel": SEARCH_PANEL,
        "panel_openings": 32,
        "fix": {"depths": 1, "endgame": 0},
    }
    sweep = resolve_as(SweepSettings, {}, options)
    plan = plan_of(sweep)
    panel = Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, seed)
    each = 2 * sweep.panel_openings * len(SEARCH_PANEL)
    best: tuple[float, Any] = (-1.0, None)
    with tempfile.TemporaryDirectory() as place:
        journal = Path(place) / "journal.log"
        study = Study(plan, journal)
        for _ in range(games // each):
            taken = study.take()
            assert isinstance(plan, GenesPlan)
            agent = plan.agent(taken.values, f"{method}-{seed}")
            score = panel.judge(agent).score
            study.end(taken.number, TrialResult(TrialState.COMPLETE, {"score_error": 0.1}, score))
            best = max(best, (score, agent), key=lambda one: one[0])
    return best[1], games // each * each


def tuned(method: str, seed: int, generations: int) -> dict[str, Any]:
    begin = time.process_time()
    games = 64 * 63 * generations
    by_study = method in ("cma (Optuna)", "tpe", "random")
    agent, played_games = (
        searched(method, seed, games) if by_study else evolved(method, seed, generations)
    )
    took = time.process_time() - begin
    print(f"{method:14} seed {seed}: {played_games} games, {took:.0f} CPU s", flush=True)
    return {
        "method": method,
        "seed": seed,
        "games": played_games,
        "seconds": took,
        "agent": replace(agent, name=f"{method}-{seed}"),
    }


def compare(seeds: int, generations: int, jobs: int) -> None:
    rows = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(tuned)(method, seed, generations)
        for seed in range(seeds)
        for method in METHODS
    )
    judges = {
        "evolved": evolve.load_agent(
            "docs/evidence/data/evolution/tuned-standard-0.json?depth=1&endgame=0"
        ),
        "swh_mobility": evolve.load_agent("swh-mobility?depth=2"),
    }
    for row in rows:
        for name, judge in judges.items():
            row[name] = played(row["agent"], judge, 400, row["seed"], jobs).score.value
        others = [
            played(row["agent"], other["agent"], 200, row["seed"], jobs).score.value
            for other in rows
            if other["seed"] == row["seed"] and other is not row
        ]
        row["others"] = float(np.mean(others))
    frame = pd.DataFrame(rows).drop(columns="agent")
    frame.to_csv(TABLE, index=False, float_format="%.4f")
    report(frame)


def report(frame: pd.DataFrame) -> None:
    """The table for docs/evidence/sweeps.md, and its picture."""
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    axes = figure.subplots(1, len(JUDGED), sharey=True)
    print("| | games | CPU s | " + " | ".join(JUDGED.values()) + " |")
    print("|---|---|---|---|---|---|")
    for place, method in enumerate(METHODS):
        part = frame[frame["method"] == method]
        texts = []
        for column, ax in zip(JUDGED, axes, strict=True):
            mean, low, high = over_seeds(part[column].tolist())
            texts.append(f"{mean:.3f} [{low:.3f}, {high:.3f}]")
            ax.plot([low, high], [place, place], color=BLUE, lw=1)
            ax.plot(part[column], [place] * len(part), "o", ms=4, color=BLUE, alpha=0.6)
        games, seconds = part["games"].median(), part["seconds"].median()
        print(f"| {method} | {games:.0f} | {seconds:.0f} | {' | '.join(texts)} |")
    for ax, title in zip(axes, JUDGED.values(), strict=True):
        ax.set(title=title, xlabel="score", xlim=(0, 1))
        ax.axvline(0.5, color=GREY, lw=0.5)
    axes[0].set_yticks(range(len(METHODS)), METHODS)
    axes[0].invert_yaxis()
    figure.savefig(PICTURE, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, choices=range(2, 9))
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--report", action="store_true", help="of what was played before")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.report:
        report(pd.read_csv(TABLE))
    else:
        compare(given.seeds, given.generations, given.jobs)


if __name__ == "__main__":
    main()
