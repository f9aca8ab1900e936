"""Does the evolution work? Seeds of both presets under both rules, at equal games, full length.

    python -m benchmarks.proof run [--seeds 5] [--jobs 2]    hours; goes on where it was stopped
    python -m benchmarks.proof report                        matches, table and picture

`run` evolves runs/proof/PRESET-RULES-SEED, 168 generations of 64 each. Of every finished one it
keeps, in docs/evidence/data/evolution, the champion (PRESET-RULES-SEED.json) and the curve of its
panel score (panel.csv). `report` needs these alone. It plays the champions at equal depth without
an exact end, on openings that no training uses, and as they were evolved, and writes scores.csv
there, and docs/pictures/evolution.png.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.match import Match
from evolve.engine.board.rules import Rules
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings

RULES: tuple[Rules, ...] = ("standard", "reversed")
PRESETS = ("tuned", "published")
GENERATIONS = 168
PAIRS = 200
REFERENCE = {"standard": ("swh", 3), "reversed": ("anti-swh-mobility", 5)}
DEPTH = 5
RUNS = Path("runs/proof")
KEPT = Path("docs/evidence/data/evolution")
PANEL = KEPT / "panel.csv"
SCORES = KEPT / "scores.csv"
PICTURE = Path("docs/pictures/evolution.png")
# Student's t for a two-sided interval of 95 %, by degrees of freedom: seeds less one.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}


def evolve_all(seeds: int, jobs: int) -> None:
    for seed in range(seeds):
        for rules in RULES:
            for preset in PRESETS:
                name = f"{preset}-{rules}-{seed}"
                if (KEPT / f"{name}.json").exists():
                    continue
                folder = RUNS / name
                command = [sys.executable, "-m", "evolve"]
                if folder.exists():
                    command += ["resume", str(folder)]
                else:
                    command += ["run", "--preset", preset, "--rules", rules, "--out", str(folder)]
                    # The fixed panel, so that all curves are of the same measure.
                    command += ["--seed", str(seed), "--panel", "fixed"]
                command += ["--generations", str(GENERATIONS), "--jobs", str(jobs)]
                print(" ".join(command[1:]), flush=True)
                subprocess.run(command, check=True)
                keep(folder, name)


def keep(folder: Path, name: str) -> None:
    """The champion and the panel's curve of a finished run into the documents."""
    run = evolve.load_run(folder)
    assert len(run.generations) == GENERATIONS, f"{folder} is not finished"
    KEPT.mkdir(parents=True, exist_ok=True)
    curve = run.generations[["generation", "panel_score"]].assign(run=name)
    curves = [curve] if not PANEL.exists() else [pd.read_csv(PANEL), curve]
    table = pd.concat(curves).drop_duplicates(["run", "generation"], keep="last")
    table.sort_values(["run", "generation"]).to_csv(PANEL, index=False, float_format="%.4f")
    champion = evolve.load_agent(folder)
    assert isinstance(champion, AlphaBetaAgent)
    champion.save(KEPT / f"{name}.json")


def champion_of(preset: str, rules: str, seed: int) -> AlphaBetaAgent:
    agent = evolve.load_agent(KEPT / f"{preset}-{rules}-{seed}.json")
    assert isinstance(agent, AlphaBetaAgent)
    return agent


def seeds_of(rules: str) -> list[int]:
    """Seeds of which both presets have finished."""
    return [
        seed
        for seed in range(100)
        if all((KEPT / f"{preset}-{rules}-{seed}.json").exists() for preset in PRESETS)
    ]


def score(a: AlphaBetaAgent, b: AlphaBetaAgent, rules: Rules, seed: int) -> float:
    rng = np.random.default_rng([2026, seed])
    openings = balanced_openings(PAIRS, Part.MATCH, rules, rng)
    result = Match(a, b, openings, rules, executor=Threads(os.cpu_count() or 1)).play()
    return result.score.value


def report() -> None:
    rows: list[dict[str, object]] = []
    for rules in RULES:
        name, depth = REFERENCE[rules]
        for seed in seeds_of(rules):
            tuned, published = (champion_of(preset, rules, seed) for preset in PRESETS)
            pairs = [
                ("tuned against published, as evolved", tuned, published),
                (
                    f"tuned against published, depth {DEPTH}",
                    tuned.at(DEPTH, 0),
                    published.at(DEPTH, 0),
                ),
            ]
            for plies in sorted({depth, DEPTH}):
                reference = evolve.load_agent(name, depth=plies).with_rules(rules)
                assert isinstance(reference, AlphaBetaAgent)
                for preset, agent in zip(PRESETS, (tuned, published), strict=True):
                    what = f"{preset} against {name}, depth {plies}"
                    pairs.append((what, agent.at(plies, 0), reference))
            for what, a, b in pairs:
                value = score(a, b, rules, seed)
                rows.append({"rules": rules, "what": what, "seed": seed, "score": value})
                print(f"{rules:9} seed {seed} {what:45} {value:.3f}", flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(SCORES, index=False, float_format="%.4f")
    print(f"\n| rules | {2 * PAIRS} games a seed | seeds | mean score [95 % over seeds] | each |")
    print("|---|---|---|---|---|")
    for (rule_set, claim), part in table.groupby(["rules", "what"], sort=False):
        values = part["score"].to_numpy()
        each = " ".join(f"{value:.3f}" for value in values)
        print(f"| {rule_set} | {claim} | {len(values)} | {mean_with_interval(values)} | {each} |")
    draw()


def mean_with_interval(values: np.ndarray) -> str:
    mean = f"{values.mean():.3f}"
    if len(values) - 1 not in STUDENT:
        return mean
    half = STUDENT[len(values) - 1] * values.std(ddof=1) / len(values) ** 0.5
    return f"{mean} [{max(values.mean() - half, 0):.3f}, {min(values.mean() + half, 1):.3f}]"


def draw() -> None:
    """The panel's curves: thin for each seed, thick for their mean."""
    curves = pd.read_csv(PANEL)
    curves[["preset", "rules", "seed"]] = curves["run"].str.split("-", expand=True)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, rules in zip(figure.subplots(1, 2, sharey=True), RULES, strict=True):
        for preset, colour in zip(PRESETS, ("tab:blue", "tab:orange"), strict=True):
            part = curves[(curves["rules"] == rules) & (curves["preset"] == preset)]
            for _, one in part.groupby("run"):
                axes.plot(one["generation"], one["panel_score"], colour, alpha=0.25, linewidth=0.7)
            mean = part.groupby("generation")["panel_score"].mean().rolling(5, 1).mean()
            seeds = part["run"].nunique()
            label = f"{preset}, {seeds} seed{'s' * (seeds > 1)}"
            axes.plot(mean.index, mean, colour, linewidth=2, label=label)
        axes.set_title(rules)
        axes.set_xlabel("generation")
        axes.set_ylim(0, 1)
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right")
    figure.axes[0].set_ylabel("score of the best against the panel")
    figure.savefig(PICTURE, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["run", "report"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    if arguments.step == "run":
        evolve_all(arguments.seeds, arguments.jobs)
    else:
        report()


if __name__ == "__main__":
    main()
