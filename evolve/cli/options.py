"""Options that several commands share. No settings are loaded here, so that help comes at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from evolve.engine.rules import RULE_SETS


def all_cores() -> int:
    """Cores this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity
        return os.cpu_count() or 1


def _jobs(context: click.Context, parameter: click.Parameter, value: int | None) -> int:
    return all_cores() if value is None else value


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
    "default as many as it had, for what is tried depends on them.",
)
"""The same where the work may have a number of its own: None where none is given."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
rules_option = click.option(
    "--rules",
    type=click.Choice([*RULE_SETS]),
    help="Rules to play by; those of the agents by default, or standard.",
)
file_rules_option = click.option(
    "--rules",
    type=click.Choice([*RULE_SETS]),
    help="Rules of games that do not say theirs; standard by default.",
)
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Fail where a game of a file cannot be read, in place of going on.",
)

SERVICE_TOKEN: Final = "EVOLVE_TOKEN"
"""The variable with the token of a service. Programs that are started here, of strangers maybe, get
an environment without it."""
PROGRESS: Final = "evolve.progress"
"""Where a command's context has the file that its events go to."""


def output_path(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """A file to write to: its folder must be there, and it must not be a folder itself."""
    if value is None:
        return None
    path = Path(value)
    if path.is_dir():
        raise click.ClickException(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise click.ClickException(f"there is no folder {path.parent} to write {path.name} to")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.ClickException(f"{path} cannot be written to")
    return path


def readable(name: str) -> str:
    """A name as it can be shown and written, whatever bytes the command line held."""
    return name.encode("utf-8", "replace").decode("utf-8")


def games_output(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """A file for a table, by its extension."""
    path = output_path(context, parameter, value)
    if path is not None and path.suffix.lower() not in (".parquet", ".csv"):
        raise click.BadParameter(f"{path} must end in .parquet or .csv")
    return path
