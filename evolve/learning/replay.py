"""The replay buffer (Lin 1992): the last rows to learn from, in parallel arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.errors import RunError

Arrays = Mapping[str, npt.NDArray[Any]]


class Replay:
    """A ring of `capacity` rows; each row has an entry in every named array."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.added = 0
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, rows: Arrays) -> None:
        """Add rows; they replace the oldest where there is no room."""
        count = len(next(iter(rows.values())))
        if count == 0:
            return
        kept = {name: array.shape[1:] for name, array in self._arrays.items()}
        if kept and kept != {name: array.shape[1:] for name, array in rows.items()}:
            raise RunError("the positions of the checkpoint are not those of this training")
        last = min(count, self.capacity)
        places = (self.added + count - last + np.arange(last)) % self.capacity
        for name, array in rows.items():
            if name not in self._arrays:
                self._arrays[name] = np.empty((self.capacity, *array.shape[1:]), array.dtype)
            self._arrays[name][places] = array[count - last :]
        self.added += count

    def sample(self, count: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
        """Draw `count` rows, each from all stored rows."""
        chosen = rng.integers(0, len(self), count)
        return {name: array[chosen] for name, array in self._arrays.items()}

    def arrays(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """Return all rows as arrays for a checkpoint."""
        return {prefix + name: array[: len(self)] for name, array in self._arrays.items()}

    def restore(self, arrays: Arrays, prefix: str, added: int) -> None:
        """Restore what `arrays` returned; `added` rows have been added in all."""
        self._arrays = {}
        for name, array in arrays.items():
            if name.startswith(prefix):
                if not min(added, self.capacity) <= len(array) <= self.capacity:
                    raise ValueError(f"{name} has {len(array)} rows")
                own = np.empty((self.capacity, *array.shape[1:]), array.dtype)
                own[: len(array)] = array
                self._arrays[name.removeprefix(prefix)] = own
        self.added = added
