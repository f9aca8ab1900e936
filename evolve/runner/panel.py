"""The panel: opponents that do not change, so that progress can be told from drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.loading import load_agent
from evolve.agents.reference import panel_reference
from evolve.engine.board import Rules
from evolve.fitness.games import play_games
from evolve.fitness.openings import Openings
from evolve.fitness.ratings import Score
from evolve.fitness.roundrobin import score_against

PANEL_DEPTH: Final = 5
"""Depth at which the reference agents of the panel play: at 3 champions soon scored 0.98."""


def panel_agents(rules: Rules) -> list[AlphaBetaAgent]:
    """The reference agents of the panel; the champion of generation 0 joins them."""
    agents = []
    for name in ("zero", panel_reference(rules)):
        agent = load_agent(f"{name}?depth={PANEL_DEPTH}").with_rules(rules)
        assert isinstance(agent, AlphaBetaAgent)
        agents.append(agent)
    return agents


def past_generations(generation: int) -> list[int]:
    """Generations spread over the run so far whose champions the present one also meets."""
    spread = {generation // 4, generation // 2, 3 * generation // 4}
    return sorted(spread - {0, generation})


@dataclass(frozen=True)
class Gauntlet:
    """A champion's games with a list of opponents."""

    score: Score | None
    table: pa.Table


def play_gauntlet(
    champion: AlphaBetaAgent,
    opponents: Sequence[AlphaBetaAgent],
    openings: Openings,
    rules: Rules,
    *,
    generation: int,
    kind: str,
    first_game: int,
    largest_endgame: int,
    jobs: int,
) -> Gauntlet:
    """Both colours against every opponent on every opening, without a node budget."""
    agents = [champion, *opponents]
    opponent, opening = np.meshgrid(
        np.arange(1, len(agents)), np.arange(len(openings)), indexing="ij"
    )
    pairings = np.zeros((2 * opponent.size, 3), np.int32)
    pairings[0::2, 1] = pairings[1::2, 0] = opponent.ravel()
    pairings[0::2, 2] = pairings[1::2, 2] = opening.ravel()
    games = play_games(
        agents, pairings, openings, rules, largest_endgame=largest_endgame, jobs=jobs
    )
    texts = openings.texts()
    table = games.table(
        generation,
        kind,
        [agent.name for agent in agents],
        [texts[index] for index in pairings[:, 2]],
        first_game,
    )
    return Gauntlet(score_against(games, 0) if len(pairings) else None, table)
