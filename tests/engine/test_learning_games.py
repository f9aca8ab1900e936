"""Games to learn from: every move by the rules, every record and target as a slow reader has it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.memory import Tree
from evolve.agents.rewards import Rewards
from evolve.engine import episodes, mcts, rewards, selfplay
from evolve.engine.entry import new_context
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.greedy import action_values
from evolve.engine.labels import draw_positions, label_positions
from evolve.engine.network import Network
from evolve.engine.parts import MATCH_SLOT, slots_of_all, trained_moves
from evolve.engine.selfplay import RANDOM_OPPONENT, SELF_PLAY
from evolve.engine.symmetry import SQUARE_IMAGES, canonical, symmetries, turn_all
from evolve.fitness.openings import Part, balanced_openings
from evolve.records.record import play_moves
from tests import networks, reference

CLASSIC = AlphaBetaAgent([[100, -25, 10, 5, -25, 1, 1, 5, 2, 1]], depths=[2])


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def tree_games(
    network: Network | None, opponents: list[int], rules: int, seed: int = 0, **changes: Any
) -> dict[str, np.ndarray]:
    count = len(opponents)
    rng = np.random.default_rng(seed)
    scratch = network.scratch() if network else np.zeros(1, np.float32)
    search = mcts.SearchOptions(
        rules, mcts.PUCT, 1.2, network.address if network else 0, scratch.ctypes.data
    )
    options = selfplay.SelfPlayOptions(search, 20, 0.25, 1.0, 10, 8, False)._replace(**changes)
    fixtures = selfplay.Fixtures(
        np.array(opponents, np.int32),
        np.where(np.arange(count) % 2 == 0, 1, -1).astype(np.int8),
        rng.integers(0, 6, count).astype(np.int32),
        rng.integers(0, 2**64, count, dtype=np.uint64),
    )
    records = selfplay.blank_records(count, with_visits=True)
    selfplay.play_tree_games(
        fixtures,
        CLASSIC.cells.reshape(1, -1),
        options,
        new_context(rules, 0, 10),
        mcts.empty_nodes(4000),
        records,
    )
    return records._asdict()


@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY, None])
def test_tree_games_are_games(rules: int, architecture: Any) -> None:
    network = networks.random_network(architecture) if architecture else None
    opponents = [SELF_PLAY] * 4 + [RANDOM_OPPONENT] * 2 + [0] * 2
    games = tree_games(network, opponents, rules)
    again = tree_games(network, opponents, rules)
    assert all((games[key] == again[key]).all() for key in games)
    assert games["counts"].mean() > 15  # one that is beaten early may have few moves
    for game, opponent in enumerate(opponents):
        count = games["counts"][game]
        assert 1 <= count <= selfplay.MOST_POSITIONS
        own_colour = 1 if game % 2 == 0 else -1
        before = 0
        for ply in range(count):
            own, opp = map(int, games["positions"][game, ply])
            moves = reference.legal_moves(own, opp)
            side = int(games["sides"][game, ply])
            assert moves
            assert (own | opp).bit_count() > before
            before = (own | opp).bit_count()
            assert -1 <= games["searched"][game, ply] <= 1
            solved = reference.empties(own, opp) <= 8
            if opponent != SELF_PLAY and not solved:
                assert side == own_colour
            shares = games["visits"][game, ply]
            if solved:
                assert ply == count - 1
                outcome = sign(reference.exact_alpha_beta(own, opp, rules))
                assert games["searched"][game, ply] == outcome
                assert games["results"][game] == side * outcome
                assert not shares.any()
            else:
                assert set(np.flatnonzero(shares)) <= set(moves)
                assert shares.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY])
def test_a_tree_is_kept_from_move_to_move(architecture: Any) -> None:
    """Games of the kernels move by move with a tree of Python's."""
    network = networks.random_network(architecture)
    quiet = {"noise": 0.0, "temperature": 0.0}
    kept = tree_games(network, [SELF_PLAY, RANDOM_OPPONENT] * 2, 0, reuse=True, **quiet)
    anew = tree_games(network, [SELF_PLAY, RANDOM_OPPONENT] * 2, 0, **quiet)
    assert (kept["searched"] != anew["searched"]).any()
    for game in range(4):
        tree, scratch = Tree.of_size(4000), network.scratch()
        options = mcts.SearchOptions(0, mcts.PUCT, 1.2, network.address, scratch.ctypes.data)
        for ply in range(kept["counts"][game] - 1):
            own, opp = map(int, kept["positions"][game, ply])
            tree.advance(evolve.Board(own=own, opp=opp))
            links = tree.nodes.links
            before = int(links[0, mcts.VISITS])
            tree.simulate(20, options, 0)
            assert kept["searched"][game, ply] == -tree.nodes.values[0, mcts.Q]
            assert links[0, mcts.VISITS] == before + 20
            shares = kept["visits"][game, ply]
            for child in tree.children():
                share = links[child, mcts.VISITS] / (links[0, mcts.VISITS] - 1)
                assert shares[links[child, mcts.MOVE]] == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "differ"),
    [
        ({"noise": 0.0, "temperature": 0.0}, False),
        ({"noise": 0.5, "temperature": 0.0}, True),
        ({"noise": 0.0, "temperature": 1.0}, True),
        ({"noise": 0.0, "temperature": 1.0, "temperature_plies": 0}, False),
    ],
)
def test_noise_and_temperature_make_games_differ(changes: dict[str, Any], differ: bool) -> None:
    network = networks.random_network(networks.VALUE)
    games = tree_games(network, [SELF_PLAY] * 40, 0, **changes)
    # Without random moves at their beginning two games differ by the search's choices alone.
    first = np.bitwise_count(games["positions"][:, 0].sum(axis=1)) == 4
    lines = {games["positions"][game, :9].tobytes() for game in np.flatnonzero(first)}
    assert first.sum() > 2
    assert (len(lines) > 1) == differ


