"""The folder of runs: names in it, texts from clients and never paths; the service's own folder."""

from __future__ import annotations

import os
import re
import secrets
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import filelock

from evolve.errors import RunError
from evolve.files.atomic import remove_half_written
from evolve.files.changes import make_folder, move, refuse_link, refuse_links, remove_tree
from evolve.runs.run_folder import take
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE

NEW_ID: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$"
"""Names for new runs that clients may give."""
RUN_ID: Final = r"^[^\x00-\x1f\x7f/\\:?.][^\x00-\x1f\x7f/\\:?]{0,509}$"
"""Names of runs in a folder of runs: what has a sign of these stays out of the service."""
IN_STUDY: Final = "+"
"""Separates the name of a study from the name of a run in it."""
_OWN: Final = ".service"  # the service's own folder in a folder of runs
UPLOADS: Final = (_OWN, "agents", "uploads")
AGENT_SUFFIXES: Final = (".json", ".npz")
JOB_ID: Final = r"^[0-9]{8}-[0-9a-f]{8}$"


def is_id(name: str) -> bool:
    """Whether the name of a folder can name its run to clients, in addresses and on screens."""
    return bool(re.fullmatch(RUN_ID, name)) and name.isprintable()


class Folders:
    """Paths of the runs and of everything that the service itself keeps."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs.resolve()
        self.own = self.runs / _OWN
        self.jobs = self.own / "jobs"
        self.plays = self.own / "plays"
        self.uploads = self.runs.joinpath(*UPLOADS)
        self.temporary = self.own / "tmp"  # files on their way to a client
        self.lock = self.own / "lock"
        self._held = filelock.FileLock(self.lock)

    def claim(self) -> None:
        """Make the folders and lock them for this process; RunError where that fails."""
        if not self.runs.is_dir():
            raise RunError(f"{self.runs} is not a folder of runs; make it, or name another one")
        try:
            refuse_links(self.runs, [_OWN])
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
        """The folder of a run or study, see `find`; LinkError where it is a link."""
        folder = self.find(name)
        refuse_link(folder)
        return folder

    def find(self, name: str) -> Path:
        """The folder of a run or study by its name in a folder of runs, or of a run as STUDY+RUN.

        Raises RunError where it is not a valid name; whether there is such a run is not checked.
        """
        if not is_id(name):
            raise RunError(f"{name[:80]!r} is not the name of a run")
        study, plus, run = name.partition(IN_STUDY)
        folder = self.runs / name
        if plus and is_id(run) and self.has_study(study) and not os.path.lexists(folder):
            return self.runs / study / run
        return folder

    def has_study(self, name: str) -> bool:
        """Whether there is a study of that name; False for a link."""
        folder = self.runs / name
        return is_id(name) and not folder.is_symlink() and (folder / STUDY_FILE).is_file()

    def upload(self, name: str) -> Path | None:
        """The agent file that the service keeps under an id; None without one."""
        if not re.fullmatch(r"[0-9a-f]{16}", name):
            return None
        files = [self.uploads / f"{name}{suffix}" for suffix in AGENT_SUFFIXES]
        return next(filter(Path.is_file, files), None)

    def new_temporary(self, suffix: str = "") -> Path:
        """A new path for a temporary file or folder."""
        return self.temporary / f"{secrets.token_hex(8)}{suffix}"

    def throw_away(self, folder: Path) -> None:
        """Remove a folder: moved away in one step, because half of one would be damaged.

        Links in it are removed; their targets stay.
        """
        gone = self.new_temporary()
        move(folder, gone)
        remove_tree(gone, ignore_errors=True)

    def has_run(self, name: str | None) -> bool:
        """Whether there is a run or study of that name; False where it cannot be read."""
        try:
            return name is not None and any(
                (self.run(name) / file).exists() for file in (CONFIG_FILE, STUDY_FILE)
            )
        except (RunError, OSError):
            return False
