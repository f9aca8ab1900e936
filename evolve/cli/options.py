"""Options that several commands share, and completion of runs and agents in the shell.

Imports are light: help and completion must answer at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from evolve.agents.registry import REFERENCES
from evolve.engine.board.rules import RULE_SETS
from evolve.fitness.executor import processors
from evolve.programs.children import LOG
from evolve.tables.paths import CONFIG_FILE


def _jobs(context: click.Context, parameter: click.Parameter, value: int | None) -> int:
    return processors() if value is None else value


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    callback=_jobs,
    help="Threads; all cores by default. Results do not depend on it.",
)
given_jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Threads; all cores by default, and results do not depend on it. Of a sweep: workers, by "
    "default as many as before, since what it tries depends on them.",
)
"""The same for work that may have its own number: None if the option is not given."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
rules_option = click.option(
    "--rules",
    type=click.Choice([*RULE_SETS]),
    help="Rules to play by; those of the agents by default, or of the project, or standard.",
)


file_rules_option = click.option(
    "--rules",
    type=click.Choice([*RULE_SETS]),
    help="Rules of games that do not say theirs; those of the project by default, or standard.",
)
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Fail if a game of a file cannot be read, instead of leaving it out.",
)

SERVICE_TOKEN: Final = "EVOLVE_TOKEN"
"""The environment variable with the token of a service.

Programs that are started here, which may be other people's, get an environment without it.
"""
PROGRESS: Final = "evolve.progress"
"""The key of a command's file of events in its context."""


def output_path(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """A file to write to: its folder must exist, and it must not be a folder itself.

    A link to a file is followed here, as its user means it: what writes a file replaces a link. One
    to a pipe or a device, such as /dev/stdout, stays: it is written through.
    """
    if value is None:
        return None
    path = Path(value)
    if path.is_dir():
        raise click.ClickException(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise click.ClickException(f"there is no folder {path.parent} to write {path.name} to")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.ClickException(f"{path} cannot be written to")
    through = path.exists() and not path.is_file()
    return path.resolve() if path.is_symlink() and not through else path


def output_folder(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """A folder to write to, made if it is missing; its parent folder must exist."""
    if value is None:
        return None
    path = Path(value)
    if path.exists() and not path.is_dir():
        raise click.ClickException(f"{path} is a file; name a folder")
    if not path.parent.is_dir():
        raise click.ClickException(f"there is no folder {path.parent} to make {path.name} in")
    return path


class ExistingFile(click.Path):
    """A file to read, which must exist."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> Any:
        """Convert as click does; if the file's folder is missing, say so."""
        folder = Path(value).parent
        if not folder.is_dir():
            self.fail(f"there is no folder {folder}, where {Path(value).name} would be")
        return super().convert(value, parameter, context)


def _log_to(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Pass the file to all code that starts programs for this command, in any process."""
    path = output_path(context, parameter, value)
    if path is None or context.resilient_parsing:
        return
    before = os.environ.get(LOG)

    def restore() -> None:
        os.environ.pop(LOG)
        if before is not None:
            os.environ[LOG] = before

    os.environ[LOG] = str(path.absolute())
    context.call_on_close(restore)


log_option = click.option(
    "--log",
    metavar="FILE",
    expose_value=False,
    callback=_log_to,
    help="Append everything sent to programs (gtp:, nboard:, python:) and received from them to "
    "this file.",
)


force_option = click.option(
    "--force",
    is_flag=True,
    is_eager=True,
    help="Overwrite the file that -o names.",
)


def new_file(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """A file to write to that must not exist yet, unless `--force` is given (see `force_option`).

    This is for commands that write files that people use further and may have changed, such as an
    agent or a hand-in. Others write over their file or add to it: tables, pictures and records
    can be made again from a run, often while it continues, and games of a match are added.
    """
    path = output_path(context, parameter, value)
    if path is not None and path.is_file() and not context.params.get("force"):
        raise click.ClickException(f"{path} exists: name another file, or add --force")
    return path


def readable(name: str) -> str:
    """A name in a form that can be shown and written, whatever bytes the command line held."""
    return name.encode("utf-8", "replace").decode("utf-8")


def games_output(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """A file to write a table to: .parquet or .csv."""
    path = output_path(context, parameter, value)
    if path is not None and path.suffix.lower() not in (".parquet", ".csv"):
        raise click.BadParameter(f"{path} must end in .parquet or .csv")
    return path


_RUNS: Final = "runs"
_AGENT_FILES: Final = (".json", ".npz")


def complete_runs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete folders of runs, here and in `runs/`; else the shell completes any folder."""
    items = [CompletionItem(str(path)) for path in _runs(incomplete)]
    return items or [CompletionItem(incomplete, type="dir")]


def complete_agents(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete reference agents, runs and agent files; else the shell completes any file."""
    names = [name for name in REFERENCES if name.startswith(incomplete)]
    paths = [*_runs(incomplete), *_files(incomplete)]
    items = [CompletionItem(text) for text in (*names, *map(str, paths))]
    return items or [CompletionItem(incomplete, type="file")]


def _runs(incomplete: str) -> Iterator[Path]:
    places = dict.fromkeys((*_beginning_with(incomplete), *_beginning_with(f"{_RUNS}/")))
    for path in places:
        if (path / CONFIG_FILE).is_file() and str(path).startswith(incomplete):
            yield path


def _files(incomplete: str) -> Iterator[Path]:
    for path in _beginning_with(incomplete):
        if path.suffix.lower() in _AGENT_FILES:
            yield path


def _beginning_with(incomplete: str) -> list[Path]:
    """Paths that begin with the text, without names that would disturb the shell."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return []
    return [path for path in paths if str(path).startswith(incomplete) and str(path).isprintable()]
