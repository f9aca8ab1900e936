"""Sweeps: what they cost, and whether what they find is better.

    python -m benchmarks.sweeps overhead [--trials 60]
    python -m benchmarks.sweeps speedup [--trials 16]
    python -m benchmarks.sweeps pictures
    python -m benchmarks.sweeps confirm SWEEP [--seeds 6] [--budget 60] [--digits 2]
    python -m benchmarks.sweeps rungs SWEEP ...

`overhead` is the time that a study takes for a trial: proposal, four reports, result and table.
`speedup` compares the trials that one and two workers finish in the same time. `pictures` draws the
sweeps whose trials docs/evidence/data/sweeps keeps again in docs/pictures. `confirm` trains the
winner's settings and the defaults with fresh seeds, the same for both, and plays them against each
other. `rungs` tells of sweeps with rungs how the defaults stood in each rung beside the best of the
others; rungs.csv there keeps it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from scipy import stats

import evolve
from benchmarks.trained import over_seeds, played
from evolve.agents.agent import Agent
from evolve.arena.judges import Panel
from evolve.config.learning import TrainingSettings
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import config_text, read_toml, resolve_as
from evolve.fitness.executor import Threads
from evolve.learning.training import InMemoryTraining
from evolve.plots.figure import Look
from evolve.plots.sweep_charts import plot_sweep
from evolve.runs.progress import Observer
from evolve.sweeps.learning_plan import LearningPlan
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.space import Parameter
from evolve.sweeps.storage import open_journal
from evolve.sweeps.study import Study
from evolve.sweeps.sweep import opened_sweep
from evolve.sweeps.trials import TrialResult, rows_of
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.trials import write_trials

DATA = Path("docs/evidence/data/sweeps")
PICTURES = Path("docs/pictures")
PUBLISHED: dict[Any, dict[str, Any]] = {
    "dqn": {"kind": "dqn", "budget": 40.0, "panel_openings": 30, "fix": {"lookahead": 0}},
    "mcts": {"kind": "mcts", "budget": 40.0, "panel_openings": 30},
    "lookahead": {"kind": "dqn", "budget": 40.0, "panel_openings": 30},
}
"""Settings of the sweeps whose trials docs/evidence/data/sweeps keeps."""


def overhead(trials: int) -> None:
    for kind in SWEEP_TARGETS:
        if kind == "program":
            continue  # its trials are games of a program, which no study waits for
        for sampler in ("tpe", "cma", "random"):
            options = {"kind": kind, "trials": 10**6, "sampler": sampler}
            plan = plan_of(resolve_as(SweepSettings, {}, options))
            took = []
            with tempfile.TemporaryDirectory() as folder:
                journal = Path(folder) / "journal.log"
                study = Study(plan, open_journal(journal), "s")
                rng = np.random.default_rng(0)
                for _ in range(trials):
                    begin = time.perf_counter()
                    taken = study.take("worker")
                    assert taken is not None
                    for step in range(1, 5):
                        study.report(taken.number, step, float(rng.random()), 0.01)
                    study.end(
                        taken.number,
                        TrialResult.complete(float(rng.random()), 0.1, "x"),
                    )
                    rows = rows_of(study.trials(), plan.space.names)
                    types = {p.name: p.type for p in plan.space.parameters}
                    write_trials(Path(folder), rows, types)
                    took.append(time.perf_counter() - begin)
            print(
                f"{kind:10} {sampler:7} {len(plan.space.parameters):3} parameters: median "
                f"{1e3 * statistics.median(took):5.1f} ms a trial, last ten "
                f"{1e3 * statistics.median(took[-10:]):5.1f} ms",
                flush=True,
            )


class _Counting(Observer):
    """An observer that notes when trials end."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.ends.append(time.monotonic())

    def note(self, text: str) -> None:
        print(text)


