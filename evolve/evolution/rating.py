"""Rate a run's champion: its Elo on the ladder, from games that did not select it.

The champion is the winner of the play-off, so its score there is biased upwards. That score also
cannot be compared with other runs, which have other candidates. So the champion plays the ladder
afterwards, on separate openings. Use the result to compare runs and seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evolve.agents.agent import StoredAgent
from evolve.arena.judges import Rung, ladder, nearest
from evolve.config.evolution import EvolutionSettings
from evolve.evolution.panel import meet
from evolve.evolution.seeds import Use, generator
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.statistics import Estimate, rate_one
from evolve.runs.run import Run

RUNGS: Final = 4
"""Rungs of the ladder that the champion plays."""
PANELS: Final = 4
"""Games of the rating, in units of one generation's panel: 4 times as many games halve the width
of the interval."""
PLIES: Final = 8
"""Random moves in the openings."""


@dataclass(frozen=True)
class Rating:
    """Elo on the ladder with its 95 % interval, and the number of games."""

    elo: float
    low: float
    high: float
    games: int

    @property
    def facts(self) -> dict[str, Any]:
        """The rating as stored in the champion's file."""
        return {
            "elo": self.elo,
            "elo_low": self.low,
            "elo_high": self.high,
            "elo_games": self.games,
        }


def first_guess(run: Run) -> float | None:
    """Guess the champion's Elo: the rating of the last generations; None without a ladder panel."""
    rows = (run.metadata(number)[0] for number in reversed(range(run.generation_count)))
    found = (row["rating"] for row in rows if row.get("rating") is not None)
    return next(found, None) if run.config.get("panel") == "ladder" else None


def rate(
    champion: StoredAgent,
    settings: EvolutionSettings,
    guess: float | None,
    *,
    largest_endgame: int,
    executor: Executor,
    progress: Callable[[int, int], None],
) -> Rating | None:
    """Rate the champion against the rungs nearest to it; None under rules without a ladder.

    Rounds with the games of one panel find these rungs, starting at the guess or at the middle of
    the ladder; the rating comes from PANELS times as many separate games. Openings come from a
    generator of the run's seed that nothing else uses, and from a part that a run never plays on.
    """
    rungs = ladder(settings.rules)
    if not rungs:
        return None
    each, rounds, done = settings.panel_openings, 0, 0

    def count(games: int) -> None:
        nonlocal done
        done += games
        progress(done, total)

    def rated_by(met: Sequence[Rung], each: int) -> Estimate:
        nonlocal rounds
        rng = generator(settings.seed, Use.RATING_OPENINGS, rounds)
        rounds += 1
        openings = balanced_openings(len(met) * each, Part.MATCH, settings.rules, rng, PLIES)
        scores, _ = meet(
            champion,
            [rung.agent for rung in met],
            openings,
            np.arange(len(openings)).reshape(len(met), each),
            settings.rules,
            largest_endgame=largest_endgame,
            executor=executor,
            progress=count,
        )
        return rate_one(np.array([rung.elo for rung in met]), scores)

    games = 2 * PANELS * each * min(RUNGS, len(rungs))
    total = games + games // PANELS
    met = nearest(rungs, rungs[len(rungs) // 2].elo if guess is None else guess, RUNGS)
    known: list[list[Rung]] = []
    while met not in known:
        known.append(met)
        total = max(total, done + games // PANELS + games)
        met = nearest(rungs, rated_by(met, each).value, RUNGS)
    elo = rated_by(met, PANELS * each)
    return Rating(elo.value, elo.low, elo.high, games)
