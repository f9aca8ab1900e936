"""The replay: the last rows, kept together, and the same again from a checkpoint."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.errors import RunError
from evolve.learning.replay import Replay

pytestmark = pytest.mark.learning


def rows(start: int, count: int) -> dict[str, np.ndarray]:
    numbers = np.arange(start, start + count)
    return {"a": numbers, "b": np.stack([numbers, -numbers], axis=1)}


@pytest.mark.parametrize("sizes", [[3, 3, 3], [10, 1, 25], [0, 4], [7], [50], [2] * 30])
def test_it_holds_the_last_rows_and_keeps_them_together(sizes: list[int]) -> None:
    replay, start = Replay(10), 0
    for size in sizes:
        replay.add(rows(start, size))
        start += size
    kept = set(range(max(0, start - 10), start))
    assert len(replay) == len(kept)
    found = replay.sample(500, np.random.default_rng(0))
    assert set(found["a"].tolist()) == kept
    assert (found["b"] == np.stack([found["a"], -found["a"]], axis=1)).all()


def test_it_goes_on_as_it_was() -> None:
    one, other = Replay(10), Replay(10)
    one.add(rows(0, 27))
    other.restore({f"r/{name}": a for name, a in one.arrays("r/").items()} | {}, "r/r/", 0)
    other = Replay(10)
    other.restore(one.arrays("r/"), "r/", one.added)
    for replay in (one, other):
        replay.add(rows(27, 4))
    left, right = (r.sample(50, np.random.default_rng(1))["a"].tolist() for r in (one, other))
    assert left == right


def test_rows_of_another_checkpoint_are_told() -> None:
    replay = Replay(10)
    for count in (3, 11):
        with pytest.raises(ValueError, match="rows"):
            replay.restore({"r/a": np.zeros(count)}, "r/", 20)
    replay.restore({"r/a": np.zeros((10, 3)), "r/b": np.zeros(10)}, "r/", 20)
    with pytest.raises(RunError, match="not those of this training"):
        replay.add(rows(0, 4))
