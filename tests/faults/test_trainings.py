"""Trainings that die or fail at any of their changes of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from evolve.agents.agent_file import read_arrays
from tests.faults import Enumeration, command, in_one_line, results

pytestmark = pytest.mark.slow

_NETWORK: Final = (
    *("--games=40", "--games-per-iteration=20", "--check-every=20", "--panel-openings=2"),
    *("--batch=32", "--jobs=1", "--out=x"),
)
TRAININGS: Final[dict[str, tuple[object, ...]]] = {
    "patterns": (
        *("train", "patterns", "--shapes=a1-b2, a1-d1", "--checks=2"),
        *("--panel-openings=2", "--search-depth=1", "--depth=1", "--endgame=2"),
        *("--probcut-positions=50", "--games=200", "--jobs=1", "--out=x"),
    ),
    "dqn": ("train", "dqn", "--layers=dense 8 relu, dueling", *_NETWORK),
    "mcts": (
        *("train", "mcts", "--layers=dense 8 relu, dense 1 tanh", "--simulations=4"),
        *("--check-simulations=4", "--play-simulations=4", "--endgame=4", *_NETWORK),
    ),
}
_TIMES: Final = ("spent", "wall")
ALL: Final = [
    pytest.param(name, marks=() if name == "patterns" else pytest.mark.learning)
    for name in TRAININGS
]


def outcome() -> dict[str, Any]:
    """Its tables, its agent, and all that its checkpoint holds but times."""
    found = results(Path("x"))
    for path in sorted(Path("x").glob("*.npz")):
        for name, array in read_arrays(path, 1 << 30).items():
            found[f"{path.name}/{name}"] = array.tolist()
        facts = found.get(f"{path.name}/facts")
        if isinstance(facts, str):
            kept = {key: value for key, value in json.loads(facts).items() if key not in _TIMES}
            learner = {k: v for k, v in kept["learner"].items() if k != "accept_seconds"}
            found[f"{path.name}/facts"] = {**kept, "learner": learner}
    return found


@pytest.mark.parametrize("name", ALL)
def test_one_may_die_anywhere_or_fail_at_a_change_of_any_kind(name: str, tmp_path: Path) -> None:
    found = Enumeration(command(TRAININGS[name], "x", outcome), tmp_path)
    assert found.die() >= 10
    if name == "patterns":
        assert found.fail(in_one_line, found.ends()) >= 20
