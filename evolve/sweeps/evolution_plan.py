"""Sweeps over evolutions: over the settings of one, and over the genes of an agent themselves.

A trial evolves for a number of CPU seconds, or its agent plays the panel once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from evolve import __version__
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import read_agent, table_agent
from evolve.config.evolution import OPERATORS, EvolutionSettings
from evolve.config.toml import config_text
from evolve.engine.board.rules import rule_set
from evolve.engine.search.genes import GENES
from evolve.errors import EvolveError, SettingsError
from evolve.evolution.kind import KIND as EVOLUTIONS
from evolve.evolution.loop import Evolution
from evolve.evolution.tables import needed_files
from evolve.fitness.executor import ONE_THREAD
from evolve.population.genome import Genome
from evolve.programs.kept import Answers
from evolve.runs.loading import existing_champion, load_agent
from evolve.runs.progress import Observer
from evolve.runs.time_slice import contents, scratch_folder
from evolve.sweeps.plan import SET_BY_SWEEP, Plan, SettingsPlan, resolved, searched_space
from evolve.sweeps.space import Parameter, Space, choice, real, whole
from evolve.sweeps.trial import PauseError, Report, StateError, Trial, TrialResult
from evolve.tables.paths import CONFIG_FILE

_SHARE: Final = "share"  # of a trial's state: the share of its CPU seconds that is used up


@dataclass(frozen=True)
class EvolutionPlan(SettingsPlan):
    """A trial's agent is the best of its hall of fame when its seconds are used up."""

    set_by_sweep = tuple(name for name in SET_BY_SWEEP if name != "panel_openings")
    searched = (
        whole("population", 16, 128, log=True),
        real("survivors", 0.1, 0.5),
        real("newcomers", 0.0, 0.2),
        choice("selection", tuple(OPERATORS["selection"])),
        choice("survival", tuple(OPERATORS["survival"])),
        choice("crossover", tuple(OPERATORS["crossover"])),
        real("crossover_rate", 0.5, 1.0),
        real("blend", 0.0, 1.0),
        real("eta", 1.0, 20.0, log=True),
        choice("mutation", tuple(OPERATORS["mutation"])),
        real("mutation_rate", 0.02, 0.5, log=True),
        real("mutation_size", 0.05, 0.8, log=True),
        choice("depth_mutation", tuple(OPERATORS["depth_mutation"])),
        choice("openings", ("pair", "shared", "start")),
        whole("opening_plies", 4, 12),
        whole("openings_per_pair", 1, 3),
    )

    def prepare(self, answers: Answers | None) -> None:
        # Load compiled code before the seconds are counted.
        self.panel.judge(load_agent(self.sweep.panel[-1]))

    @property
    def usual(self) -> dict[str, Any]:
        # The cheaper panel of an evolution, because only the panel of the sweep counts. Its CPU
        # seconds run out before its generations.
        return {"panel": "fixed", "generations": 1_000_000}

    def advance(self, trial: Trial) -> Report | TrialResult:
        """See Plan: evolve with these values; the champion plays the panel at intervals."""
        facts, task = trial.facts, trial.task
        settings: EvolutionSettings = self.settings_of(task.values, self.seed_of(task.number))
        files = {name: array.tobytes() for name, array in trial.before.items()}
        begun = bool(files)
        files = files or {CONFIG_FILE: config_text(settings, {"evolve": __version__}).encode()}
        with scratch_folder(f"trial-{task.number}", files, EVOLUTIONS.parts) as folder:
            if facts.setdefault(_SHARE, 0.0) < 1.0 and trial.mark_at(facts[_SHARE]) is None:
                evolution = Evolution(folder, settings, ONE_THREAD)
                if begun:
                    try:
                        evolution.restore()
                    except EvolveError as error:
                        raise StateError(str(error)) from error
                evolution.run(_Evolving(trial))
                files = contents(folder, [folder / CONFIG_FILE, *needed_files(folder)])
                kept = {name: np.frombuffer(data, np.uint8) for name, data in files.items()}
                trial.arrays = lambda: kept
            champion: Any = read_agent(existing_champion(folder))
        if facts[_SHARE] >= 1.0:
            return trial.complete(champion, self.sweep.reports, champion.provenance)
        mark = trial.mark_at(facts[_SHARE])
        if mark is None:
            raise PauseError
        return trial.report(mark, champion)


