"""The final: the best settings and the defaults play on openings new to all.

A sweep's best score is the luckiest of many, so the final decides again. A match of its winner
against the defaults, on further openings, shows whether the sweep has found more than noise. With a
retest both train again for it: only seeds that did not choose the winner say whether its settings
are better.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent, StoredAgent
from evolve.arena.judges import ChampionRating, Ladder
from evolve.arena.match import Match, MatchResult
from evolve.arena.match_files import MatchFolder
from evolve.arena.tournament import Anchors, Row, Tournament
from evolve.config.sweep import SweepSettings
from evolve.files.changes import remove_tree
from evolve.fitness.executor import Executor
from evolve.fitness.games import GamesDone, counted
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import finite, mean_of
from evolve.fitness.strengths import Met, unexplained_by_strengths
from evolve.runs.progress import Observer
from evolve.sweeps.plan import Plan
from evolve.sweeps.tables import gain_of
from evolve.sweeps.trial import ALIKE, MET, SAME, finished_of, games_of, is_defaults
from evolve.tables.paths import MATCHES, TRIALS
from evolve.tables.trials import FINISHED, Against, FinalDocument, write_final
from evolve.terminal_text import count_of


def best_trial(trials: Sequence[FrozenTrial]) -> FrozenTrial | None:
    """Return the complete trial with the best score; the first of equals."""
    return next(iter(_ranked(trials)), None)


def _ranked(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return the complete trials, best first; of equals, those with an agent of their own."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    return sorted(complete, key=lambda t: (-t.values[0], SAME in t.user_attrs, t.number))


def settings_ranked(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return a complete trial of each setting, best first; the defaults' own trial for theirs."""
    complete, chosen = _ranked(trials), dict[Any, FrozenTrial]()
    for trial in [*filter(is_defaults, complete), *complete]:
        chosen.setdefault(frozenset(trial.params.items()), trial)
    numbers = {trial.number for trial in chosen.values()}
    return [trial for trial in complete if trial.number in numbers]


def _all_alike(trials: Sequence[FrozenTrial]) -> bool:
    """Return whether every trial that played the defaults, or its mirror image, played alike."""
    finished = [t.user_attrs for t in trials if t.state.name in FINISHED]
    alike = [facts[ALIKE] for facts in finished if ALIKE in facts]
    return bool(alike) and all(alike)


