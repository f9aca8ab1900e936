"""How evolutions begin, go on, look and end on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from evolve.agents.reference import read_agent
from evolve.cli.display import tell, telling_of_compilation
from evolve.cli.executors import executor_for, on_cluster, where
from evolve.cli.hand_in import proposed
from evolve.cli.runs import champion_told
from evolve.cli.terminal import duration, size
from evolve.cli.views import GenerationsView
from evolve.cli.work import LongWork
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_toml, resolve
from evolve.errors import RunError
from evolve.evolution.estimate import Costs, estimate
from evolve.evolution.loop import Evolution, EvolutionEnding
from evolve.files.folder import FolderPath
from evolve.fitness.executor import Executor
from evolve.runs.progress import Observer, RunEnding
from evolve.runs.run import Run
from evolve.runs.run_types import EVOLUTIONS, champion_of
from evolve.terminal_text import count_of
from evolve.version import __version__


class EvolutionWork(LongWork[EvolutionSettings, Evolution]):
    """How evolutions begin, go on and look."""

    kind = EVOLUTIONS

    def kept_settings(self, file: Path, changes: Mapping[str, Any]) -> EvolutionSettings:
        return resolve(changes, read_toml(file), str(file))

    def check_changes(
        self, run: Run, before: EvolutionSettings, changes: Mapping[str, Any]
    ) -> None:
        done, generations = run.generation_count, changes.get("generations")
        if generations is not None and generations < done:
            raise RunError(f"{run.path} has {done} generations already, more than {generations}")

    @contextmanager
    def opened(
        self, folder: FolderPath, settings: EvolutionSettings, jobs: int, *, new: bool
    ) -> Iterator[Evolution]:
        with executor_for(jobs) as executor:
            if new:  # before anything is compiled, so that it shows at once
                _print_header(folder, settings, 0, executor)
            with telling_of_compilation():
                evolution = Evolution(folder, settings, executor)
                if new:
                    self.about = estimate(evolution)
                else:
                    evolution.restore()
            yield evolution

    def finished(self, work: Evolution) -> str | None:
        ending = work.finished
        if ending is None:
            return None
        ways = {
            EvolutionEnding.PATIENCE: "a higher --patience",
            EvolutionEnding.REST: "--no-until-rest",
            EvolutionEnding.UNIFORM: "a higher --stop-when-uniform",
        }
        return (
            f"{work.generation + 1} generations: {ending.value}; champion in "
            f"{champion_of(work.folder)}; {ways.get(ending, 'a higher --generations')} goes on"
        )

    def introduce(self, work: Evolution, before: EvolutionSettings | None) -> None:
        if before is not None:
            _print_header(work.folder, work.settings, work.generation + 1, work.executor)
            with telling_of_compilation():
                self.about = estimate(work)
        tell(f"about {duration(self.about.seconds)} and {size(self.about.bytes)} of disk")
        if on_cluster():
            _print_use(self.about.costs, work.executor)

    def view(self, work: Evolution) -> GenerationsView:
        return GenerationsView(work.settings, work.generation + 1, self.about.seconds)

    def run(self, work: Evolution, observer: Observer) -> EvolutionEnding:
        return work.run(observer)

    def so_far(self, work: Evolution, ending: RunEnding) -> str:
        return f"{work.generation + 1} of {work.settings.generations} generations"

    def report(self, work: Evolution) -> None:
        """Print the champion with its Elo, and what to do next."""
        folder = work.folder
        file = champion_of(folder)
        assert file is not None
        agent = read_agent(file)
        tell(
            f"champion {agent.name}: {', '.join(agent.describe().facts)}, "
            f"{champion_told(Run(folder), file)} → {file}"
        )
        tell(
            f"next: evolve show {file} · evolve plot {folder} -o plot.png · "
            f"{proposed(agent, folder)}"
        )


def _print_header(
    folder: FolderPath, settings: EvolutionSettings, done: int, executor: Executor
) -> None:
    """Print what will be computed; before anything is compiled, so that it shows at once."""
    budget = f"{settings.move_budget} nodes a move" if settings.move_budget else "no node budget"
    tell(
        f"evolve {__version__} · {settings.rules} · {settings.preset} · "
        f"{settings.algorithm.upper()} · seed {settings.seed} · {folder}"
    )
    if done >= settings.generations:
        tell("all generations are done, the play-off and the champion's Elo are left")
        return
    last = settings.generations - 1
    which = f"generation {last}" if done == last else f"generations {done} to {last}"
    tell(
        f"{_individuals(settings)}, {which}, "
        f"{settings.games_a_generation} games each; {budget}; {where(executor)}"
    )


def _print_use(costs: Costs, executor: Executor) -> None:
    """Print how many slots are useful, and whether this machine is as fast as the cluster."""
    useful, here = costs.useful, executor.threads
    times = costs.speed_up(useful)
    text = f"useful for it: up to {count_of(useful, 'slot')}, {times:.1f} times as fast as one"
    there = costs.seconds(executor.slots)
    if there >= costs.seconds(here, task=0.0):
        text += f"; the {count_of(here, 'thread')} of this machine are as fast"
    tell(text)


def _individuals(settings: EvolutionSettings) -> str:
    text = f"{settings.population} individuals"
    if settings.islands > 1:
        text += f" on each of {settings.islands} islands"
    if settings.opponents is not None:
        text += f" that meet {settings.opponents} others each"
    return text


WORK: Final = EvolutionWork
