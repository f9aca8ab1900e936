"""Sweeps: what they cost, and whether what they find is better.

    python -m benchmarks.sweeps cost [--trials 60] [--numbers 200]
    python -m benchmarks.sweeps speedup [--trials 16]
    python -m benchmarks.sweeps waiting [--trials 4]
    python -m benchmarks.sweeps pictures
    python -m benchmarks.sweeps confirm SWEEP [--seeds 6] [--budget 60] [--digits 2]

`cost` is what a trial takes besides its games; of `--numbers`, in a sweep of a program with so many
by SPSA, of which each step starts two programs. `speedup` compares the games of trials that one and
two workers play in the same time, `waiting` up to sixteen with a program that waits. `pictures`
draws the sweeps whose trials docs/evidence/data/sweeps keeps again in docs/pictures. `confirm`
trains the winner's settings and the defaults with fresh seeds, the same for both, and plays them
against each other.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
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
from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.config.toml import config_text, read_toml, resolve_as
from evolve.fitness.executor import Threads
from evolve.learning.learner import InMemoryTraining
from evolve.plots.figure import Look
from evolve.plots.run_charts import plot_sweep
from evolve.runs.progress import Observer
from evolve.sweeps.learning_plan import LearningPlan
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.space import Parameter
from evolve.sweeps.sweep import Sweep
from evolve.sweeps.trial import games_of
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


class _Counting(Observer):
    """An observer that notes when trials end."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.ends.append(time.monotonic())

    def note(self, text: str) -> None:
        print(text)


_ALIKE = {"sampler": "random", "pruner": "none"}


def speedup(trials: int) -> None:
    options = {"kind": "mcts", "budget": 4.0, "panel_openings": 5}
    _compare_workers(SweepSettings, options, trials, (1, 2, 1, 2))


def waiting(trials: int) -> None:
    words = f"{sys.executable} -IS tests/sweeps/tuned.py --wait 0.05"
    options = {"program": f"gtp:{words} --corner {{corner:0:999=1}}", "pairs": 2}
    _compare_workers(ProgramSweepSettings, options, trials, (1, 4, 16))


def _compare_workers(
    model: type[SweepSettings], options: Mapping[str, Any], trials: int, tried: Sequence[int]
) -> None:
    """Print how many games of trials a second numbers of workers play, and the ratio to one's."""
    rates: dict[int, list[float]] = {}
    for jobs in tried:
        settings = resolve_as(
            model, {}, {**options, **_ALIKE, "trials": trials * jobs, "jobs": jobs}
        )
        with tempfile.TemporaryDirectory() as folder:
            watch = _Counting()
            sweep = Sweep(Path(folder), settings)
            begin = time.monotonic()
            sweep.run_trials(watch)
            games = games_of(sweep.study.trials(), 0)
        # Of the whole time, with the start of the workers and the wait for the last of them. Games
        # count, not trials: the first trial of a program has more of them.
        rates.setdefault(jobs, []).append(games / (watch.ends[-1] - begin))
        ratio = np.median(rates[jobs]) / np.median(rates[1])
        print(
            f"{jobs} workers: {rates[jobs][-1]:.3f} games a second, {ratio:.2f} times", flush=True
        )


def cost(trials: int, numbers: int) -> None:
    model: type[SweepSettings] = SweepSettings
    options = dict[str, Any](trials=trials, kind="alphabeta")
    options |= {"panel": ("random",), "panel_openings": 2, "fix": {"depths": 1, "endgame": 0}}
    if numbers:
        model = ProgramSweepSettings
        program = f"gtp:{sys.executable} -IS tests/sweeps/tuned.py"
        space = {f"x{number}": {"low": 0, "high": 100} for number in range(numbers)}
        options = {"trials": trials, "program": program, "set_by": "gtp", "space": space}
        options |= {"sampler": "spsa", "pairs": 2}
    settings = resolve_as(model, {}, options)
    with tempfile.TemporaryDirectory() as folder:
        watch = _Counting()
        sweep = Sweep(Path(folder), settings)
        sweep.run_trials(watch)
        played = [trial.user_attrs["play_seconds"] for trial in sweep.study.trials()]
    took = 1e3 * (np.diff(watch.ends) - np.array(played[1:]))
    for name, part in {"first": took[:50], "last": took[-50:]}.items():
        print(
            f"besides its games a trial takes {np.median(part):.0f} ms, the {name} 50", flush=True
        )
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


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
    settings = plan.settings_of(values, seed).model_copy(update={"budget": budget})
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    costs = commands.add_parser("cost")
    costs.add_argument("--trials", type=int, default=60)
    costs.add_argument("--numbers", type=int, default=0)
    for name, usual in (("speedup", 16), ("waiting", 4)):
        commands.add_parser(name).add_argument("--trials", type=int, default=usual)
    commands.add_parser("pictures")
    confirming = commands.add_parser("confirm")
    confirming.add_argument("sweep", type=Path)
    confirming.add_argument("--seeds", type=int, default=6, choices=range(2, 9))
    confirming.add_argument("--budget", type=float)
    confirming.add_argument("--digits", type=int, help="that the values are rounded to")
    confirming.add_argument("--games", type=int, default=400)
    confirming.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.command == "cost":
        cost(given.trials, given.numbers)
    elif given.command == "speedup":
        speedup(given.trials)
    elif given.command == "waiting":
        waiting(given.trials)
    elif given.command == "pictures":
        pictures()
    else:
        confirm(given.sweep, given.seeds, given.budget, given.games, given.jobs, given.digits)


if __name__ == "__main__":
    main()
