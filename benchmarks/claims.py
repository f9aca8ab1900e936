"""What the papers found, once more: trained from scratch, met on fresh openings.

    python -m benchmarks.claims list
    python -m benchmarks.claims report
    python -m benchmarks.claims run [NAME …] [--seeds 6] [--budget 30] [--games 200] [--jobs 2]

A claim trains what it compares, each for the same CPU seconds and over the same seeds, and plays
the matches. What is trained is kept in runs/trained and not trained again. Scores are those of
the first named; the interval is Student's t over the seeds, which are what a claim about a method
is about, at the levels of Holm over all intervals of the table: that any of them leaves out a half
though it is the truth happens in one such table of twenty. The rows go to
docs/evidence/data/claims.csv.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

import evolve
from benchmarks.published import CLAIMS, FIRST, Claim, Options
from benchmarks.trained import Recipe, holm_levels, over_seeds, p_of_half, played, train
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.arena.judges import Panel
from evolve.config.learning import MctsSettings
from evolve.engine.board.board import Board
from evolve.learning.learner import InMemoryTraining
from evolve.learning.mcts import TreeLearner

TABLE = Path("docs/evidence/data/claims.csv")
CORNERS = (0, 7, 56, 63)
COLUMNS = ("score", "score_black", "score_white")
A_CORNER = "a corner at hand is valued most"


def agent_of(label: str, claim: Claim, seed: int, budget: float) -> Any:
    """A trained contestant with its settings of play, or an agent by its name."""
    label, mark, settings = label.partition("?")
    name = label.removesuffix(FIRST)
    if name not in claim.contestants:
        return evolve.load_agent(f"{label}{mark}{settings}")
    kind, options = claim.contestants[name]
    path = Recipe.of(kind, budget * claim.share, **options).path(seed)
    if name != label:
        path = first_file(path)
    return evolve.load_agent(f"{path}{mark}{settings}")


def meeting(claim: Claim, a: str, b: str, seed: int, budget: float, games: int) -> Options | None:
    """A row of the table; None where a network that was looked for did not come."""
    for label in (a, b):
        name = label.partition("?")[0]
        if name.endswith(FIRST):
            kind, options = claim.contestants[name.removesuffix(FIRST)]
            path = Recipe.of(kind, budget * claim.share, **options).path(seed)
            if not first_file(path).exists():
                print(f"{claim.name}, seed {seed}: no network won 10–0 against each", flush=True)
                return None
    result = played(agent_of(a, claim, seed, budget), agent_of(b, claim, seed, budget), games, seed)
    return {
        "claim": claim.name,
        "a": a,
        "b": b,
        "seed": seed,
        "games": result.games,
        "score": result.score.value,
        "score_black": result.score_black,
        "score_white": result.score_white,
        "budget": budget * claim.share,
    }


def first_file(path: Path) -> Path:
    """Where the first good network of a training is kept."""
    return path.with_name(f"{path.stem}-first.npz")


def trained(claim: Claim, label: str, seed: int, budget: float) -> Path:
    """The file of a contestant."""
    kind, options = claim.contestants[label]
    recipe = Recipe.of(kind, budget * claim.share, **options)
    if label != claim.first_of:
        return train(recipe, seed)
    path = recipe.path(seed)
    never = first_file(path).with_suffix(".never")
    if not first_file(path).exists() and not never.exists():
        path.unlink(missing_ok=True)  # trained for another claim, which did not look for it
    train(recipe, seed, keep_first)
    if not first_file(path).exists():
        never.touch()
    return path


def keep_first(course: InMemoryTraining, path: Path) -> None:
    """Keep the first network that wins ten games of ten against each of its baselines."""
    file = first_file(path)
    learner, settings = course.learner, course.settings
    assert isinstance(learner, TreeLearner)
    assert isinstance(settings, MctsSettings)
    if file.exists() or learner.player is None:
        return
    agent = learner.agent(settings.simulations)
    panel = Panel(settings.accept_against, 10, settings.rules, settings.seed)
    if min(score.value for score in panel.judge(agent).scores) == 1.0:
        facts = {"games": course.games, "cpu_seconds": round(course.spent, 1)}
        replace(agent, provenance=facts).save(file)


def corner_share(agent: Any, seed: int) -> Options:
    """How often a network values a corner most where there is one, and how often chance would."""
    rng = np.random.default_rng([21, seed])
    most: list[bool] = []
    by_chance: list[float] = []
    while len(most) < 500:
        board = evolve.Board.start()
        for _ in range(int(rng.integers(20, 50))):
            if not board.legal_moves():
                break
            board = board.play(int(rng.choice(board.legal_moves())))
        moves = board.legal_moves()
        corners = [move for move in moves if move in CORNERS]
        if corners and len(corners) < len(moves):
            most.append(next(iter(agent.analyse(board).values)) in corners)
            by_chance.append(len(corners) / len(moves))
    return {"score": float(np.mean(most)), "by_chance": float(np.mean(by_chance))}


def corners(claim: Claim, label: str, seed: int, budget: float) -> Options:
    found = corner_share(agent_of(label, claim, seed, budget), seed)
    return {
        "claim": claim.name,
        "a": label,
        "b": A_CORNER,
        "seed": seed,
        "games": 0,
        "score": found["score"],
        "score_black": found["by_chance"],
        "score_white": float("nan"),
        "budget": budget * claim.share,
    }


def run(claims: list[Claim], seeds: int, budget: float, games: int, jobs: int) -> None:
    parallel = joblib.Parallel(n_jobs=jobs)
    for claim in claims:
        parallel(
            joblib.delayed(trained)(claim, label, seed, budget)
            for label in claim.contestants
            for seed in range(seeds)
        )
        work = [
            joblib.delayed(meeting)(claim, a, b, s, budget, games)
            for a, b in claim.meetings
            for s in range(seeds)
        ]
        work += [
            joblib.delayed(corners)(claim, label, s, budget)
            for label in claim.corners
            for s in range(seeds)
        ]
        _keep(pd.DataFrame([row for row in parallel(work) if row is not None]))
        print(f"{claim.name} is in {TABLE}", flush=True)


def report(claims: list[Claim], frame: pd.DataFrame, budget: float) -> None:
    """The claims as tables for docs/evidence/learning.md, as far as they have been played.

    Every interval counts for Holm: those by colour, too, and corners against chance.
    """
    cells: dict[tuple[str, str, str, str], list[float]] = {}
    for claim in claims:
        mine = frame[(frame["claim"] == claim.name) & (frame["budget"] == budget * claim.share)]
        for a, b in [*claim.meetings, *((label, A_CORNER) for label in claim.corners)]:
            part = mine[(mine["a"] == a) & (mine["b"] == b)]
            for column in COLUMNS[:1] if b == A_CORNER else COLUMNS:
                if len(part) > 1:
                    cells[claim.name, a, b, column] = part[column].tolist()
            if b == A_CORNER and len(part) > 1:
                cells[claim.name, a, b, "by chance"] = part["score_black"].tolist()
    told = [key for key in cells if key[3] != "by chance"]
    ps = []
    for key in told:
        chance = cells.get((*key[:3], "by chance"), [0.5] * len(cells[key]))
        ps.append(p_of_half([x - c + 0.5 for x, c in zip(cells[key], chance, strict=True)]))
    levels = dict(zip(told, holm_levels(ps), strict=True))
    print(f"{len(told)} intervals, at levels from {min(levels.values()):.5f} on")
    for claim in claims:
        if not any(key[0] == claim.name for key in told):
            continue
        notes = f" ({claim.notes})" if claim.notes else ""
        print(f"\n**{claim.name}.** {claim.published}.{notes}\n")
        print("| | score | as black | as white |\n|---|---|---|---|")
        for a, b in [*claim.meetings, *((label, A_CORNER) for label in claim.corners)]:
            texts = []
            for column in COLUMNS:
                key = (claim.name, a, b, column)
                if key in levels:
                    mean, low, high = over_seeds(cells[key], levels[key])
                    texts.append(f"{mean:.3f} [{low:.3f}, {high:.3f}]")
            if not texts:
                continue
            if b == A_CORNER:
                drawn = np.mean(cells[claim.name, a, b, "by chance"])
                texts = [f"{texts[0]}, by chance {drawn:.3f}", "", ""]
            print(f"| {a} – {b} | {' | '.join(texts)} |", flush=True)


def _keep(rows: pd.DataFrame) -> None:
    kept = [pd.read_csv(TABLE)] if TABLE.exists() else []
    frame = pd.concat([*kept, rows])
    frame = frame.drop_duplicates(["claim", "a", "b", "seed", "budget"], keep="last")
    frame.sort_values(["claim", "a", "b", "seed"]).to_csv(TABLE, index=False, float_format="%.4f")


def seconds_a_move(agent: Any, boards: list[Board]) -> float:
    """The median of five passes over positions of a game, after one that compiles."""
    agent.choose(boards[0])
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        for board in boards:
            agent.choose(board)
        times.append((time.perf_counter() - begin) / len(boards))
    return float(np.median(times))


def equal_time(dqn: DqnAgent, tree: MctsAgent, boards: list[Board]) -> MctsAgent:
    """The tree search with as many simulations as take the time of the other's moves."""
    wanted = seconds_a_move(dqn, boards)
    many = replace(tree, simulations=2000, endgame=0)
    count = max(1, round(2000 * wanted / seconds_a_move(many, boards)))
    return replace(tree, simulations=count, endgame=dqn.endgame)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    told = commands.add_parser("report")
    told.add_argument("--budget", type=float, default=30.0)
    running = commands.add_parser("run")
    running.add_argument("names", nargs="*", choices=[[], *(claim.name for claim in CLAIMS)])
    running.add_argument("--seeds", type=int, default=6, choices=range(2, 9))
    running.add_argument("--budget", type=float, default=30.0)
    running.add_argument("--games", type=int, default=200)
    running.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.command == "list":
        for claim in CLAIMS:
            print(f"{claim.name:20} {claim.published}")
        return
    if given.command == "report":
        report(CLAIMS, pd.read_csv(TABLE), given.budget)
        return
    chosen = [claim for claim in CLAIMS if not given.names or claim.name in given.names]
    run(chosen, given.seeds, given.budget, given.games, given.jobs)


if __name__ == "__main__":
    main()
