"""Agents whose evaluation looks up what shapes on the board hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import evolve
from evolve.agents.agent import Limit
from evolve.agents.agent_file import content_of
from evolve.agents.analysis import solved
from evolve.agents.patterns import PatternAgent
from evolve.agents.probcut import Cuts
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.engine.patterns.patterns import DISC
from tests.agents.conftest import CUTS, PATTERN_AGENTS, boards, pattern_agent, refused


def loaded(path: Path, settings: str = "") -> PatternAgent:
    agent = evolve.load_agent(f"{path}{settings}")
    assert isinstance(agent, PatternAgent)
    return agent


def changed(name: str, array: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
    return {**pattern_agent(cuts=CUTS).arrays, name: array}


WEIGHTS = pattern_agent().arrays["weights"]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({}, "must hold weights and cuts"),
        (changed("more", np.zeros(3)), "must hold weights and cuts"),
        (changed("weights", WEIGHTS[:, :-1]), "the weights are int16"),
        (changed("weights", WEIGHTS[0]), "the weights are int16"),
        (changed("weights", WEIGHTS.astype(np.int32)), "the weights are int32"),
        (changed("weights", WEIGHTS.astype(">i2")), "the weights are >i2"),
        (changed("cuts", CUTS.rows[:, :4]), "rows of 6 numbers"),
        (changed("cuts", CUTS.rows.astype(str)), r"x\.npz: "),
    ],
)
def test_arrays_that_are_not_of_the_agent(
    arrays: dict[str, npt.NDArray[Any]], words: str, tmp_path: Path
) -> None:
    (tmp_path / "x.npz").write_bytes(content_of(pattern_agent().document, arrays))
    refused(tmp_path / "x.npz", words)


def test_a_file_may_leave_out_how_it_plays(tmp_path: Path) -> None:
    document = pattern_agent().document
    for name in ("depth", "endgame", "probcut"):
        del document["parameters"][name]
    (tmp_path / "x.npz").write_bytes(content_of(document, pattern_agent().arrays))
    found = loaded(tmp_path / "x.npz")
    assert (found.depth, found.endgame, found.probcut) == (10, 12, 1.1)


def test_settings(tmp_path: Path) -> None:
    file = tmp_path / "sample.npz"
    pattern_agent(cuts=CUTS, probcut=1.0).save(file)
    agent = loaded(file, "?depth=2&endgame=3&probcut=0")
    assert (agent.depth, agent.endgame, agent.probcut) == (2, 3, 0.0)
    assert agent.name == "patterns?depth=2&endgame=3&probcut=0"
    assert agent.limit == Limit()
    assert loaded(file, "?time=0.5&depth=4").limit == Limit(seconds=0.5, depth=4)
    assert loaded(file, "?nodes=5000").depth == 3
    plain, forward = (
        sum(loaded(file, f"?depth=6{more}").choose_counted(board)[1] for board in boards(3, 4, 40))
        for more in ("&probcut=0", "")
    )
    assert plain > forward


def test_all_that_changes_how_it_plays_is_its_identity() -> None:
    agent = pattern_agent()
    others: list[PatternAgent] = [
        pattern_agent(1),
        replace(agent, cuts=CUTS),
        replace(agent, cuts=Cuts(CUTS.rows * (1, 1, 1, 1, 1, 1.1))),
        replace(agent, depth=4),
        replace(agent, endgame=5),
        replace(agent, probcut=1.2),
        *(replace(agent, limit=Limit(*limit)) for limit in ((None, 500), (1.0,), (1.0, None, 3))),
    ]
    assert len({json.dumps(one.identity) for one in (agent, *others)}) == len(others) + 1
    assert replace(agent, name="other", provenance={}).identity == agent.identity


def test_limits_are_kept_beside_its_own() -> None:
    agent = pattern_agent()
    assert agent.limited(Limit(depth=5)) == replace(agent, depth=5)
    assert agent.limited(Limit(seconds=2.0, simulations=9)).limit == Limit(seconds=2.0)
    timed = agent.limited(Limit(seconds=1.0, depth=9))
    assert (timed.limit, timed.depth) == (Limit(seconds=1.0, depth=9), 3)
    assert timed.limited(Limit(seconds=5.0, nodes=300)).limit == Limit(1.0, 300, 9)
    assert timed.limited(Limit(depth=2)).limit == Limit(seconds=1.0, depth=2)
    assert agent.repeats
    assert agent.limited(Limit(nodes=500)).repeats
    assert not timed.repeats


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_near_the_end_it_plays_the_best_move(rules: Rules) -> None:
    agent = pattern_agent(endgame=9, rules=rules)
    missed = 0
    for board in [*boards(4, 6, 9), *boards(4, 10, 5)]:
        square, score, _ = solved(board, rules)
        assert agent.choose(board) == square
        analysis = agent.analyse(board)
        assert analysis.exact
        assert analysis.values[analysis.line[0]] == max(analysis.values.values()) == score
        missed += replace(agent, depth=1, endgame=0).choose(board) != square
    assert missed > 3


@pytest.mark.parametrize("board", boards(5, 6, 7))
def test_it_sees_the_end_by_its_own_search_too(board: Board) -> None:
    """To the last ply it finds the exact score without the solver, in evaluations."""
    agent = pattern_agent(endgame=0, depth=8)
    analysis = agent.analyse(board)
    assert (analysis.unit, analysis.depth) == ("forecast", board.empties)
    assert max(analysis.values.values()) == solved(board)[1]


def test_with_time_enough_it_plays_the_move_of_its_depth() -> None:
    agent = pattern_agent(depth=5)
    timed = agent.limited(Limit(seconds=60.0, depth=5))
    places = boards(6, 5, 35)
    assert [timed.choose(board) for board in places] == [agent.choose(board) for board in places]


@pytest.mark.parametrize("guess", [-20_000, -100, 0, 3000])
@pytest.mark.parametrize("board", boards(6, 5, 35))
def test_null_windows_find_a_move_within_a_disc_of_the_best(board: Board, guess: int) -> None:
    """Whatever is asked first; without forward cuts, which may hide it."""
    search = pattern_agent()._search(board)
    search.disc = DISC
    square, value = search.near(4, board.legal_moves()[-1], guess)
    values = search.values(4)
    assert values[square] >= max(values.values()) - DISC
    assert value == pytest.approx(max(values.values()), abs=DISC)


@pytest.mark.parametrize("board", [*boards(7, 3, 40), *boards(7, 3, 20)])
def test_values_are_those_of_the_search_to_its_depth(board: Board) -> None:
    """What a move is worth to N plies is what the position after it is worth to N − 1."""
    agent = pattern_agent(depth=3, endgame=0)
    analysis = agent.analyse(board)
    assert (analysis.unit, analysis.depth) == ("forecast", 3)
    ranked = list(analysis.values.values())
    assert ranked == sorted(ranked, reverse=True)
    assert analysis.values[agent.choose(board)] == ranked[0]
    assert analysis.values == {one: searched(agent, board.play(one), 2) for one in analysis.values}
    assert {square: analysis.discs(square) for square in analysis.values} == analysis.values
    texts = [analysis.text(square) for square in analysis.values]
    assert texts == [f"{value:+.1f}" for value in analysis.values.values()]


def searched(agent: PatternAgent, board: Board, depth: int) -> float:
    """What the side that has just moved expects, by plain minimax; passes cost no depth."""
    if board.is_over():
        return -board.score("standard")
    if not board.legal_moves():
        return -searched(agent, board.pass_move(), depth)
    if depth == 0:
        return -agent.patterns.value(board) / DISC
    return -max(searched(agent, board.play(square), depth - 1) for square in board.legal_moves())


def test_games_at_once_do_not_disturb_each_other() -> None:
    """In turns, and each of them alone, they have the same moves and nodes."""
    agent = pattern_agent(depth=5, cuts=CUTS)

    def played(*places: Board) -> list[list[tuple[int, int]]]:
        """By a player each."""
        games = [(agent.for_game(7), [board], list[tuple[int, int]]()) for board in places]
        for _ in range(16):
            for player, passed, moves in games:
                if passed[-1].legal_moves():
                    moves.append(player.choose_counted(passed[-1]))
                    passed.append(passed[-1].play(moves[-1][0]))
        return [moves for *_, moves in games]

    one, other = boards(10, 2, 46)
    assert played(one, other)[1:] == played(other)
    kept = agent.for_game(0)
    assert kept == agent
    first, second = kept.choose_counted(one), kept.choose_counted(one)
    assert first[0] == second[0]
    assert second[1] < first[1]  # what it found stays in the table of the game


def test_described_for_people() -> None:
    found = PATTERN_AGENTS[1].describe()
    assert found.facts == ("depth 5", "exact from 6 empties")
    assert found.lines[0].startswith("2 shapes with 12 images, 2 phases (from 4, 30 discs)")
    assert found.lines[1] == "forward cuts by 1.3 standard deviations, at nodes of up to 5 plies"
    assert pattern_agent().describe().lines[1:] == ["no forward cuts"]
    assert PATTERN_AGENTS[2].describe().lines[2] == "-1.0 to +0.9 discs for the side to move"
    assert [row[:2] for row in found.rows] == [["a1 b1 a2 b2", 4], ["a1 b1 c1 d1", 8]]
    assert [sum(board) for board in found.boards.values()] == [4, 4]