def test_the_noise_of_a_move_says_nothing_of_its_choice() -> None:
    """Four moves at the start: how often each is played first does not depend on its number."""
    counts = dict.fromkeys((19, 26, 37, 44), 0)
    found = tree_games(None, [SELF_PLAY] * 400, 0, simulations=2, noise=1.0, solved_empties=0)
    started = 0
    for game in range(400):
        own, opp = map(int, found["positions"][game, 0])
        if (own | opp).bit_count() == 4:
            after = found["positions"][game, 1]
            new = (int(after[0]) | int(after[1])) & ~(own | opp)
            counts[new.bit_length() - 1] += 1
            started += 1
    assert all(count > started / 4 - 4 * (started * 3 / 16) ** 0.5 for count in counts.values())


def episodes_of(
    players: list[tuple[int, int]],
    epsilons: float,
    rules: int = 0,
    architecture: Any = networks.DUELING,
) -> dict[str, np.ndarray]:
    count = len(players)
    nets = [networks.random_network(architecture, seed) for seed in (1, 2)]
    lineup = episodes.Lineup(
        np.array(players, np.int32),
        np.full((count, 2), epsilons),
        (np.arange(count) % 5).astype(np.int32),
        np.arange(count, dtype=np.uint64),
    )
    found = episodes.blank_episodes(count)
    episodes.play_episodes(
        lineup,
        np.array([net.address for net in nets], np.int64),
        CLASSIC.cells.reshape(1, -1),
        rules,
        new_context(rules),
        nets[0].scratch(),
        found,
    )
    return found._asdict()


@pytest.mark.parametrize("rules", [0, 1])
def test_episodes_are_games_of_those_who_play(rules: int) -> None:
    players = [(0, 1), (1, 0), (0, episodes.RANDOM_PLAYER), (2, 1)] * 3
    games = episodes_of(players, 0.0, rules)
    nets = [networks.random_network(networks.DUELING, seed) for seed in (1, 2)]
    for game, pair in enumerate(players):
        board, side = reference.START, 1
        for ply in range(games["counts"][game]):
            if not reference.legal_moves(*board):
                board, side = (board[1], board[0]), -side
            assert tuple(games["positions"][game, ply].tolist()) == board
            assert games["sides"][game, ply] == side
            move = int(games["moves"][game, ply])
            legal = reference.legal_moves(*board)
            assert move in legal
            player = pair[0 if side == 1 else 1]
            if ply >= game % 5 and player in (0, 1):
                values = nets[player].outputs(np.array([board], np.uint64))[0]
                assert move == max(legal, key=lambda square, v=values: v[square])
            board, side = reference.play(*board, move), -side
        assert reference.is_over(*board)
        own, opp = board if side == 1 else (board[1], board[0])
        assert games["scores"][game] == reference.final_score(own, opp, rules)
        assert games["discs"][game].tolist() == [own.bit_count(), opp.bit_count()]


