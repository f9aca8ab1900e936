"""`evolve train dqn`, `evolve train mcts` and `evolve train patterns`, and resuming them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from evolve.cli.checks import ChecksView
from evolve.cli.display import tell
from evolve.cli.hand_in import proposed
from evolve.cli.new_run import settings_below
from evolve.cli.options import jobs_option
from evolve.cli.progress import progress_option
from evolve.cli.runs import strength_of
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.study import start_study, study_options
from evolve.cli.terminal import cell
from evolve.cli.work import LongWork
from evolve.config.learning import TrainingSettings
from evolve.config.toml import resolve_as
from evolve.files.folder import FolderPath
from evolve.runs.run_types import TRAININGS, champion_of
from evolve.terminal_text import as_word, count_of
from evolve.version import __version__

if TYPE_CHECKING:
    from evolve.learning.training import Training
    from evolve.runs.progress import Observer, RunEnding

_TRAIN_HELP: Final = """Train from games: `patterns` value what shapes on the board hold, networks
value moves (`dqn`) or positions (`mcts`).

Networks need PyTorch, the extra `learn`: pip install '.[learn]'. The result plays like any other
agent.

\b
Examples:
  evolve train patterns --preset quick
  evolve train mcts --budget 120
  evolve train dqn --preset s2-minimax-dueling --games 20000 --out runs/s2
  evolve match runs/mcts-001 'positional?depth=6' --games 100
"""

_HELP: Final = {
    "mcts": """Teach a network to value positions, by the games of its own tree search.

Ctrl-C ends the training after the games in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve train mcts --budget 120
  evolve train mcts --preset s4-reversiv --games 5000 --seed 3
  evolve train mcts --layers 'gate, gate, dense 1 tanh' --input canonical
""",
    "dqn": """Teach a network to value moves, by the rewards of its games.

Ctrl-C ends the training after the games in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve train dqn --budget 180
  evolve train dqn --preset s5-network2 --shaping 1 --games 2000
  evolve train dqn --bootstrap negamax --steps 3 --opponents self=0.7 --opponents random=0.3
""",
    "patterns": """Teach the weights of patterns, the strongest agents here, in a minute.

Ctrl-C ends the training after the games in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve train patterns
  evolve train patterns --preset strong --rules reversed --jobs 2
  evolve train patterns --shapes 'corner, edge, a1-d2, b1/g6' --phases 3 --games 200000
""",
}
"""The help of its commands; those of others say what the registry says about them."""


@click.group(name="train", help=_TRAIN_HELP)
def train_command() -> None:
    """See _TRAIN_HELP."""


def _options(command: Any) -> Any:
    for option in (
        click.option("--config", metavar="FILE.toml", help="Settings; options come first."),
        click.option("--out", metavar="FOLDER", help="Folder of the run; runs/KIND-NNN if not."),
        progress_option,
        jobs_option,
        study_options,
    ):
        command = option(command)
    return command


def _command(word: str) -> click.Command:
    """The command with that second word."""
    variant = TRAININGS.variants[word]

    @click.command(cls=GroupedCommand, name=word, help=_HELP.get(word, variant.about))
    @model_options(variant.model())
    @_options
    def train_one(**options: Any) -> int:
        return _train(word, **options)

    return train_one


for _word in TRAININGS.variants:
    train_command.add_command(_command(_word))


def _train(
    word: str,
    jobs: int,
    out: str | None,
    config: str | None,
    seeds: str | None,
    grid: tuple[str, ...],
    **options: Any,
) -> int:
    command, variant = TRAININGS.command(word), TRAININGS.variants[word]
    model = variant.model()
    file = settings_below(config)
    given = given_options(model, options)
    if seeds is not None or grid:
        return start_study(command, seeds, grid, (file, given), jobs, out)
    settings = resolve_as(model, variant.all_presets(), given, file, config or "file")
    return WORK(command).start(settings, jobs, out)


class WORK(LongWork[TrainingSettings, "Training"]):
    """How trainings begin, go on and look."""

    kind = TRAININGS

    @contextmanager
    def opened(
        self, folder: FolderPath, settings: TrainingSettings, jobs: int, *, new: bool
    ) -> Iterator[Training]:
        from evolve.learning.training import Training
        from evolve.tables.metrics import forget_checks

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
    from evolve.runs.loading import load_agent

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
            "them, or its values swing from ply to ply"
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
