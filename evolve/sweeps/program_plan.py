"""A sweep over a program's parameters: a trial is the program with one set of values."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import tomli_w
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent
from evolve.arena.match import Match
from evolve.errors import EngineError, SettingsError
from evolve.files.atomic import write_text
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import ELO_SCALE, Estimate, score_of_elo, score_of_pairs
from evolve.fitness.strengths import REFERENCE, Known, Met, strengths
from evolve.programs.external import ExternalAgent
from evolve.programs.kept import Answers, end_program
from evolve.sweeps.program_parameters import ParametersPlan
from evolve.sweeps.space import Parameter
from evolve.sweeps.tables import gain_of
from evolve.sweeps.trial import (
    ALIKE,
    MET,
    MIRROR,
    PLAYED,
    REMARK,
    SAME,
    Report,
    Trial,
    TrialResult,
    is_defaults,
)
from evolve.tables.paths import BEST_FILE, BEST_TOML
from evolve.tables.trials import DEFAULTS, FINISHED, FinalDocument

_PROBES: Final = 5
"""Pairs of games that all must be played alike before a parameter counts as without effect."""

# Of a trial's state: how many parts are played, and the meetings with a panel.
_PARTS: Final = "parts"
_JUDGED: Final = "judged"


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
        met = [Met(t.number, *row[:3]) for t in trials for row in t.user_attrs.get(MET, ())]
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

    def advance(self, trial: Trial) -> Report | TrialResult:
        """See Plan: let the program play its opponents in parts, each with a report."""
        task, facts = trial.task, trial.facts
        agent = self._running(task.values, "trial")
        if MIRROR in task.context:  # a step of SPSA, which is no candidate
            below = self._running(task.context[MIRROR], "mirror")
            openings = self.openings(self.sweep.pairs, task.number)
            score, facts[ALIKE] = self.meet(trial, agent, below, openings)
            return TrialResult.pruned(Report(1, score.value, score.error))
        report, last = Report(1, 0.5, 0.0), True
        if DEFAULTS in task.context and _PARTS not in facts:
            self._probe(trial, agent)
        if DEFAULTS not in task.context or self.sweep.objective == "panel":
            report, last = self._next_part(trial, agent)
        if not last:
            return report
        document = {**self.facts(task.values), "trial": task.number}
        content = (json.dumps(document, indent=1) + "\n").encode()
        return TrialResult.complete(report, content, ".json")

    def _next_part(self, trial: Trial, agent: ExternalAgent) -> tuple[Report, bool]:
        """Play the next part; return the score of all parts so far, and whether it was the last."""
        of_panel, facts = self.sweep.objective == "panel", trial.facts
        count = self.sweep.panel_openings if of_panel else self.sweep.pairs
        parts = list(_parts_of(count, self.sweep.reports))
        step = facts.setdefault(_PARTS, 0)
        met = facts.setdefault(_JUDGED if of_panel else MET, [])
        if of_panel:
            part = Openings(self.panel.openings.moves[slice(*parts[step])])
            opponents = [(number, other, part) for number, other in enumerate(self.panel.agents)]
        else:
            opponents = self._rivals(trial, *parts[step])

        def play(place: int) -> None:
            number, other, openings = opponents[place]
            if len(openings):
                score, alike = self.meet(trial, agent, other, openings)
                met.append([number, score.n, score.value * score.n, score.error])
                if number == REFERENCE:
                    facts[ALIKE] = facts.get(ALIKE, True) and alike

        trial.steps("opponents", len(opponents), play)
        facts[_PARTS] = step + 1
        found = _mean(met) if of_panel else self._predicted(trial, met)
        return Report(step + 1, *found), step + 1 == len(parts)

    def _rivals(self, trial: Trial, start: int, stop: int) -> list[tuple[int, Agent, Openings]]:
        """Return the defaults and the best trial so far with their shares of a part's openings."""
        rivals, elos = [(REFERENCE, self._running(self.defaults, "defaults"))], [0.0]
        best = trial.task.context.get("best")
        if best is not None:
            rivals.append((best["number"], self._running(best["values"], "best")))
            elos.append(best["elo"])
        openings = self.openings(self.sweep.pairs, trial.task.number)
        parts = _shared(start, stop, _shares_of(elos, elos[-1]))
        return [
            (number, other, Openings(openings.moves[part]))
            for (number, other), part in zip(rivals, parts, strict=True)
        ]

    def _predicted(self, trial: Trial, met: Sequence[Sequence[Any]]) -> tuple[float, float]:
        number, best = trial.task.number, trial.task.context.get("best")
        known = {} if best is None else {best["number"]: Known(best["elo"], best["error"])}
        return _score_predicted(strengths([Met(number, *row[:3]) for row in met], known)[number])

    def _probe(self, trial: Trial, defaults: ExternalAgent) -> None:
        """Find the parameters that change no game of the defaults, each by itself."""
        parameters = self.space.parameters

        def probe(number: int) -> str | None:
            if number:
                one = parameters[number - 1]
                return one.name if self._is_idle(one, trial, defaults) else None
            other = self._running(self.defaults, "defaults")
            self.meet(trial, defaults, other, self.openings(2))  # enough to see that they play
            return None

        idle = [name for name in trial.steps("probes", 1 + len(parameters), probe) if name]
        if idle:
            trial.facts[REMARK] = (
                f"{', '.join(idle)}: no effect seen: at the ends of the range, all else as in the "
                "defaults, the program plays the same games"
            )

    def _is_idle(self, parameter: Parameter, trial: Trial, defaults: ExternalAgent) -> bool:
        """Return whether a parameter that can vary changes no game of the defaults.

        Values that the program may not have, or fails with, are a change.
        """
        ends = [{**self.defaults, parameter.name: end} for end in parameter.ends]
        others = [values for values in ends if values != self.defaults]
        if any(self.space.broken(values) for values in others):
            return False
        openings = self.openings(_PROBES)
        # After that none is probed; ten parameters always are, where only trials are counted.
        most = 0.25 * (self.sweep.games_of_trials or max(800, self.sweep.games_of_all))
        try:
            for values in others:
                with closing(self.agent(values, "changed")) as agent:
                    for number in range(_PROBES):
                        if trial.facts[PLAYED] >= most:
                            return False
                        one = Openings(openings.moves[[number]])
                        if not self.meet(trial, agent, defaults, one)[1]:
                            return False
        except EngineError:
            return False
        return bool(others)

    def meet(
        self, trial: Trial, agent: Agent, other: Agent, openings: Openings
    ) -> tuple[Estimate, bool]:
        """Let a program play another agent, both colours on each opening; it may pause between two.

        Returns its score, and whether both games on each opening are the same: so they are where
        programs without randomness play the same moves.
        """
        rules, count = self.sweep.rules, len(openings)

        def play(number: int) -> tuple[float, bool]:
            one = Openings(openings.moves[[number]])
            # A seed for each, so that random players draw as in one match of all openings.
            match = Match(agent, other, one, rules, seed=self.sweep.seed * count + number)
            _play(trial, match)
            first, second = match.games.moves
            return match.result.observed.value, bool((first == second).all())

        scores, alike = zip(*trial.steps("pairs", count, play), strict=True)
        return score_of_pairs(np.array(scores)), all(alike)

    @cached_property
    def _programs(self) -> dict[str, tuple[Mapping[str, Any], ExternalAgent]]:
        """Those of `_running` by name, with their values; `programs.kept` has them running."""
        return {}

    def _running(self, values: Mapping[str, Any], name: str) -> ExternalAgent:
        """Return the program with these values, the last of that name until there are others."""
        kept, agent = self._programs.get(name, (None, None))
        if agent is None or kept != values:
            if agent is not None:
                end_program(agent)
            agent = self.agent(values, name)
            self._programs[name] = dict(values), agent
        return agent

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

    def prepare(self, answers: Answers | None) -> None:
        """See Plan: compare the program with that of the sweep's machine."""
        if answers is not None:
            with closing(self.agent(self.defaults, "the program")) as program:
                answers.check(program)

    def answers(self) -> Answers:
        """See Plan: those with the defaults."""
        with closing(self.agent(self.defaults, "the program")) as program:
            return Answers.of(program)

    def check_start(self) -> None:
        """See Plan: start the program with its defaults; EngineError where it does not work."""
        with closing(self.agent(self.defaults, "the program")) as program:
            program.prepare()
            own, rules = program.own_rules(), self.sweep.rules
        if own is not None and own != rules:
            raise SettingsError(
                f"rules: the program says that it plays {own}, not {rules}: add --rules {own}"
            )


