"""Patterns as they learn: the training repeats, goes on after anything, and what it learns wins."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.agents.memory import stopper, thread_pattern_memory
from evolve.arena.match import Match
from evolve.config.pattern_training import PatternSettings
from evolve.engine.games.training_games import GameRecords
from evolve.engine.patterns.patterns import DISC
from evolve.errors import RunError
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.learning.learner import InMemoryTraining, LearningEnding, learner_for
from evolve.learning.patterns import PatternLearner
from evolve.learning.tables import CHECKS
from evolve.runs.progress import Observer, Progress
from tests.engine.slow_patterns import with_tempo
from tests.learning import Watcher, content, small, training


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished training. Look, do not touch."""
    folder = tmp_path_factory.mktemp("patterns") / "whole"
    observer = Watcher()
    assert training(folder, "patterns").run(observer) is LearningEnding.GAMES
    assert [row["games"] for row in observer.rows] == [300, 600]
    assert observer.shares[-1] == 1.0
    return folder


@pytest.mark.clock
def test_checks_that_nobody_can_measure_before_are_in_the_pace(tmp_path: Path) -> None:
    """Those of patterns, by games on the ladder, take longer than all else."""
    run = training(tmp_path / "run", "patterns", games=400, checks=4)
    left = list[tuple[float, float, float]]()

    class Reader(Observer):
        def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
            if self.seconds_left:
                left.append((time.monotonic() - started, done / total, self.seconds_left))

    run.warm_up()
    started = time.monotonic()
    run.run(Progress(Reader()))
    passed, share, estimate = left[0]
    # 0.7: a pace that is measured over a second or two differs by some tenths
    assert estimate > 0.7 * passed * (1.0 - share) / share


TO_THE_END = {"rules": "reversed", "search_depth": 1, "solved": 0, "search_solved": 0, "trace": 0.5}


@pytest.mark.parametrize(
    ("changes", "known"), [({}, "c7428e914f2278c4"), (TO_THE_END, "cafbb6fa0702d09a")]
)
def test_weights_are_those_of_their_seed(changes: dict[str, Any], known: str) -> None:
    """Whole numbers, on any machine: what is changed in games or learning is seen here."""
    learner = learner_for(small("patterns", **changes), 1)
    for share in (0.0, 0.3, 0.9):
        rng = np.random.default_rng(3)
        learner.iterate(rng, 40, lambda share=share: share, lambda games: None, lambda: math.inf)
    digest = hashlib.sha256()
    for name, array in sorted(learner.arrays().items()):
        if name != "updates":
            digest.update(name.encode() + array.tobytes())
    assert digest.hexdigest()[:16] == known


@pytest.mark.parametrize("depth", [1, 2])
def test_the_tempo_is_what_games_have_and_searches_lack(depth: int) -> None:
    """Black, to move with an even number of discs, wins by 3 what searches hold for even."""
    learner = PatternLearner(small("patterns"), 1)
    records = GameRecords.blank(50)
    for ply, discs in enumerate(range(10, 50)):
        records.positions[:, ply, 0] = (1 << discs) - 1
    records.sides[:] = np.where(np.arange(60) % 2 == 0, 1, -1)
    records.counts[:], records.solved[:], records.results[:] = 40, 30, 3
    records.scores[:, 30:] = 3 * records.sides[:, 30:]
    for _ in range(200):
        learner._measure_tempo(records, depth)
    tempo = learner.agent().patterns.tempo[12:48] / DISC
    assert (tempo[::2] > 0.7).all()
    assert (tempo[1::2] < -0.7).all()
    assert np.abs(tempo).max() < 3.0


def test_a_training_begins_with_the_tempo_of_the_agent_that_it_starts_from(tmp_path: Path) -> None:
    start = PatternLearner(small("patterns"), 1).agent()
    start = replace(start, patterns=with_tempo(start.patterns))
    start.save(tmp_path / "start.npz")
    learner = PatternLearner(small("patterns", start_from=str(tmp_path / "start.npz")), 1)
    learner.begin()
    again = PatternLearner(learner.settings, 1)
    again.restore(json.loads(json.dumps(learner.facts())), learner.arrays())
    found = [one.agent().patterns.tempo.tolist() for one in (learner, again)]
    assert found == [start.patterns.tempo.tolist()] * 2
    learner.finish(lambda: 0.0)  # what comes with every second disc stays, measured or not
    assert np.corrcoef(learner.agent().patterns.tempo, start.patterns.tempo)[0, 1] > 0.7


