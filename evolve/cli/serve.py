"""`evolve serve`: the service with its page and its REST API."""

from __future__ import annotations

import html
import os
import re
import secrets
import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

import click

from evolve.agents.registry import PROGRAM_FORMS, PROGRAMS, parse_name
from evolve.cli.options import SERVICE_TOKEN
from evolve.cli.terminal import print_text
from evolve.engine.compiled.private import check_private, private_folder
from evolve.extras import install_hint
from evolve.files.atomic import write_bytes
from evolve.files.changes import make_folder, remove
from evolve.runs.agreements import data_folder
from evolve.runs.life_cycle import RUNS
from evolve.tables.paths import CONFIG_FILE

_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}")
"""A token has 16 characters at least: 96 bits where they are drawn from the 64 of base64."""
_PORTS: Final = range(8765, 8785)

_HELP: Final = f"""Serve the runs in RUNS (runs by default): a page to watch, steer and play, and a
REST API.

Jobs are separate processes: they continue when the service ends, and it takes them up again when it
starts. It answers this machine alone unless --host says otherwise, and only clients with the token
in the printed address: that of {SERVICE_TOKEN}, else one that is stored for you. It needs the extra
`serve`: {install_hint("serve")}.

\b
Examples:
  evolve serve --open
  evolve serve runs --port 9000 --slots 2
  evolve serve --host 0.0.0.0 --allow-host lab.example.org
  evolve serve --allow-programs 'gtp:gtp-rhino --level=3'
"""


@click.command(name="serve", help=_HELP)
@click.argument("runs", type=click.Path(path_type=Path), default=RUNS)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    show_default=f"{_PORTS[0]}, or the next that is free",
    help="Port to listen on; 0 takes any free one.",
)
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
    help="Jobs that run at once; others wait in a queue.",
)
@click.option(
    "--no-token",
    is_flag=True,
    help="Admit everyone who reaches the port: every account of this machine and, with --host, "
    "others.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another host name that clients may use, such as that of a proxy.",
)
@click.option(
    "--allow-programs",
    "programs",
    multiple=True,
    metavar="PROGRAM",
    help=f"A program that matches and ratings may start: {', '.join(PROGRAM_FORMS)}. One with "
    "parameters, such as {corner:1:50}, can be tuned by a sweep.",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
def serve_command(
    runs: Path,
    no_token: bool,
    hosts: tuple[str, ...],
    programs: tuple[str, ...],
    browse: bool,
    port: int | None,
    **options: Any,
) -> None:
    """See _HELP."""
    given = os.environ.pop(SERVICE_TOKEN, "")
    from evolve.service import request_guard, server

    if (runs / CONFIG_FILE).is_file():
        raise click.BadParameter(f"{runs} is a run; name the folder that holds runs")
    for program in programs:
        if parse_name(program).base.partition(":")[0] not in PROGRAMS:
            raise click.BadParameter(f"{program!r} is not {' or '.join(PROGRAM_FORMS)}")
    for name in hosts:
        if not request_guard.HOST_NAME.fullmatch(name):
            raise click.BadParameter(
                f"{name!r} is not a host: a name or an address alone", param_hint="--allow-host"
            )
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":  # what plays is in other processes
        raise click.ClickException("NUMBA_DISABLE_JIT is set, and nothing plays uncompiled")
    token = _token(given, no_token=no_token)
    if runs == RUNS and not runs.exists():
        make_folder(runs)

    def ready(address: str) -> None:
        page = address if not token else f"{address}?token={token}"
        print_text(f"evolve serves {runs} at {page}")
        if token and not given:
            print_text(f"scripts send `Authorization: Bearer` and the content of {_token_file()}")
        print_text("Ctrl-C ends it; jobs continue")
        if browse:
            _open(page, stack if token else None)

    with ExitStack() as stack, suppress(KeyboardInterrupt):
        server.serve(
            runs,
            ports=_PORTS if port is None else [port],
            hosts=hosts,
            token=token,
            programs=programs,
            ready=ready,
            **options,
        )


def _token(given: str, *, no_token: bool) -> str | None:
    """The token that clients must send; None where all are let in. given: that of the variable."""
    if no_token and given:
        raise click.BadParameter(f"{SERVICE_TOKEN} says the opposite", param_hint="--no-token")
    if no_token:
        print_text(
            "--no-token: everyone who reaches the port, also every account of this machine, may "
            "start jobs, delete runs and upload agents"
        )
        return None
    if given and not _TOKEN.fullmatch(given):
        raise click.UsageError(
            f"{SERVICE_TOKEN}: a token has 16 characters or more, letters, digits and "
            f". _ ~ + / = - alone, not {len(given)} such"
        )
    return given or _user_token()


def _token_file() -> Path:
    return data_folder() / "token"


def _user_token() -> str:
    """This user's token; a new one where there is none, or where others could have read it.

    It stays the same, so that a browser that was let in once still is after a restart. Raises
    OSError where it cannot be saved, or where others could replace it.
    """
    file = private_folder(_token_file().parent) / "token"
    if file.exists():
        check_private(file)
        text = file.read_text(encoding="ascii", errors="replace").strip()
        if not file.stat().st_mode & 0o077 and _TOKEN.fullmatch(text):  # no other user reads it
            return text
    text = secrets.token_urlsafe(24)
    write_bytes(file, text.encode() + b"\n", private=True)
    return text


def _open(page: str, private: ExitStack | None) -> None:
    """Open the page in a browser.

    Every account of this machine can see the words of a browser's command. So for an address with a
    token the browser gets a file that leads there, which this user alone can read, until `private`
    ends.
    """
    if private is None:
        webbrowser.open(page)
        return
    file = private_folder(_token_file().parent) / "open.html"
    text = f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(page)}">'
    private.callback(remove, file, missing_ok=True)  # a signal may come as soon as it is there
    write_bytes(file, text.encode(), private=True)
    webbrowser.open(file.as_uri())
