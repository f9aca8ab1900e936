"""How trainings start, resume, show their progress and report their result."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from evolve.arena.judges import RATING
from evolve.cli.display import ProgressView, print_head, print_line, print_next
from evolve.cli.hand_in import proposed
from evolve.cli.runs import strength_of
from evolve.cli.terminal import cell
from evolve.cli.work import LongWork
from evolve.config.learning import TrainingSettings
from evolve.learning.tables import METRICS_UNUSED
from evolve.learning.training import Training
from evolve.number_text import is_elo
from evolve.runs.life_cycle import Begun
from evolve.runs.loading import AgreedRules, load_agent
from evolve.runs.progress import RunEnding
from evolve.runs.run_types import champion_of
from evolve.terminal_text import as_word, count_of


class _ChecksView(ProgressView):
    """The progress of a training: a line for each check."""

    unit = "these games"
    reported = (RATING,)

    def __init__(self, settings: TrainingSettings) -> None:
        """Choose the columns: trainings differ in what their checks play."""
        names = "check games steps loss visited random depth_1 depth_2 elo score cpu_seconds"
        unused = METRICS_UNUSED[settings.judge]
        self.columns = tuple(name for name in names.split() if name not in unused)
        self.at_most = settings.patience is not None

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        whole = [key for key in self.columns if is_elo(key) or key == "cpu_seconds"]
        return [f"{row[key]:.0f}" if key in whole else cell(row[key]) for key in self.columns]


class TrainingWork(LongWork):
    """Trainings on the command line."""

    def opened(self, run: Begun, jobs: int) -> nullcontext[Training]:
        if run.before is None:  # before anything is compiled
            _print_header(self.command, run.folder, run.settings, jobs)
        return nullcontext(Training(run.folder, run.settings, jobs))

    def finished(self, work: Training) -> str:
        ending: Any = work.finished
        more = f"a higher --{ending.name.lower()} continues"
        return f"{count_of(work.games, 'game')}: {ending.value}; {more}"

    def introduce(self, work: Training, before: TrainingSettings | None) -> None:
        if before is not None:
            _print_header(self.command, work.folder, work.settings, work.jobs)
        if work.games:
            print_line(
                f"resuming after {count_of(work.games, 'game')}, {work.spent:.0f} CPU seconds"
            )

    def view(self, work: Training) -> _ChecksView:
        return _ChecksView(work.settings)

    def so_far(self, work: Training, ending: RunEnding) -> str:
        chosen = work.learner.accept_seconds
        return f"{count_of(work.games, 'game')}, {work.spent:.0f} CPU seconds" + (
            f" ({chosen:.0f} to choose between models)" if chosen else ""
        )

    def report(self, work: Training) -> None:
        folder = work.folder
        agent: Any = load_agent(folder)
        if work.learned_little:
            print_line(
                "too few games to learn from: nearly all came before it had learned anything; "
                "train again with more --games, or a higher --budget "
                f"({work.settings.default_budget:g} by default)"
            )
        elif getattr(agent, "probcut", 0) and not agent.cuts:
            print_line(
                "the agent makes no forward cuts and is slower: the budget was too small to "
                "measure them"
            )
        rating: Any = getattr(agent, "provenance", {})
        elo = f"{strength_of(rating)} Elo on the ladder, " if "elo" in rating else ""
        score, error, against = (cell(rating.get(key)) for key in ("score", "error", "against"))
        print_line(
            f"best {agent.name}: {elo}score {score} ± {error} against {against} → "
            f"{champion_of(folder)}"
        )
        name = as_word(folder)
        print_next(
            f"evolve show {name}",
            f"evolve plot {name} -o plot.png",
            f"evolve match {name} 'positional?depth=4' --games 100",
            proposed(agent, folder),
        )


def _print_header(command: str, folder: Path, settings: TrainingSettings, jobs: int) -> None:
    ends = [] if settings.games is None else [count_of(settings.games, "game")]
    ends += [] if settings.budget is None else [f"{settings.budget:g} CPU seconds"]
    rules = AgreedRules(settings.rules)
    print_head(command, rules, settings.preset, f"seed {settings.seed}", folder)
    print_line(f"{settings.summary}; to {' or '.join(ends)}; {count_of(jobs, 'thread')}")
    if settings.judge != "ladder":
        print_line("then its Elo on the ladder: a minute at most, or a tenth of the training")
