"""A program's parameters evolved in a population: members of a generation play one another.

Each member of a generation is a trial. The defaults play, too, so that scores of different
generations are comparable: a member's score is what its rating in the round robin predicts against
the defaults. The games of a generation are kept pair by pair.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.arena.match import Match, StoppedError
from evolve.arena.tournament import DroppedPairError, Tournament
from evolve.errors import EngineError, RunError
from evolve.fitness.executor import Threads
from evolve.fitness.games import GamesDone
from evolve.fitness.statistics import Estimate, Floats, bradley_terry
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome, Individual
from evolve.runs.progress import Observer
from evolve.sweeps.final import DEFAULTS
from evolve.sweeps.genetic import gene_of, genome_of, value_of
from evolve.sweeps.kept_matches import KeptMatches
from evolve.sweeps.program_plan import ProgramPlan
from evolve.sweeps.quota import known_settings
from evolve.sweeps.rating import score_predicted
from evolve.sweeps.space import Setting
from evolve.sweeps.sweep import Sweep, SweepEnding
from evolve.sweeps.trials import PLAY_SECONDS, PLAYED, Outcome, Task, number_of

_DEFAULTS: Final = -1
"""Place of the defaults that are no member of the generation."""
_WORST: Final = -1e9
"""Fitness of a member that cannot play."""
_DRAWS: Final = 1000
"""Draws of genes for a member that must differ from all others."""


class PopulationSweep(Sweep):
    """A sweep with trials that come in generations."""

    def run(self, observer: Observer) -> SweepEnding:
        """Breed and play generations up to the settings' number of trials or games."""
        begin = time.monotonic()
        self._reclaim(observer)
        members: list[Individual] = []
        for generation in range(self._target):
            members = self._bred(generation, members)
            ending = None
            if len(self._ended(generation)) < len(members):
                if self._has_no_room(generation):
                    self._save()
                    return SweepEnding.COMPLETE
                ending = self._wish(observer, begin) or self._play(generation, members, observer)
            if ending is not None:
                self._save()
                return ending
            self._judge(generation, members)
        return SweepEnding.COMPLETE

    @property
    def own(self) -> ProgramPlan:
        """The plan of this sweep."""
        return cast("ProgramPlan", self.plan)

    @property
    def _size(self) -> int:
        return self.own.own.population

    def _ended(self, generation: int) -> dict[int, FrozenTrial]:
        """Return the ended trials of a generation, by their places in it."""
        first = generation * self._size
        states = (TrialState.COMPLETE, TrialState.FAIL)
        return {
            number_of(trial) - first: trial
            for trial in self.study.trials()
            if first <= number_of(trial) < first + self._size and trial.state in states
        }

    def _has_no_room(self, generation: int) -> bool:
        """Return whether a new generation would exceed the number of trials or games."""
        known = [number_of(trial) // self._size for trial in self.study.trials()]
        if generation > 0 and generation in known:
            return False  # it has begun
        return self.study.is_over or (generation + 1) * self._size > self.settings.trials

    def _bred(self, generation: int, members: Sequence[Individual]) -> list[Individual]:
        """Return the members of a generation, from the results of the one before."""
        space = self.plan.space.distributions
        genome = genome_of(space, self._size)
        start = [gene_of((self.plan.defaults or {})[name], one) for name, one in space.items()]
        algorithm = GeneticAlgorithm(genome.settings, genome, np.array(start, np.int64))
        rng = np.random.default_rng([self.settings.seed, 2, generation])
        bred = algorithm.next(generation, members, rng) if generation else algorithm.first(rng)
        self._replace_clones(generation, bred, genome)
        return bred

    def _replace_clones(
        self, generation: int, members: Sequence[Individual], genome: Genome
    ) -> None:
        """Give random genes to members with settings that another one has, or that failed before.

        Clones play the same games, and failed settings fail again.
        """
        rng = np.random.default_rng([self.settings.seed, 4, generation])
        first = generation * self._size
        before = [trial for trial in self.study.trials() if number_of(trial) < first]
        seen = set(known_settings(before, self.plan.space, repeat=False))
        for member in members:
            for _ in range(_DRAWS):
                if self._setting(member) not in seen:
                    break
                member[:] = [int(gene) for gene in genome.random(rng)]
                member.origin, member.parents = "newcomer", ()
            seen.add(self._setting(member))

    def _setting(self, member: Individual) -> Setting:
        return self.plan.space.setting_of(self._values(member))

    def _values(self, member: Individual) -> dict[str, Any]:
        space = self.plan.space.distributions
        pairs = zip(member, space.items(), strict=True)
        return {name: value_of(gene, one) for gene, (name, one) in pairs}

    def _judge(self, generation: int, members: Sequence[Individual]) -> None:
        """Set the members' fitness from their trials."""
        ended = self._ended(generation)
        for place, member in enumerate(members):
            trial = ended[place]
            worth = trial.values[0] if trial.state == TrialState.COMPLETE else _WORST
            member.fitness.values = (worth, 0.0)

    def _play(
        self, generation: int, members: Sequence[Individual], observer: Observer
    ) -> SweepEnding | None:
        """Play a generation's round robin, and end its trials.

        Returns why it was stopped, None otherwise.
        """
        tasks = self._taken(generation, members)
        agents = [
            self.own.program.agent(self._values(member), member.name, self.folder)
            for member in members
        ]
        names, places = [member.name for member in members], list(range(len(members)))
        if generation:  # in the first generation they are a member
            defaults = self.own.program.agent(self.plan.defaults or {}, DEFAULTS, self.folder)
            agents, names, places = [defaults, *agents], [DEFAULTS, *names], [_DEFAULTS, *places]
        kept = KeptMatches(self.folder, f"generation {generation} {self.own.identity}", observer)
        openings = self.own.openings(self.own.own.generation_openings, 3, generation)
        stage, failed = f"generation {generation}", dict[str, str]()
        played, total = 0, len(places) * (len(places) - 1) * len(openings)

        def progress(games: int) -> None:
            nonlocal played
            played += games
            observer.stage(stage, played, total)

        def play(match: Match, names: tuple[str, str], progress: GamesDone | None) -> None:
            """Play a match unless a program of its members has failed before."""
            if failed.keys().isdisjoint(names):
                failed.update(_play_and_blame(kept, match, names, progress))
            if not failed.keys().isdisjoint(names):
                raise DroppedPairError

        round_robin = Tournament(
            agents,
            names,
            self.settings.rules,
            lambda i, j: openings,
            {},
            seed=self.settings.seed,
            executor=Threads(self.jobs),
            play=play,
        )
        try:
            round_robin.play(progress)
        except StoppedError:
            for task in tasks.values():
                self.study.lose(task.number, "stopped", blamed=False)
            return SweepEnding.STOPPED
        finally:
            for agent in agents:
                agent.close()
        observer.stage(stage, total, total)
        self._cost = {PLAYED: kept.played, PLAY_SECONDS: kept.seconds * self.jobs}
        meetings = {(places[i], places[j]): scores for i, j, scores in round_robin.meetings()}
        numbers = dict(zip(round_robin.names, places, strict=True))
        out = {numbers[name]: why for name, why in failed.items()}
        self._end_generation(tasks, meetings, out, observer)
        kept.drop()
        return None

    def _taken(self, generation: int, members: Sequence[Individual]) -> dict[int, Task]:
        """Take the trials that have not ended, by their places in the generation."""
        waiting = {
            number_of(trial): trial
            for trial in self.study.trials()
            if trial.state == TrialState.WAITING
        }
        ended, tasks = self._ended(generation), {}
        for place, member in enumerate(members):
            number = generation * self._size + place
            if place not in ended and number not in waiting:
                origin = DEFAULTS if number == 0 else member.origin
                self.study.enqueue(number, self._values(member), origin, generation)
        for _ in range(len(members) - len(ended)):
            task = self.study.take(self.study.lease.name)
            assert task is not None
            tasks[task.number - generation * self._size] = task
        return tasks

    def _end_generation(
        self,
        tasks: Mapping[int, Task],
        meetings: Mapping[tuple[int, int], Floats],
        failed: Mapping[int, str],
        observer: Observer,
    ) -> None:
        """End the trials with the scores from their games."""
        players = sorted({place for pair in meetings for place in pair} - set(failed))
        at = {place: index for index, place in enumerate(players)}
        counted = [
            (at[one], at[other], scores)
            for (one, other), scores in meetings.items()
            if one in at and other in at
        ]
        if not counted:
            reason = next(iter(failed.values()), "nobody was left to meet")
            raise RunError(f"no member of the generation could play: {reason}")
        ratings = bradley_terry(len(players), counted)
        defaults = at.get(_DEFAULTS, at.get(0))
        zero = 0.0 if defaults is None else ratings[defaults].value
        # A pair's games count for its first member that is not the defaults, so that the sum is
        # right, whether or not that member's trial had ended before a kill.
        games: Counter[int] = Counter()
        for pair, scores in meetings.items():
            games[next(place for place in pair if place >= 0)] += 2 * len(scores)
        for place, task in tasks.items():
            if place in failed:
                outcome = Outcome.failed(failed[place])
            else:
                rating = ratings[at[place]]
                above, half = rating.value - zero, rating.high - rating.value
                score, error = score_predicted(Estimate.around(above, half, rating.n))
                file = self.own.keep_trial(self.folder, task, score, error)
                facts = {"games": games[place], **self._cost}
                outcome = Outcome.complete(score, error, file, facts)
            self.study.end(task.number, outcome)
            self._tell(task.number, observer)


def _play_and_blame(
    kept: KeptMatches, match: Match, names: tuple[str, str], progress: GamesDone | None
) -> dict[str, str]:
    """Play a match; return how programs failed, by name.

    Raises RunError where the program failed with its defaults.
    """
    failed: dict[str, str] = {}
    try:
        kept.play(match, names, progress)
    except EngineError:
        if not match.played:  # a program cannot be started
            for name, agent in zip(names, match.players, strict=True):
                try:
                    agent.prepare()
                except EngineError as error:
                    failed[name] = str(error)
    for number, name in enumerate(names):
        failure = match.first_failure(number)
        if failure is not None:
            failed[name] = failure
    if DEFAULTS in failed:
        raise RunError(f"the program failed with its defaults: {failed[DEFAULTS]}")
    return failed
