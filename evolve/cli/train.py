"""`evolve train dqn`, `evolve train mcts` and `evolve train patterns`, and resuming them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.cli.display import tell
from evolve.cli.hand_in import proposed
from evolve.cli.new_run import config_of, need_extras, new_folder, settings_below
from evolve.cli.options import jobs_option
from evolve.cli.permission import agree_to_programs, check_programs
from evolve.cli.progress import progress_option
from evolve.cli.runs import strength_of
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.study import start_study, study_options
from evolve.cli.terminal import cell
from evolve.cli.views import ChecksView
from evolve.cli.work import carry_out, finish
from evolve.config.learning import DqnSettings, MctsSettings, TrainingSettings
from evolve.config.pattern_training import PatternSettings
from evolve.config.toml import read_toml, resolve_as
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.tables import folder as store
from evolve.tables.paths import CONFIG_FILE, LEARNED_FILE
from evolve.tables.run_types import TRAININGS
from evolve.terminal_text import as_word, count_of

if TYPE_CHECKING:
    from evolve.learning.training import Training
    from evolve.tables.run import Run

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

_MCTS_HELP: Final = """Teach a network to value positions, by the games of its own tree search.

Ctrl-C ends the training after the games in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve train mcts --budget 120
  evolve train mcts --preset s4-reversiv --games 5000 --seed 3
  evolve train mcts --layers 'gate, gate, dense 1 tanh' --input canonical
"""

_DQN_HELP: Final = """Teach a network to value moves, by the rewards of its games.

Ctrl-C ends the training after the games in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve train dqn --budget 180
  evolve train dqn --preset s5-network2 --shaping 1 --games 2000
  evolve train dqn --bootstrap negamax --steps 3 --opponents self=0.7 --opponents random=0.3
"""


_PATTERNS_HELP: Final = """Teach the weights of patterns, the strongest agents here, in a minute.

Ctrl-C ends the training after the games in hand, a second one at once; `evolve resume` goes on.

\b
Examples:
  evolve train patterns
  evolve train patterns --preset strong --rules reversed --jobs 2
  evolve train patterns --shapes 'corner, edge, a1-d2, b1/g6' --phases 3 --games 200000
"""


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


@train_command.command(cls=GroupedCommand, name="mcts", help=_MCTS_HELP)
@model_options(MctsSettings)
@_options
def train_mcts(**options: Any) -> int:
    """See _MCTS_HELP."""
    return _train("mcts", **options)


@train_command.command(cls=GroupedCommand, name="dqn", help=_DQN_HELP)
@model_options(DqnSettings)
@_options
def train_dqn(**options: Any) -> int:
    """See _DQN_HELP."""
    return _train("dqn", **options)


@train_command.command(cls=GroupedCommand, name="patterns", help=_PATTERNS_HELP)
@model_options(PatternSettings)
@_options
def train_patterns(**options: Any) -> int:
    """See _PATTERNS_HELP."""
    return _train("patterns", **options)


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
    given, presets = given_options(model, options), variant.all_presets()
    if seeds is not None or grid:
        return start_study(command, seeds, grid, (file, given), jobs, out)
    settings = resolve_as(model, presets, given, file, config or "file")
    need_extras(variant)
    stem = TRAININGS.stem_of(command, settings.rules)
    with new_folder(TRAININGS.kept_in, stem, out) as folder:
        _print_header(command, folder, settings, jobs)
        training = _training(folder, settings, jobs)
        agree_to_programs(folder, settings)
        store.create(folder, config_of(TRAININGS, command, settings), TRAININGS.parts)
        return _go_on(training)


def kept_settings(command: str, file: Path, changes: Mapping[str, Any]) -> TrainingSettings:
    """The settings in a training's config.toml, with `changes`."""
    # Without presets: the file has all settings, except those that its version did not have.
    model = TRAININGS.commands[command].model()
    settings: TrainingSettings = resolve_as(model, {}, changes, read_toml(file), str(file))
    return settings


def resume_training(run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
    """Go on with a training from its last check; `changes` may move its end."""
    from evolve.tables.metrics import forget_checks

    need_extras(TRAININGS.commands[run.command])
    folder, file = run.path, run.path / CONFIG_FILE
    settings = kept_settings(run.command, file, changes)
    with store.locked(folder):
        check_programs(folder, settings, allowed=allow_programs, storage=False)
        store.sweep_temporary(folder, TRAININGS.parts)
        training = _training(folder, settings, jobs)
        training.restore()
        forget_checks(folder, training.check)
        ending = training.finished
        if ending is not None and not training.check_is_due:
            tell(
                f"{folder} is finished, {training.games} games: {ending.value}; a higher "
                f"--{ending.name.lower()} goes on"
            )
            return 0
        if changes:
            write_text(file, config_of(TRAININGS, run.command, settings))
        _print_header(run.command, folder, settings, jobs)
        if training.games:
            tell(f"going on after {training.games} games, {training.spent:.0f} CPU seconds")
        return _go_on(training)


def _training(folder: FolderPath, settings: TrainingSettings, jobs: int) -> Training:
    from evolve.learning.training import Training

    return Training(folder, settings, jobs)


def _go_on(training: Training) -> int:
    folder = training.folder
    ending = carry_out(TRAININGS, folder, ChecksView(training.settings), training.run)
    chosen = training.learner.accept_seconds
    so_far = f"{training.games} games, {training.spent:.0f} CPU seconds" + (
        f" ({chosen:.0f} to choose between models)" if chosen else ""
    )
    return finish(folder, so_far, ending, lambda: _report(training))


def _print_header(command: str, folder: FolderPath, settings: TrainingSettings, jobs: int) -> None:
    ends = []
    if settings.games is not None:
        ends.append(f"{settings.games} games")
    if settings.budget is not None:
        ends.append(f"{settings.budget:g} CPU seconds")
    tell(
        f"evolve {evolve.__version__} · {command} · {settings.rules} · {settings.preset} · "
        f"seed {settings.seed} · {folder}"
    )
    tell(f"{settings.summary}; to {' or '.join(ends)}; {count_of(jobs, 'thread')}")


def _report(training: Training) -> None:
    """Print the best agent with its Elo, or its score against the panel, and what to do next."""
    folder = training.folder
    agent: Any = evolve.load_agent(folder)
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
    tell(f"best {agent.name}: {told} → {folder / LEARNED_FILE}")
    name = as_word(folder)
    tell(
        f"next: evolve show {name} · evolve plot {name} -o plot.png · "
        f"evolve match {name} 'positional?depth=4' --games 100 · {proposed(agent, folder)}"
    )