def _play(trial: Trial, match: Match) -> None:
    """Play a match; EngineError where a program fails in any of its games."""
    begin = time.perf_counter()
    try:
        match.play()
    finally:
        trial.count(match.played, time.perf_counter() - begin)
        trial.facts["games"] = trial.facts[PLAYED]  # for the table
    for player, prefix in ((0, ""), (1, f"{match.names[1]}: ")):
        failure = match.first_failure(player)
        if failure is not None:
            raise EngineError(f"{prefix}{failure}")


def _mean(met: Sequence[Sequence[Any]]) -> tuple[float, float]:
    """Return the mean score of meetings by their games, and its standard error."""
    count = sum(games for _, games, _, _ in met)
    points = sum(points for _, _, points, _ in met)
    error = math.sqrt(sum((error * games) ** 2 for _, games, _, error in met)) / count
    return points / count, error


def _with_elo(trial: FrozenTrial, elo: Estimate | None) -> FrozenTrial:
    """Return a trial with its strength as its score, and its games with the defaults."""
    if trial.state.name not in FINISHED or (elo is None and not is_defaults(trial)):
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


def _parts_of(count: int, parts: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of `count` things cut into that many parts, none of them empty."""
    ends = sorted({round(count * part / parts) for part in range(parts + 1)})
    return pairwise(ends)


def _shared(start: int, stop: int, shares: Sequence[float]) -> list[list[int]]:
    """Share out the numbers from start to stop; whichever has the largest deficit comes first."""
    parts: list[list[int]] = [[] for _ in shares]
    debts = [share * start - int(share * start) for share in shares]
    for number in range(start, stop):
        debts = [debt + share for debt, share in zip(debts, shares, strict=True)]
        most = debts.index(max(debts))
        debts[most] -= 1.0
        parts[most].append(number)
    return parts
