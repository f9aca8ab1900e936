"""Evolution of patterns by duels: it repeats, goes on after anything, grows, and wins."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.arena.match import Match
from evolve.engine.games.duels import WON
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import parse_shapes
from evolve.errors import AgentError, SettingsError
from evolve.fitness.openings import Part, balanced_openings
from evolve.learning.duels import Strategy, evaluation_weights, grown, split_phases
from evolve.learning.learner import InMemoryTraining, LearningEnding
from tests.learning import Watcher, content, positions_of, small, training
from tests.learning.test_patterns import Impatient, taught

DUELS: dict[str, Any] = {
    "duels": 1.0, "games": 96, "duels_a_step": 8, "duel_plies": (2, 8), "depth": 1, "endgame": 0,
    "probcut": 0.0,
}  # fmt: skip
GROWING: dict[str, Any] = {
    **DUELS, "duel_shapes": ("a1-a2", "b1-b2"), "duel_depths": (1, 2),
    "shapes": ("a1-b2", "a1-d1"),
}  # fmt: skip


def shape_set(*texts: str) -> ShapeSet:
    return ShapeSet(parse_shapes(texts))


def strategy(**changes: Any) -> Strategy:
    settings = small("patterns", **{**DUELS, "phases": 2, **changes})
    shapes = shape_set(*settings.shapes)
    weights = np.random.default_rng(1).integers(-60000, 60000, (2, shapes.weights))
    return Strategy(settings, shapes, (34,), weights)


def step(made: Strategy, duels: int, share: float = 0.0, jobs: int = 1) -> int:
    return made.step(duels, share, jobs, lambda games: None, lambda: math.inf)


@pytest.mark.parametrize(
    ("changes", "known"),
    [
        ({}, "febb2c44"),
        ({"rules": "reversed", "seed": 5}, "ddf4ce12"),
        ({"duel_depths": (1, 3), "duel_plies": (7,)}, "711289b3"),
    ],
    ids=str,
)
def test_steps_are_those_of_their_seed(changes: dict[str, Any], known: str) -> None:
    """Sums are whole numbers, so that the number of threads makes no difference."""
    found = []
    for jobs in (1, 2):
        made = strategy(duel_noise=0.15, **changes)
        games = [step(made, 60, share, jobs) for share in (0.0, 0.5, 1.0)]
        found.append((games, hashlib.sha256(made.average.tobytes()).hexdigest()[:8]))
    assert found == [([120] * 3, known)] * 2


def greedy_game(black: Patterns, white: Patterns) -> int:
    """Black's lead at the end of a game in which both look one ply ahead."""
    board = evolve.Board.start()
    while not board.is_over():
        if not board.legal_moves():
            board = board.pass_move()
            continue
        patterns = black if board.side == "black" else white
        board = max(
            (board.play(move) for move in sorted(board.legal_moves())),
            key=lambda child: -patterns.value(child),
        )
    return board.score_of("black")


@pytest.mark.parametrize("seed", range(6))
def test_a_duel_is_two_games_of_mirrored_weights(seed: int) -> None:
    """From the start, with games played by other code."""
    made = strategy(duel_plies=(0,), seed=seed)
    before = made.weights.copy()
    step(made, 1)
    result = made.mean / 0.1
    worth = float(np.abs(result).max())
    assert set(np.abs(result).round(9).ravel()) == {round(worth, 9)}
    signs = np.sign(result)
    noise = 0.2 * made.unit * signs
    first, second = (
        Patterns.of_weights(made.shapes, (34,), evaluation_weights(before + some))
        for some in (noise, -noise)
    )
    leads = greedy_game(first, second), -greedy_game(second, first)
    wanted = sum(np.sign(lead) + math.tanh(lead / 16) for lead in leads) / 4
    assert abs(wanted) == pytest.approx(worth, abs=2 / WON)


