"""Options that several commands share, and completion of runs and agents in the shell.

Imports are light: help and completion must answer at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from evolve.agents.registry import REFERENCES
from evolve.engine.board.rules import RULE_SETS
from evolve.errors import OptionsError
from evolve.files.atomic import is_standard
from evolve.fitness.executor import MOST_JOBS, processors
from evolve.programs.children import LOG
from evolve.tables.paths import CONFIG_FILE
from evolve.terminal_text import SHOWN

_C = TypeVar("_C", bound=Callable[..., Any])

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    default=processors,
    help="Threads; all cores by default. Results do not depend on it.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


class OuterCommand(click.Group):
    """A command with commands below it: wrong usage names the inner one.

    So do settings that its options make wrong.
    """

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except (OptionsError, click.UsageError) as error:
            if isinstance(error, click.UsageError) and error.ctx is not None:
                raise
            message = error.format_message() if isinstance(error, click.UsageError) else str(error)
            command = click.Context(self, context, context.invoked_subcommand)
            raise click.UsageError(message, command) from error


def together(*options: Callable[[_C], _C]) -> Callable[[_C], _C]:
    """Options as one, in the order in which help shows them."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def rules_option(text: str) -> Callable[[_C], _C]:
    """An option for the rules of games; text: its help."""
    return click.option("--rules", type=click.Choice([*RULE_SETS]), help=text)


SERVICE_TOKEN: Final = "EVOLVE_TOKEN"
"""The environment variable with the token of a service.

Programs that are started here, which may be other people's, get an environment without it.
"""
PROGRESS: Final = "evolve.progress"
"""The key of a command's file of events in its context."""


def output_path(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """A file to write to: its folder must exist, and it must be no folder, pipe or device itself.

    A link is followed here, as its user means it: what writes a file replaces a link.
    """
    if value is None:
        return None
    path = Path(value)
    if is_standard(path):  # lines for people go to standard error then
        if parameter.name != "output":  # these are written more than once
            raise click.BadParameter("it must be a file, not standard output")
        context.with_resource(redirect_stdout(sys.stderr))
        return path
    if path.is_dir():
        raise click.ClickException(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise click.ClickException(f"there is no folder {path.parent} to write {path.name} to")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.ClickException(f"{path} cannot be written to")
    if path.exists() and not path.is_file():
        raise click.ClickException(f"{path} is a pipe or a device, not a file")
    return path.resolve() if path.is_symlink() else path


def input_path(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """A file to read; standard input, `-`, is put into a file while the command runs.

    It may be read twice, then; a pipe may not.
    """
    if context.resilient_parsing or value is None:
        return value
    if str(value) != "-":
        if Path(value).is_fifo():
            raise click.BadParameter(f"{value} is a pipe: give - for standard input, or a file")
        return value
    path = Path(context.with_resource(TemporaryDirectory()), "standard-input.txt")
    path.write_bytes(sys.stdin.buffer.read())
    SHOWN[str(path)] = "standard input"
    return type(value)(path)


def output_named(*endings: str) -> Callable[..., Path | None]:
    """A callback like `output_path`, for files whose names end in one of these."""

    def check(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
        path = output_path(context, parameter, value)
        if path is not None and path.suffix.lower() not in endings:
            raise click.BadParameter(f"{path} must end in {' or '.join(endings)}")
        return path

    return check


def output_option(text: str, **how: Any) -> Callable[[_C], _C]:
    """The option for a file to write to; text: its help."""
    return click.option("-o", "--output", help=text, **{"callback": output_path, **how})


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


def readable(name: str) -> str:
    """A name that can be written as UTF-8, whatever bytes the command line held."""
    return name.encode("utf-8", "replace").decode("utf-8")


def complete_runs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete folders of runs, here and in `runs/`; else the shell completes any folder."""
    return _completed(incomplete, [], "dir")


def complete_agents(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete reference agents, runs and agent files; else the shell completes any file."""
    return _completed(incomplete, REFERENCES, "file", ".json", ".npz")


def _completed(
    incomplete: str, names: Iterable[str], other: str, *endings: str
) -> list[CompletionItem]:
    """The names, runs, and files with these endings that begin with the text, here or in `runs/`.

    Paths that would disturb the shell are left out. other: what the shell completes instead.
    """
    runs, files = [], []
    for text in (incomplete, "runs/"):
        folder = Path(text) if text.endswith("/") else Path(text).parent
        with suppress(OSError):
            paths = sorted(folder.iterdir())
            runs += [str(path) for path in paths if (path / CONFIG_FILE).is_file()]
            files += [str(path) for path in paths if path.suffix.lower() in endings]
    found = filter(str.isprintable, dict.fromkeys((*names, *runs, *files)))
    items = [CompletionItem(text) for text in found if text.startswith(incomplete)]
    return items or [CompletionItem(incomplete, type=other)]
