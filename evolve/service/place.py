"""The folder of runs, and the service's own in it."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Final

import filelock

from evolve.errors import RunError
from evolve.files.atomic import TEMPORARY_PREFIX
from evolve.files.changes import make_folder, remove, remove_tree

_OWN: Final = ".service"
_NO_LOCKS: Final = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP)
"""Of disks that lock no folders."""


class Place:
    """Where runs and all that the service keeps of its own are."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs.resolve()
        self.own = self.runs / _OWN
        self.jobs = self.own / "jobs"
        self.plays = self.own / "plays"
        self.agents = self.own / "agents"
        self.uploads = self.agents / "uploads"
        self.lent = self.own / "tmp"
        """Files on their way to a client."""
        self.lock = self.own / "lock"
        self._held = filelock.FileLock(self.lock)
        self._folder: int | None = None

    def claim(self) -> None:
        """Make the folders and hold them for this process; RunError where that cannot be."""
        if "?" in str(self.runs):
            raise RunError(f"{self.runs}: a question mark in the name would begin settings")
        if not self.runs.is_dir():
            raise RunError(f"{self.runs} is not a folder of runs; make it, or name another one")
        if self.own.is_symlink():
            raise RunError(f"{self.own} is a link: put what it names there")
        try:
            for folder in (self.jobs, self.plays, self.uploads, self.lent):
                make_folder(folder, parents=True, exist_ok=True)
            self._held.acquire(timeout=0)
            self._hold_folder()
        except (filelock.Timeout, BlockingIOError):
            self.release()
            raise RunError(f"{self.runs} is served already, by another `evolve serve`") from None
        except OSError as error:
            raise RunError(f"{self.own}: {error.strerror}; jobs are kept there") from None
        self._sweep()

    def _hold_folder(self) -> None:
        """Hold the folder of runs itself: whoever removes the lock's file must not thereby let a
        second server in, which would start each job again. Network disks may know no such lock."""
        if sys.platform == "win32":  # where a file that is held cannot be removed
            return
        import fcntl

        self._folder = os.open(self.runs, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise

    @property
    def is_there(self) -> bool:
        """Whether the folder of runs is still where it was, and the same."""
        try:
            now = self.runs.stat()
            return self._folder is None or os.path.samestat(now, os.fstat(self._folder))
        except OSError:
            return False

    def _sweep(self) -> None:
        """Remove what a killed server left: files and runs on their way out, half-written files."""
        for left in self.lent.iterdir():
            if left.is_dir() and not left.is_symlink():  # a run, being deleted
                remove_tree(left, ignore_errors=True)
            else:
                remove(left, missing_ok=True)
        for folder in (self.plays, self.uploads, *self.jobs.iterdir()):
            for left in folder.glob(f"{TEMPORARY_PREFIX}*"):
                remove(left, missing_ok=True)

    def release(self) -> None:
        """Let another process have them."""
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None
        self._held.release()

    def run(self, name: str) -> Path:
        """The folder of a run of that name, which must be of the form of ids."""
        return self.runs / name


class Locks:
    """Which runs are being written to, without taking their locks: that refused real starters.

    The kernel lists what is locked. Where its list does not show the lock that this process holds
    (another system, a strange file system), asking falls back to `is_locked`.
    """

    _LIST: Final = Path("/proc/locks")

    def __init__(self, own: Path) -> None:
        self._usable = own.exists() and _key(own.stat()) in self._listed()

    def held(self) -> set[tuple[str, int]] | None:
        """All that is locked, for `holds`; None where the list is of no use."""
        return self._listed() if self._usable else None

    def _listed(self) -> set[tuple[str, int]]:
        try:
            lines = self._LIST.read_text().splitlines()
        except OSError:
            return set()
        found = set()
        for line in lines:
            for word in line.split():
                parts = word.split(":")
                if len(parts) == 3 and parts[2].isdecimal():
                    found.add((f"{parts[0]}:{parts[1]}", int(parts[2])))
        return found


def holds(held: set[tuple[str, int]] | None, lock: Path) -> bool:
    """Whether a writer has that lock."""
    if held is None:
        from evolve.tables.folder import is_locked

        return is_locked(lock.parent)
    try:
        return _key(lock.stat()) in held
    except OSError:
        return False


def _key(found: os.stat_result) -> tuple[str, int]:
    return f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}", found.st_ino
