"""Run matches and ratings from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.agents.agent import Agent
from evolve.arena.agreement import agree_on
from evolve.arena.match import Match, MatchResult
from evolve.arena.openings import identity_of, match_openings, openings_for
from evolve.arena.sprt import Sprt
from evolve.config.matches import MatchSettings, RateSettings
from evolve.config.toml import resolve_as
from evolve.fitness.executor import Threads
from evolve.fitness.games import GamesDone
from evolve.fitness.openings import Openings
from evolve.runs.loading import load_agent

if TYPE_CHECKING:  # loads pandas, which a match does not need
    import pandas as pd

    from evolve.arena.tournament import Tournament


def match(
    a: Agent | str | Path,
    b: Agent | str | Path,
    *,
    jobs: int = 1,
    progress: GamesDone | None = None,
    **settings: Any,
) -> MatchResult:
    """Play A against B, both colours on every opening, as `evolve match` does.

    Args:
        a, b: agents, or their names on the command line: `"runs/first"`, `"swh?depth=3"`.
        jobs: number of threads; results do not depend on it.
        progress: called with the number of games played since the last call.
        settings: what `evolve match --help` lists, such as `games=400`, `seed=2`,
            `rules="reversed"`, `openings="start"` or `sprt=(0, 20)`.

    Returns A's result: `.score.value` with `.score.low` and `.score.high`, `.elo` with the same
    fields, and so on. Raises AgentError if A or B is not an agent, SettingsError for invalid
    settings, and EngineError if a program cannot be used.
    """
    named = {"a": _name(a), "b": _name(b)}
    asked = resolve_as(MatchSettings, {}, {**settings, **named})
    agents = _agent(a), _agent(b)
    agreed = agree_on(agents, asked.rules).rules
    test = None if asked.sprt is None else Sprt(*asked.sprt, asked.alpha, asked.beta)
    openings = match_openings(asked, agreed)
    played = Match(*agents, openings, agreed, seed=asked.seed, executor=Threads(jobs), sprt=test)
    return played.play(progress)


def rate(
    agents: Sequence[Agent | str | Path],
    *,
    jobs: int = 1,
    progress: GamesDone | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Rate agents by a round robin, as `evolve rate` does.

    Args:
        agents: two or more, each an agent or its name on the command line.
        jobs: number of threads; results do not depend on it.
        progress: called with the number of games played since the last call.
        settings: what `evolve rate --help` lists, such as `games=200`, `seed=2` or
            `rules="reversed"`.

    Returns a row for each agent, the strongest first: `agent`, `elo` with `elo_low` and `elo_high`
    (Bradley-Terry, mean 0), `score`, `games`, `failures`. Raises the same errors as `match`.
    """
    import pandas as pd

    names = [_name(agent) for agent in agents]
    asked = resolve_as(RateSettings, {}, {**settings, "agents": names})
    players = [_agent(agent) for agent in agents]
    tournament = tournament_of(players, names, asked, executor=Threads(jobs))
    tournament.play(progress)
    return pd.DataFrame([row.facts for row in tournament.rows()])


def tournament_of(
    players: Sequence[Agent],
    names: Sequence[str],
    settings: RateSettings,
    reading: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> Tournament:
    """Return the round robin of a rating's settings, not started yet.

    reading: `tell` and `strict` of `openings_for`; options: `executor`, `folder` and `failed` of
    Tournament.
    """
    from evolve.arena.tournament import Tournament, kept_rules

    folder = options.get("folder")
    kept = None if folder is None else kept_rules(folder)
    agreed = agree_on(players, settings.rules, kept)
    pairs = (settings.games + 1) // 2
    chosen, plies, seed = settings.openings, settings.opening_plies, settings.seed

    def drawn(i: int, j: int) -> Openings:
        rng = np.random.default_rng([seed, i, j])
        return openings_for(chosen, plies, pairs, pairs, agreed.rules, rng, **reading)

    described = {"games": 2 * pairs, "openings": identity_of(chosen), "opening_plies": plies}
    return Tournament(
        players,
        tuple(names),
        agreed.rules,
        drawn,
        described,
        seed=seed,
        assumed=agreed.assumed,
        **options,
    )


def _agent(agent: Agent | str | Path) -> Agent:
    return load_agent(str(agent)) if isinstance(agent, str | Path) else agent


def _name(agent: Agent | str | Path) -> str:
    return str(agent) if isinstance(agent, str | Path) else agent.name
