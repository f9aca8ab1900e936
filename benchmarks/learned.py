"""What learning reaches here: the targets, agents of all kinds in one table, speed in a game.

    python -m benchmarks.learned targets [dqn] [mcts] [labels] [--preset swept] [--jobs 2]
    python -m benchmarks.learned equal-time [--seeds 6] [--budget 30] [--jobs 2]
    python -m benchmarks.learned rating [--games 40] [--jobs 2]
    python -m benchmarks.learned moves [--preset s4-reversiv] [--time 5] [--games 1]

`targets` trains the defaults (180 CPU seconds for dqn, 120 for mcts) and plays the matches that
docs/evidence/learning.md reports. `equal-time` is the minimax-dueling DQN of the paper, two plies
ahead, against tree searches with as many simulations as take the same time. `rating` is a round
robin of what was learned and what was evolved. `moves` counts simulations through a game by the
clock.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
import torch

import evolve
from benchmarks.claims import equal_time, seconds_a_move
from benchmarks.exact_labels import accuracy, fitted, labelled_sets
from benchmarks.trained import Recipe, over_seeds, played, train
from evolve.agents.agent import Agent
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.arena.match import MatchResult
from evolve.arena.tournament import Tournament
from evolve.engine.networks.architecture import Architecture
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.number_text import elo_text

DQN = Recipe.of("dqn", 180.0)
MCTS = Recipe.of("mcts", 120.0)
EVOLVED = "docs/evidence/data/evolution/tuned-standard-0.json"
DEPTH_6 = "positional?depth=6"
LABEL_GAMES = (400_000, 10_000)
LABELLED = {
    "RevNet, gates through tanh": Architecture(
        "canonical", ("gate tanh", "gate tanh", "dense 1 tanh")
    ),
    "RevNet, plain gates": Architecture("canonical", ("gate", "gate", "dense 1 tanh")),
    "mobility planes, 128 and 32": Architecture(
        "mobility", ("dense 128 relu", "gate", "dense 32 relu", "dense 1 tanh")
    ),
}


def show(what: str, result: MatchResult) -> None:
    """A line of a result."""
    score = result.score
    print(
        f"{what:58} {score.value:.4f} [{score.low:.4f}, {score.high:.4f}]  black "
        f"{result.score_black:.3f}  white {result.score_white:.3f}  {result.games} games",
        flush=True,
    )


def dqn_targets(jobs: int, preset: str = "default") -> None:
    """Plain, and with one and two plies of lookahead."""
    path = train(DQN if preset == "default" else Recipe.of("dqn", 180.0, preset=preset), 0)
    random = evolve.load_agent("random")
    show("dqn against random", played(evolve.load_agent(path), random, 2000, jobs=jobs))
    one = evolve.load_agent(f"{path}?lookahead=1")
    show("dqn, 1 ply ahead, against random", played(one, random, 2000, jobs=jobs))
    two, depth_2 = evolve.load_agent(f"{path}?lookahead=2"), evolve.load_agent("positional?depth=2")
    show("dqn, 2 plies ahead, against depth 2", played(two, depth_2, 1000, jobs=jobs))


def mcts_targets(jobs: int) -> None:
    """Few simulations against random, many against alpha-beta depth 6."""
    path = train(MCTS, 0)
    few = evolve.load_agent(f"{path}?simulations=100")
    show(
        "mcts, 100 simulations, against random",
        played(few, evolve.load_agent("random"), 2000, jobs=jobs),
    )
    many = evolve.load_agent(f"{path}?simulations=6400")
    show(
        "mcts, 6400 simulations, against depth 6",
        played(many, evolve.load_agent(DEPTH_6), 400, jobs=jobs),
    )


def label_targets(jobs: int) -> None:
    """The exact-label data set: accuracy on positions of other games, no images shared."""
    torch.set_num_threads(1)
    known, unknown = labelled_sets(*LABEL_GAMES, jobs=jobs)
    print(f"{len(known)} positions to learn from, {len(unknown)} to test")
    for name, architecture in LABELLED.items():
        begin = time.process_time()
        network = fitted(architecture, known, epochs=5)
        print(
            f"{name:58} train {accuracy(network, known):.4f}  test "
            f"{accuracy(network, unknown):.4f}  {time.process_time() - begin:.0f} CPU s",
            flush=True,
        )


def half_random_boards(count: int) -> list[evolve.Board]:
    """Middle-game positions, one of a random game each."""
    boards: list[evolve.Board] = []
    for seed in range(count):
        board, player = evolve.Board.start(), evolve.RandomAgent(seed)
        while board.empties > 15 + 40 * seed // count:
            board = board.play(player.choose(board)) if board.legal_moves() else board.pass_move()
        boards.append(board)
    return [board for board in boards if len(board.legal_moves()) > 1]


def equal_time_match(seeds: int, budget: float, jobs: int) -> None:
    """The open question: minimax-dueling DQN or MCTS, at the same time a move."""
    paper = Recipe.of("dqn", budget, preset="s2-minimax-dueling")
    trees = {
        "s4-reversiv": Recipe.of("mcts", budget, preset="s4-reversiv", accept_games=10),
        "default mcts": Recipe.of("mcts", budget),
    }
    recipes = [paper, *trees.values()]
    joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(train)(recipe, seed) for recipe in recipes for seed in range(seeds)
    )
    boards = half_random_boards(40)
    for name, recipe in trees.items():
        scores, simulations, seconds = [], [], []
        for seed in range(seeds):
            dqn = evolve.load_agent(f"{paper.path(seed)}?lookahead=2")
            tree = evolve.load_agent(recipe.path(seed))
            assert isinstance(dqn, DqnAgent)
            assert isinstance(tree, MctsAgent)
            tree = equal_time(dqn, tree, boards)
            simulations.append(tree.simulations)
            seconds.append(seconds_a_move(dqn, boards))
            scores.append(played(tree, dqn, 400, seed, jobs).score.value)
        mean, low, high = over_seeds(scores)
        print(
            f"{name}, {np.median(simulations):.0f} simulations ({1e3 * np.median(seconds):.2f} ms "
            f"a move), against minimax-dueling two plies ahead: {mean:.3f} [{low:.3f}, {high:.3f}]"
        )


def contestants() -> dict[str, Agent]:
    """Agents of all kinds, best settings and published ones."""
    found: dict[str, Agent] = {name: evolve.load_agent(name) for name in ("random", "swh")}
    found["positional, depth 6"] = evolve.load_agent(DEPTH_6)
    found["uct, 400"] = evolve.load_agent("uct?simulations=400")
    found["evolved alpha-beta"] = evolve.load_agent(EVOLVED)
    found["patterns-standard"] = evolve.load_agent("patterns-standard")
    dqn, mcts = train(DQN, 0), train(MCTS, 0)
    for plies in (0, 2):
        found[f"dqn, {plies} plies ahead"] = evolve.load_agent(f"{dqn}?lookahead={plies}")
    for count in (100, 400, 6400):
        found[f"mcts, {count}"] = evolve.load_agent(f"{mcts}?simulations={count}")
    swept = train(Recipe.of("dqn", 120.0, preset="swept"), 0)
    found["swept, 2 plies ahead"] = evolve.load_agent(f"{swept}?lookahead=2")
    paper = train(Recipe.of("dqn", 120.0, preset="s2-minimax-dueling"), 0)
    for plies in (0, 2):
        found[f"minimax-dueling, {plies} plies ahead"] = evolve.load_agent(
            f"{paper}?lookahead={plies}"
        )
    reversiv = train(Recipe.of("mcts", 120.0, preset="s4-reversiv"), 0)
    found["s4-reversiv, 400"] = evolve.load_agent(f"{reversiv}?simulations=400")
    return found


def rating(games: int, jobs: int) -> None:
    """A round robin of them."""
    agents = contestants()

    def openings(i: int, j: int) -> Openings:
        rng = np.random.default_rng([21, i, j])
        return balanced_openings(games // 2, Part.MATCH, "standard", rng)

    rated = Tournament(
        list(agents.values()), list(agents), "standard", openings, executor=Threads(jobs)
    )
    rated.play()
    for row in rated.rows():
        print(
            f"{row.agent:34} {elo_text(*row.elo.columns('elo').values(), signed=True)}  "
            f"score {row.score:.3f}  {row.games} games"
        )


def moves(seconds: float, preset: str, games: int) -> None:
    """Simulations of a move at equal time, by the number of empties, in games with itself."""
    learned: Any = evolve.load_agent(train(Recipe.of("mcts", 120.0, preset=preset), 0))
    counts: dict[int, list[int]] = {}
    for seed in range(games):
        tree = replace(learned, seconds=seconds, endgame=0).for_game(seed)
        board, player = evolve.Board.start(), evolve.RandomAgent(seed)
        for _ in range(6):
            board = board.play(player.choose(board))
        while not board.is_over():
            if not board.legal_moves():
                board = board.pass_move()
                continue
            square, simulations = tree.choose_counted(board)
            if simulations:  # none for the only legal move
                counts.setdefault(board.empties // 6 * 6, []).append(simulations)
            board = board.play(square)
    for empties in sorted(counts, reverse=True):
        print(
            f"{empties:2} to {empties + 5:2} empties: {np.median(counts[empties]):9.0f} simulations"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    parts: dict[str, Any] = {
        "dqn": dqn_targets,
        "mcts": mcts_targets,
        "labels": label_targets,
    }
    targets = commands.add_parser("targets")
    targets.add_argument("parts", nargs="*", choices=[[], *parts])
    targets.add_argument("--preset", default="default", help="of dqn")
    equal = commands.add_parser("equal-time")
    equal.add_argument("--seeds", type=int, default=6, choices=range(2, 9))
    equal.add_argument("--budget", type=float, default=30.0)
    rated = commands.add_parser("rating")
    rated.add_argument("--games", type=int, default=40)
    moved = commands.add_parser("moves")
    moved.add_argument("--time", type=float, default=0.05)
    moved.add_argument("--preset", default="default")
    moved.add_argument("--games", type=int, default=4)
    for command in (targets, equal, rated):
        command.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.command == "targets":
        for part in given.parts or parts:
            settings = {"preset": given.preset} if part == "dqn" else {}
            parts[part](given.jobs, **settings)
    elif given.command == "equal-time":
        equal_time_match(given.seeds, given.budget, given.jobs)
    elif given.command == "rating":
        rating(given.games, given.jobs)
    else:
        moves(given.time, given.preset, given.games)


if __name__ == "__main__":
    main()
