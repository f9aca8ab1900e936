"""How trainings begin, go on, look and end on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from evolve.cli.display import tell
from evolve.cli.hand_in import proposed
from evolve.cli.runs import strength_of
from evolve.cli.terminal import cell
from evolve.cli.views import ChecksView
from evolve.cli.work import LongWork
from evolve.config.learning import TrainingSettings
from evolve.files.folder import FolderPath
from evolve.learning.training import Training
from evolve.runs.loading import load_agent
from evolve.runs.progress import Observer, RunEnding
from evolve.runs.run_types import TRAININGS, champion_of
from evolve.tables.metrics import forget_checks
from evolve.terminal_text import as_word, count_of
from evolve.version import __version__


class TrainingWork(LongWork[TrainingSettings, Training]):
    """How trainings begin, go on and look."""

    kind = TRAININGS

    @contextmanager
    def opened(
        self, folder: FolderPath, settings: TrainingSettings, jobs: int, *, new: bool
    ) -> Iterator[Training]:
        if new:  # before anything is compiled
            _print_header(self.command, folder, settings, jobs)
        training = Training(folder, settings, jobs)
        if not new:
            training.restore()
            forget_checks(folder, training.check)
        self.jobs = jobs
        yield training

    def finished(self, work: Training) -> str | None:
        ending = work.finished
        if ending is None or work.check_is_due:
            return None
        return f"{work.games} games: {ending.value}; a higher --{ending.name.lower()} goes on"

    def introduce(self, work: Training, before: TrainingSettings | None) -> None:
        if before is not None:
            _print_header(self.command, work.folder, work.settings, self.jobs)
        if work.games:
            tell(f"going on after {work.games} games, {work.spent:.0f} CPU seconds")

    def view(self, work: Training) -> ChecksView:
        return ChecksView(work.settings)

    def run(self, work: Training, observer: Observer) -> RunEnding:
        return work.run(observer)

    def so_far(self, work: Training, ending: RunEnding) -> str:
        chosen = work.learner.accept_seconds
        return f"{work.games} games, {work.spent:.0f} CPU seconds" + (
            f" ({chosen:.0f} to choose between models)" if chosen else ""
        )

    def report(self, work: Training) -> None:
        _report(work)


def _print_header(command: str, folder: FolderPath, settings: TrainingSettings, jobs: int) -> None:
    ends = []
    if settings.games is not None:
        ends.append(f"{settings.games} games")
    if settings.budget is not None:
        ends.append(f"{settings.budget:g} CPU seconds")
    tell(
        f"evolve {__version__} · {command} · {settings.rules} · {settings.preset} · "
        f"seed {settings.seed} · {folder}"
    )
    tell(f"{settings.summary}; to {' or '.join(ends)}; {count_of(jobs, 'thread')}")


def _report(training: Training) -> None:
    """Print the best agent with its Elo, or its score against the panel, and what to do next."""
    folder = training.folder
    agent: Any = load_agent(folder)
    if training.taught_little:
        tell(
            "too few games to learn from: nearly all were played before it had learned anything; "
            "train again with more --games, or a higher --budget "
            f"({training.settings.default_budget:g} by default)"
        )
    elif getattr(agent, "probcut", 0) and not agent.cuts:
        tell(
            "the agent makes no forward cuts, and is slower: the budget was too small to measure "
            "them"
        )
    found: Any = getattr(agent, "provenance", {})
    elo = f"Elo {strength_of(found)} on the ladder, " if "elo" in found else ""
    score, error, against = (cell(found.get(key)) for key in ("score", "error", "against"))
    told = f"{elo}score {score} ± {error} against {against}"
    tell(f"best {agent.name}: {told} → {champion_of(folder)}")
    name = as_word(folder)
    tell(
        f"next: evolve show {name} · evolve plot {name} -o plot.png · "
        f"evolve match {name} 'positional?depth=4' --games 100 · {proposed(agent, folder)}"
    )


WORK: Final = TrainingWork
