"""Work of every kind that is stopped, killed or made longer comes to the tables of one call.

Kills at every change of a file are in tests/faults.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import evolve
from evolve.runs.progress import Observer
from tests.cli import INTERRUPTED, done, finish, spawn, wait_until
from tests.evolution.conftest import After
from tests.learning import DQN, MCTS, PATTERNS
from tests.tables.content import outcome

EVOLUTION: dict[str, Any] = {
    "generations": 4, "population": 6, "panel_openings": 2, "playoff_openings": 3,
    "hall_of_fame": 2, "move_budget": 400, "openings": "start", "seed": 5,
}  # fmt: skip
SWEEP: dict[str, Any] = {
    "panel": ("random", "swh"), "panel_openings": 2, "final_openings": 2, "finalists": 2,
    "startup": 2, "trials": 4, "fix": {"depths": 1, "endgame": 0},
}  # fmt: skip


TREES = {
    "games": 60, "simulations": 8, "games_per_iteration": 20, "check_simulations": 10,
    "play_simulations": 10, "endgame": 4, "layers": "dense 8 relu, dense 1 tanh",
}  # fmt: skip


class Kind(NamedTuple):
    """The words of a command, small settings, and which of them says how far it goes.

    No end: what a training learns depends on how long it is to be.
    """

    words: str
    settings: dict[str, Any]
    end: str | None

    def call(self, folder: Path, observer: Observer | None = None, **changes: Any) -> None:
        """Begin or resume by Python."""
        settings: Any = {**self.settings, **changes, "observer": observer, "jobs": 1}
        verb, _, word = self.words.partition(" ")
        if verb == "run":
            evolve.evolve(folder, **settings)
        else:
            {"train": evolve.train, "sweep": evolve.sweep}[verb](word, folder, **settings)

    def options(self) -> list[str]:
        """The same for the command line."""
        values = {
            name: ",".join(value) if isinstance(value, tuple) else value
            for name, value in self.settings.items()
        }
        fix: Mapping[str, Any] = values.pop("fix", {})
        words = [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
        return [*words, *(f"--fix={name}={value}" for name, value in fix.items()), "--jobs=1"]


RUNS: dict[str, dict[str, Any]] = {
    "run": {},
    "run, CMA-ES": {"algorithm": "cma"},
    "run, lexicase": {"selection": "lexicase", "survivors": 0.5, "crossover": "sbx"},
    "run, fixed panel": {"panel": "fixed", "panel_every": 2},
    "run, one phase": {"selection": "tournament", "phases": 1},
    "run, rank": {"selection": "rank", "survivors": 0.5, "survival": "best"},
    "run, by lot": {"opponents": 3, "openings": "pair"},
}
MOVE_VALUES: dict[str, dict[str, Any]] = {
    "dqn": {},
    "dqn, survival": {
        "networks": 2, "survival": 1, "survival_games": 4, "opponents": {"past": 1.0},
    },
    "dqn, doubly": {"steps": 1, "double": True, "target_period": 3, "random_first": 0.5},
    "dqn, coloured": {"input": "coloured-move", "layers": "dense 8 relu, dense 1", "steps": 2},
}  # fmt: skip
TREE_SEARCHES: dict[str, dict[str, Any]] = {
    "mcts": {},
    "mcts, accept": {"accept": True, "accept_games": 2, "opponents": {"self": 0.5, "swh": 0.5}},
    "mcts, policy": {
        "input": "planes", "layers": "conv 2 relu norm, dense 8 relu dropout, policy-value",
    },
}  # fmt: skip
KINDS: dict[str, Kind] = {
    **{name: Kind("run", {**EVOLUTION, **one}, "generations") for name, one in RUNS.items()},
    "patterns": Kind("train patterns", PATTERNS, None),
    **{name: Kind("train dqn", {**DQN, **one}, None) for name, one in MOVE_VALUES.items()},
    **{name: Kind("train mcts", {**MCTS, **one}, None) for name, one in TREE_SEARCHES.items()},
    "sweep": Kind("sweep alphabeta", SWEEP, "trials"),
    "sweep, CMA-ES": Kind("sweep alphabeta", {**SWEEP, "sampler": "cma", "trials": 6}, "trials"),
    "sweep, race": Kind("sweep mcts", {**SWEEP, "pruner": "race", "fix": TREES}, "trials"),
}
LEARNING = (*MOVE_VALUES, *TREE_SEARCHES, "sweep, race")
LIGHT = ("run", "sweep")
ENDED = (*LIGHT, "patterns", "dqn", "mcts", "sweep, race")
"""Kinds whose commands are ended: what a signal leaves is the same for all settings of a kind."""


def cases(*ways: Any, kinds: Collection[str] = tuple(KINDS)) -> list[Any]:
    """Each kind and way, but for trainings that are made longer; those that take long are slow."""
    return [
        pytest.param(
            name,
            way,
            marks=[pytest.mark.slow] * (name not in LIGHT)
            + [pytest.mark.learning] * (name in LEARNING),
        )
        for name in kinds
        for way in ways
        if way != "made longer" or KINDS[name].end
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """What each kind comes to without a stop."""
    folder, found = tmp_path_factory.mktemp("whole"), dict[str, Any]()

    def of(name: str) -> Any:
        if name not in found:
            KINDS[name].call(folder / name)
            found[name] = outcome(folder / name)
        return found[name]

    return of


@pytest.mark.parametrize(("name", "way"), cases("stopped", "interrupted", "made longer"))
def test_tables_are_those_of_one_call(
    name: str, way: str, whole: Callable[[str], Any], tmp_path: Path
) -> None:
    kind, folder = KINDS[name], tmp_path / "parts"
    if way == "stopped":
        kind.call(folder, After(1))
        done("resume", folder)
    elif way == "interrupted":
        with pytest.raises(KeyboardInterrupt):
            kind.call(folder, After(2, KeyboardInterrupt))
        kind.call(folder)
    else:
        end = kind.settings[kind.end]
        kind.call(folder, **{kind.end: end // 2})
        done("resume", folder, f"--{kind.end}={end}")
    assert outcome(folder) == whole(name)
    before = outcome(folder)
    assert "finished" in done("resume", folder).out
    assert outcome(folder) == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")
@pytest.mark.parametrize(("name", "way"), cases(signal.SIGINT, signal.SIGKILL, kinds=ENDED))
def test_commands_that_are_ended_go_on_to_the_same(
    name: str, way: signal.Signals, whole: Callable[[str], Any], tmp_path: Path
) -> None:
    kind = KINDS[name]
    process = spawn(tmp_path, *kind.words.split(), *kind.options(), "--out=parts")
    steps = ("generations/gen-0001.parquet", "checkpoint.npz", "trials.parquet")
    wait_until(lambda: any((tmp_path / "parts" / one).exists() for one in steps), process)
    process.send_signal(way)
    ended = finish(process)
    assert ended.code in (*INTERRUPTED, -way), ended
    done("resume", tmp_path / "parts")
    assert not list((tmp_path / "parts").rglob(".writing-*"))
    assert outcome(tmp_path / "parts") == whole(name)