def match_positions(count: int) -> set[tuple[int, ...]]:
    """Positions of openings as matches have them, in one of their images."""
    rng = np.random.default_rng(5)
    openings = balanced_openings(count, Part.MATCH, "standard", rng)
    boards = [play_moves(evolve.Board.start(), row.tolist()) for row in openings.moves]
    found = canonical(np.array([(board.own, board.opp) for board in boards], np.uint64))
    return set(map(tuple, found.tolist()))


def of_twelve_discs(positions: np.ndarray) -> set[tuple[int, ...]]:
    rows = positions.reshape(-1, 2)
    rows = rows[np.bitwise_count(rows[:, 0] | rows[:, 1]) == 12]
    return set(map(tuple, canonical(rows).tolist()))


def test_no_game_to_learn_from_comes_to_an_opening_of_a_match() -> None:
    """Of 500 openings 260 occurred in 60 000 games when nothing kept them away."""
    openings = match_positions(500)
    assert len(openings) == 500
    random_players = (episodes.RANDOM_PLAYER, episodes.RANDOM_PLAYER)
    played = episodes_of([random_players] * 6000 + [(0, 1), (2, 0), (2, 2)] * 200, 0.3)
    seen = of_twelve_discs(played["positions"])
    assert len(seen) > 1000
    assert not seen & openings
    for network in (networks.random_network(networks.VALUE), None):
        opponents = [SELF_PLAY, RANDOM_OPPONENT, 0] * 150
        searched = tree_games(network, opponents, 0, simulations=4)
        seen = of_twelve_discs(searched["positions"])
        assert len(seen) > 150
        assert not seen & openings
    # The kernel says of every image what the openings' own division says.
    images = np.array(sorted(openings), np.uint64)
    for turned in zip(*(symmetries(images[:, side]) for side in (0, 1)), strict=True):
        slots = np.zeros(len(images), np.int8)
        slots_of_all(np.stack(turned, axis=1), slots)
        assert set(slots.tolist()) == {MATCH_SLOT}


def test_moves_into_a_match_are_those_that_are_left_out() -> None:
    rng, left_out = random.Random(7), 0
    for own, opp in reference.random_boards(rng, 60, 53, 53):
        moves = reference.legal_moves(own, opp)
        kept = int(trained_moves(np.uint64(own), np.uint64(opp), np.uint64(reference.mask(moves))))
        after = np.array([reference.play(own, opp, move) for move in moves], np.uint64)
        slots = np.zeros(len(moves), np.int8)
        slots_of_all(after.reshape(-1, 2), slots)
        wanted = [m for m, slot in zip(moves, slots.tolist(), strict=True) if slot != MATCH_SLOT]
        assert list(reference.squares(kept)) == wanted
        left_out += len(moves) - len(wanted)
    assert left_out > 10


def slow_targets(games: dict[str, np.ndarray], game: int, how: dict[str, Any]) -> list[tuple]:
    """(ply, return, discount, ply of the bootstrap or None) of every move of one game."""
    count = int(games["counts"][game])
    sides = games["sides"][game, :count].tolist()
    boards = [tuple(map(int, games["positions"][game, ply])) for ply in range(count)]
    moves = games["moves"][game, :count].tolist()
    black, white = games["discs"][game].tolist()
    score = int(games["scores"][game])

    reverse = how["rules"] == 1

    def final(side: int) -> float:
        own, opp = (black, white) if (side == 1) != reverse else (white, black)
        won = sign(score * side)
        return {
            rewards.NO_REWARD: 0.0,
            rewards.OUTCOME: won,
            rewards.HALVES: (won + 1) / 2,
            rewards.SHARE: own / 64,
            rewards.DIFFERENCE: (own - opp) / 64,
        }[how["kind"]]

    def worth(ply: int) -> float:
        flips = reference.flips(*boards[ply], moves[ply])
        worth_of = [how["table"][s] for s in [moves[ply], *reference.squares(flips)]]
        return -sum(worth_of) if reverse else sum(worth_of)

    def reward(ply: int) -> float:
        side, total = sides[ply], 0.0
        later = range(ply + 1, count)
        if not (later if how["negamax"] else [p for p in later if sides[p] == side]):
            total += final(side)
        own, opp = boards[ply]
        after = reference.play(own, opp, moves[ply])
        total += how["shaping"] * after[0 if reverse else 1].bit_count() / 64
        total += how["positional"] * worth(ply)
        if how["minimax"] and ply + 1 < count and sides[ply + 1] != side:
            total -= how["positional"] * worth(ply + 1)
        return total

    found = []
    for ply in range(count):
        mine = [p for p in range(ply, count) if how["negamax"] or sides[p] == sides[ply]]
        total = 0.0
        for k, p in enumerate(mine[: how["steps"]]):
            total += how["gamma"] ** k * reward(p) * (1 if sides[p] == sides[ply] else -1)
        if len(mine) > how["steps"]:
            then = mine[how["steps"]]
            weight = how["gamma"] ** how["steps"] * (1 if sides[then] == sides[ply] else -1)
            found.append((ply, total, weight, then))
        else:
            found.append((ply, total, 0.0, None))
    return found


