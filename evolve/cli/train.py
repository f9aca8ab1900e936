"""`evolve train dqn` and `evolve train mcts`, and going on with either."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table

import evolve
from evolve.cli.new_run import RUNS, worthless_unless_started
from evolve.cli.options import GroupedCommand, given_options, jobs_option, model_options
from evolve.cli.permission import agree_to_programs, check_programs
from evolve.cli.progress import Stoppable, interrupt_between_generations, say
from evolve.cli.terminal import BAR_WIDTH, Times, cell, duration, out
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import config_text, read_toml, resolve_as
from evolve.errors import ExtraError
from evolve.tables import folder as store
from evolve.tables.layout import CHECKPOINT_FILE, CONFIG_FILE, LEARNED_FILE, METRICS
from evolve.text import count_of

if TYPE_CHECKING:
    from evolve.learning.course import Ending
    from evolve.learning.training import Training
    from evolve.tables.run import Run

Settings = MctsSettings | DqnSettings
KINDS: Final[dict[str, Any]] = {
    "mcts": (MctsSettings, MCTS_PRESETS),
    "dqn": (DqnSettings, DQN_PRESETS),
}

_SHOWN: Final = (
    "check", "games", "steps", "loss", "random", "depth_1", "depth_2", "score", "cpu_seconds",
)  # fmt: skip
"""Columns of the metrics table that are shown."""
_WIDTHS: Final = (5, 8, 8, 7, 7, 7, 7, 7, 11)

_TRAIN_HELP: Final = """Teach a network by games: `dqn` move values, `mcts` the value of positions.

Needs PyTorch, the extra `learn`: pip install '.[learn]'. The result plays like any other agent.

\b
Examples:
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


@click.group(name="train", help=_TRAIN_HELP)
def train_command() -> None:
    """See _TRAIN_HELP."""


def _options(command: Any) -> Any:
    for option in (
        click.option("--config", metavar="FILE.toml", help="Settings; options come first."),
        click.option("--out", metavar="FOLDER", help="Folder of the run; runs/KIND-NNN if not."),
        jobs_option,
    ):
        command = option(command)
    return command


@train_command.command(cls=GroupedCommand, name="mcts", help=_MCTS_HELP)
@model_options(MctsSettings)
@_options
def train_mcts(jobs: int, out: str | None, config: str | None, **options: Any) -> int:
    """See _MCTS_HELP."""
    return _train("mcts", jobs, out, config, options)


@train_command.command(cls=GroupedCommand, name="dqn", help=_DQN_HELP)
@model_options(DqnSettings)
@_options
def train_dqn(jobs: int, out: str | None, config: str | None, **options: Any) -> int:
    """See _DQN_HELP."""
    return _train("dqn", jobs, out, config, options)


def _train(
    kind: str, jobs: int, out: str | None, config: str | None, options: dict[str, Any]
) -> int:
    from evolve.tables.metrics import committed_checks

    model, presets = KINDS[kind]
    file = read_toml(Path(config)) if config else {}
    settings = resolve_as(model, presets, given_options(model, options), file, config or "file")
    need_torch()
    made_runs = not RUNS.exists()
    folder, made = store.claimed(RUNS, kind, out)
    with (
        store.locked(folder),
        worthless_unless_started(folder, made, made_runs, committed_checks),
    ):
        _print_header(kind, folder, settings, jobs)
        training = _training(folder, settings, jobs)
        store.create(folder, _config(kind, settings), (METRICS,))
        agree_to_programs(folder, settings)
        return _go_on(training)


