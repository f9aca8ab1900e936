"""A sweep over a program's parameters: a trial is the program with one set of values."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import tomli_w
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent
from evolve.agents.registry import programs_in
from evolve.arena.match import Match
from evolve.errors import AgentError, AgentFileError, EngineError, SettingsError
from evolve.files.atomic import write_text
from evolve.fitness.games import GamesDone
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import (
    ELO_SCALE,
    Z95,
    Estimate,
    elo_of,
    finite,
    score_of_elo,
    strength_among,
)
from evolve.parsing import parse_json, read_document
from evolve.programs.external import ExternalAgent
from evolve.runs.agreements import not_agreed
from evolve.runs.life_cycle import stored_settings
from evolve.runs.run_types import SWEEPS, check_links
from evolve.sweeps.final import DEFAULTS, is_defaults
from evolve.sweeps.program_parameters import ParametersPlan
from evolve.sweeps.trials import MIRROR, PLAYED, Objective, Report, Task, TrialResult, trial_file
from evolve.tables.paths import BEST_FILE, BEST_TOML, CONFIG_FILE

_FIRST_PAIRS: Final = 2
"""Pairs of games of the defaults with themselves: enough to see that they play."""


_Scores = Iterator[tuple[float, float, bool]]
"""The scores of a trial so far, their errors, and whether each is the last."""


@dataclass(frozen=True)
class ProgramPlan(ParametersPlan):
    """A trial is the program with these values; it plays its opponents in parts."""

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise AgentError for a missing program."""
        self.agent(values, "example")

    def trial_context(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Return its opponents besides the defaults: its mirror image, or the best trial so far."""
        if MIRROR in trial.user_attrs:
            return {MIRROR: trial.user_attrs[MIRROR]}
        if is_defaults(trial):
            return {DEFAULTS: True}
        if self.sweep.objective == "panel":
            return {}
        complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
        best = max(complete, key=_certain, default=None)
        if best is None or is_defaults(best):
            return {}
        elo = finite(elo_of(best.values[0]))
        return {"best": {"number": best.number, "values": dict(best.params), "elo": elo}}

    def run(self, objective: Objective, task: Task, report: Report) -> TrialResult:
        """Let the program play its opponents in parts; it may end after each part."""
        agent = self.agent(task.values, f"trial-{task.number}")
        try:
            if MIRROR in task.context:
                scores = self._step(objective, task, agent)
            elif self.sweep.objective == "panel":
                scores = self._judged(objective, agent)
            else:
                scores = self._compared(objective, task, agent)
            score, error = 0.5, 0.0
            for step, (score, error, last) in enumerate(scores, 1):
                if report(step, score, error) and not last:
                    return TrialResult.pruned()
            if MIRROR in task.context:  # it is not a candidate
                return TrialResult.pruned()
            path = trial_file(objective.folder, task.number, ".json")
            result = {"trial": task.number, "score": score, "error": error}
            write_text(path, json.dumps({**self.facts(task.values), **result}, indent=1) + "\n")
            file = path.relative_to(objective.folder).as_posix()
            return TrialResult.complete(score, error, file)
        except EngineError as error:
            return TrialResult.failed(str(error))
        finally:
            agent.close()

    def _step(self, objective: Objective, task: Task, agent: ExternalAgent) -> _Scores:
        """Yield the score of a step of SPSA, which plays its mirror image."""
        below = self._opponent(objective, task.context[MIRROR], "mirror")
        openings = self.openings(self.sweep.pairs, task.number)
        score = self._meet(objective, agent, below, openings)
        yield score.value, score.error, True

    def _compared(self, objective: Objective, task: Task, agent: ExternalAgent) -> _Scores:
        """Yield predicted scores against the defaults, part by part."""
        assert self.defaults is not None
        defaults = self._opponent(objective, self.defaults, "defaults")
        if task.context.get(DEFAULTS):
            self._meet(objective, agent, defaults, self.openings(_FIRST_PAIRS))
            yield 0.5, 0.0, True
            return
        others: list[tuple[Agent, float]] = [(defaults, 0.0)]
        best = task.context.get("best")
        if best is not None:
            others.append((self._opponent(objective, best["values"], "best"), best["elo"]))
        openings = self.openings(self.sweep.pairs)
        shares = _shares_of([elo for _, elo in others], others[-1][1])
        met: list[tuple[float, int, float]] = []
        for start, stop in parts_of(self.sweep.pairs, self.sweep.reports):
            for (other, elo), part in zip(others, shared(start, stop, shares), strict=True):
                if part:
                    chosen = Openings(openings.moves[part])
                    score = self._meet(objective, agent, other, chosen)
                    met.append((elo, score.n, score.value * score.n))
            yield *_score_predicted(rated(met)), stop == self.sweep.pairs

    def _meet(
        self, objective: Objective, agent: ExternalAgent, other: Agent, openings: Openings
    ) -> Estimate:
        match = Match(agent, other, openings, self.sweep.rules, seed=self.sweep.seed)
        _play(objective, match)
        return match.result.observed

    def _opponent(
        self, objective: Objective, values: Mapping[str, Any], name: str
    ) -> ExternalAgent:
        """Return the program with another trial's values; it keeps running for later trials."""
        kept, agent = objective.programs.get(name, (None, None))
        if kept != values:
            if agent is not None:
                agent.close()
            agent = self.agent(values, name)
            objective.programs[name] = dict(values), agent
        return cast("ExternalAgent", agent)

    def _judged(self, objective: Objective, agent: ExternalAgent) -> _Scores:
        """Yield mean scores against the panel in the same way."""
        panel = objective.panel
        scores: list[Estimate] = []
        for start, stop in parts_of(self.sweep.panel_openings, self.sweep.reports):
            part = Openings(panel.openings.moves[start:stop])
            play = partial(_play, objective)
            scores += panel.judge(agent, openings=part, play=play).scores
            count = sum(score.n for score in scores)
            points = sum(score.value * score.n for score in scores)
            error = math.sqrt(sum((score.error * score.n) ** 2 for score in scores)) / count
            yield points / count, error, stop == self.sweep.panel_openings

    def openings(self, count: int, *key: int) -> Openings:
        """Return the same openings for all trials, or those of a key."""
        rng = np.random.default_rng([self.sweep.seed, 1, *key])
        return balanced_openings(count, Part.PANEL, self.sweep.rules, rng)

    def agent_of(self, folder: Path, trial: FrozenTrial) -> Agent:
        return self.agent(trial.params, f"trial-{trial.number}")

    def save_champion(self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]) -> None:
        """Write the best parameters as JSON and as TOML."""
        tuned = self.facts(trial.params)
        elo = finite(elo_of(trial.values[0])) if trial.values else None
        document = {**tuned, "trial": trial.number, "elo_in_the_sweep": elo, **facts}
        write_text(folder / BEST_FILE, json.dumps(document, indent=1) + "\n")
        write_text(folder / BEST_TOML, tomli_w.dumps(tuned["parameters"]))

    def check_start(self) -> None:
        """See Plan: start the program with its defaults; EngineError where it does not work."""
        program = self.agent(self.defaults or {}, "the program")
        try:
            program.prepare()
            own, rules = program.own_rules(), self.sweep.rules
        finally:
            program.close()
        if own is not None and own != rules:
            raise SettingsError(
                f"rules: the program says that it plays {own}, not {rules}: add --rules {own}"
            )


