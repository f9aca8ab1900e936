"""A sweep over the settings of a learning agent: a trial is one training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evolve.agents.agent import Agent
from evolve.config.learning import TrainingSettings
from evolve.sweeps.objective import Marks, Outcome, Report, Task
from evolve.sweeps.plan import Plan

if TYPE_CHECKING:
    from evolve.learning.learner import Learner
    from evolve.sweeps.objective import Objective


@dataclass(frozen=True)
class LearningPlan(Plan):
    """A trial's agent is the network at the end of the training."""

    def run(self, objective: Objective, task: Task, report: Report) -> Outcome | None:
        """Train with these values, and play the panel at intervals."""
        number, values = task.number, task.values
        from evolve.learning.training import InMemoryTraining

        settings = self.settings(values, self.seed_of(number))
        assert isinstance(settings, TrainingSettings)
        course = InMemoryTraining(settings, 1)
        course.warm_up()
        marks = Marks(self.sweep.reports)
        while course.finished is None:
            course.iterate(lambda games, share: None)
            if (
                course.finished is None
                and marks.due(course.share)
                and report(marks.step, *objective.judged(self._judged_agent(course.learner)))
            ):
                return None
        course.finish()
        score, error = objective.judged(self._judged_agent(course.learner))
        report(marks.count, score, error)
        facts = {"games": course.games, "steps": course.learner.steps, "seed": settings.seed}
        named = objective.named(number, {**facts, **objective.scored(score, error)})
        path = objective.path(number, ".npz")
        replace(course.learner.agent(), **named).save(path)
        return Outcome(score, error, path)

    def _judged_agent(self, learner: Learner) -> Agent:
        """Return the agent that plays the panel."""
        agent: Agent = learner.agent() if self.sweep.shipped else learner.checked_agent()
        return agent

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        return {**fixed, "budget": self.sweep.budget}
