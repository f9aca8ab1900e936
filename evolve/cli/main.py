"""The `evolve` command: what it offers, and how it fails.

Nothing heavy is imported here: `evolve --help` answers at once, and a command's module is
loaded when the command is used.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, NoReturn

import click
from click.shell_completion import CompletionItem

from evolve import __version__
from evolve.agents.registry import PROGRAM_FORMS, REFERENCE_NAMES
from evolve.cli import signals
from evolve.cli.leaving import SIGNALLED, leave_at_signals
from evolve.cli.options import PROGRESS, SERVICE_TOKEN, OuterCommand
from evolve.errors import EvolveError, reason_of
from evolve.extras import naming_missing_packages
from evolve.runs.run_types import RUN_TYPES
from evolve.terminal_text import SHOWN, as_word, expect_any_text, plain

GROUPS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "Begin and continue": {
        **{k.name: ("sweep" if k.name == "sweep" else "run", k.about) for k in RUN_TYPES},
        "study": ("run", "Run a design of settings and seeds, several runs at a time."),
        "resume": ("run", "Resume a run that was stopped, or past its end."),
        "serve": ("serve", "Serve a page and a REST API over a folder of runs."),
    },
    "See what was made": {
        "runs": ("runs", "List the runs in a folder."),
        "show": ("show", "Show a run's tables, or an agent."),
        "compare": ("runs", "Show runs side by side."),
        "lineage": ("show", "Show where an individual and its genes come from."),
        "replay": ("games", "Show a game of a run, move by move."),
        "plot": ("plot", "Draw runs, studies and agents: for a screen or a paper."),
        "report": ("show", "Write a run, a match or a game as one page, to send."),
    },
    "Let agents play": {
        "play": ("games", "Play against an agent in the terminal."),
        "match": ("match", "Play a match between two agents."),
        "rate": ("rate", "Rate agents by a round robin."),
        "agents": ("rate", "List the agents known by name, and how strong they are."),
    },
    "Use agents elsewhere": {
        "hand-in": ("export", "Write a file for a contest, check it, and let it play."),
        "check": ("export", "Test a Python file against a contest's rules."),
        "export": ("export", "Write an agent file, or a stand-alone Python file."),
        "engine": ("games", "Serve an agent to other programs, over GTP or NBoard."),
    },
    "Positions, games and speed": {
        "solve": ("games", "Solve positions to the end of the game."),
        "convert": ("games", "Turn games or positions into another format."),
        "perft": ("games", "Count the positions after so many plies."),
        "bench": ("games", "Measure the speed of the engine on this machine."),
    },
}
"""The commands under their headings: each one's module in `evolve.cli`, with a function
NAME_command (_ for -), and its help."""
COMMANDS: Final = {name: entry for group in GROUPS.values() for name, entry in group.items()}

_HOME: Final = re.compile(r"((?:^|^-o|[=,])(?:run:)?)~(?=[/\\]|$)")
"""The sign for the home folder where words that are paths begin."""
_TAKEN: Final = {
    "NUMBA_NUM_THREADS": r"\s*\+?0*[1-9][0-9]*\s*|.*[^\s0-9+-].*|",
    "NUMBA_CPU_FEATURES": r"(?:[+-][\w.-]+(?:,[+-][\w.-]+)*)?",
}
"""Values of variables with which numba loads; of a word for a number it warns."""
_AGENTS: Final = f"""An AGENT is an agent file, a run (its champion), run:RUN:INDIVIDUAL, one of
{REFERENCE_NAMES}, or a program: {", ".join(PROGRAM_FORMS)};
settings follow a question mark: 'best.json?depth=5&endgame=0', 'best.json?time=2',
'net.npz?simulations=800', 'gtp:gtp-rhino --level=1?time=5'.
"""
_EPILOG: Final = f"""\b
Examples:
  evolve run --generations 168             as many as the paper; 4 min on 2 cores
  evolve run --rules standard --seed 1     the usual game
  evolve train mcts --budget 120           a network for tree search, by its own games
  evolve sweep mcts --trials 60            its best settings, by Optuna
  evolve resume runs/reversed-001          after a stop, a crash or for more generations
  evolve show runs/reversed-001            how it went
  evolve match runs/reversed-001 'anti-swh-mobility?depth=3' --games 200
  evolve hand-in runs/reversed-001         a checked file for a contest, within a minute

{_AGENTS}"""


class _LazyGroup(OuterCommand):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Expand the home folder where shells do not, as in -o~/x.csv and run:~/runs/x:1-2."""
        home = os.path.expanduser("~").replace("\\", r"\\")
        return super().parse_args(context, [_HOME.sub(rf"\1{home}", word) for word in args])

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the words name, or suggest one with a similar name."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not context.resilient_parsing:
            meant = difflib.get_close_matches(name, COMMANDS, 1)
            hint = f"; did you mean {meant[0]!r}?" if meant else ""
            raise click.UsageError(f"there is no command {name!r}{hint}", context)
        return super().resolve_command(context, args)

    def invoke(self, context: click.Context) -> Any:
        with _reporting_end(context), naming_missing_packages():
            return super().invoke(context)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"evolve.cli.{COMMANDS[name][0]}")
        command = getattr(module, f"{name.replace('-', '_')}_command", None)
        if command is None:
            command = module.command_of(next(kind for kind in RUN_TYPES if kind.name == name))
        assert isinstance(command, click.Command)
        return command

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands, from the table above, and our own options."""
        found = [
            CompletionItem(name, help=text)
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, context, incomplete)]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists of commands, from the table above, importing none."""
        width = max(map(len, COMMANDS))
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                rows = [(name.ljust(width), text) for name, (_, text) in group.items()]
                formatter.write_dl(rows)