def openings_of_final(sweep: SweepSettings, trials: Sequence[FrozenTrial], matches: int) -> int:
    """Return the openings of each match of a final with `matches` matches, after these trials.

    The number is in proportion to their games, and at most what was planned.
    """
    openings = sweep.openings_after(games_of(trials, sweep.trial_games), matches)
    if sweep.games_of_trials is None or sweep.final_openings is not None:
        return openings
    return min(openings, sweep.final_games // (2 * max(1, matches)))


@dataclass
class SweepFinal:
    """The final of a sweep: the best settings and the defaults, as far as their agents are here.

    trials: without those of a retest. train: trains the settings of the winner and of the defaults
    again, and returns these trials in turn; it raises what ends it early. over: whether no further
    trial will come.
    """

    folder: Path
    plan: Plan
    trials: Sequence[FrozenTrial]
    executor: Executor
    observer: Observer
    train: Callable[[FrozenTrial, FrozenTrial], Sequence[FrozenTrial]]
    over: bool = False

    def __post_init__(self) -> None:
        sweep = self.plan.sweep
        players: list[tuple[FrozenTrial, Agent]] = []
        for trial in settings_ranked(self.trials):
            chosen = len(players) < sweep.finalists or is_defaults(trial)
            agent = self.plan.agent_of(self.folder, trial) if chosen else None
            if agent is not None:
                players.append((trial, agent))
        self.defaults = next((trial for trial, _ in players if is_defaults(trial)), None)
        if self.plan.by_defaults:  # they come first, and without them nothing decides
            players.sort(key=lambda player: player[0] is not self.defaults)
            players = players[: 1 if self.defaults is None else None]
        self.finalists = [trial for trial, _ in players]
        self.agents = [agent for _, agent in players]
        self.names = [f"trial-{trial.number}" for trial in self.finalists]
        matches = sweep.matches_of(len(self.agents))
        self.openings = openings_of_final(sweep, self.trials, matches)
        self.games = 2 * self.openings * matches
        # What the games depend on: those of another final are dropped.
        key = f"{self.names} {self.openings} {sweep.seed}"
        self._kept = self.folder / TRIALS / MATCHES
        folder = self._kept / hashlib.sha256(key.encode()).hexdigest()[:12]
        if not folder.is_dir():
            remove_tree(self._kept, ignore_errors=True)
        stop, note = self.observer.stop, self.observer.note
        self.matches = MatchFolder(folder, note, stop, lasting=False)
        self.progress = counted(self.games, partial(self.observer.stage, "final"))

    def play(self) -> FinalDocument | None:
        """Play the final and select the champion; None when no complete trial has its agent here.

        Raises StoppedError when the observer asks to stop, and what `train` raises; the same call
        resumes.
        """
        if not self.finalists:
            return None
        rows = self._play_one_another() if len(self.finalists) > 1 else []
        winner = self.finalists[self.names.index(rows[0].agent) if rows else 0]
        return self.save(rows, winner, self.against_defaults(winner))

    def _play_one_another(self) -> list[Row]:
        """Let the finalists play; return their rows, the strongest first.

        It is a round robin, or each meets the defaults alone, see `Plan.by_defaults`.
        """
        self.observer.note(
            f"the final: {count_of(len(self.agents), 'agent')}, {2 * self.openings} games "
            f"{'each with the defaults' if self.plan.by_defaults else 'a pair'}, "
            f"{self.games} at most"
        )

        def play(match: Match, done: GamesDone | None) -> None:
            if rating.finished:
                self._write_standings(rating.rows())
            self.matches.play(match, done)

        openings = partial(self._openings, Part.PLAYOFF)
        rating = Tournament(
            self.agents,
            self.names,
            self.plan.sweep.rules,
            openings,
            seed=self.plan.sweep.seed,
            executor=self.executor,
            play_match=play,
            anchors=Anchors(1, (0.0,)) if self.plan.by_defaults else Anchors(),
        )
        rating.play(self.progress)
        rows = rating.rows()
        self._write_standings(rows)
        return rows

    def _write_standings(self, rows: Sequence[Row]) -> None:
        write_final(self.folder, FinalDocument(finalists=[row.document for row in rows]))

    def against_defaults(self, winner: FrozenTrial) -> Against | None:
        """Let the winner play the defaults; None where it is these, or no training ended."""
        sweep, defaults = self.plan.sweep, self.defaults
        if defaults is None or winner is defaults:
            return None
        trials = [winner, defaults]
        if sweep.retest:
            self.observer.note(
                f"retest: trial {winner.number} and the defaults learn again, each with "
                f"{count_of(sweep.retest, 'new seed')}"
            )
            trials = [*self.train(winner, defaults)]
        agents = [
            self.plan.agent_of(self.folder, t) if t.state == TrialState.COMPLETE else None
            for t in trials
        ]
        results = list[MatchResult]()
        for number, (one, other) in enumerate(zip(agents[::2], agents[1::2], strict=True)):
            if one is None or other is None:
                continue
            match = Match(
                one,
                other,
                self._openings(Part.MATCH, number),
                sweep.rules,
                names=(one.name, other.name),
                seed=sweep.seed,
                executor=self.executor,
            )
            self.matches.play(match, self.progress)
            results.append(match.result)
        if not results:
            return None
        score, seeds = results[0].score, None
        if sweep.retest:
            score = mean_of([result.score.value for result in results]).within(0.0, 1.0)
            seeds = len(results)
        return Against(
            score=score.value,
            low=finite(score.low),
            high=finite(score.high),
            games=sum(result.games for result in results),
            seeds=seeds,
            failures=sum(result.failures_a for result in results),
            failures_of_defaults=sum(result.failures_b for result in results),
        )

    def save(
        self, rows: Sequence[Row], winner: FrozenTrial, against: Against | None
    ) -> FinalDocument:
        """Make the winner's agent the champion, and write the result."""
        agent = self.agents[self.finalists.index(winner)]
        facts = dict[str, Any]()
        if isinstance(agent, StoredAgent):  # the ladder rates no programs
            sweep = self.plan.sweep
            ladder = Ladder(sweep.rules, seed=sweep.seed)
            rating = ChampionRating(ladder, agent, self.observer, executor=self.executor)
            facts = rating.play(sweep.panel_openings)
        left = unexplained_by_strengths(
            Met(trial.number, *row[:3])
            for trial in self.trials
            for row in trial.user_attrs.get(MET, ())
        )
        result = FinalDocument(
            trials=finished_of(self.trials),
            over=self.over,
            finalists=[row.document for row in rows],
            winner=winner.number,
            defaults=None if self.defaults is None else self.defaults.number,
            against_defaults=against,
            alike=_all_alike(self.trials),
            unexplained=left and left.document,
            words=left.words if left else [],
        )
        if (gain := gain_of(result)) is not None and against is not None:
            facts |= {"against_defaults": against.score, **gain.columns("gain")}
        self.plan.save_champion(self.folder, winner, facts)
        write_final(self.folder, result)
        remove_tree(self._kept, ignore_errors=True)
        return result

    def _openings(self, part: Part, *key: int) -> Openings:
        sweep = self.plan.sweep
        rng = np.random.default_rng([sweep.seed, *key])
        return balanced_openings(self.openings, part, sweep.rules, rng)
