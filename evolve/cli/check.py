"""`evolve check`: a hand-in put to what a contest asks."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import click

from evolve.cli.options import ExistingFile, json_option
from evolve.cli.terminal import counting, json_text, say

_WORDS: Final = {True: "ok", False: "WRONG", None: "?"}


@click.command(name="check")
@click.argument("file", type=ExistingFile())
@click.option("--class", "name", default="", help="Its class that plays; AI unless given.")
@click.option(
    "--seconds", type=click.FloatRange(0.05, 3600), default=5.0, show_default=True, help="A move."
)
@click.option(
    "--memory", type=click.IntRange(20, 1 << 16), default=100, show_default=True, help="In MB."
)
@click.option(
    "--games",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    help="Against random moves, by turns as black and as white.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--python",
    metavar="PROGRAM",
    help="Another Python to run it by, such as python3.7, with what it imports.",
)
@click.option("--allow", multiple=True, metavar="MODULE", help="It may import, beside numpy.")
@json_option
def check_command(file: Path, allow: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Put FILE, a Python file with the CS303 class AI, to what a contest asks.

    It is loaded, and plays in a process of its own: what it imports, whether every square in its
    list is legal and the list empty where it must pass, the slowest move, and the CPU time and
    memory of it and of all that it starts, measured from outside. The exit code is 1 where anything
    is wrong.

    \b
    Examples:
      evolve export runs/reversed-001 --to python -o agent.py && evolve check agent.py
      evolve check friend.py --seconds 2 --memory 200 --python python3.7
    """
    from evolve.programs.examination import ALLOWED, examine

    python, options["megabytes"] = options["python"], options.pop("memory")
    if python is not None and shutil.which(python) is None:
        raise click.BadParameter(f"there is no program {python!r}", param_hint="--python")
    with counting("games", options["games"], as_json) as progress:
        found = examine(file, **options, allowed=(*ALLOWED, *allow), progress=progress)
    good = all(one.good is not False for one in found)
    if as_json:
        findings = [{"name": one.name, "good": one.good, "text": one.text} for one in found]
        click.echo(json_text({"file": str(file), "good": good, "findings": findings}))
    else:
        for one in found:
            say(f"{one.name:<8} {_WORDS[one.good]:<6} {one.text}")
    return 0 if good else 1
