"""`evolve check`: test a hand-in by what a contest asks."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evolve.cli.options import ExistingFile, json_option
from evolve.cli.terminal import bar, complain, duration, err, print_json, say
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.programs.examination import SoFar

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
    help="Against random moves, by turns as black and as white; 4 unless given.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="A move in each of four positions in place of games: under 30 seconds where a move has 5. "
    "What only a whole game shows, such as memory that grows, is not found.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--python",
    metavar="PROGRAM",
    help="Another Python to run it by, such as python3.7, with what it imports.",
)
@click.option("--allow", multiple=True, metavar="MODULE", help="It may import, beside numpy.")
@json_option
def check_command(
    file: Path,
    allow: tuple[str, ...],
    games: int | None,
    quick: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Put FILE, a Python file with the CS303 class AI, to what a contest asks.

    It is loaded, and plays in a process of its own: what it imports, whether every square in its
    list is legal and the list empty where it must pass, the slowest move, and the CPU time and
    memory of it and of all that it starts, measured from outside. The first thing that is wrong
    ends it, and the exit code is 1 then.

    \b
    Examples:
      evolve export 'runs/reversed-001?time=4.5' -o agent.py && evolve check agent.py
      evolve check agent.py --quick
      evolve check friend.py --seconds 2 --memory 200 --python python3.7
    """
    from evolve.arena.agreement import agree_on
    from evolve.programs.examination import ALLOWED, GAMES, examine
    from evolve.programs.external import rules_in_source

    if quick and games is not None:
        raise click.UsageError("--quick plays no whole games: leave out --games, or --quick")
    games = 0 if quick else games or GAMES
    python, options["megabytes"] = options["python"], options.pop("memory")
    if python is not None and shutil.which(python) is None:
        raise click.BadParameter(f"there is no program {python!r}", param_hint="--python")
    agreed = agree_on([], rules_in_source(file))
    with _told(file, str(agreed), games, options["seconds"], as_json) as progress:
        found = examine(file, **options, games=games, allowed=(*ALLOWED, *allow), progress=progress)
    good = all(one.good is not False for one in found)
    if as_json:
        findings = [{"name": one.name, "good": one.good, "text": one.text} for one in found]
        print_json({"file": str(file), "good": good, "findings": findings})
    else:
        for one in found:
            say(f"{one.name:<8} {_WORDS[one.good]:<6} {one.text}")
    return 0 if good else 1


@contextmanager
def _told(
    file: Path, rules: str, games: int, seconds: float, quiet: bool
) -> Iterator[Callable[[SoFar], None] | None]:
    """Say how long the check will take, and then how far it is, on standard error.

    Progress is a bar on a terminal, a line a game elsewhere.
    """
    from evolve.programs.examination import moves_of

    if quiet:
        yield None
        return
    moves = moves_of(games)
    what = f"{count_of(games, 'game')}, some {moves} moves" if games else f"{moves} positions"
    shorter = f"; --quick takes some {duration(moves_of(0) * seconds)}" if games else ""
    complain(
        f"{file}, {rules}: {what} of {seconds:g} s at most: {duration(moves * seconds)} if it uses "
        f"all its time{shorter}"
    )
    if err().is_terminal:
        with bar() as bars:
            task = bars.add_task("starting", total=moves)

            def move(now: SoFar) -> None:
                about = f"slowest {now.slowest:.2f} s"
                ends = time.monotonic() + now.left
                bars.update(
                    task, description=about, completed=now.asked, total=now.about, ends=ends
                )

            yield move
        return
    before: list[SoFar] = []

    def line(now: SoFar) -> None:
        if before and now.game > before[0].game:
            last = before[0]
            complain(
                f"game {last.game + 1} of {games}: slowest move {last.slowest:.2f} s, about "
                f"{duration(last.left)} left"
            )
        before[:] = [now]

    yield line
