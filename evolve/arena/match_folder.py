"""Matches of ratings and finals, each saved in a table of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evolve.arena.match import Match, StoppedError
from evolve.arena.match_files import MatchFile
from evolve.errors import EngineError
from evolve.files.changes import make_folder, remove
from evolve.fitness.games import GamesDone

_QUICK: Final = 2.0
"""Seconds after which a match of a folder is written while it is played."""


class MatchFolder:
    """Plays matches, and saves each in a table of its own: they resume after a stop or a kill.

    Hold the lock of the folder, or of one above it. lasting: whether all matches stay there.
    Otherwise quick ones are not written, but played again.
    """

    def __init__(
        self,
        folder: Path,
        warn: Callable[[str], None],
        stop: Callable[[], bool] | None = None,
        *,
        lasting: bool = True,
    ) -> None:
        self.folder = folder
        self._warn, self._stop, self._lasting = warn, stop, lasting
        self._begin = time.monotonic()

    def play(self, match: Match, progress: GamesDone | None, stem: str | None = None) -> None:
        """Play the rest of a match; StoppedError if `stop` says so.

        stem: of the file's name, by default from names and seed. If all games were lost by
        failures, none is saved: the error may be mended before the next time.
        """
        path = self.folder / f"{stem or '-'.join([*match.names, str(match.seed)])}.parquet"
        file = MatchFile(match, path, self._warn, locked=True)

        def keep() -> None:
            if time.monotonic() - self._begin > _QUICK:
                file.keep()

        make_folder(self.folder, parents=True, exist_ok=True)
        with file.claimed():
            if match.played and progress is not None:
                progress(match.played)
            try:
                match.play(progress, keep, self._stop)
            except EngineError:
                if match.played and match.result.played:
                    file.finish()
                else:
                    remove(file.path, missing_ok=True)
                raise
            except (StoppedError, KeyboardInterrupt):
                file.finish()
                raise
            if self._lasting or file.path.exists():
                file.finish()
