"""The play-off: who is the best agent of a run, decided on openings seen for the first time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.config.evolution import EvolutionSettings
from evolve.engine.rules import rule_set
from evolve.fitness.executor import Executor
from evolve.fitness.games import play_games
from evolve.fitness.openings import Openings
from evolve.fitness.pairs import all_pairs
from evolve.fitness.roundrobin import schedule, score_against, standings
from evolve.fitness.statistics import Estimate


@dataclass(frozen=True)
class Candidate:
    """An agent that may be the best, and its ancestry."""

    agent: StoredAgent
    provenance: Mapping[str, object]


@dataclass(frozen=True)
class PlayoffResult:
    """The winner, its score against the other candidates, and all games.

    score: None where there were no others, and so no games.
    """

    winner: Candidate
    score: Estimate | None
    candidates: int
    table: pa.Table


def play_of(agent: StoredAgent) -> str:
    """What an agent of a run plays by: those with the same play alike, whatever their names."""
    return repr(agent.parameters)


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those that play like an earlier one, having the same parameters."""
    kept: dict[str, Candidate] = {}
    for candidate in candidates:
        kept.setdefault(play_of(candidate.agent), candidate)
    return list(kept.values())


def play_off(
    candidates: Sequence[Candidate],
    openings: Openings,
    settings: EvolutionSettings,
    *,
    generation: int,
    first_game: int,
    largest_endgame: int,
    executor: Executor,
    progress: Callable[[int, int], None],
) -> PlayoffResult:
    """A round robin of the candidates, each pair with both colours on every opening.

    The best score wins, then the disc difference, then who stands first.
    """
    players = len(candidates)
    pairs = players * (players - 1) // 2
    numbers = np.tile(np.arange(len(openings), dtype=np.int64), (pairs, 1))
    pairings = schedule(all_pairs(players), numbers)
    agents = [candidate.agent for candidate in candidates]
    done = 0

    def count(games: int) -> None:
        nonlocal done
        done += games
        progress(done, len(pairings))

    games = play_games(
        agents,
        pairings,
        openings,
        settings.rules,
        move_budget=settings.move_budget,
        largest_endgame=largest_endgame,
        executor=executor,
        progress=count,
    )
    table = standings(games, players)
    direction = rule_set(settings.rules).discs
    best = max(range(players), key=lambda i: (table.score[i], direction * table.disc_difference[i]))
    rows = games.table(
        generation,
        "playoff",
        [agent.name for agent in agents],
        settings.rules,
        openings,
        first_game,
    )
    score = score_against(games, best) if players > 1 else None
    return PlayoffResult(candidates[best], score, players, rows)
