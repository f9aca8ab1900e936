"""The final: the best settings and the defaults play one another on openings new to all.

A sweep's best score is the luckiest of many, so the final decides again. A match of its winner
against the defaults, on further openings, shows whether the sweep has found more than noise.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.arena.match import Match
from evolve.arena.match_folder import MatchFolder
from evolve.arena.tournament import Contest, Row, Tournament
from evolve.config.sweep import matches_of
from evolve.files.atomic import write_bytes, write_text
from evolve.files.changes import remove_tree
from evolve.fitness.executor import Executor
from evolve.fitness.games import GamesDone
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import Estimate
from evolve.runs.observer import Observer
from evolve.sweeps.trials import agent_file, number_of
from evolve.tables.paths import FINAL_FILE, MATCHES, TRIALS
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.sweeps.plan import Plan

DEFAULTS = "defaults"
"""Origin of the trial with the default settings."""


@dataclass(frozen=True)
class Standing:
    """A row of the last rung: a candidate, and its trainings' mean score against the panel."""

    candidate: str
    score: Estimate

    @property
    def facts(self) -> dict[str, Any]:
        """Its form in the file."""
        score = self.score
        return {
            "candidate": self.candidate,
            "lives": score.n,
            "score": score.value,
            "low": score.low,
            "high": score.high,
        }


@dataclass(frozen=True)
class FinalResult:
    """The result of the final, or of the last rung.

    rows: the finalists, the strongest first, named after their trials. winner: the number of the
    best trial. defaults: the number of the defaults' trial, None when they have no agent. score: of
    the winner against the defaults, by games, or over seeds where `games_of_seeds` is their number
    of games; None when the winner is the defaults, or they did not play. tested: the verdict of the
    plan's test on that match.
    """

    rows: Sequence[Row | Standing]
    winner: int
    defaults: int | None
    score: Estimate | None
    champion: Path
    tested: str | None = None
    failures: tuple[int, int] = (0, 0)
    """Failures of the winner's program and of the defaults' program, in these games."""
    games_of_seeds: int | None = None


def best_trial(trials: Sequence[FrozenTrial]) -> FrozenTrial | None:
    """Return the complete trial with the best score; the first of equals."""
    return next(iter(ranked(trials)), None)


