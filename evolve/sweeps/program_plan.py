"""A sweep over a program's parameters: a trial is the program with one set of values."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

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
from evolve.fitness.statistics import ELO_SCALE, Estimate, score_of_elo
from evolve.fitness.strengths import REFERENCE, Known, Met, strengths
from evolve.parsing import parse_json, read_document
from evolve.programs.external import ExternalAgent
from evolve.runs.agreements import not_agreed
from evolve.runs.life_cycle import stored_settings
from evolve.runs.run_types import SWEEPS, check_links
from evolve.runs.sweeps import gain_of
from evolve.sweeps.final import DEFAULTS, is_defaults
from evolve.sweeps.program_parameters import ParametersPlan
from evolve.sweeps.space import Parameter
from evolve.sweeps.trials import (
    ALIKE,
    FINISHED,
    MET,
    MIRROR,
    PLAYED,
    REMARK,
    SAME,
    Objective,
    Report,
    Task,
    TrialResult,
    trial_file,
)
from evolve.tables.paths import BEST_FILE, BEST_TOML, CONFIG_FILE
from evolve.tables.trials import FinalDocument

_FIRST_PAIRS: Final = 2
"""Pairs of games of the defaults with themselves: enough to see that they play."""
_PROBES: Final = 5
"""Pairs of games that all must be played alike before a parameter counts as without effect."""


_PROBED: Final = 0.25
"""Share of the games of all trials after which no parameter is probed any more."""

_Scores = Iterator[tuple[float, float, bool]]
"""The scores of a trial so far, their errors, and whether each is the last."""


class Meeting(NamedTuple):
    """The score of a program against another one; alike: both games on each opening are the same.

    So they are where programs without randomness play the same moves.
    """

    score: Estimate
    alike: bool


@dataclass(frozen=True)
class ProgramPlan(ParametersPlan):
    """A trial is the program with these values; it plays its opponents in parts.

    Strengths of programs do not add up, so the final decides by games with the defaults alone. In
    a prototype it found settings as strong as a round robin of as many games where strengths add
    up, and stronger ones where they do not.
    """

    by_defaults = True

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise AgentError for a missing program."""
        self.agent(values, "example")

    def rated(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """See Plan: with the strength of each over the defaults, from all games of the sweep."""
        if self.sweep.objective == "panel":
            return [*trials]
        met = [Met(t.number, *row) for t in trials for row in t.user_attrs.get(MET, ())]
        found = strengths(met)
        return [_with_elo(t, found.get(t.user_attrs.get(SAME, t.number))) for t in trials]

    def add_final(self, rows: Sequence[dict[str, Any]], final: FinalDocument) -> None:
        """See Plan: the winner has its fresh games with the defaults alone."""
        against, gain = final.against_defaults, gain_of(final)
        if against is None or gain is None or self.sweep.objective == "panel":
            return
        low, high = against.low or 0.0, against.high or 1.0
        fresh = {
            **gain.columns("elo"),
            "score": against.score,
            "score_error": Estimate(against.score, low, high, against.games).error,
            "defaults_score": against.score,
            "defaults_games": against.games,
        }
        (winner,) = (row for row in rows if row["number"] == final.winner)
        for row in rows:  # the settings may have come again
            if row["score"] is not None and all(row[n] == winner[n] for n in self.space.names):
                row |= fresh

    def trial_context(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Return its opponents besides the defaults: its mirror image, or the best trial so far."""
        if MIRROR in trial.user_attrs:
            return {MIRROR: trial.user_attrs[MIRROR]}
        if is_defaults(trial):
            return {DEFAULTS: True}
        complete = [t for t in trials if t.state == TrialState.COMPLETE]
        rated = [t for t in complete if "elo_low" in t.user_attrs and SAME not in t.user_attrs]
        best = max(rated, key=lambda t: t.user_attrs["elo_low"], default=None)
        if best is None or best.user_attrs["elo_low"] <= 0.0:
            return {}
        elo, low, high = (best.user_attrs[name] for name in ("elo", "elo_low", "elo_high"))
        error = Estimate(elo, low, high, 0).error
        return {"best": {"number": best.number, "values": best.params, "elo": elo, "error": error}}

    def run(self, objective: Objective, task: Task, report: Report) -> TrialResult:
        """Let the program play its opponents in parts; it may end after each part."""
        agent = self.agent(task.values, f"trial-{task.number}")
        try:
            if task.context.get(DEFAULTS):
                scores = self._first(objective, agent)
            elif MIRROR in task.context:
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
            document = {**self.facts(task.values), "trial": task.number}
            write_text(path, json.dumps(document, indent=1) + "\n")
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
        score, alike = self.meet(objective, agent, below, openings)
        objective.facts[ALIKE] = alike
        yield score.value, score.error, True

    def _compared(self, objective: Objective, task: Task, agent: ExternalAgent) -> _Scores:
        """Yield predicted scores against the defaults, part by part."""
        assert self.defaults is not None
        defaults = self._opponent(objective, self.defaults, "defaults")
        others: list[tuple[int, ExternalAgent, float]] = [(REFERENCE, defaults, 0.0)]
        known: dict[int, Known] = {}
        best = task.context.get("best")
        if best is not None:
            rival = self._opponent(objective, best["values"], "best")
            others.append((best["number"], rival, best["elo"]))
            known[best["number"]] = Known(best["elo"], best["error"])
        openings = self.openings(self.sweep.pairs, task.number)
        shares = _shares_of([elo for *_, elo in others], others[-1][-1])
        met, alike = list[Met](), True
        for start, stop in parts_of(self.sweep.pairs, self.sweep.reports):
            for (number, other, _), part in zip(others, shared(start, stop, shares), strict=True):
                if part:
                    chosen = Openings(openings.moves[part])
                    score, same = self.meet(objective, agent, other, chosen)
                    alike = alike and (number != REFERENCE or same)
                    met.append(Met(task.number, number, score.n, score.value * score.n))
            objective.facts |= {MET: [row[1:] for row in met], ALIKE: alike}
            elo = strengths(met, known)[task.number]
            yield *_score_predicted(elo), stop == self.sweep.pairs

    def _first(self, objective: Objective, agent: ExternalAgent) -> _Scores:
        """Let the defaults play; find the parameters that change no game, each by itself."""
        assert self.defaults is not None
        defaults = self._opponent(objective, self.defaults, "defaults")
        self.meet(objective, agent, defaults, self.openings(_FIRST_PAIRS))
        idle = [p.name for p in self.space.parameters if self._is_idle(p, objective, defaults)]
        if idle:
            objective.facts[REMARK] = (
                f"{', '.join(idle)}: no effect seen: at the ends of the range, all else as in the "
                "defaults, the program plays the same games"
            )
        if self.sweep.objective == "panel":
            yield from self._judged(objective, agent)
        else:
            yield 0.5, 0.0, True

    def _is_idle(self, parameter: Parameter, objective: Objective, defaults: ExternalAgent) -> bool:
        """Return whether a parameter that can vary changes no game of the defaults.

        Values that the program may not have, or fails with, are a change.
        """
        assert self.defaults is not None
        ends = [{**self.defaults, parameter.name: end} for end in parameter.ends]
        others = [values for values in ends if values != self.defaults]
        if any(self.space.broken(values) for values in others):
            return False
        openings = self.openings(_PROBES)
        most = _PROBED * (self.sweep.games_of_trials or math.inf)
        try:
            for values in others:
                with closing(self.agent(values, "changed")) as agent:
                    for number in range(_PROBES):
                        if objective.facts[PLAYED] >= most:
                            return False
                        one = Openings(openings.moves[[number]])
                        if not self.meet(objective, agent, defaults, one).alike:
                            return False
        except EngineError:
            return False
        return bool(others)

    def meet(
        self, objective: Objective, agent: ExternalAgent, other: ExternalAgent, openings: Openings
    ) -> Meeting:
        """Let a program play another one, both colours on each opening."""
        match = Match(agent, other, openings, self.sweep.rules, seed=self.sweep.seed)
        _play(objective, match)
        score, moves = match.result.observed, match.games.moves
        return Meeting(score, alike=bool((moves[::2] == moves[1::2]).all()))

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
        """Return the openings of a trial, by its number; without one those of the defaults'."""
        rng = np.random.default_rng([self.sweep.seed, 1, *key])
        return balanced_openings(count, Part.PANEL, self.sweep.rules, rng)

    def agent_of(self, folder: Path, trial: FrozenTrial) -> Agent:
        return self.agent(trial.params, f"trial-{trial.number}")

    def save_champion(self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]) -> None:
        """Write the best parameters as JSON and as TOML."""
        tuned = self.facts(trial.params)
        document = {**tuned, "trial": trial.number, **facts}
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


def _with_elo(trial: FrozenTrial, elo: Estimate | None) -> FrozenTrial:
    """Return a trial with its strength as its score, and its games with the defaults."""
    if trial.state not in FINISHED or (elo is None and not is_defaults(trial)):
        return trial
    rated = copy(trial)
    rows = [row for row in trial.user_attrs.get(MET, ()) if row[0] == REFERENCE]
    games, points = sum(row[1] for row in rows), sum(row[2] for row in rows)
    strength: dict[str, Any] = {"elo": 0.0}
    if elo is not None:
        score, error = _score_predicted(elo)
        rated.values = [score]
        strength = {**elo.columns("elo"), "score_error": error}
    strength |= {"defaults_games": games, "defaults_score": points / games if games else None}
    rated.user_attrs = {**trial.user_attrs, **strength}
    return rated


def _score_predicted(elo: Estimate) -> tuple[float, float]:
    """Return the score that an Elo predicts against the defaults, and its standard error."""
    score = score_of_elo(elo.value)
    return score, score * (1.0 - score) / ELO_SCALE * elo.error


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


PLANS: Final = {"program": ProgramPlan}
