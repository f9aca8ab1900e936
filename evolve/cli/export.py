"""`evolve export`, `check` and `hand-in`: write an agent to a file, test it, and both at once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import click

from evolve.cli.options import (
    complete_agents,
    input_path,
    json_option,
    output_option,
    output_path,
    rules_option,
)
from evolve.cli.terminal import loading, print_json
from evolve.errors import OptionsError

_numba_option: Final = click.option(
    "--numba",
    is_flag=True,
    help="Let the Python file of an alpha-beta agent or of patterns compile its search in the "
    "background where numba is installed: deeper under a clock, for 150 to 250 MB of memory.",
)
_force_option: Final = click.option(
    "--force", is_flag=True, is_eager=True, help="Overwrite the file that -o names."
)
_seconds_option: Final = click.option(
    "--seconds",
    type=click.FloatRange(0.05, 3600),
    default=5.0,
    show_default=True,
    help="Most seconds for a move.",
)
_memory_option: Final = click.option(
    "--memory",
    type=click.IntRange(20, 1 << 16),
    default=100,
    show_default=True,
    help="Most memory, in MB.",
)


def _new_file(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """A file to write to that must not exist yet, unless `--force` is given.

    This is for commands that write files that people use further and may have changed, such as an
    agent or a hand-in. Others write over their file or add to it: tables, pictures and records
    can be made again from a run, often while it continues, and games of a match are added.
    """
    path = output_path(context, parameter, value)
    if path is not None and path.is_file() and not context.params.get("force"):
        raise click.ClickException(f"{path} exists: name another file, or add --force")
    return path


@click.command(name="export")
@click.argument("source", shell_complete=complete_agents)
@click.option(
    "--individual", metavar="ID", help="An individual of the run instead of its champion."
)
@click.option(
    "--to",
    "target",
    type=click.Choice(["agent", "python"]),
    help="An agent file, or one stand-alone Python file that needs numpy alone; by default what "
    "the ending of the file says: .json or .npz, or .py.",
)
@_numba_option
@_force_option
@output_option("File to write.", callback=_new_file, required=True)
def export_command(
    source: str, individual: str | None, target: str | None, numba: bool, force: bool, output: Path
) -> None:
    """Write the agent of SOURCE (a run, an agent file, a reference agent) to a file.

    The Python file follows the SUSTech CS303 convention (class AI with go and candidate_list).
    With a time for a move, as in 'best.json?time=4.5', that of an alpha-beta agent, of patterns or
    of a tree search goes as deep as the clock allows: hand in such a file. Without a time it plays
    the moves of the agent in evolve.

    \b
    Examples:
      evolve export runs/reversed-001 -o best.json
      evolve export runs/reversed-001 --individual 12-40 -o other.json
      evolve export 'runs/reversed-001?time=4.5' -o agent.py
      evolve export best.json -o same-moves.py
    """
    target = target or ("python" if output.suffix.lower() == ".py" else "agent")
    if numba and target != "python":
        raise OptionsError(f"--numba goes with Python files, and {output} is to be an agent file")
    from evolve.cli.hand_in import export

    export(source, individual, output, python=target == "python", numba=numba)


@click.command(name="check")
@click.argument(
    "file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    callback=input_path,
)
@click.option("--class", "name", default="", help="The class that plays; AI by default.")
@_seconds_option
@_memory_option
@click.option(
    "--games",
    type=click.IntRange(1, 1000),
    help="Games against random moves, black and white in turn; 4 by default.",
)
@click.option(
    "--quick",
    is_flag=True,
    help="A move in each of four positions instead of games: under 30 seconds if a move has 5. "
    "What only a whole game shows, such as memory that grows, goes unnoticed.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random moves."
)
@click.option(
    "--python",
    metavar="PROGRAM",
    help="Another Python to run it with, such as python3.7, that has the modules it imports.",
)
@click.option(
    "--allow", multiple=True, metavar="MODULE", help="A further module that it may import."
)
@json_option
def check_command(
    file: Path,
    allow: tuple[str, ...],
    games: int | None,
    quick: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Test FILE, a Python file with the CS303 class AI, against the rules of a contest.

    FILE plays in a separate process. The test checks what it imports, whether every square in its
    list is legal and the list empty when it must pass, its slowest move, and the CPU time and
    memory of it and of all that it starts, measured from outside. The first fault ends the test
    with exit code 1.

    \b
    Examples:
      evolve check agent.py
      evolve check agent.py --quick
      evolve check friend.py --seconds 2 --memory 200 --python python3.7
    """
    if quick and games is not None:
        raise click.UsageError("--quick plays no whole games: leave out --games, or --quick")
    python = options["python"]
    if python is not None and shutil.which(python) is None:
        raise click.BadParameter(f"there is no program {python!r}", param_hint="--python")
    with loading():
        from evolve.cli.hand_in import check_file
    from evolve.programs.examination import ALLOWED, GAMES, Demands

    demands = Demands(options.pop("seconds"), options.pop("memory"), (*ALLOWED, *allow))
    found = check_file(file, demands, 0 if quick else games or GAMES, as_json, **options)
    if as_json:
        print_json({"file": str(file), **found})
    return 0 if found["good"] else 1


@click.command(name="hand-in")
@click.argument("source", metavar="[RUN|AGENT]", required=False, shell_complete=complete_agents)
@_force_option
@output_option("Python file to write.", callback=_new_file, default="agent.py", show_default=True)
@_seconds_option
@_memory_option
@rules_option("Rules of the contest; those of the agent by default.")
@_numba_option
@json_option
def hand_in_command(source: str | None, force: bool, output: Path, **options: Any) -> int:
    """Make the file to hand in to a contest: write it, check it, and let it play.

    Of the champion of a run or of any agent it writes one Python file that plays by the clock, as
    `evolve export` does; puts it to `evolve check --quick`; and lets it play four quick games
    against the strongest other agent that comes with evolve. All that takes under a minute where a
    move has 5 seconds. The last line says what to hand in; if the check finds something wrong, the
    exit code is 1.

    Without RUN|AGENT it takes the newest finished run in `runs`, or, where there is none, the
    strongest agent that comes with evolve; the first line says which. Where neither a run nor an
    agent tells the rules, it asks for them on a terminal, and elsewhere needs --rules.

    \b
    Examples:
      evolve hand-in
      evolve hand-in runs/reversed-001 -o agent.py --seconds 5
      evolve hand-in champion-standard --seconds 2 --memory 200
    """
    if output.suffix.lower() != ".py":
        raise OptionsError(f"-o {output}: a hand-in is a Python file, so its name ends in .py")
    with loading():
        from evolve.cli.hand_in import hand_in

    return hand_in(source, output, **options)