@pytest.mark.slow
def test_killed_and_resumed_it_ends_the_same(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert training(whole, "patterns", **GROWING).run(Watcher()) is LearningEnding.GAMES
    ending, stops = None, 0
    while ending is not LearningEnding.GAMES:
        run = training(parts, "patterns", jobs=2, **GROWING)
        run.restore()
        ending, stops = run.run(Impatient()), stops + 1
    assert stops >= 6
    assert content(parts) == content(whole)


def test_teaching_comes_before_duels() -> None:
    settings = small("patterns", games=100, greedy=0.5, duels=0.4, duels_a_step=10, checks=1)
    course, searching, duels = InMemoryTraining(settings, 1), [], []
    while course.finished is None:
        course.iterate(lambda games, share: None)
        facts = course.learner.facts()
        searching.append((course.games, facts["searching"]))
        duels.append((course.games, (facts["duels"] or {}).get("duels", 0)))
    taught = [35, 40, 45, 50, 55, 60]  # rounds of a 20th
    assert searching == [(30, False), *((games, True) for games in (*taught, 80, 100))]
    assert duels == [(30, 0), *((games, 0) for games in taught), (80, 10), (100, 20)]


@pytest.mark.slow
def test_what_evolves_wins() -> None:
    """Some seconds of duels, from nothing."""
    more = {"games": 20_000, "duels_a_step": 100, "phases": 1, "shapes": "lines-2"}
    settings = small("patterns", **{**DUELS, **more})
    start, end = InMemoryTraining(settings, 2).learner.agent(), taught(settings, 2).learner.agent()
    openings = balanced_openings(50, Part.MATCH, "standard", np.random.default_rng(3))
    assert Match(end, start, openings, "standard").play().score.value > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    "larger", [("lines-4", "blocks-2x2"), ("lines-3", "blocks-2x2"), ("a1-c3 d4", "lines-2")]
)
def test_grown_weights_value_positions_as_before(larger: tuple[str, ...]) -> None:
    shapes, target = shape_set("lines-2", "b2"), shape_set(*larger)
    weights = np.random.default_rng(0).integers(-3000, 3000, (2, shapes.weights))
    before = Patterns.of_weights(shapes, (34,), weights.astype(np.int16))
    more = np.rint(grown(weights, shapes, target)).astype(np.int16)
    after = Patterns.of_weights(target, (34,), more)
    boards = [evolve.Board(int(own), int(opp)) for own, opp in positions_of(200)[0]]
    # Each instance's weight is rounded, by half a unit at most.
    assert [after.value(board) for board in boards] == pytest.approx(
        [before.value(board) for board in boards], abs=0.5 * len(target.instances)
    )


def test_what_cannot_grow_is_named() -> None:
    shapes, target = shape_set("lines-2"), shape_set("a1-c3", "edge")
    with pytest.raises(AgentError, match="shape"):
        grown(np.zeros((1, shapes.weights)), shapes, target)
    weights = np.arange(3)[:, None]
    assert split_phases(weights, (24, 44), (14, 24, 34, 44))[:, 0].tolist() == [0, 0, 1, 1, 2]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> PatternAgent:
    folder = tmp_path_factory.mktemp("start")
    run = training(folder, "patterns", **{**DUELS, "shapes": ("a1-b2",), "phases": 2})
    run.run(Watcher())
    agent = evolve.load_agent(folder)
    agent.save(folder / "start.npz")
    return agent


def test_a_training_starts_from_an_agent(start: PatternAgent, tmp_path: Path) -> None:
    file = tmp_path / "start.npz"
    start.save(file)
    course = InMemoryTraining(small("patterns", start_from=str(file), phases=4), 1)
    course.warm_up()
    agent = course.learner.agent()
    board = evolve.Board.start().play("d3")
    assert agent.patterns.value(board) == pytest.approx(start.patterns.value(board), abs=8)
    assert agent.patterns.weights.shape[0] == 4
    course.iterate(lambda games, share: None)
    file.unlink()  # once it has begun, the file is needed no more
    course.warm_up()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"start_from": "swh"}, "start_from: swh is not an agent with patterns"),
        ({"start_from": "nothing.npz"}, "start_from: .*nothing.npz"),
        ({"phases": 1}, "start_from: its phases begin at .* discs, and the phases asked for at"),
        ({"shapes": "edge"}, "start_from: no shape asked for holds"),
        ({"rules": "reversed"}, "start_from: .* plays standard; set rules to standard"),
    ],
)
def test_a_start_that_does_not_fit(
    changes: dict[str, Any], words: str, start: PatternAgent, tmp_path: Path
) -> None:
    start.save(tmp_path / "start.npz")
    options = {"start_from": str(tmp_path / "start.npz"), "phases": 2, **changes}
    with pytest.raises(SettingsError, match=words):
        InMemoryTraining(small("patterns", **options), 1).warm_up()
