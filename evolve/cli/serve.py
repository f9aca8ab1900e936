"""`evolve serve`: the service with its page and its REST API."""

from __future__ import annotations

import html
import os
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import click

from evolve.agents.names import located, parse_name, words_of
from evolve.agents.registry import PROGRAM_FORMS, PROGRAMS
from evolve.cli.new_run import RUNS
from evolve.cli.options import SERVICE_TOKEN
from evolve.cli.terminal import say
from evolve.config.defaults import VARIABLE, default_rules
from evolve.engine.compiled.private import private_folder
from evolve.files.atomic import write_bytes
from evolve.files.changes import make_folder, remove
from evolve.files.folder import inside
from evolve.service.door import TOKEN, new_token, token_file, user_token
from evolve.tables.paths import CONFIG_FILE


@click.command(name="serve")
@click.argument("runs", type=click.Path(path_type=Path), default=RUNS)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; with 0.0.0.0 or :: it answers to its addresses and to the "
    "machine's name, other names need --allow-host.",
)
@click.option(
    "--slots",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Jobs that work at once; others wait in a queue.",
)
@click.option(
    "--token",
    envvar=SERVICE_TOKEN,
    show_envvar=True,
    help="What clients must tell, 16 characters or more; by default a secret that is kept for you. "
    "Others on this machine see the words of a command: set the variable rather than the option.",
)
@click.option(
    "--no-token",
    is_flag=True,
    help="Let in everyone who reaches the port: every account of this machine, and with --host "
    "others.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name that the service may be called by, such as that of a proxy.",
)
@click.option(
    "--allow-programs",
    "programs",
    multiple=True,
    metavar="PROGRAM",
    help=f"A program that matches and ratings may meet: {', '.join(PROGRAM_FORMS)}.",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
def serve_command(
    runs: Path,
    port: int,
    host: str,
    slots: int,
    token: str | None,
    no_token: bool,
    hosts: tuple[str, ...],
    programs: tuple[str, ...],
    browse: bool,
) -> None:
    """Serve the runs in RUNS (runs by default): a page to watch, steer and play, and a REST API.

    Jobs are processes of their own: they go on when the service ends, and are found again when it
    starts. Only this machine is answered unless --host says otherwise, and only those who have the
    token in the address that is printed. It needs the extra `serve`: pip install '.[serve]'.

    \b
    Examples:
      evolve serve --open
      evolve serve runs --port 9000 --slots 2
      evolve serve --host 0.0.0.0 --allow-host lab.example.org
      evolve serve --allow-programs 'gtp:gtp-rhino --level=3'
    """
    os.environ.pop(SERVICE_TOKEN, None)
    from evolve.service.request_guard import HOST_NAME
    from evolve.service.server import serve

    if inside(runs, CONFIG_FILE).is_file():
        raise click.BadParameter(f"{runs} is a run; name the folder that holds runs")
    for program in programs:
        _check_program(program)
    for name in hosts:
        if not HOST_NAME.fullmatch(name):
            raise click.BadParameter(
                f"{name!r} is not a host: a name or an address alone", param_hint="--allow-host"
            )
    if token and no_token:
        raise click.BadParameter(
            f"--token or {SERVICE_TOKEN} says the opposite", param_hint="--no-token"
        )
    if token and not TOKEN.fullmatch(token):
        raise click.BadParameter(
            f"a token has 16 characters or more, letters, digits and . _ ~ + / = - alone, not "
            f"{len(token)} such",
            param_hint="--token",
        )
    if no_token:
        say(f"--no-token: {_NO_TOKEN}")
    elif not token:
        token = _kept_token()
    if runs == RUNS and not runs.exists():
        make_folder(runs)
    rules = default_rules()
    if rules is not None:  # for its jobs as well, which begin in another folder
        os.environ[VARIABLE] = rules

    def ready(address: str) -> None:
        page = address if not token else f"{address}?token={token}"
        say(f"evolve serves {runs} at {page}")
        say("Ctrl-C ends it; jobs go on")
        if browse:
            stack.callback(_open(page, private=bool(token)))

    with ExitStack() as stack, suppress(KeyboardInterrupt):
        serve(
            runs,
            host=host,
            port=port,
            slots=slots,
            hosts=hosts,
            token=token or None,
            programs=programs,
            ready=ready,
        )


_NO_TOKEN: Final = (
    "everyone who reaches the port, every account of this machine among them, may start jobs, "
    "delete runs and upload agents"
)


def _kept_token() -> str:
    """The user's token; if it cannot be stored, say so, and return one for this start alone."""
    try:
        token = user_token()
    except OSError as error:
        say(f"the token is for this start alone, as it cannot be kept: {error.strerror or error}")
        return new_token()
    say(f"scripts say `Authorization: Bearer`, and what {token_file()} holds")
    return token


def _open(page: str, *, private: bool) -> Callable[[], None]:
    """Open the page in a browser; return what to call at the end.

    Every account of this machine can see the words of a browser's command. So for an address with a
    token the browser gets a file that leads there, which this user alone can read.
    """
    file = token_file().with_name("open.html")
    if not private:
        webbrowser.open(page)
        return lambda: None
    text = f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(page)}">'
    try:
        private_folder(file.parent)
        write_bytes(file, text.encode(), private=True)
    except OSError as error:
        say(f"open the address yourself: {file} could not be written: {error.strerror or error}")
        return lambda: None
    webbrowser.open(file.as_uri())
    return lambda: remove(file, missing_ok=True)


def _check_program(program: str) -> None:
    """Raise BadParameter if the text names no program, or one that does not exist."""
    named = parse_name(program)
    protocol, _, command = named.place.partition(":")
    why = None
    if protocol not in PROGRAMS:
        why = f"{program!r} is not {' or '.join(PROGRAM_FORMS)}"
    elif protocol != "python":
        try:
            words = words_of(command, named.folder)
            if not words or located(words[0], named.folder) is None:
                why = f"there is no program to run for {program!r}"
        except ValueError as error:  # AgentError is one
            why = f"{program!r}: {error}"
    if why is not None:
        raise click.BadParameter(why, param_hint="--allow-programs")