def speedup(trials: int) -> None:
    rates: dict[int, list[float]] = {}
    for jobs in (1, 2, 1, 2):
        options = {
            "kind": "mcts",
            "trials": trials * jobs,
            "jobs": jobs,
            "budget": 4.0,
            "sampler": "random",
            "pruner": "none",
            "panel_openings": 5,
            "study": "s",
        }
        settings = resolve_as(SweepSettings, {}, options)
        with tempfile.TemporaryDirectory() as folder:
            watch = _Counting()
            with opened_sweep(Path(folder), settings) as sweep:
                sweep.run_trials(watch)
        # The first trial of every worker also starts it.
        ends = watch.ends[jobs - 1 :]
        rates.setdefault(jobs, []).append((len(ends) - 1) / (ends[-1] - ends[0]))
        print(f"{jobs} workers: {rates[jobs][-1]:.3f} trials a second", flush=True)
    print(f"two workers over one: {np.median(rates[2]) / np.median(rates[1]):.2f}")


def pictures() -> None:
    for name, settings in PUBLISHED.items():
        plan = plan_of(resolve_as(SweepSettings, {}, settings))
        draw(plan, name, pd.read_csv(DATA / f"{name}.csv"))


def draw(plan: Plan, name: str, trials: pd.DataFrame) -> None:
    """The picture of a sweep whose trials are kept, as `evolve plot` draws it."""
    rows: Any = trials.astype(object).where(trials.notna(), None).to_dict("records")
    for row in rows:
        row["reports"] = json.loads(row["reports"])
    types = {parameter.name: parameter.type for parameter in plan.space.parameters}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        folder.mkdir()
        (folder / CONFIG_FILE).write_text(config_text(plan.sweep, {}, f"sweep {plan.sweep.kind}"))
        write_trials(folder, rows, types)
        plot_sweep(evolve.Run(folder), Look()).save(PICTURES / f"sweep-{name}.png")


def taught(plan: LearningPlan, values: dict[str, Any], seed: int, budget: float) -> Agent:
    settings = plan.settings(values, seed).model_copy(update={"budget": budget})
    assert isinstance(settings, TrainingSettings)
    course = InMemoryTraining(settings, 1)
    course.warm_up()
    while course.finished is None:
        course.iterate(lambda games, share: None)
    agent: Agent = course.learner.agent()
    return agent


def rounded(value: Any, digits: int | None, parameter: Parameter) -> Any:
    """A value with so many digits; those on a grid as they are."""
    if digits is None or parameter.kind == "choice" or value == 0:
        return value
    if parameter.kind == "int" and not parameter.log:
        return value
    return type(value)(float(f"{value:.{digits}g}"))


def confirm(
    folder: Path, seeds: int, budget: float | None, games: int, jobs: int, digits: int | None
) -> None:
    run = evolve.load_run(folder)
    stored = {**read_toml(folder / CONFIG_FILE), "kind": run.command.removeprefix("sweep ")}
    plan = plan_of(resolve_as(SweepSettings, {}, {}, stored))
    assert isinstance(plan, LearningPlan)
    champion: Any = evolve.load_agent(folder)
    row = run.trials.set_index("number").loc[champion.provenance["trial"]]
    values = {
        name: rounded(
            value.item() if hasattr(value := row[name], "item") else value, digits, plan.space[name]
        )
        for name in plan.space.names
    }
    assert plan.defaults is not None
    seconds = budget or plan.sweep.budget or 60.0
    print(f"{folder}: trial {champion.provenance['trial']} against the defaults, {seconds:g} CPU s")
    for name, value in values.items():
        print(f"  {name:20} {value!s:24} default {plan.defaults[name]}")

    def pair(seed: int) -> list[Agent]:
        return [taught(plan, chosen, seed, seconds) for chosen in (values, plan.defaults or {})]

    numbers = [10_000 + number for number in range(seeds)]
    agents = joblib.Parallel(n_jobs=jobs)(joblib.delayed(pair)(number) for number in numbers)
    scores = []
    for number, (tuned, default) in zip(numbers, agents, strict=True):
        scores.append(played(tuned, default, games, number, jobs).score.value)
        print(f"seed {number}: {scores[-1]:.3f}", flush=True)
    panel = Panel(plan.sweep.panel, 200, plan.sweep.rules, 12345)
    means = [[panel.judge(agent, Threads(jobs)).score for agent in both] for both in agents]
    mean, low, high = over_seeds(scores)
    # Two-sided, over seeds: is the mean score another one than a half?
    p = stats.ttest_1samp(scores, 0.5).pvalue
    paired = stats.ttest_rel([m[0] for m in means], [m[1] for m in means]).pvalue
    print(f"score {mean:.3f} [{low:.3f}, {high:.3f}] over {seeds} seeds, p = {p:.4f}")
    print(
        f"against the panel: tuned {np.mean([m[0] for m in means]):.3f}, defaults "
        f"{np.mean([m[1] for m in means]):.3f}, paired p = {paired:.4f}"
    )


