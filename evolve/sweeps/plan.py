"""The plan of a sweep: its space, and what the values of a trial mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent
from evolve.agents.mcts import MctsAgent
from evolve.agents.reference import RandomAgent, read_agent
from evolve.arena.sprt import Sprt
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.extras import imported, need
from evolve.files.folder import FolderPath
from evolve.runs.loading import load_agent
from evolve.sweeps.objective import Objective
from evolve.sweeps.space import Space
from evolve.sweeps.trials import Outcome, Report, Task, agent_file, keep


@dataclass(frozen=True)
class Plan(ABC):
    """A sweep's space, and the meaning of a trial. Raises SettingsError when it is impossible.

    Each way of making an agent has its own class: `plan_of` makes the plan of a sweep.

    begun: for a resumed study, the ranges that it began with, as text.
    """

    sweep: SweepSettings
    begun: Mapping[str, str] | None = None

    @property
    @abstractmethod
    def space(self) -> Space:
        """The parameters, with the ranges that the settings give."""

    @property
    @abstractmethod
    def defaults(self) -> dict[str, Any] | None:
        """The values of the defaults; None where the space does not hold them."""

    @abstractmethod
    def check(self, values: Mapping[str, Any]) -> None:
        """Raise an EvolveError for values that no trial can have."""

    @abstractmethod
    def run(self, objective: Objective, task: Task, report: Report) -> Outcome:
        """Run a trial to its end, or until `report` ends it."""

    def try_out(self) -> None:
        """Check that trials can begin, apart from the settings: here nothing."""
        return

    def brief(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Return a trial's further input as JSON, from the trials so far: here nothing."""
        return {}

    def agent_of(self, folder: FolderPath, trial: FrozenTrial) -> Agent | None:
        """Return the agent of a complete trial in a sweep's folder; None where it is not here."""
        file = agent_file(folder, trial)
        return read_agent(file) if file.exists() else None

    def crown(
        self, folder: FolderPath, trial: FrozenTrial, facts: Mapping[str, Any]
    ) -> FolderPath | None:
        """Make a trial's agent the sweep's champion; return its file, None where it is not here."""
        file = agent_file(folder, trial)
        return keep(folder, read_agent(file).with_provenance(**facts)) if file.exists() else None

    @property
    def test(self) -> Sprt | None:
        """The test that ends the winner's match with the defaults; None without one."""
        return None

    def pin_cores(self, place: int) -> None:
        """Pin a worker process, the `place`-th from 0, to its cores: here nothing."""
        return

    def games_of(self, trials: Sequence[FrozenTrial]) -> int:
        """Count the games that trials have played, or may still play while they run."""
        games = 2 * self.sweep.panel_openings * len(self.sweep.panel)
        running = sum(trial.state == TrialState.RUNNING for trial in trials)
        ended = [one for one in trials if one.state != TrialState.RUNNING]
        return running * self.games_of_one + games * sum(len(t.intermediate_values) for t in ended)

    @property
    def games(self) -> int | None:
        """Games that all trials together may play; None for any."""
        return None

    @property
    def games_of_one(self) -> int:
        """Games of a trial that runs to its end."""
        return self.sweep.trial_games

    def openings_of_final(self, trials: Sequence[FrozenTrial], matches: int) -> int:
        """Return the openings of each match of a final with `matches` matches, after these trials.

        The number is in proportion to their games, and at most what was planned.
        """
        found = self.sweep.openings_after(self.games_of(trials), matches)
        if self.games is None or self.sweep.final_openings is not None:
            return found
        return min(found, self.sweep.final_games // (2 * max(1, matches)))

    @property
    def bounded(self) -> SweepSettings:
        """The sweep's settings, with no more trials than there are settings to search."""
        count = self.space.count
        if count is None or not self.searches:
            return self.sweep
        return self.sweep.model_copy(update={"trials": min(self.sweep.trials, count)})

    def repeats(self, trials: Sequence[FrozenTrial]) -> bool | None:
        """Return whether a setting that is tried again gets the same score.

        Here False, because each trial has its own seed. None: the trials so far do not show it yet.
        """
        return False

    def check_new(self) -> None:
        """Raise SettingsError for what a new sweep cannot begin with: here nothing.

        An existing sweep may still be resumed with it.
        """
        return

    def remark(self, trials: Sequence[FrozenTrial]) -> str | None:
        """Return what the user should know from the trials so far; None for nothing."""
        return None

    @property
    def identity(self) -> dict[str, Any]:
        """What a trial's score depends on, as JSON; all writers to one study share it."""
        return self.sweep.identity

    @property
    def is_population_based(self) -> bool:
        """Whether trials come in generations, with all values of a generation proposed together."""
        return False

    @property
    def searches(self) -> bool:
        """Whether trials try settings one after another, each of which counts.

        False for members of a population and for steps of SPSA, which play one another.
        """
        return not self.is_population_based and self.sweep.sampler != "spsa"

    @property
    def tolerates_failures(self) -> bool:
        """Whether trials may fail in a row once one is complete; failed ones count as trials."""
        return False

    def prepare(self, objective: Objective) -> None:
        """Do work that no trial should pay for, before a process's first trial: here nothing."""
        return

    def seed_of(self, number: int) -> int:
        """Return a trial's own seed, drawn from the sweep's."""
        state = np.random.SeedSequence([self.sweep.seed, number]).generate_state(1)
        return int(state[0])


def plays_again(agent: Agent) -> bool:
    """Return whether an agent's games come out the same when they are played again.

    Agents that draw at random do so from the number of the game. Programs, and agents that play by
    the clock, may not repeat.
    """
    drawn = isinstance(agent, RandomAgent | MctsAgent) and agent.limit.seconds is None
    return agent.repeats or drawn


def plan_of(sweep: SweepSettings) -> Plan:
    """Make the plan of a sweep, of the class that its kind names."""
    plan: Plan = imported(SWEEP_TARGETS[sweep.kind].plan)(sweep)
    return plan


def check_settings(sweep: SweepSettings) -> None:
    """Raise SettingsError for settings that no trial can have."""
    plan = plan_of(sweep)
    plan.check(plan.defaults or {one.name: one.example for one in plan.space.parameters})


def checked_plan(settings: SweepSettings) -> Plan:
    """Make the plan of a sweep, and check that it is possible before hours are spent on it.

    Raises SettingsError, AgentError, ExtraError or EngineError. Changes nothing.
    """
    for package in ("torch", "scipy") if settings.sampler == "gp" else ():
        need(package, "sampler gp")
    plan = plan_of(settings)
    for name in settings.panel:
        load_agent(name).prepare()
    values = plan.defaults
    if values is None:
        values = {p.name: p.example for p in plan.space.parameters}
    ends = [{}, *({p.name: end} for p in plan.space.parameters for end in p.ends)]
    for changes in ends:
        plan.check({**values, **changes})
    plan.try_out()
    return plan
