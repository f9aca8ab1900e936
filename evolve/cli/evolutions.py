"""How evolutions start, resume, show their progress and report their result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich import filesize

from evolve.agents.reference import read_agent
from evolve.cli.cluster import executor_for, where
from evolve.cli.display import ProgressView, print_head, print_line, print_next
from evolve.cli.hand_in import proposed
from evolve.cli.output import GENERATIONS_SPARE, columns_shown, generation_texts, legend_of
from evolve.cli.runs import describe_champion
from evolve.cli.work import LongWork
from evolve.config.evolution import EvolutionSettings
from evolve.evolution.loop import Evolution, EvolutionEnding
from evolve.fitness.executor import Executor
from evolve.fitness.trend import rest_message
from evolve.runs.life_cycle import Begun
from evolve.runs.loading import AgreedRules, existing_champion
from evolve.runs.progress import RunEnding
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.terminal_text import as_word

_BYTES_A_GAME: Final = 90
"""Compressed size of a game in the tables: 85 bytes in runs of 64 individuals, plus its share of
the individuals' bytes."""


class _GenerationsView(ProgressView):
    unit = "this generation"
    reported = ("play-off", "ladder")
    widths: Mapping[str, int] = {"panel_elo": 10, "rating": 10}
    spare = GENERATIONS_SPARE

    def __init__(self, evolution: Evolution) -> None:
        settings = evolution.settings
        self.columns = columns_shown(settings.panel == "ladder")
        self.legend = legend_of(self.columns)
        self._offer = "" if settings.until_rest else "; Ctrl-C stops, --until-rest stops by itself"
        self.at_most = settings.until_rest or settings.patience is not None
        self._rest_reported = self._uniform_reported = False

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        return generation_texts(row, self.columns)

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """Return a line, once, when all individuals play alike, or the rating hardly rises."""
        if row.get("distinct") == 1 and not self._uniform_reported:
            self._uniform_reported = True
            return (
                "warning: all individuals play alike: the population plays itself, and scores "
                "say nothing until mutation or newcomers change one; Ctrl-C stops"
            )
        remark = None if self._rest_reported else rest_message(row)
        self._rest_reported = self._rest_reported or remark is not None
        return remark and remark + self._offer


class EvolutionWork(LongWork):
    """Evolutions on the command line."""

    @contextmanager
    def opened(self, run: Begun, jobs: int) -> Iterator[Evolution]:
        with executor_for(jobs) as executor:
            if run.before is None:  # before anything is compiled, so that it shows at once
                _print_header(run.folder, run.settings, 0, executor)
            yield Evolution(run.folder, run.settings, executor)

    def finished(self, work: Evolution) -> str:
        ways = {
            EvolutionEnding.PATIENCE: "a higher --patience",
            EvolutionEnding.REST: "--no-until-rest",
        }
        ending: Any = work.finished
        return (
            f"{work.generation + 1} generations: {ending.value}; champion in "
            f"{champion_of(work.folder)}; {ways.get(ending, 'a higher --generations')} continues"
        )

    def introduce(self, work: Evolution, before: EvolutionSettings | None) -> None:
        if before is not None:
            _print_header(work.folder, work.settings, work.generation + 1, work.executor)

    def view(self, work: Evolution) -> _GenerationsView:
        return _GenerationsView(work)

    def so_far(self, work: Evolution, ending: RunEnding) -> str:
        return f"{work.generation + 1} of {work.settings.generations} generations"

    def report(self, work: Evolution) -> None:
        folder = work.folder
        file = existing_champion(folder)
        agent = read_agent(file)
        print_line(
            f"champion {agent.name}: {', '.join(agent.describe().facts)}, "
            f"{describe_champion(Run(folder), agent.provenance)} → {file}"
        )
        name = as_word(folder)
        print_next(
            f"evolve show {as_word(file)}",
            f"evolve plot {name} -o plot.png",
            proposed(agent, folder),
        )


def _print_header(folder: Path, settings: EvolutionSettings, done: int, executor: Executor) -> None:
    budget = f"{settings.move_budget} nodes a move" if settings.move_budget else "no node budget"
    rules, algorithm = AgreedRules(settings.rules), settings.algorithm.upper()
    print_head(rules, settings.preset, algorithm, f"seed {settings.seed}", folder)
    if done >= settings.generations:
        print_line("all generations are done; the play-off and the champion's Elo are left")
        return
    others = f" that meet {settings.opponents} others each" if settings.opponents else ""
    disk = (settings.generations - done) * settings.games_a_generation * _BYTES_A_GAME
    last = settings.generations - 1
    which = f"generation {last}" if done == last else f"generations {done} to {last}"
    print_line(
        f"{settings.population} individuals{others}, {which}, "
        f"{settings.games_a_generation} games each; {budget}; {where(executor)}; "
        f"{filesize.decimal(disk, precision=0)} of disk"
    )
