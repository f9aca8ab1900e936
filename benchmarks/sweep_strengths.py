"""Do the strengths that a sweep of a program gives hold? Simulated programs, of known strength.

    python -m benchmarks.sweep_strengths [--sweeps 200] [--games 1500] [--cycle 40] [--jobs 2]

The trials are those of `evolve sweep program`, proposed and pruned as there; but for each game a
result is drawn, by the strengths of the two: a hill over three parameters, some 400 Elo over the
defaults, and a tenth of the games between equals are drawn. With --cycle, each two settings have a
difference of their own on top, of up to so many Elo, so that strengths do not add up. The truth of
a trial is what it scores against the defaults, in Elo.

Printed are the share of 95 % intervals that hold the truth: of all trials, of the five best, and of
the winner's fresh games; by how much the latter are too high; what the winner gains; by how much it
is worse than the best of the five; by how many Elo the sweep says that differences do not add up;
and how often it says so.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import joblib
import numpy as np
from optuna.trial import FrozenTrial

from evolve.agents.agent import Agent
from evolve.config.sweep import ProgramSweepSettings
from evolve.config.toml import resolve_as
from evolve.fitness.openings import Openings
from evolve.fitness.statistics import Estimate, mean_of, score_of_elo, score_of_pairs
from evolve.fitness.strengths import Met, unexplained_by_strengths
from evolve.programs.external import ExternalAgent
from evolve.sweeps.final import openings_of_final, settings_ranked
from evolve.sweeps.program_plan import ProgramPlan
from evolve.sweeps.study import Study
from evolve.sweeps.tables import gain_of
from evolve.sweeps.trial import MET, SAME, Slice, State, Trial, TrialResult, is_defaults
from evolve.tables.trials import Against, FinalDocument

PROGRAM: Final = "gtp:true {a:0:60=0} {b:-5:20=0} {c:-5:10=0}"
_HILL: Final = 400.0
"""Elo of the top over the defaults."""
_DRAWN: Final = 0.1
_BEST: Final = 5
FIGURES: Final = (
    "all trials", "best five", "winner", "too high", "gain", "worse than the best",
    "Elo that do not add up", "not by chance",
)  # fmt: skip


class SimulatedPlan(ProgramPlan):
    """A sweep of a program of which only the strength is known."""

    world: World

    def meet(
        self, trial: Trial, agent: Agent, other: Agent, openings: Openings
    ) -> tuple[Estimate, bool]:
        pairs = self.world.pairs(_values(agent), _values(other), len(openings))
        trial.count(2 * len(pairs), 0.0)
        trial.facts["games"] = trial.facts["played"]
        return score_of_pairs(pairs), False


def _values(agent: Agent) -> tuple[int, ...]:
    assert isinstance(agent, ExternalAgent)
    return tuple(map(int, agent.command.split()[1:]))


class World:
    """Strengths of settings, and the results of games between them."""

    def __init__(self, seed: int, cycle: float) -> None:
        self._rng = np.random.default_rng([seed, 1])
        self._top = self._rng.uniform((0.4, 0.3, 0.3), (0.9, 0.7, 0.8))
        self._cycle = cycle
        self._own: dict[tuple[tuple[int, ...], ...], float] = {}
        self._scale = _HILL / self._fall((0, 0, 0))

    def _fall(self, values: Sequence[int]) -> float:
        place = (np.array(values) - (0, -5, -5)) / (60, 25, 15)
        return float(((place - self._top) ** 2).sum())

    def elo(self, values: tuple[int, ...], other: tuple[int, ...] = (0, 0, 0)) -> float:
        """The Elo of a setting over another one, by default the defaults."""
        if values == other:
            return 0.0
        if (values, other) not in self._own:
            own = self._rng.uniform(-self._cycle, self._cycle)
            self._own |= {(values, other): own, (other, values): -own}
        hill = self._scale * (self._fall(other) - self._fall(values))
        return hill + self._own[values, other]

    def pairs(self, values: tuple[int, ...], other: tuple[int, ...], count: int) -> Any:
        """The scores of pairs of games, [count]."""
        share = score_of_elo(self.elo(values, other))
        drawn = 4 * share * (1 - share) * _DRAWN
        lots = self._rng.random((count, 2))
        points = (lots < share - drawn / 2) + 0.5 * (np.abs(lots - share) <= drawn / 2)
        return points.mean(axis=1)


def figures(seed: int, games: int, cycle: float) -> list[float]:
    """The figures of one sweep, in the order of FIGURES."""
    given = {"kind": "program", "program": PROGRAM, "games": games, "seed": seed}
    settings: ProgramSweepSettings = resolve_as(ProgramSweepSettings, {}, given)
    plan = SimulatedPlan(settings)
    world = World(seed, cycle)
    object.__setattr__(plan, "world", world)
    with tempfile.TemporaryDirectory() as scratch:
        trials = _trials(Study(plan, Path(scratch, "journal.log")), plan)

    def truth(trial: FrozenTrial) -> float:
        return world.elo(tuple(trial.params.values()))

    def holds(trial: FrozenTrial) -> bool:
        found = trial.user_attrs
        return bool(found["elo_low"] <= truth(trial) <= found["elo_high"])

    tried = [t for t in trials if "elo_low" in t.user_attrs and SAME not in t.user_attrs]
    best = [t for t in settings_ranked(trials) if not is_defaults(t)][:_BEST]
    finalists = best[: settings.finalists]
    openings = openings_of_final(settings, trials, settings.final_matches)
    defaults = (0, 0, 0)
    scores = [world.pairs(tuple(t.params.values()), defaults, openings).mean() for t in finalists]
    winner = finalists[int(np.argmax(scores))]
    retest = score_of_pairs(world.pairs(tuple(winner.params.values()), defaults, openings))
    against = Against(score=retest.value, low=retest.low, high=retest.high, games=retest.n)
    gain: Estimate | None = gain_of(FinalDocument(against_defaults=against))
    assert gain is not None
    left = unexplained_by_strengths(
        Met(trial.number, *row[:3]) for trial in trials for row in trial.user_attrs.get(MET, ())
    )
    assert left is not None
    return [
        float(np.mean([*map(holds, tried)])),
        float(np.mean([*map(holds, best)])),
        float(gain.low <= truth(winner) <= gain.high),
        gain.value - truth(winner),
        truth(winner),
        max(map(truth, best)) - truth(winner),
        left.elo.value,
        float(left.elo.low > 0.0),
    ]


def _trials(study: Study, plan: ProgramPlan) -> list[FrozenTrial]:
    """The trials of a whole sweep."""
    while not study.budget.over:
        task, state = study.take(), State()
        outcome = task.result
        while outcome is None:
            trial = Trial(Slice(plan.sweep, "simulated", task, state), plan.panel)
            found = plan.advance(trial)
            state = State(trial.facts)
            if isinstance(found, TrialResult):
                outcome = found
            elif study.report(task.number, found):
                outcome = TrialResult.pruned()
        study.end(task.number, replace(outcome, attributes={**state.kept, **outcome.attributes}))
    return study.trials()


def main(sweeps: int, games: int, cycle: float, jobs: int) -> None:
    """Print each figure with its interval over sweeps."""
    rows = joblib.Parallel(jobs)(
        joblib.delayed(figures)(seed, games, cycle) for seed in range(sweeps)
    )
    for name, values in zip(FIGURES, zip(*rows, strict=True), strict=True):
        mean, low, high, _ = mean_of(values)
        print(f"{name:<20} {mean:8.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--cycle", type=float, default=0.0, help="Elo, at most")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    main(given.sweeps, given.games, given.cycle, given.jobs)