@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("negamax", [False, True])
@pytest.mark.parametrize("steps", [1, 3, 60])
@pytest.mark.parametrize(
    ("kind", "shaping", "positional", "minimax"),
    [
        (rewards.OUTCOME, 0.0, 0.0, False),
        (rewards.HALVES, 0.5, 0.0, False),
        (rewards.SHARE, 0.0, 0.2, False),
        (rewards.DIFFERENCE, 0.0, 0.1, True),
        (rewards.NO_REWARD, 0.0, 1.0, True),
    ],
)
def test_targets_are_those_of_the_definitions(
    rules: int,
    negamax: bool,
    steps: int,
    kind: int,
    shaping: float,
    positional: float,
    minimax: bool,
) -> None:
    games = episodes_of([(0, 1), (episodes.RANDOM_PLAYER, 1), (2, 2)] * 3, 0.4, rules)
    count = len(games["counts"])
    learners = np.ones((count, 2), np.int8)
    learners[1] = 0, 1
    table = np.linspace(-1, 1, 64).astype(np.float32)
    how: dict[str, Any] = {
        "kind": kind,
        "shaping": shaping,
        "table": table,
        "positional": positional,
        "minimax": minimax,
        "negamax": negamax,
        "steps": steps,
        "gamma": 0.9,
        "rules": rules,
    }
    plies, returns, discounts = transitions = episodes.empty_transitions(count)
    filled = episodes.transitions_of(
        episodes.Episodes(**games), learners, episodes.TargetOptions(**how), transitions
    )
    expected = []
    for game in range(count):
        for ply, *rest in slow_targets(games, game, how):
            if learners[game, 0 if games["sides"][game, ply] == 1 else 1]:
                expected.append((game, ply, *rest))
    assert filled == len(expected)
    for row, (game, ply, total, weight, then) in enumerate(expected):
        assert plies[row, :2].tolist() == [game, ply]
        assert returns[row] == pytest.approx(total, abs=1e-4)
        assert discounts[row] == pytest.approx(weight, abs=1e-6)
        if then is not None:
            assert plies[row, 2] == then


POSITIONAL = Rewards((1.0, -0.5, 0.2, 0.1, -0.7, 0.05, 0.0, 0.3, -0.1, 0.02), 0.8, 0.7, "turn")