@contextmanager
def _reporting_end(context: click.Context) -> Iterator[None]:
    message = None
    try:
        yield
    except BaseException as error:
        if not (isinstance(error, click.exceptions.Exit) and error.exit_code == 0):
            interrupted = isinstance(error, KeyboardInterrupt)
            message = "interrupted" if interrupted else plain(_one_line(error))
        raise
    finally:
        if (file := context.meta.get(PROGRESS)) is not None:
            file.write("done") if message is None else file.write("error", message=message)


def _check_variables() -> None:
    """Raise EvolveError where a variable would make numba fail, or end the process."""
    for name, taken in _TAKEN.items():
        value = os.environ.get(name, "")
        if not re.fullmatch(taken, value):
            raise EvolveError(f"{name} is {value!r}, which numba does not take: unset it")


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    _check_variables()
    import llvmlite.binding as llvm
    import numba

    features = llvm.get_host_cpu_features()
    used = [name for name in ("avx512f", "avx2", "bmi2", "popcnt", "neon") if features.get(name)]
    click.echo(f"evolve {__version__}")
    click.echo(f"Python {sys.version.split()[0]}, numba {numba.__version__}")
    click.echo(f"CPU {llvm.get_host_cpu_name()}: {' '.join(used) or 'no vector extensions'}")
    context.exit()


@click.command(
    cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show versions and CPU features.",
)
def cli(debug: bool) -> None:
    """Tune Reversi agents by evolution, and teach them by games."""
    _check_variables()
    if click.get_current_context().invoked_subcommand != "serve":  # serve reads and removes it
        os.environ.pop(SERVICE_TOKEN, None)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Exit codes: 0 done, 1 the work failed (one line on stderr), 2 wrong usage, 130 interrupted, 143
    and 129 ended by SIGTERM and SIGHUP.
    """
    whole = arguments is None
    if arguments is None:
        arguments = sys.argv[1:]
    # --debug may stand anywhere on the line, not only before the command.
    words = [word for word in arguments if word != "--debug"]
    _stand_in_for_closed_streams()
    try:
        try:
            _prepare(words)
            # Not by `cli.main`, which would change KeyboardInterrupt and BrokenPipeError.
            with cli.make_context("evolve", words) as context:
                result: Any = cli.invoke(context)
            sys.stdout.flush()
            code = result if isinstance(result, int) else 0
        except BaseException as error:
            code = _report(error, words, debug="--debug" in arguments)
    except BaseException as error:
        # Another one, while the first was reported, or in place of which Python raised an error.
        interruption = signals.interruption_in(error)
        if interruption is None:
            raise
        code = signals.exit_code(interruption)
    if whole:
        leave_at_signals()
    SHOWN.clear()
    try:
        sys.stdout.flush()
    except OSError:  # it was reported above
        signals.discard_output()
    if whole and code >= SIGNALLED:
        # Python's last steps wait for threads, and two interruptions can leave one that waits for
        # a program. Programs, files and workers are safe: SIGKILL ends us in the same way.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _prepare(words: list[str]) -> None:
    expect_any_text()
    # One line, harmless for a terminal: numba puts a traceback below its own.
    warnings.formatwarning = lambda message, *_args, **_options: (
        f"warning: {plain(str(message).partition(chr(10))[0])}\n"
    )
    signals.install()
    parts = (part for word in words for part in (word, word.partition("=")[2]))
    SHOWN.update((part, plain(part)) for part in parts if "\n" in part)  # errors are one line
    # The environment variable by which a shell asks click for completions.
    if "_EVOLVE_COMPLETE" in os.environ:
        cli.main(words, prog_name="evolve")


def _report(error: BaseException, words: list[str], debug: bool) -> int:
    """Report what ended a command, from its `except`; return the exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, (KeyboardInterrupt, EOFError)):  # EOFError: Ctrl-D at a key
        ended = str(error) if isinstance(error, signals.Terminated) else "interrupted"
        click.echo(f"\n{ended}", err=True)  # not in the line of the terminal's ^C
        return signals.exit_code(error)
    if isinstance(error, BrokenPipeError):
        signals.discard_output()  # the reader (head, less) has seen enough
        return 0
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return 2
    if isinstance(error, click.UsageError):
        if debug and error.__cause__ is not None:
            raise error.__cause__ from None
        where = error.ctx.command_path if error.ctx else "evolve"
        message = error.format_message().rstrip(".")
        if message[1:2].islower():  # not EVOLVE_TOKEN
            message = message[0].lower() + message[1:]
        files = [word for word in words if word.startswith("-") and os.path.exists(word)]
        if isinstance(error, click.NoSuchOption) and files:
            message += f"; for the file write {as_word(files[0])}"
        message += f"; see {where} --help"
        click.echo(f"error: {plain(message)}", err=True)
        return 2
    if debug or not isinstance(error, Exception):
        raise
    if isinstance(error, (EvolveError, click.ClickException, OSError, MemoryError)):
        click.echo(f"error: {plain(_one_line(error))}", err=True)
        return 1
    causes = map(str, signals.causes_of(error))  # joblib makes other errors of it
    if not any("can't start new thread" in cause for cause in causes):
        raise
    click.echo("error: no further thread can be started; take fewer --jobs", err=True)
    return 1


def _stand_in_for_closed_streams() -> None:
    """Connect streams that were closed before the start to the null device.

    A run in the background continues without its lines, and no file of ours gets a stream's number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _one_line(error: BaseException) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and not isinstance(error, EvolveError) and error.strerror:
        return reason_of(error, os.fsdecode(error.filename)) if error.filename else error.strerror
    return plain(str(error) or type(error).__name__, keep="\n").split("\n")[0]