def tuned_agent(folder: Path) -> Agent:
    """The program of a sweep with its best values, as a player of the sweep's rules.

    AgentError where this user did not start the sweep in that folder.
    """
    check_links(folder)
    settings = stored_settings(SWEEPS, SWEEPS.command("program"), folder / CONFIG_FILE)
    plan = ProgramPlan(settings)
    try:
        stored = parse_json(read_document(folder / BEST_FILE))["parameters"]
        values = {p.name: p.taken(stored[p.name]) for p in plan.space.parameters}
        if None in values.values():
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise AgentFileError(f"{folder / BEST_FILE} has no values of its sweep") from None
    if not_agreed(folder, programs_in(settings)):
        raise AgentError(
            f"{folder} has a program that you did not start there; if you trust it, name it "
            f"instead: {plan.line(values)}"
        )
    return plan.agent(values, "").with_rules(settings.rules)


def _play(objective: Objective, match: Match, progress: GamesDone | None = None) -> None:
    """Play a match; EngineError where a program fails in any of its games."""
    begin = time.perf_counter()
    try:
        match.play(progress)
    finally:
        objective.count(match.played, time.perf_counter() - begin)
        objective.facts["games"] = objective.facts[PLAYED]  # for the table
    for player, prefix in ((0, ""), (1, f"{match.names[1]}: ")):
        failure = match.first_failure(player)
        if failure is not None:
            raise EngineError(f"{prefix}{failure}")


def _certain(trial: FrozenTrial) -> float:
    """Return the score less its error: the certain part of a trial's score."""
    return float(trial.values[0]) - float(trial.user_attrs.get("score_error", 0.0))


def _score_predicted(elo: Estimate) -> tuple[float, float]:
    """Return the score that an Elo predicts against the defaults, and its standard error."""
    score = score_of_elo(elo.value)
    return score, score * (1.0 - score) / ELO_SCALE * elo.error


def rated(met: Sequence[tuple[float, int, float]]) -> Estimate:
    """Return the likeliest Elo by Bradley and Terry (1952), with the opponents' Elo held fixed.

    met: the Elo of each opponent, the games against it, and the points scored in them. Adds a draw
    with each opponent, so that no rating is infinite after a few games. Games count as independent,
    which overstates the error for pairs with swapped colours.
    """
    elos, games, points = np.array([opponent for opponent in met if opponent[1]]).T
    ratings, with_draws = elos / ELO_SCALE, games + 1.0
    strength = strength_among(ratings, with_draws, sum((points + 0.5).tolist()))
    chance = 1.0 / (1.0 + np.exp(ratings - strength))
    error = ELO_SCALE / math.sqrt(float((with_draws * chance * (1.0 - chance)).sum()))
    return Estimate.around(ELO_SCALE * strength, Z95 * error, int(games.sum()))


def _shares_of(elos: Sequence[float], elo: float) -> list[float]:
    """Return the best shares of games against opponents of these Elo, for a player of about `elo`.

    A share is in proportion to the information of a game, p (1 − p). The sum is 1.
    """
    information = [(p := score_of_elo(elo - other)) * (1 - p) for other in elos]
    return [part / sum(information) for part in information]


def parts_of(count: int, parts: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of `count` things cut into that many parts, none of them empty."""
    ends = sorted({round(count * part / parts) for part in range(parts + 1)})
    return pairwise(ends)


def shared(start: int, stop: int, shares: Sequence[float]) -> list[list[int]]:
    """Share out the numbers from start to stop; whichever has the largest deficit comes first."""
    parts: list[list[int]] = [[] for _ in shares]
    debts = [share * start - int(share * start) for share in shares]
    for number in range(start, stop):
        debts = [debt + share for debt, share in zip(debts, shares, strict=True)]
        most = debts.index(max(debts))
        debts[most] -= 1.0
        parts[most].append(number)
    return parts