class _Evolving(Observer):
    """Counts the CPU seconds of an evolution, and ends it for a report, a pause or for good."""

    def __init__(self, trial: Trial) -> None:
        self._trial, self._budget = trial, trial.sweep.budget or math.inf
        self._before = trial.facts[_SHARE]
        self._begin = time.process_time() - self._before * self._budget

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Count a generation's seconds."""
        self._trial.facts[_SHARE] = (time.process_time() - self._begin) / self._budget

    def stop(self) -> bool:
        share = self._trial.facts[_SHARE]
        late = self._trial.time_left <= 0.0 and share > self._before
        return late or share >= 1.0 or self._trial.mark_at(share) is not None


@dataclass(frozen=True)
class GenesPlan(Plan):
    """Every number of the genome is a parameter."""

    def advance(self, trial: Trial) -> TrialResult:
        task = trial.task
        return trial.complete(self.agent(task.values, f"trial-{task.number}"), 1)

    def check(self, values: Mapping[str, Any]) -> None:
        self.agent(values, "example")

    def agent(self, values: Mapping[str, Any], name: str) -> AlphaBetaAgent:
        vector = self.genome.low.copy()
        for gene, value in {**self._single_genes, **values}.items():
            vector[self._places[gene]] = value
        return self.genome.agent(vector, name)

    @cached_property
    def genome(self) -> Genome:
        """The genome of an evolution with what `fix` holds: settings, and whole genes."""
        fix = self.sweep.fix
        genes = {name: value for name, value in fix.items() if name in GENES}
        held = {n: v for n, v in fix.items() if n not in GENES and not _is_single(n)}
        # Only this range of depths limits the cost of deeper searches.
        bounds = {"depths": (1, 4), **held.get("bounds", {})}
        return Genome.of(resolved(self.sweep, held, {"fix": genes, "bounds": bounds}))

    @cached_property
    def space(self) -> Space:
        """A parameter for every free number."""
        free = self.genome.free
        parameters = {name: self._number(name) for name, at in self._places.items() if free[at]}
        return searched_space(self.sweep, parameters)

    def _number(self, name: str) -> Parameter:
        at, about = self._places[name], GENES[name.partition(".")[0]].about
        return whole(name, int(self.genome.low[at]), int(self.genome.high[at]), about)

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The genes of the reference agent; None where the space does not hold them."""
        agent = table_agent(rule_set(self.sweep.rules).reference)
        try:
            vector = self.genome.from_agent(agent, agent.name)
        except SettingsError:  # the agent lies outside the bounds
            return None
        values = {name: int(vector[self._places[name]]) for name in self.space.names}
        return values if self.space.holds(values) else None

    @cached_property
    def _places(self) -> dict[str, int]:
        """Places of the numbers in the genome: `weights.0`, …, `endgame`."""
        sizes, slices = self.genome.sizes, self.genome.slices
        return {
            gene if size == 1 else f"{gene}.{number}": slices[gene].start + number
            for gene, size in sizes.items()
            for number in range(size)
        }

    @cached_property
    def _single_genes(self) -> dict[str, int]:
        """Single numbers of genes that `fix` holds, such as weights.0."""
        held = {name: value for name, value in self.sweep.fix.items() if _is_single(name)}
        for name, value in held.items():
            if name not in self._places:
                raise SettingsError(f"fix: there is no {name}; there are {', '.join(self._places)}")
            number = self._number(name)
            if not isinstance(value, int) or number.taken(value) is None:
                raise SettingsError(f"fix: {name} = {value!r} must be {number.range_text}")
        return held


def _is_single(name: str) -> bool:
    """Return whether a name means one number of a gene: weights.0, depths.2."""
    return "." in name and name.partition(".")[0] in GENES
