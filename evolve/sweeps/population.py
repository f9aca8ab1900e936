"""A program's parameters evolved in a population: members of a generation play one another.

Each member of a generation is a trial. The defaults play, too, so that scores of different
generations are comparable: a member's score is what its rating in the round robin predicts against
the defaults. The games of a generation are kept pair by pair.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final, cast

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.arena.match import Match, StoppedError
from evolve.errors import EngineError, RunError
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.fitness.executor import Threads
from evolve.fitness.roundrobin import pair_scores
from evolve.fitness.statistics import Estimate, bradley_terry
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.programs.external import ExternalAgent
from evolve.runs.progress import Observer
from evolve.safe_parsing import parse_json, read_document
from evolve.sweeps.final import DEFAULTS
from evolve.sweeps.genetic import gene_of, genome_of, value_of
from evolve.sweeps.known import Setting, known_settings, setting_of
from evolve.sweeps.objective import PLAY_SECONDS, PLAYED, Task
from evolve.sweeps.program_plan import ProgramPlan
from evolve.sweeps.rating import score_predicted
from evolve.sweeps.sweep import Sweep, SweepEnding
from evolve.sweeps.trials import number_of
from evolve.tables.paths import TRIALS

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
        if self.study.distinct:
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
        return setting_of(self._values(member), self.plan.space)

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
        kept = self.folder / TRIALS / f"generation-{generation:04d}.json"
        agents = {
            place: self.own.program.agent(self._values(member), member.name, self.folder)
            for place, member in enumerate(members)
        }
        if generation:  # in the first generation they are a member
            agents[-1] = self.own.program.agent(self.plan.defaults or {}, DEFAULTS, self.folder)
        games = _Meetings(self, generation, agents, kept)
        try:
            meetings, failed = games.play(observer)
        finally:
            for agent in agents.values():
                agent.close()
        if meetings is None:
            for task in tasks.values():
                self.study.lose(task.number, "stopped", blamed=False)
            return SweepEnding.STOPPED
        self._cost = {PLAYED: games.played, PLAY_SECONDS: games.seconds * self.jobs}
        self._end(tasks, meetings, failed, observer)
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

    def _end(
        self,
        tasks: Mapping[int, Task],
        meetings: Mapping[tuple[int, int], Sequence[float]],
        failed: Mapping[int, str],
        observer: Observer,
    ) -> None:
        """End the trials with the scores from their games."""
        players = sorted({place for pair in meetings for place in pair} - set(failed))
        at = {place: index for index, place in enumerate(players)}
        counted = [
            (at[one], at[other], np.array(scores))
            for (one, other), scores in meetings.items()
            if one in at and other in at
        ]
        if not counted:
            reason = next(iter(failed.values()), "nobody was left to meet")
            raise RunError(f"no member of the generation could play: {reason}")
        ratings = bradley_terry(len(players), counted)
        defaults = at.get(-1, at.get(0))
        zero = 0.0 if defaults is None else ratings[defaults].value
        # A pair's games count for its first member that is not the defaults, so that the sum is
        # right, whether or not that member's trial had ended before a kill.
        games: Counter[int] = Counter()
        for pair, scores in meetings.items():
            games[next(place for place in pair if place >= 0)] += 2 * len(scores)
        for place, task in tasks.items():
            if place in failed:
                self.study.fail(task.number, failed[place])
            else:
                rating = ratings[at[place]]
                above, half = rating.value - zero, rating.high - rating.value
                score, error = score_predicted(Estimate.around(above, half, rating.n))
                path = self.own.keep_trial(self.folder, task, score, error)
                facts = {
                    "score_error": error,
                    "agent": path.relative_to(self.folder).as_posix(),
                    "games": games[place],
                    **self._cost,
                }
                self.study.complete(task.number, score, facts)
            self._tell(task.number, observer)


class _Meetings:
    """The round robin of a generation: each pair's scores, opening by opening."""

    def __init__(
        self,
        sweep: PopulationSweep,
        generation: int,
        agents: Mapping[int, ExternalAgent],
        kept: FolderPath,
    ) -> None:
        self._sweep, self._generation, self._agents, self._file = sweep, generation, agents, kept
        self.scores: dict[tuple[int, int], list[float]] = {}
        self.failed: dict[int, str] = {}
        self.played, self.seconds = 0, 0.0
        """Games played in this process, and their seconds."""
        self._read()

    def play(
        self, observer: Observer
    ) -> tuple[Mapping[tuple[int, int], Sequence[float]] | None, Mapping[int, str]]:
        """Play the missing games; return the scores, and the failed members with their reasons.

        Scores are those of the first of each pair, in the two games on each opening. None in place
        of scores where the sweep was stopped.
        """
        own, settings = self._sweep.own.own, self._sweep.settings
        openings = self._sweep.own.openings(own.generation_openings, 3, self._generation)
        pairs = list(combinations(sorted(self._agents), 2))
        for done, (one, other) in enumerate(pairs):
            observer.stage(f"generation {self._generation}", done, len(pairs))
            if (one, other) in self.scores or {one, other} & set(self.failed):
                continue
            if observer.stop():
                return None, self.failed
            match = Match(
                self._agents[one],
                self._agents[other],
                openings,
                settings.rules,
                seed=settings.seed,
                executor=Threads(self._sweep.jobs),
            )
            begin = time.monotonic()
            try:
                match.play(stop=observer.stop)
            except StoppedError:
                return None, self.failed
            except EngineError as error:
                self._blame(match, one, other, str(error))
                continue
            self.seconds += time.monotonic() - begin
            self.played += match.played
            if not self._blame(match, one, other, ""):
                self._keep(one, other, match)
        observer.stage(f"generation {self._generation}", len(pairs), len(pairs))
        return self.scores, self.failed

    def _blame(self, match: Match, one: int, other: int, why: str) -> bool:
        """Record which members failed; return whether any did.

        Raises RunError where the defaults failed.
        """
        found = {place: match.first_failure(n) for n, place in enumerate((one, other))}
        blamed = {place: text for place, text in found.items() if text is not None}
        if why and not blamed:  # a program cannot be started: the match never began
            for place in (one, other):
                try:
                    self._agents[place].prepare()
                except EngineError as error:
                    blamed[place] = str(error)
        if -1 in blamed:
            raise RunError(f"the program failed with its defaults: {blamed[-1]}")
        self.failed.update(blamed)
        if blamed:
            self._write()
        return bool(blamed)

    def _keep(self, one: int, other: int, match: Match) -> None:
        self.scores[one, other] = pair_scores(match.games).tolist()
        self._write()

    def _write(self) -> None:
        document = {
            "scores": {f"{one} {other}": found for (one, other), found in self.scores.items()},
            "failed": {str(place): why for place, why in self.failed.items()},
        }
        write_text(self._file, json.dumps(document) + "\n")

    def _read(self) -> None:
        try:
            found = parse_json(read_document(self._file))
            for text, scores in found["scores"].items():
                one, other = map(int, text.split())
                self.scores[one, other] = [float(score) for score in scores]
            self.failed = {int(place): str(why) for place, why in found["failed"].items()}
        except FileNotFoundError:
            return
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise RunError(f"{self._file} is damaged: {error}") from error
