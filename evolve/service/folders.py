"""The folder of runs, and the service's own folder in it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import filelock

from evolve.errors import RunError
from evolve.files.atomic import remove_half_written
from evolve.files.changes import make_folder, refuse_links, remove_tree
from evolve.runs.ids import SERVICE, UPLOADS, run_in
from evolve.runs.run_folder import take
from evolve.service.models.runs import JOB_ID
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE


class Folders:
    """Paths of the runs and of everything that the service itself keeps."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs.resolve()
        self.own = self.runs / SERVICE
        self.jobs = self.own / "jobs"
        self.plays = self.own / "plays"
        self.uploads = self.runs.joinpath(*UPLOADS)
        self.temporary = self.own / "tmp"
        """Files on their way to a client."""
        self.lock = self.own / "lock"
        self._held = filelock.FileLock(self.lock)

    def claim(self) -> None:
        """Make the folders and lock them for this process; RunError where that fails."""
        if not self.runs.is_dir():
            raise RunError(f"{self.runs} is not a folder of runs; make it, or name another one")
        try:
            refuse_links(self.runs, [SERVICE])
            for folder in (self.jobs, self.plays, self.uploads):
                make_folder(folder, parents=True, exist_ok=True)
            take(self._held)
            remove_tree(self.temporary, ignore_errors=True)  # what a killed server left
            make_folder(self.temporary, exist_ok=True)
        except TimeoutError:
            raise RunError(f"{self.runs} is served already, by another `evolve serve`") from None
        except RunError:
            raise
        except OSError as error:
            raise RunError(f"{self.own}: {error.strerror}; jobs are kept there") from None
        for folder in (self.plays, self.uploads, *self.folders_of_jobs()):
            with suppress(OSError):
                remove_half_written(folder)

    def error_text(self, error: Exception) -> str:
        """The text of an error for clients: files below the folder of runs are named from there."""
        return str(error).replace(os.path.join(self.runs, ""), "")

    def line_of(self, words: Sequence[str]) -> str:
        """A command line for people; it names runs from where the folder of the runs is."""
        above = os.path.join(self.runs.parent, "")  # one separator, of a root too
        return shlex.join(["evolve", *(word.removeprefix(above) for word in words)])

    @property
    def exists(self) -> bool:
        """Whether the folder of runs is still in its place: the same one, with the lock in it."""
        return self.lock.exists()

    def folders_of_jobs(self) -> list[Path]:
        """The folders of jobs, sorted by name; what else is beside them is left alone."""
        paths = sorted(self.jobs.iterdir())
        return [path for path in paths if re.fullmatch(JOB_ID, path.name) and path.is_dir()]

    def release(self) -> None:
        """Release the lock, so that another process can serve the folder."""
        self._held.release()

    def run(self, name: str) -> Path:
        """The folder of a run or study, see `run_in`."""
        return run_in(self.runs, name)

    def has_run(self, name: str | None) -> bool:
        """Whether there is a run or study of that name; False where it cannot be read."""
        try:
            return name is not None and any(
                (self.run(name) / file).exists() for file in (CONFIG_FILE, STUDY_FILE)
            )
        except (RunError, OSError):
            return False