def test_a_stop_that_comes_too_late_stops_no_training() -> None:
    learner = learner_for(small("patterns"), 1)
    thread_pattern_memory(16)
    stop = stopper()
    learner.iterate(np.random.default_rng(3), 40, lambda: 0.0, lambda games: None, lambda: math.inf)
    first = learner.arrays()
    stop()
    again = learner_for(small("patterns"), 1)
    again.iterate(np.random.default_rng(3), 40, lambda: 0.0, lambda games: None, lambda: math.inf)
    assert [name for name, array in again.arrays().items() if (array != first[name]).any()] == []


def test_its_checks_and_what_it_leaves(whole: Path) -> None:
    metrics = CHECKS.read(whole).to_pandas()
    assert metrics["check"].tolist() == [0, 1]
    assert metrics["random"].isna().all()
    assert ((metrics["elo_low"] < metrics["elo"]) & (metrics["elo"] < metrics["elo_high"])).all()
    assert metrics["score"].between(0, 1).all()
    assert metrics["visited"].is_monotonic_increasing
    assert metrics["visited"].between(0.5, 1).all()
    assert metrics["loss"].between(0, 0.5).all()
    # A position is learned from once in the first part, and up to five times in the second.
    steps = np.diff([0, *metrics["steps"]]) / np.diff([0, *metrics["games"]])
    assert 60 < steps[0] < 200
    assert 100 < steps[1] < 300
    agent = evolve.load_agent(whole)
    assert (agent.name, agent.depth, agent.endgame) == ("patterns-600", 3, 6)
    assert len(agent.cuts) == (16 + 12) * 61
    assert agent.provenance["score"] == metrics["score"].iloc[-1]
    assert agent.provenance["against"] == "the ladder"
    assert agent.provenance["games"] == 600


class Impatient(Watcher):
    """It stops after an iteration."""

    asked = 0

    def stop(self) -> bool:
        self.asked += 1
        return self.asked > 1


def taught(settings: PatternSettings, jobs: int = 1) -> InMemoryTraining:
    """A course to the end of its games."""
    course = InMemoryTraining(settings, jobs)
    while course.finished is None:
        loss = course.iterate(lambda games, share: None)
        assert settings.duels or math.isfinite(loss)
    return course


@pytest.mark.parametrize(
    ("games", "greedy", "wanted"), [(600, 0.5, 300), (601, 0.3, 181), (10, 0.05, 1), (7, 1.0, 7)]
)
def test_the_first_part_takes_its_share(games: int, greedy: float, wanted: int) -> None:
    course = InMemoryTraining(small("patterns", games=games, greedy=greedy, checks=1), 1)
    course.iterate(lambda games, share: None)
    assert course.games == wanted
    assert not course.learner.facts()["searching"]


def test_few_games_have_both_parts() -> None:
    """What the first part takes is in its share, however few games there are."""
    course = InMemoryTraining(small("patterns", games=100, greedy=0.0), 1)
    course.iterate(lambda games, share: None)
    assert course.learner.facts()["searching"]


VARIANTS: list[dict[str, Any]] = [
    {"epsilon": 1.0, "openings": 30},
    {"epsilon": 0.0, "openings": 0, "trace": 0.0},
    {"rules": "reversed", "phases": 1},
    {"solved": 0, "search_solved": 0, "search_share": 1.0, "search_trace": 1.0},
    {"greedy": 1.0},
    {"greedy": 0.0, "search_depth": 1, "shapes": "b2"},
]


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_odd_settings_teach_too(changes: dict[str, Any]) -> None:
    settings = small("patterns", **{"games": 60, **changes})
    one, other = (taught(settings, jobs) for jobs in (1, 2))
    assert one.games == 60
    assert one.learner.facts() == other.learner.facts()
    arrays, others = one.learner.arrays(), other.learner.arrays()
    assert not [name for name, array in arrays.items() if (array != others[name]).any()]
    agent = one.learner.agent()
    assert agent.patterns.weights.any()
    again = taught(settings.model_copy(update={"seed": 1})).learner.agent()
    assert again.patterns != agent.patterns


