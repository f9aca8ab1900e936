"""The final: the best trials, and the defaults, play one another on openings none has seen.

A sweep's best score is the luckiest of many: the final decides anew, and a match of its winner
against the defaults, on further openings, says whether the sweep has found more than noise.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.arena.match import Match
from evolve.arena.tournament import Row, Tournament
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.score import Score
from evolve.sweeps.attempts import number_of
from evolve.tables.layout import FINAL_FILE
from evolve.tables.observer import Observer

if TYPE_CHECKING:
    from evolve.sweeps.plan import Plan

DEFAULTS = "defaults"
"""The origin of the trial that has the default settings."""


@dataclass(frozen=True)
class Standing:
    """A row of the last rung: how many lives a candidate had there, their mean score against the
    panel, and Student's 95 % interval over them."""

    candidate: str
    lives: int
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class SeedsScore(Score):
    """A mean score of several seeds, with Student's interval over them."""

    seeds: int


@dataclass(frozen=True)
class FinalResult:
    """How the final ended, or the last rung.

    rows: the finalists, the strongest first, under the names of their trials; winner: the number
    of the best trial; defaults: that of the defaults, None when they have no agent; score: of the
    winner against the defaults, None when it is the defaults, or they did not meet; tested: what
    the plan's test says of that.
    """

    rows: Sequence[Row | Standing]
    winner: int
    defaults: int | None
    score: Score | None
    champion: FolderPath
    tested: str | None = None
    failures: tuple[int, int] = (0, 0)
    """Of the winner's program and of that of the defaults, in these games."""


def best_trial(trials: Sequence[FrozenTrial]) -> FrozenTrial | None:
    """The complete trial with the best score; of equals the first."""
    return next(iter(ranked(trials)), None)


def ranked(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """The complete trials, the best first."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    return sorted(complete, key=lambda trial: (-trial.values[0], number_of(trial)))


def play_final(
    folder: FolderPath,
    plan: Plan,
    trials: Sequence[FrozenTrial],
    executor: Executor,
    observer: Observer,
    *,
    over: bool = False,
) -> FinalResult | None:
    """Play it and crown the winner; None when no complete trial has its agent here.

    over: whether no further trial is to come.
    """
    sweep = plan.sweep
    found = [(trial, plan.agent_of(folder, trial)) for trial in ranked(trials)]
    agent_by = {number_of(trial): agent for trial, agent in found if agent is not None}
    here = [trial for trial, agent in found if agent is not None]
    if not here:
        return None
    finalists = here[: sweep.finalists]
    defaults = next((t for t in here if t.user_attrs.get("origin") == DEFAULTS), None)
    if defaults is not None and defaults not in finalists:
        finalists.append(defaults)
    agents = [agent_by[number_of(trial)] for trial in finalists]
    names = [f"trial-{number_of(trial)}" for trial in finalists]

    def openings(part: Part, *key: int) -> Openings:
        rng = np.random.default_rng([sweep.seed, *key])
        return balanced_openings(sweep.final_openings, part, sweep.rules, rng)

    pairs = len(agents) * (len(agents) - 1) // 2
    total, done = 2 * sweep.final_openings * (pairs + 1), 0

    def progress(games: int) -> None:
        nonlocal done
        done += games
        observer.stage("final", done, total)

    rows: list[Row] = []
    winner = finalists[0]
    if pairs:
        rating = Tournament(
            agents,
            names,
            sweep.rules,
            lambda i, j: openings(Part.PLAYOFF, i, j),
            {},
            seed=sweep.seed,
            executor=executor,
        )
        rating.play(progress)
        rows = rating.rows()
        winner = finalists[names.index(rows[0].agent)]
    score, tested, failures = None, None, (0, 0)
    if defaults is not None and winner is not defaults:
        pair = agents[finalists.index(winner)], agents[finalists.index(defaults)]
        match = Match(
            *pair,
            openings(Part.MATCH, 0),
            sweep.rules,
            seed=sweep.seed,
            executor=executor,
            sprt=plan.test,
        )
        played = match.play(progress)
        score, failures = played.score, (played.failures_a, played.failures_b)
        if plan.test is not None:
            tested = plan.test.verdict(match.result.pentanomial)
    facts = {} if score is None else {"against_defaults": score.score}
    champion = plan.crown(folder, winner, facts)
    assert champion is not None
    number = None if defaults is None else number_of(defaults)
    result = FinalResult(rows, number_of(winner), number, score, champion, tested, failures)
    write_result(folder, result, trials, over=over)
    return result


def write_result(
    folder: FolderPath, result: FinalResult, trials: Sequence[FrozenTrial], *, over: bool = False
) -> None:
    """Keep a result, which is that of all trials that are finished by now."""
    finished = sum(trial.state in (TrialState.COMPLETE, TrialState.PRUNED) for trial in trials)
    document = {"trials": finished, "over": over, **_document(result)}
    write_text(folder / FINAL_FILE, json.dumps(document, indent=1) + "\n")


def _document(result: FinalResult) -> dict[str, Any]:
    against = None
    if result.score is not None:
        failed, failed_of_defaults = result.failures
        against = {**asdict(result.score)}
        if failed or failed_of_defaults:
            against |= {"failures": failed, "failures_of_defaults": failed_of_defaults}
    return {
        "finalists": [asdict(row) for row in result.rows],
        "winner": result.winner,
        "defaults": result.defaults,
        "against_defaults": against,
        **({} if result.tested is None else {"tested": result.tested}),
    }
