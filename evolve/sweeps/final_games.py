"""The games of a final in progress: kept in files, so that a stopped or killed final resumes."""

from __future__ import annotations

import hashlib
import time
from contextlib import ExitStack
from typing import Final

from evolve.arena.match import Match, StoppedError
from evolve.arena.match_files import MatchFiles, match_identity
from evolve.files.changes import make_folder, remove_tree
from evolve.files.folder import FolderPath, inside
from evolve.fitness.games import GamesDone
from evolve.runs.progress import Observer
from evolve.tables.paths import FINAL_GAMES, TRIALS

_QUICK: Final = 2.0
"""Seconds after which games are kept during play; a quicker final is played again."""


class FinalGames:
    """Plays matches of a final, and keeps each in a file until all are over.

    key: what the final depends on; games of another key are dropped.
    """

    def __init__(self, folder: FolderPath, key: str, observer: Observer) -> None:
        self._all = inside(folder, TRIALS, FINAL_GAMES)
        self._folder = self._all / hashlib.sha256(key.encode()).hexdigest()[:12]
        self._observer = observer
        self._begin = time.monotonic()
        if not self._folder.is_dir():
            self.drop()

    def play(self, match: Match, names: tuple[str, str], progress: GamesDone | None) -> None:
        """Play the rest of a match; StoppedError where the observer asks to stop."""
        file = (self._folder / f"{names[0]}-{names[1]}-{match.seed}.parquet").unlinked()
        identity = match_identity(match, names, {})
        keeper = MatchFiles(match, names, identity, file, None, self._observer.note)
        with ExitStack() as stack:
            held = False

            def hold() -> None:
                nonlocal held
                if not held:
                    held = True
                    make_folder(self._folder, parents=True, exist_ok=True)
                    stack.enter_context(keeper.claimed())

            def keep() -> None:
                if time.monotonic() - self._begin > _QUICK:
                    hold()
                    keeper.keep()

            if file.exists():
                hold()
                if progress is not None:
                    progress(match.played)
            try:
                match.play(progress, keep, self._observer.stop)
            except (StoppedError, KeyboardInterrupt):
                hold()
                keeper.finish()
                raise
            if held:
                keeper.finish()

    def drop(self) -> None:
        """Remove all kept games: the final is over, or a different one."""
        if self._all.is_dir():
            remove_tree(self._all, ignore_errors=True)
