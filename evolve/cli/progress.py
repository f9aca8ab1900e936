"""Events for other programs: `--progress FILE` gets a line of JSON for each.

docs/reference/formats.md lists the events. The last one is `done` or `error`, unless the process
was killed. Wrong options may be reported on standard error alone.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from evolve.cli.options import PROGRESS, output_path
from evolve.cli.terminal import print_error
from evolve.files.changes import Appender
from evolve.parsing import json_value
from evolve.runs.progress import Event, Note, Observer, Row, Stage
from evolve.version import __version__


class ProgressFile(Observer):
    """The file of events: appends each in one write, and closes after the last one.

    Without a path events go nowhere. row_event: the name of a row's event.
    """

    row_event = "row"

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file = None if path is None else Appender(path)
        self._next = 0.0

    def write(self, event: str, **fields: Any) -> None:
        """Append an event. If that fails, report it once; the work continues without events."""
        if self._file is None:
            return
        if event == "started":
            fields = {"process": os.getpid(), "version": __version__, **fields}
        document = {"event": event, "time": round(time.time(), 3), **fields}
        try:
            self._file.append(json.dumps(json_value(document)).encode() + b"\n")
        except OSError as error:
            self._close()
            why = error.strerror or error
            print_error(f"{self._path}: {why}; no further events are written there")
        if event in ("done", "error"):
            self._close()

    def take(self, event: Event) -> None:
        match event:
            case Stage(done=done, total=total):
                self.write_often("progress", done >= total, lambda: vars(event))
            case Row():
                self.write(self.row_event, **vars(event))
            case Note():
                self.write("note", **vars(event))

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def write_often(self, event: str, last: bool, fields: Callable[[], Any]) -> None:
        """Append an event that comes all the time: a few a second, and the last.

        `fields` returns them as a dictionary, and is called only for events that are appended.
        """
        now = time.monotonic()
        if self._file is not None and (last or now >= self._next):
            self._next = now + 0.2
            self.write(event, **fields())


def _begin(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    path = output_path(context, parameter, value)
    if path is not None and not context.resilient_parsing:
        context.meta[PROGRESS] = ProgressFile(path)


progress_option = click.option(
    "--progress",
    metavar="FILE",
    expose_value=False,
    callback=_begin,
    help="Append events to this file, a line of JSON each, for other programs.",
)


def progress_of() -> ProgressFile:
    """The file of events of the running command."""
    context = click.get_current_context(silent=True)
    return ProgressFile() if context is None else context.meta.setdefault(PROGRESS, ProgressFile())
