"""Files for clients: made by the command line into a folder of the service, sent, and removed.

The command line has all of it, tables as sheets that run no formulas and agents as Python; it
loads the engine and pandas, which the server does not.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import IO, Final

import pyarrow as pa
import pyarrow.parquet as pq
from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from evolve.files.atomic import replacing
from evolve.files.changes import make_folder, remove, remove_tree
from evolve.files.folder import FolderPath
from evolve.programs.life import Life
from evolve.service.folders import Place
from evolve.service.problems import ProblemError
from evolve.service.turns import Turns

_LONGEST: Final = 900.0
_AT_ONCE: Final = 2
_ENDS: Final = 5.0
"""Seconds for a command to end once it was killed."""
MEDIA: Final = {
    ".py": "text/x-python; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".ggf": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".npz": "application/octet-stream",
    ".parquet": "application/vnd.apache.parquet",
}


class Downloads:
    """Makes such files, two at a time."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._turns = Turns(_AT_ONCE, each=4, most=16, after=30)

    def new(self, suffix: str) -> FolderPath:
        """A name for a file on its way."""
        return self._place.lent / f"{secrets.token_hex(8)}{suffix}"

    def sent(self, path: FolderPath, name: str) -> FileResponse:
        """The answer that sends a file as `name`, and removes it."""
        return SentFile(path, name, partial(self.take_back, path))

    def take_back(self, path: FolderPath) -> None:
        """Remove a file, with all else that there is in a folder made for it: a command that died
        leaves parts. What cannot be removed now, the next start of the server removes."""
        if path.parent != self._place.lent:
            remove_tree(path.parent, ignore_errors=True)
            return
        with suppress(OSError):
            remove(path, missing_ok=True)

    async def made(self, words: Sequence[str], suffix: str) -> FolderPath:
        """The file that a command makes, in a folder of its own, for the caller to take back;
        ProblemError where it fails, or too many wait for files.

        The word `{to}` stands for it; without one, it is what the command prints.
        """
        folder = self.new("")
        path = folder / f"file{suffix}"
        filled = [str(path) if word == "{to}" else word for word in words]
        async with self._turns.turn("a file"):
            life = Life()
            child: asyncio.subprocess.Process | None = None
            try:
                make_folder(folder)
                with Path(os.devnull).open("wb") if "{to}" in words else path.open("wb") as sink:
                    child = await asyncio.create_subprocess_exec(
                        *life.guard((sys.executable, "-m", "evolve", *filled)),
                        stdin=asyncio.subprocess.DEVNULL,
                        stdout=sink,
                        stderr=asyncio.subprocess.PIPE,
                        pass_fds=life.pipes,
                        start_new_session=True,
                    )
                life.leave()
                _, said = await asyncio.wait_for(child.communicate(), _LONGEST)
            except BaseException:
                life.end()
                if child is not None:  # until it has ended, it may make more parts
                    await asyncio.wait({asyncio.ensure_future(child.wait())}, timeout=_ENDS)
                self.take_back(path)
                raise
            finally:
                life.leave()
                life.end()
        if child.returncode != 0:
            self.take_back(path)
            lines = said.decode(errors="replace").strip().splitlines() or ["it failed"]
            raise ProblemError(422, lines[-1].removeprefix("error: "))
        return path


class SentFile(FileResponse):
    """The answer that sends a file from the handle by which it was opened, as `name`.

    By its path it would be opened again, and a link that has come there meanwhile followed. `after`
    is called however sending ends: a task for the background is not reached where the reader is
    gone, or the file cannot be read.
    """

    def __init__(
        self, path: FolderPath, name: str, after: Callable[[], None] | None = None
    ) -> None:
        self._after = after
        self._file: IO[bytes] = path.open("rb")
        found = os.fstat(self._file.fileno())
        sent = Path(f"/dev/fd/{self._file.fileno()}")
        if not sent.exists():  # Windows, where a file that is open cannot be removed either
            self._file.close()
            sent = path.unlinked()
        super().__init__(sent, media_type=MEDIA[path.suffix], filename=name, stat_result=found)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            with self._file:
                await super().__call__(scope, receive, send)
        finally:
            if self._after is not None:
                self._after()


def write_parts(parts: Iterator[pa.Table], path: FolderPath) -> int:
    """Write a table to a file, a part in memory at a time; how many parts there were."""
    count = 0
    with replacing(path) as file, ExitStack() as opened:
        for part in parts:
            table = part.replace_schema_metadata(None)
            if count == 0:
                made = pq.ParquetWriter(file, table.schema, compression="zstd")
                writer = opened.enter_context(made)
            writer.write_table(table)
            count += 1
    return count