def ranked(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return the complete trials, best first."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    return sorted(complete, key=lambda trial: (-trial.values[0], number_of(trial)))


def settings_ranked(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return a complete trial of each setting, best settings first.

    A setting that was tried several times counts with its mean score. The defaults' own trial
    represents their setting; the best trial represents any other.
    """
    groups: dict[Any, list[FrozenTrial]] = {}
    for trial in ranked(trials):
        setting = tuple(sorted(trial.params.items())) or number_of(trial)
        groups.setdefault(setting, []).append(trial)
    means = {
        setting: sum(trial.values[0] for trial in group) / len(group)
        for setting, group in groups.items()
    }
    order = sorted(groups, key=lambda setting: (-means[setting], number_of(groups[setting][0])))
    return [next(filter(is_defaults, groups[one]), groups[one][0]) for one in order]


def is_defaults(trial: FrozenTrial) -> bool:
    """Return whether a trial has the defaults."""
    return trial.user_attrs.get("origin") == DEFAULTS


class KeptMatches(MatchFolder):
    """The matches of a final or a retest in progress.

    key: what they depend on; games of another key are dropped. games: their number in all.
    """

    def __init__(self, folder: Path, key: str, games: int, observer: Observer) -> None:
        self._observer, self._done, self._total = observer, 0, games
        self._all = folder / TRIALS / MATCHES
        place = self._all / hashlib.sha256(key.encode()).hexdigest()[:12]
        super().__init__(place, observer.note, observer.stop, lasting=False)
        if not place.is_dir():
            self.drop()

    def progress(self, games: int) -> None:
        """Report that so many games more are played."""
        self._done += games
        self._observer.stage("final", self._done, self._total)

    def drop(self) -> None:
        """Remove all kept games: the matches are over, or different ones."""
        if self._all.is_dir():
            remove_tree(self._all, ignore_errors=True)


def play_final(
    folder: Path,
    plan: Plan,
    trials: Sequence[FrozenTrial],
    executor: Executor,
    observer: Observer,
    *,
    over: bool = False,
    seconds_a_game: float | None = None,
) -> FinalResult | None:
    """Play the final and select the champion; None when no complete trial has its agent here.

    over: whether no further trial will come. seconds_a_game: expected seconds per game, where
    known. Raises StoppedError when the observer asks to stop; the same call resumes.
    """
    sweep = plan.sweep
    agents_of_trials = [(trial, plan.agent_of(folder, trial)) for trial in settings_ranked(trials)]
    agent_by = {number_of(trial): agent for trial, agent in agents_of_trials if agent is not None}
    here = [trial for trial, agent in agents_of_trials if agent is not None]
    if not here:
        return None
    finalists = here[: sweep.finalists]
    defaults = next(filter(is_defaults, here), None)
    if defaults is not None and defaults not in finalists:
        finalists.append(defaults)
    agents = [agent_by[number_of(trial)] for trial in finalists]
    names = [f"trial-{number_of(trial)}" for trial in finalists]
    pairs = len(agents) * (len(agents) - 1) // 2
    matches = matches_of(len(agents))
    count = plan.openings_of_final(trials, matches)
    total = 2 * count * matches

    def openings(part: Part, *key: int) -> Openings:
        rng = np.random.default_rng([sweep.seed, *key])
        return balanced_openings(count, part, sweep.rules, rng)

    if pairs:
        observer.note(_announced(len(agents), count, total, seconds_a_game))
    games = KeptMatches(folder, f"{names} {count} {sweep.seed} {plan.test}", total, observer)
    rows: list[Row] = []
    winner = finalists[0]
    if pairs:

        def play(match: Match, done: GamesDone | None) -> None:
            if rating.finished:
                _write_standings(folder, rating.rows())
            games.play(match, done)

        rating = Tournament(
            Contest(agents, names, sweep.rules, sweep.seed),
            lambda i, j: openings(Part.PLAYOFF, i, j),
            executor=executor,
            play_match=play,
        )
        rating.play(games.progress)
        rows = rating.rows()
        _write_standings(folder, rows)
        winner = finalists[names.index(rows[0].agent)]
    score, tested, failures = None, None, (0, 0)
    if defaults is not None and winner is not defaults:
        one, other = finalists.index(winner), finalists.index(defaults)
        match = Match(
            agents[one],
            agents[other],
            openings(Part.MATCH, 0),
            sweep.rules,
            names=(names[one], names[other]),
            seed=sweep.seed,
            executor=executor,
            sprt=plan.test,
        )
        games.play(match, games.progress)
        played = match.result
        score, failures = played.score, (played.failures_a, played.failures_b)
        if plan.test is not None:
            tested = plan.test.verdict(match.result.pentanomial)
    facts = {} if score is None else {"against_defaults": score.value}
    champion = plan.save_champion(folder, winner, facts)
    assert champion is not None
    number = None if defaults is None else number_of(defaults)
    result = FinalResult(rows, number_of(winner), number, score, champion, tested, failures)
    write_result(folder, result, trials, over=over)
    games.drop()
    return result


def _announced(players: int, openings: int, games: int, seconds_a_game: float | None) -> str:
    """Describe the coming final in a line."""
    text = f"the final: {count_of(players, 'agent')}, {2 * openings} games a pair, {games} at most"
    if seconds_a_game is None:
        return text
    return f"{text}, some {math.ceil(games * seconds_a_game)} s"


def write_result(
    folder: Path, result: FinalResult, trials: Sequence[FrozenTrial], *, over: bool = False
) -> None:
    """Write a result, which counts for all trials that are finished now."""
    finished = sum(trial.state in (TrialState.COMPLETE, TrialState.PRUNED) for trial in trials)
    _write(folder, {"trials": finished, "over": over, **_document(result)})


def _write_standings(folder: Path, rows: Sequence[Row]) -> None:
    """Write how a final stands that is not over."""
    _write(folder, {"finalists": [row.facts for row in rows]})


def _write(folder: Path, document: Mapping[str, Any]) -> None:
    write_text(folder / FINAL_FILE, json.dumps(document, indent=1) + "\n")


def _document(result: FinalResult) -> dict[str, Any]:
    against = None
    if result.score is not None:
        failed, failed_of_defaults = result.failures
        score, low, high, count = result.score
        against = {"score": score, "low": low, "high": high, "games": count}
        if result.games_of_seeds is not None:
            against |= {"games": result.games_of_seeds, "seeds": count}
        if failed or failed_of_defaults:
            against |= {"failures": failed, "failures_of_defaults": failed_of_defaults}
    return {
        "finalists": [row.facts for row in result.rows],
        "winner": result.winner,
        "defaults": result.defaults,
        "against_defaults": against,
        **({} if result.tested is None else {"tested": result.tested}),
    }


_PIECE: Final = 48_000
"""Characters in a piece: a text in MySQL holds 65 535 bytes."""
_KEY: Final = "agent:"


def agent_pieces(path: Path) -> dict[str, str]:
    """Return an agent file as attributes of its trial."""
    text = base64.b64encode(path.read_bytes()).decode("ascii")
    return {
        f"{_KEY}{start // _PIECE:03d}": text[start : start + _PIECE]
        for start in range(0, len(text), _PIECE)
    }


def fetch_agents(folder: Path, trials: Sequence[FrozenTrial], count: int) -> None:
    """Write the missing agent files of the best `count` settings and of the defaults.

    Raises RunError where the study gives a trial's agent file another name.
    """
    best = settings_ranked(trials)
    wanted = best[:count] + list(filter(is_defaults, best))
    for trial in wanted:
        target = agent_file(folder, trial)
        pieces = sorted(key for key in trial.user_attrs if key.startswith(_KEY))
        if target.exists() or not pieces:
            continue
        text = "".join(trial.user_attrs[key] for key in pieces)
        write_bytes(target, base64.b64decode(text))