@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("architecture", [networks.DUELING, networks.COLOURED, networks.ACTION])
@pytest.mark.parametrize("plies", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "earned",
    [Rewards(), POSITIONAL, replace(POSITIONAL, step="ply"), replace(POSITIONAL, discount=0.0)],
    ids=["nothing", "by turn", "by ply", "at once alone"],
)
def test_looking_ahead_is_minimax_over_the_networks_and_what_moves_earn(
    architecture: Any, plies: int, earned: Rewards, rules: int
) -> None:
    nets = [networks.random_network(architecture, seed) for seed in (1, 2)]
    addresses = np.array([net.address for net in nets], np.int64)
    table = [earned.squares[kind] for kind in CLASS_OF_SQUARE]

    def values_of(own: int, opp: int, side: int) -> dict[int, float]:
        legal = reference.legal_moves(own, opp)
        net = nets[0 if side == 1 else 1]
        rows = np.repeat(np.array([[own, opp]], np.uint64), len(legal), axis=0)
        sides = np.full(len(legal), side, np.int8)
        found = net.outputs(rows, sides, np.array(legal, np.int8))
        column = [0] * len(legal) if found.shape[1] == 1 else legal
        return {square: float(found[i, column[i]]) for i, square in enumerate(legal)}

    def passes(own: int, opp: int) -> bool:
        return not reference.legal_moves(own, opp) and not reference.is_over(own, opp)

    def gain(own: int, opp: int, move: int) -> float:
        flips = reference.squares(reference.flips(own, opp, move))
        after = reference.play(own, opp, move)
        total = sum(table[square] for square in [move, *flips]) * (-1 if rules else 1)
        return total + earned.discs * after[0 if rules else 1].bit_count() / 64

    def later(now: int, then: int, root: int, passed: bool) -> float:
        """The discount from the turn of one side to that of another."""
        if earned.step == "ply":
            return 1.0 if passed else earned.discount
        if then == root:
            return earned.discount
        # An own turn that is no move is no step: the other side has moved in vain for it.
        return 1 / earned.discount if passed and earned.discount else 1.0

    def after(discount: float, value: float) -> float:
        return value if abs(value) > 5e5 else discount * value

    def worth(own: int, opp: int, side: int, root: int, left: int) -> float:
        if not reference.legal_moves(own, opp):
            if reference.is_over(own, opp):
                return 1e6 * sign(reference.final_score(own, opp, rules))
            return -after(later(side, -side, root, True), worth(opp, own, -side, root, left))
        if left == 0:
            return max(values_of(own, opp, side).values())
        return max(move_worth(own, opp, side, root, left).values())

    def move_worth(own: int, opp: int, side: int, root: int, left: int) -> dict[int, float]:
        discount = later(side, -side, root, False)
        return {
            move: gain(own, opp, move)
            - after(discount, worth(*reference.play(own, opp, move), -side, root, left - 1))
            for move in reference.legal_moves(own, opp)
        }

    rng = random.Random(plies)
    # Boards of few discs pass often.
    boards = [*reference.random_boards(rng, 4, 1, 6), *reference.random_boards(rng, 3, 20, 52)]
    for own, opp in boards:
        legal = reference.legal_moves(own, opp)
        if not legal:
            continue
        side = rng.choice((1, -1))
        found = np.zeros(64)
        scratch = nets[0].scratch()
        entered = action_values(
            *(np.uint64(own), np.uint64(opp), side, plies, addresses, earned.cells),
            *(scratch.ctypes.data, rules, found),
        )
        if plies == 0:
            expected = values_of(own, opp, side)
        else:
            expected = move_worth(own, opp, side, side, plies)
        if plies < 2:  # deeper, some are cut off
            assert entered == 1 + plies * len(legal) + (
                sum(passes(*reference.play(own, opp, move)) for move in legal) if plies else 0
            )
        for move in legal:
            assert found[move] == pytest.approx(expected[move], abs=1e-5, rel=1e-9)


@pytest.mark.parametrize("rules", [0, 1])
def test_labels_are_the_outcomes_of_best_play(rules: int) -> None:
    seeds = np.arange(60, dtype=np.uint64)
    positions = np.zeros((60, 2), np.uint64)
    draw_positions(seeds, 56, positions)
    outcomes = np.zeros(60, np.int8)
    label_positions(positions, new_context(rules, 0, 10), outcomes)
    drawn = 0
    for (own, opp), outcome in zip(positions.tolist(), outcomes.tolist(), strict=True):
        if (own, opp) == (0, 0):
            continue
        drawn += 1
        assert (own | opp).bit_count() == 56
        assert reference.legal_moves(own, opp)
        assert outcome == sign(reference.exact_alpha_beta(own, opp, rules))
    assert drawn > 40


def test_images_are_the_symmetries() -> None:
    boards = np.array(reference.random_boards(random.Random(0), 16, 0, 50), np.uint64)
    images = (np.arange(16) % 8).astype(np.int8)
    turned = np.zeros_like(boards)
    turn_all(boards, images, turned)
    every = np.stack([np.stack(symmetries(boards[:, side])) for side in (0, 1)], axis=2)
    assert (turned == every[images, np.arange(16)]).all()
    for number in range(8):
        single = np.uint64(1) << np.arange(64, dtype=np.uint64)
        assert (single[SQUARE_IMAGES[number]] == symmetries(single)[number]).all()
