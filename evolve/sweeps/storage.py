"""Storage of a study: Optuna's journal in the sweep's folder, which other programs may open.

It has one writer, which holds the folder's lock: whatever runs there and is not the writer's is
dead.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import optuna
from optuna.storages.journal import JournalFileBackend

from evolve.errors import StorageError
from evolve.files.changes import append, cut


class _Journal(JournalFileBackend):
    """Optuna's journal of a single writer: it waits for the disk where a trial changes its state.

    A killed process loses nothing either way; a power cut loses at most running trials. entries:
    how many this process has written.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path, self.entries = path, 0
        content = path.read_bytes()
        if content and not content.startswith(b"{"):  # before anything of it is cut off
            raise ValueError("it has no entries of a journal")
        if content and not content.endswith(b"\n"):  # an incomplete line of a killed writer
            cut(path, content.rfind(b"\n") + 1)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Append entries in one write, one line each."""
        text = "".join(json.dumps(log, separators=(",", ":")) + "\n" for log in logs)
        self.entries += len(logs)
        append(self._path, text.encode(), sync=any("state" in log for log in logs))


class JournalStorage(optuna.storages.JournalStorage):
    """The storage in a journal file, which is made where there is none.

    Hold the lock of its folder. Raises StorageError where it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.journal = _Journal(path)
            super().__init__(self.journal)  # this reads all of it
        except OSError:
            raise
        except Exception as error:  # Optuna does not check a journal's content
            reason = str(error) if isinstance(error, ValueError) else repr(error)
            raise StorageError(f"{path} is damaged: {reason}") from error