def test_more_games_go_on_from_the_end(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    more = training(folder, "patterns", games=650)
    more.restore()
    assert more.finished is None
    observer = Watcher()
    assert more.run(observer) is LearningEnding.GAMES
    assert [row["games"] for row in observer.rows] == [650]
    assert content(folder)[0][:2] == content(whole)[0]
    assert evolve.load_agent(folder).name == "patterns-650"


@pytest.mark.clock
def test_a_budget_ends_it(tmp_path: Path) -> None:
    """Within a tenth, compilation and checks not counted, the measuring of cuts included."""
    run = training(tmp_path, "patterns", games=None, budget=2.0, checks=1)
    begin = time.process_time()
    assert run.run(Watcher()) is LearningEnding.BUDGET
    assert 1.8 <= run.spent <= 2.2
    assert time.process_time() - begin > run.spent
    assert run.games > 1000
    assert evolve.load_agent(tmp_path).name == f"patterns-{run.games}"


@pytest.mark.slow
def test_what_it_learns_wins() -> None:
    """Three CPU seconds with the shapes that it has by default."""
    course = InMemoryTraining(PatternSettings(budget=3.0, depth=2, endgame=6), 2)
    course.warm_up()
    while course.finished is None:
        course.iterate(lambda games, share: None)
    assert course.games > 1000
    openings = balanced_openings(20, Part.MATCH, "standard", np.random.default_rng(3))
    agent, others = course.learner.agent(), map(evolve.load_agent, ("swh", "swh?depth=3"))
    matches = [Match(agent, one, openings, "standard", executor=Threads(2)) for one in others]
    of_weak, of_strong = (match.play().score.value for match in matches)
    assert of_weak > 0.8
    assert of_strong > 0.6


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"shapes": "a1-b2"}, {"phases": 5}, {"rate": 0.5}, {"depth": 4}, {"checks": 3}],
    ids=str,
)
def test_a_checkpoint_of_other_settings(changes: dict[str, Any], whole: Path) -> None:
    with pytest.raises(RunError, match="settings"):
        training(whole, "patterns", **changes).restore()


def test_a_damaged_checkpoint(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    path = tmp_path / "checkpoint.npz"
    good = (whole / "checkpoint.npz").read_bytes()
    for size in (0, 10, len(good) // 2, len(good) - 3):
        path.write_bytes(good[:size])
        damaged(tmp_path, "")
    path.write_bytes(good)
    arrays = read_arrays(path)
    facts = json.loads(str(arrays["facts"]))
    for changes, words in (
        ({"tables": arrays["tables"][:, :-1]}, "could not broadcast"),
        ({"sums": arrays["sums"][..., 0]}, "could not broadcast"),
        ({"updates": arrays["updates"][:-1]}, "could not broadcast"),
        ({"positions": arrays["positions"][1:]}, "cannot reshape"),
        ({"facts": np.array(json.dumps({**facts, "learner": {}}))}, "steps"),
    ):
        write_arrays(path, {**arrays, **changes})
        damaged(tmp_path, words)
    del arrays["targets"]
    write_arrays(path, arrays)
    damaged(tmp_path, "targets")
    path.unlink()
    for check in ("check-0000.parquet", "check-0001.parquet"):
        shutil.copy(whole / "metrics" / check, tmp_path / "metrics")
    with pytest.raises(RunError, match="missing"):
        training(tmp_path, "patterns").restore()


def damaged(folder: Path, words: str) -> None:
    with pytest.raises(RunError, match=rf"checkpoint\.npz is damaged: .*{words}") as caught:
        training(folder, "patterns").restore()
    assert "\n" not in str(caught.value)
