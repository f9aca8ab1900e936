"""Every error that evolve raises on purpose::

    EvolveError
    ├── IllegalMoveError (ValueError)      a move that the rules do not allow
    ├── PositionError    (ValueError)      an impossible board
    ├── AgentError       (ValueError)      parameters or names that make no agent
    │   └── AgentFileError                 an agent file that cannot be read
    ├── SettingsError    (ValueError)      settings that are wrong or contradict each other
    │   └── OptionsError                   the same, when the caller's own options are at fault
    ├── RunError         (OSError)         a run folder that is missing, taken, locked or damaged
    │   └── LinkError                      a link in a run folder, which is not followed
    ├── StorageError     (OSError)         a study's journal, or kept games, damaged
    ├── RecordError      (ValueError)      a record (OBF, GGF, WTHOR, moves) that cannot be read
    ├── ExtraError       (ImportError)     a part of evolve that is not installed
    ├── EngineError      (RuntimeError)    a program that crashed, hung or played nonsense
    │   └── ResignedError                  a program that resigns its game
    ├── ShortageError    (OSError)         this system lets us start no further program
    ├── WorkerDiedError  (RuntimeError)    a process that worked for this one and has died
    └── ClusterError     (RuntimeError)    a cluster that cannot be used, or is gone

Each is also the built-in error that fits, so callers may catch either.
Messages quote the bad value, say where it came from, and what would be valid.
"""

from __future__ import annotations

import errno
import os


def reason_of(error: OSError, path: str | os.PathLike[str]) -> str:
    """Say in one line why a file cannot be read or written.

    The line names the file, and its folder if that is missing: the folder may be mistyped.
    """
    place = os.fspath(path)
    folder = os.path.dirname(place) or os.curdir
    if error.errno in (errno.ENOENT, errno.ENOTDIR) and not os.path.isdir(folder):
        return f"{place}: there is no folder {folder}"
    return f"{place}: {error.strerror or error}"


class EvolveError(Exception):
    """Base of all errors raised on purpose; its text can be shown to a user as one line."""


class IllegalMoveError(EvolveError, ValueError):
    """A move or pass that the rules do not allow in the current position."""


class PositionError(EvolveError, ValueError):
    """An impossible board: overlapping discs, a wrong number of cells, an unknown side."""


class AgentError(EvolveError, ValueError):
    """Parameters, names or settings that make no agent."""


class AgentFileError(AgentError):
    """An agent file that is missing, damaged or of an unknown version."""


class SettingsError(EvolveError, ValueError):
    """Settings of a run that are wrong or contradict each other; lists every wrong field."""


class OptionsError(SettingsError):
    """Settings that are wrong because of options given by the caller, not by a file."""


class RunError(EvolveError, OSError):
    """A run folder that is missing, taken, locked by another process or damaged."""


class LinkError(RunError):
    """A link stands where a file or a folder of a run belongs; it is not followed.

    Constructed like any OSError; `strerror` says where the link leads, and what would be valid.
    """

    def __str__(self) -> str:
        named = self.filename is not None
        return f"{self.filename} {self.strerror}" if named else super().__str__()


class StorageError(EvolveError, OSError):
    """A journal of a study that is damaged."""


class RecordError(EvolveError, ValueError):
    """A record (OBF, GGF, WTHOR, move string) that cannot be read."""


class ExtraError(EvolveError, ImportError):
    """Something that needs packages of an extra that is not installed."""


class EngineError(EvolveError, RuntimeError):
    """An external program that crashed, hung, said nothing in time or played no legal move."""


class ResignedError(EngineError):
    """An outside program resigns its game."""


class ShortageError(EvolveError, OSError):
    """The system lets this process open no more files or start no more programs."""


class WorkerDiedError(EvolveError, RuntimeError):
    """A process that worked for this one has died."""


class ClusterError(EvolveError, RuntimeError):
    """A cluster cannot be used, or is gone."""
