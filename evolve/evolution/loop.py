"""Run an evolution from its settings to its champion, generation by generation.

The order of a generation: breed (or draw), play the round robin, let the champion play the
panel, commit, write champion.json; on many cores the next generation plays meanwhile. The
committed file holds everything that the next generation depends on, so a killed run resumes as
if it had never stopped.
"""

from __future__ import annotations

import math
import time
from copy import copy
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import resolve
from evolve.engine.board.rules import Rules, rule_set
from evolve.engine.games.first_use import compile_first
from evolve.errors import AgentError, EvolveError, RunError, SettingsError
from evolve.evolution.generation import Generations, PlayedGeneration
from evolve.evolution.kind import KIND as EVOLUTIONS
from evolve.evolution.panel import PANELS
from evolve.evolution.playoff import Champions, games_afterwards
from evolve.files.changes import remove
from evolve.fitness.executor import Background, Executor, Threads
from evolve.fitness.games import counted
from evolve.fitness.openings import START_POSITION, Openings, Part, balanced_openings
from evolve.fitness.roundrobin import FITNESS_FUNCTIONS, Round, RoundRobin, finite_numbers
from evolve.fitness.trend import rest_message
from evolve.parsing import taking_settings
from evolve.population.algorithms import algorithm_of
from evolve.population.genome import Encoding, Fitness, Genome, Individual, Vector
from evolve.population.operators import Own, check_own, own_name
from evolve.population.randomness import Use, generator
from evolve.runs import life_cycle
from evolve.runs.loading import load_alphabeta
from evolve.runs.progress import COMPILING, Observer, RunEnding, TimeLeft, shown
from evolve.runs.run import Run
from evolve.tables.paths import committed_generations, generation_file, playoff_file

if TYPE_CHECKING:
    from evolve.keywords import EvolutionKeywords

_SLOTS_TO_PLAY_AHEAD: Final = 4
"""Fewest slots with which the next generation starts its games before the last is judged and
written: the panel and the tables keep one or two slots busy."""


@lru_cache(maxsize=4)
def _training_openings(rules: Rules, plies: int, seed: int) -> Openings:
    """Openings from which a run draws those of its pairs; they take 0.2 s to find."""
    rng = generator(seed, Use.TRAINING_OPENINGS)
    return balanced_openings(4096, Part.TRAINING, rules, rng, plies)


class EvolutionEnding(RunEnding):
    """Why `Evolution.run` returned."""

    COMPLETE = "all generations are done"
    PATIENCE = "no better panel score for as long as patience allows"
    REST = "evolution has stopped improving"
    TIME = "the time limit is reached"
    STOPPED = "stopped on request"