def rungs(folders: list[Path]) -> None:
    """Print a row a sweep, and keep the scores of all rungs."""
    tables = []
    for folder in folders:
        run = evolve.load_run(folder)
        trials = run.trials.assign(
            rung="trials",
            candidate=[
                origin if origin == "defaults" else f"trial-{number}"
                for origin, number in zip(run.trials["origin"], run.trials["number"], strict=True)
            ],
        )
        lives = pd.concat([trials, run.table("rungs")], ignore_index=True)
        lives = lives[lives["state"] == "COMPLETE"]
        means = lives.groupby(["rung", "candidate"])["score"].agg(["mean", "count"]).reset_index()
        sampler, seed = str(run.config["sampler"]), run.config["seed"]
        tables.append(means.assign(sampler=sampler, seed=seed))
        parts = []
        for rung in means["rung"].unique():
            here = means[means["rung"] == rung].set_index("candidate")["mean"]
            others = here.drop("defaults")
            parts.append((rung, f"{here['defaults']:.3f}, {others.max():.3f} ({others.idxmax()})"))
        parts.sort(key=lambda part: (part[0] != "trials", part[0]))
        cells = " | ".join(f"{rung}: {text}" for rung, text in parts)
        final = json.loads((folder / "final.json").read_text())
        won = "defaults" if final["winner"] == final["defaults"] else f"trial-{final['winner']}"
        against = final["against_defaults"]
        shown = "" if against is None else f" ({against['score']:.3f} in the retest)"
        print(f"| `{sampler}`, seed {seed} | {cells} | {won}{shown} |")
    frame = pd.concat(tables).rename(columns={"mean": "score", "count": "lives"})
    order = ["sampler", "seed", "rung", "candidate", "lives", "score"]
    frame[order].to_csv(DATA / "rungs.csv", index=False, float_format="%.4f")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    costs = commands.add_parser("overhead")
    costs.add_argument("--trials", type=int, default=60)
    faster = commands.add_parser("speedup")
    faster.add_argument("--trials", type=int, default=16)
    commands.add_parser("pictures")
    confirming = commands.add_parser("confirm")
    confirming.add_argument("sweep", type=Path)
    confirming.add_argument("--seeds", type=int, default=6, choices=range(2, 9))
    confirming.add_argument("--budget", type=float)
    confirming.add_argument("--digits", type=int, help="that the values are rounded to")
    confirming.add_argument("--games", type=int, default=400)
    confirming.add_argument("--jobs", type=int, default=2)
    climbing = commands.add_parser("rungs")
    climbing.add_argument("sweeps", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "overhead":
        overhead(given.trials)
    elif given.command == "speedup":
        speedup(given.trials)
    elif given.command == "pictures":
        pictures()
    elif given.command == "confirm":
        confirm(given.sweep, given.seeds, given.budget, given.games, given.jobs, given.digits)
    else:
        rungs(given.sweeps)


if __name__ == "__main__":
    main()
