"""Matches of a round robin in progress, kept in files: it resumes after a stop or a kill.

Finals, retests and the generations of a population play their matches so.
"""

from __future__ import annotations

import hashlib
import time
from typing import Final

from evolve.arena.match import Match, StoppedError
from evolve.arena.match_files import MatchFiles, match_identity
from evolve.errors import EngineError
from evolve.files.changes import make_folder, remove_tree
from evolve.files.folder import FolderPath, inside
from evolve.fitness.games import GamesDone
from evolve.runs.run_folder import Observer
from evolve.tables.paths import MATCHES, TRIALS

_QUICK: Final = 2.0
"""Seconds after which games are kept during play; quicker matches are played again."""


class KeptMatches:
    """Plays matches, and keeps each in a file until all are over.

    key: what the matches depend on; games of another key are dropped. played, seconds: the games
    played in this process, and their seconds.
    """

    def __init__(self, folder: FolderPath, key: str, observer: Observer) -> None:
        self._all = inside(folder, TRIALS, MATCHES)
        self._folder = self._all / hashlib.sha256(key.encode()).hexdigest()[:12]
        self._observer = observer
        self._begin = time.monotonic()
        self.played, self.seconds = 0, 0.0
        if not self._folder.is_dir():
            self.drop()

    def play(self, match: Match, names: tuple[str, str], progress: GamesDone | None) -> None:
        """Play the rest of a match; StoppedError where the observer asks to stop."""
        file = (self._folder / f"{names[0]}-{names[1]}-{match.seed}.parquet").unlinked()
        identity = match_identity(match, names, {})
        keeper = MatchFiles(match, names, identity, file, None, self._observer.note)

        def keep() -> None:
            if time.monotonic() - self._begin > _QUICK:
                keeper.keep()

        make_folder(self._folder, parents=True, exist_ok=True)
        with keeper.claimed():
            before, begin = match.played, time.monotonic()
            if before and progress is not None:
                progress(before)
            try:
                match.play(progress, keep, self._observer.stop)
            except (StoppedError, EngineError, KeyboardInterrupt):
                keeper.finish()
                raise
            finally:
                self.played += match.played - before
                self.seconds += time.monotonic() - begin
            if file.exists():
                keeper.finish()

    def drop(self) -> None:
        """Remove all kept games: the matches are over, or different ones."""
        if self._all.is_dir():
            remove_tree(self._all, ignore_errors=True)