def resume_training(run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
    """Go on with a training from its last check; `changes` may move its end."""
    from evolve.tables.atomic import write_text
    from evolve.tables.metrics import forget_checks

    need_torch()
    folder, kind = run.path, run.command.removeprefix("train ")
    model, _ = KINDS[kind]
    file = folder / CONFIG_FILE
    # Without presets: all settings are in the file, but for those that its version did not have.
    settings = resolve_as(model, {}, changes, read_toml(file), str(file))
    with store.locked(folder):
        check_programs(folder, settings, allowed=allow_programs, storage=False)
        store.sweep_temporary(folder, (METRICS,))
        training = _training(folder, settings, jobs)
        training.restore()
        forget_checks(folder, training.check)
        ending = training.finished
        if ending is not None and not training.check_is_due:
            say(
                f"{folder} is finished, {training.games} games: {ending.value}; a higher "
                f"--{ending.name.lower()} goes on"
            )
            return 0
        if changes:
            write_text(file, _config(kind, settings))
        _print_header(kind, folder, settings, jobs)
        if training.games:
            say(f"going on after {training.games} games, {training.spent:.0f} CPU seconds")
        return _go_on(training)


def need_torch() -> None:
    """Raise ExtraError where PyTorch is not installed."""
    if importlib.util.find_spec("torch") is None:
        raise ExtraError(
            "learning needs PyTorch, the extra `learn` of evolve, which is not installed: "
            "pip install '.[learn]', or a small build for CPUs alone, pip install torch "
            "--index-url https://download.pytorch.org/whl/cpu"
        )


def _training(folder: Path, settings: Settings, jobs: int) -> Training:
    from evolve.learning.training import Training

    return Training(folder, settings, jobs)


def _go_on(training: Training) -> int:
    try:
        with _watching(training) as display, interrupt_between_generations(display):
            ending = training.run(display)
    except KeyboardInterrupt:
        if (training.folder / CHECKPOINT_FILE).exists():
            say(f"go on with: evolve resume {training.folder}")
        raise
    return _print_ending(training, ending)


def _print_header(kind: str, folder: Path, settings: Settings, jobs: int) -> None:
    ends = []
    if settings.games is not None:
        ends.append(f"{settings.games} games")
    if settings.budget is not None:
        ends.append(f"{settings.budget:g} CPU seconds")
    say(
        f"evolve {evolve.__version__} · train {kind} · {settings.rules} · {settings.preset} · "
        f"seed {settings.seed} · {folder}"
    )
    layers, threads = ", ".join(settings.layers), count_of(jobs, "thread")
    say(f"{settings.input}: {layers}; to {' or '.join(ends)}; {threads}")


def _print_ending(training: Training, ending: Ending) -> int:
    from evolve.learning.course import Ending

    folder = training.folder
    chosen = training.learner.accept_seconds
    say(
        f"{training.games} games, {training.spent:.0f} CPU seconds"
        + (f" ({chosen:.0f} to choose between models)" if chosen else "")
        + f": {ending.value}"
    )
    if ending is Ending.STOPPED:
        say(f"go on with: evolve resume {folder}")
        return 130
    agent = evolve.load_agent(folder)
    found: Any = getattr(agent, "provenance", {})
    score, error, against = (cell(found.get(key)) for key in ("score", "error", "against"))
    say(f"best {agent.name}: score {score} ± {error} against {against} → {folder / LEARNED_FILE}")
    say(
        f"next: evolve show {folder} · evolve plot {folder} -o plot.png · "
        f"evolve match {folder} 'positional?depth=4' --games 100"
    )
    return 0


def _config(kind: str, settings: Settings) -> str:
    packages = ("numba", "numpy", "pandas", "pyarrow", "torch")
    versions = {
        "evolve": evolve.__version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }
    return config_text(settings, versions, f"train {kind}")


class TrainingDisplay(Stoppable):
    """An observer that shows a line a check, and remembers a wish to stop."""

    unit = "these games"

    def __init__(self) -> None:
        super().__init__()

    def begin(self) -> None:
        """The first line."""
        heads = (head.rjust(width) for head, width in zip(_SHOWN, _WIDTHS, strict=True))
        say(" ".join(heads) + "     left")

    def games(self, done: int, share: float) -> None:
        """Nothing between the checks."""
        self._share = share

    def check(self, row: Mapping[str, Any]) -> None:
        """A line for the check."""
        line = " ".join(t.rjust(w) for t, w in zip(texts_of(row), _WIDTHS, strict=True))
        say(f"{line} {duration(seconds_left(row['seconds'], self._share)):>8}")


class LiveTrainingDisplay(TrainingDisplay):
    """The same as a table that stands still, with a bar for the training."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[list[str]] = []
        self._bar = training_bar()
        self._task = self._bar.add_task("compiling", total=None)
        self._note = ""
        self.live = Live(console=out(), refresh_per_second=4, get_renderable=self._picture)

    def begin(self) -> None:
        """Nothing: the table has a head."""

    def games(self, done: int, share: float) -> None:
        """Move the bar."""
        self._share = share
        self._bar.update(self._task, description=f"{done} games", completed=share, total=1.0)

    def check(self, row: Mapping[str, Any]) -> None:
        """One more row."""
        self._rows.append(texts_of(row))

    def wish_stop(self) -> None:
        """Say so under the table."""
        self.stop_wished = True
        self._note = self.ending

    def _picture(self) -> Group:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for head in _SHOWN:
            table.add_column(head, justify="right")
        for texts in self._rows[-12:]:
            table.add_row(*texts)
        return Group(table, self._bar, *([self._note] if self._note else []))


def training_bar() -> Progress:
    """A bar by the share that is done, with time gone and left."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(BAR_WIDTH),
        TaskProgressColumn(),
        Times(),
        console=out(),
    )


def texts_of(row: Mapping[str, Any]) -> list[str]:
    """The shown columns of a row as text."""
    texts = [cell(row[key]) for key in _SHOWN]
    texts[-1] = f"{row['cpu_seconds']:.0f}"
    return texts


def seconds_left(gone: float, share: float) -> float:
    """By the time that the share has taken."""
    return gone * (1.0 - share) / share if share > 0.0 else math.inf


@contextmanager
def _watching(training: Training) -> Iterator[TrainingDisplay]:
    """The display that fits where the output goes."""
    if not out().is_terminal:
        display = TrainingDisplay()
        display.begin()
        yield display
        return
    live = LiveTrainingDisplay()
    with live.live:
        yield live