class Evolution(life_cycle.Work):
    """One running evolution, inside the folder's lock.

    own: the caller's operators, fitness and encoding.
    """

    def __init__(
        self, folder: Path, settings: EvolutionSettings, executor: Executor, own: Own | None = None
    ) -> None:
        own = own or {}
        check_own(settings, own)
        self._fitness = own.get("fitness") or FITNESS_FUNCTIONS[settings.fitness]
        self.folder = folder
        self.settings = settings
        self.executor = executor
        encoding = own.get("encoding")
        assert encoding is None or isinstance(encoding, Encoding)
        self.genome = Genome.of(settings, encoding)
        self.algorithm = algorithm_of(self.genome, self._start(), own)
        self.champions = Champions(folder, self.genome, executor)
        self.population: list[Individual] = []
        self.generation = -1
        self.panel = PANELS[settings.panel](self.genome, executor)
        self._generations = Generations(self.panel, self.champions)

    @cached_property
    def _round_robin(self) -> RoundRobin:
        """Made for the first round, with its openings: a run resumed at its end needs none."""
        settings, openings = self.settings, START_POSITION
        if settings.openings != "start":
            openings = _training_openings(settings.rules, settings.opening_plies, settings.seed)
        return RoundRobin(
            settings.rules,
            settings.openings,
            openings,
            openings_per_pair=settings.openings_per_pair,
            opponents=settings.opponents,
            move_budget=settings.move_budget,
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
        )

    def restore(self) -> None:
        """Restore the state after the last committed generation of the folder.

        Raises RunError if it has more of them than the settings ask for.
        """
        run = self._generations.run
        count, wanted = run.generation_count, self.settings.generations
        if count > wanted:
            raise RunError(f"{self.folder} has {count} generations already, more than {wanted}")
        if count == 0:
            return
        self.generation = count - 1
        try:
            self.population = self._generations.restore(self.generation, self.algorithm)
        except EvolveError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            path = generation_file(run.path, self.generation)
            raise RunError(
                f"{path} is damaged: its checkpoint is not of this run: {error!r}"
            ) from error

    def run(self, observer: Observer) -> EvolutionEnding:
        """Evolve for the settings' generations, then hold the play-off and rate its winner.

        A run that is stopped on request has no play-off: its champion.json is the best agent of
        the hall of fame so far.
        """
        compile_first(partial(observer.stage, COMPILING))
        started = time.monotonic()
        observer.expect(self._time_left())
        observer.whole("run", self.generation + 1, self.settings.generations)
        ending = self._ending(started)
        if ending is None and self.generation >= 0:
            remove(playoff_file(self.folder), missing_ok=True)
            # A kill between a commit and this write leaves an old file, or none.
            self.champions.save_best_so_far()
        if ending is None:
            ending = self._evolve(started, observer)
        if ending is EvolutionEnding.STOPPED:
            return ending
        if not self.champions.are_final:
            self.champions.hold_playoff(self.generation, self.population, self.algorithm, observer)
        return ending

    def _time_left(self) -> TimeLeft:
        """What is known of its time: all games take equally long, also those after the last row."""
        settings, panel = self.settings, 2.0 * self.panel.opponents / self.settings.panel_every
        each = settings.games_a_generation + panel * settings.panel_openings
        games = each * settings.work(settings.generations)
        after = {name: played / games for name, played in games_afterwards(settings).items()}
        return TimeLeft(
            after=lambda pace: {name: pace * share for name, share in after.items()},
            limit=math.inf if settings.time_limit is None else 3600.0 * settings.time_limit,
            work=settings.work,
        )

    def _evolve(self, started: float, observer: Observer) -> EvolutionEnding:
        """Run generations until there is a reason to end.

        With many slots, the next generation plays while the last one is judged and written. This
        changes no table: its games are discarded if the run ends after judging.
        """
        played: PlayedGeneration | None = None
        judging: Background[dict[str, Any]] | None = None
        stop = False
        try:
            while True:
                judged, played = played, self._play(played, observer)
                if judged is not None and judging is not None:
                    observer.row(next(judging), self.generation + 1, self.settings.generations)
                    ending = self._ending(started)
                    if ending is not None:
                        self.algorithm.restore(judged.state)
                        return ending
                    stop = observer.stop()
                last = played.generation + 1 >= self.settings.generations
                if not stop and not last and self.executor.slots >= _SLOTS_TO_PLAY_AHEAD:
                    judging = Background(map(self._judge, [played]))
                    continue
                judging = None
                observer.row(self._judge(played), self.generation + 1, self.settings.generations)
                ending = self._ending(started)
                if ending is not None:
                    return ending
                if stop or observer.stop():
                    return EvolutionEnding.STOPPED
        finally:
            if judging is not None:  # it may be writing the generation
                judging.wait()

    @property
    def is_over(self) -> bool:
        return self.finished is not None

    @property
    def finished(self) -> EvolutionEnding | None:
        """Why the run is finished, including play-off and rating; None if work remains."""
        return self._ending(time.monotonic()) if self.champions.are_final else None

    def _ending(self, started: float) -> EvolutionEnding | None:
        settings = self.settings
        if self.generation + 1 >= settings.generations:
            return EvolutionEnding.COMPLETE
        if self.generation < 0:
            return None
        waited = self.generation - self.champions.best_panel_generation
        if settings.patience is not None and waited >= settings.patience:
            return EvolutionEnding.PATIENCE
        if settings.until_rest and rest_message(self.panel.rise) is not None:
            return EvolutionEnding.REST
        hours = (time.monotonic() - started) / 3600
        if settings.time_limit is not None and hours > settings.time_limit:
            return EvolutionEnding.TIME
        return None

    def _play(self, last: PlayedGeneration | None, observer: Observer) -> PlayedGeneration:
        began = time.monotonic()
        generation, before = self.generation, self.population
        if last is not None:
            generation, before = last.generation, last.population
        generation += 1
        breeding = generator(self.settings.seed, Use.BREEDING, generation)
        if generation == 0:
            population = self.algorithm.first(breeding)
        else:
            population = self.algorithm.next(generation, before, breeding)
        agents = [self.genome.agent(individual, individual.name) for individual in population]
        total = self.settings.games_a_generation
        progress = partial(observer.stage, f"generation {generation}")
        progress(0, total)
        table, games = self._round_robin.play(
            [agent.name for agent in agents],
            agents,
            generator(self.settings.seed, Use.PLAYING, generation),
            counted(total, progress),
        )
        played = Round(agents, table, games, generator(self.settings.seed, Use.FITNESS, generation))
        values = finite_numbers("fitness", self._fitness(played), len(agents)).tolist()
        better = rule_set(self.settings.rules).discs
        # Survivors are in two generations, so each gets a copy: the last may still be written.
        population = [copy(individual) for individual in population]
        for index, individual in enumerate(population):
            difference = better * float(table.disc_difference[index])
            individual.fitness = Fitness((values[index], difference))
            individual.cases = table.against[index].tolist()
        state = self.algorithm.state()
        openings = self._round_robin.openings
        return PlayedGeneration(generation, population, played, openings, state, began)

    def _judge(self, played: PlayedGeneration) -> dict[str, Any]:
        row = self._generations.commit(played)
        self.generation, self.population = played.generation, played.population
        self.champions.save_best_so_far()
        return row

    def _start(self) -> Vector | None:
        source = self.settings.start_from
        # Only generation 0 depends on the start; its file may be missing when a run resumes.
        if source is None or committed_generations(self.folder) > 0:
            return None
        try:
            return self.genome.from_agent(load_alphabeta(source), source)
        except AgentError as error:
            raise SettingsError(f"start_from: {error}") from error


