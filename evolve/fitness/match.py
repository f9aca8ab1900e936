"""A match between two agents of any kind: both colours on every opening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.protocol import Agent
from evolve.engine import game as kernels
from evolve.engine.board import Board, Rules
from evolve.errors import AgentError, IllegalMoveError
from evolve.fitness.games import Games, Progress, in_batches, play_games, winner_of
from evolve.fitness.openings import Openings
from evolve.fitness.ratings import Score, score_of_pairs
from evolve.fitness.roundrobin import schedule


@dataclass(frozen=True)
class MatchResult:
    """A match as A sees it.

    score: with its interval, over pairs of games; score_black, score_white: A's score with
    either colour; mean_discs: A's discs − B's at the end, a game.
    """

    games: int
    wins: int
    draws: int
    losses: int
    score: Score
    score_black: float
    score_white: float
    mean_discs: float


def common_rules(agents: Sequence[Agent], asked: Rules | None = None) -> Rules:
    """The rules that all agents play by; those asked for come first, `standard` last.

    Raises AgentError when agents differ and nothing was asked for.
    """
    if asked is not None:
        return asked
    found: dict[Rules, str] = {}
    for agent in agents:
        if agent.rules is not None:
            found.setdefault(agent.rules, agent.name)
    if len(found) > 1:
        parts = " and ".join(f"{name} plays {rules}" for rules, name in found.items())
        raise AgentError(f"{parts}: agents of different rules; choose with --rules")
    return next(iter(found), "standard")


def play_match(
    a: Agent,
    b: Agent,
    openings: Openings,
    rules: Rules,
    *,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[MatchResult, Games]:
    """A against B, two games on every opening, A black in the first.

    Agents that draw at random draw from `seed` and the number of the game, so results repeat
    for any `jobs`.
    """
    numbers = np.arange(len(openings), dtype=np.int64).reshape(1, -1)
    pairings = schedule(2, numbers)
    players = [a.with_rules(rules), b.with_rules(rules)]
    if isinstance(players[0], AlphaBetaAgent) and isinstance(players[1], AlphaBetaAgent):
        games = play_games(
            [players[0], players[1]], pairings, openings, rules, jobs=jobs, progress=progress
        )
    else:
        games = _play_one_by_one(players, pairings, openings, rules, seed, jobs, progress)
    # Agents that neither draw at random nor play by the clock play the same pair of games on the
    # same opening again, which is no further evidence.
    repeatable = all(isinstance(player, AlphaBetaAgent) for player in players)
    distinct = openings.distinct() if repeatable else numbers[0]
    return summarize(games, distinct), games


def summarize(games: Games, distinct: npt.NDArray[np.int64]) -> MatchResult:
    """The result of a match from its games, player 0 being A.

    `distinct` numbers the pairs of games that are evidence of their own, for the interval.
    """
    a_is_black = games.pairings[:, 0] == 0
    points = np.where(a_is_black, games.winner, -games.winner)
    scores = (points + 1.0) / 2.0
    discs = np.where(a_is_black, games.disc_difference, -games.disc_difference)
    pairs = scores.reshape(-1, 2).mean(axis=1)
    return MatchResult(
        games=len(games),
        wins=int((points > 0).sum()),
        draws=int((points == 0).sum()),
        losses=int((points < 0).sum()),
        score=replace(score_of_pairs(pairs[distinct]), score=float(pairs.mean())),
        score_black=float(scores[a_is_black].mean()),
        score_white=float(scores[~a_is_black].mean()),
        mean_discs=float(discs.mean()),
    )


def _play_one_by_one(
    players: Sequence[Agent],
    pairings: np.ndarray,
    openings: Openings,
    rules: Rules,
    seed: int,
    jobs: int,
    progress: Progress | None,
) -> Games:
    """Games between agents that are not all kernels, a move at a time."""
    moves = np.full((len(pairings), kernels.MAX_PLIES), kernels.NO_MOVE, np.int8)
    results = np.zeros((len(pairings), kernels.RESULT_COLUMNS), np.int64)

    def play(part: slice) -> None:
        for game in range(part.start, part.stop):
            black, white, opening = pairings[game].tolist()
            pair = {
                "black": players[black].for_game(2 * seed * len(pairings) + 2 * game),
                "white": players[white].for_game(2 * seed * len(pairings) + 2 * game + 1),
            }
            _play_game(pair, openings.moves[opening].tolist(), moves[game], results[game])

    in_batches(len(pairings), play, jobs, progress)
    return Games(pairings, moves, results, winner_of(results, rules))


def _play_game(
    players: dict[str, Agent], opening: list[int], moves: np.ndarray, result: np.ndarray
) -> None:
    """One game into a row of moves and of results."""
    board, plies = Board.start(), 0
    book = [square for square in opening if square >= 0]
    while not board.is_over():
        if not board.legal_moves():
            moves[plies] = kernels.PASS
            board = board.pass_move()
        else:
            square = book.pop(0) if book else players[board.side].choose(board)
            if square not in board.legal_moves():
                raise IllegalMoveError(f"{players[board.side].name} played {square}\n{board}")
            moves[plies] = square
            board = board.play(square)
        plies += 1
    result[kernels.DISCS_BLACK] = board.discs("black")
    result[kernels.DISCS_WHITE] = board.discs("white")
    result[kernels.PLIES] = plies