_OF_DIRECT_GENES: Final = ("phases", "boundaries", "tie", "terms", "bounds", "fix", "start_from")
"""Settings that apply only to direct genes, which are the agents' parameters."""


@taking_settings
def evolve(
    folder: str | Path,
    *,
    jobs: int = 1,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[EvolutionKeywords],
) -> Run:
    """Evolve agents in a folder, as `evolve run` does; the same call resumes a stopped run.

    Args:
        folder: folder of the run; a new one, or one that a call with the same settings started.
        jobs: number of threads; results do not depend on it.
        progress: whether to show a line of progress.
        observer: receives games and generations.
        settings: those of `evolve run --help`, such as `population=32`; `rules` are reversed by
            default. `fitness(played)`, `selection(candidates, count, breeding)`,
            `survival(population, selected, breeding)`, `crossover(mother, father, breeding)`,
            `mutation` and `depth_mutation(genes, noise, breeding)` may be functions: mother and
            father are tuples of numbers, `breeding.rng` draws, and the guide "Your own operators,
            fitness and genes" says what each gets and returns. `encoding` takes an
            `evolve.Encoding`, for custom genes. The run's config.toml stores only the name of such
            a function or encoding, so `evolve resume` refuses the run: resume it with this call.

    Returns the run: `.tables["generations"]`, `.champion`, `.elo`, `.plot()`. Up to its last
    generation it is the same however often it was stopped, if the functions depend only on their
    arguments and draw from `breeding.rng` or `played.rng`. Raises SettingsError for invalid
    settings and for a function that returns an invalid value, and RunError for a folder that
    belongs to another run.

    >>> evolve.evolve("runs/small", generations=2, population=8)
    Run('runs/small', generations=2)
    """
    own: Own = {kind: value for kind, value in settings.items() if callable(value)}
    names = {kind: own_name(kind, value) for kind, value in own.items()}
    if "encoding" in own:
        if not isinstance(own["encoding"], Encoding):
            raise SettingsError("encoding: must be an evolve.Encoding")
        for name in _OF_DIRECT_GENES:
            if name in settings:
                raise SettingsError(f"{name}: does not apply to genes of your own")
    requested = resolve({**settings, **names})
    with (
        life_cycle.opened(EVOLUTIONS, EVOLUTIONS.name, Path(folder), requested) as begun,
        shown(progress, observer) as watching,
    ):
        evolution = Evolution(begun.folder, requested, Threads(jobs), own)
        if begun.restore(evolution):
            evolution.run(watching)
    return Run(folder)
