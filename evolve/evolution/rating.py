"""The rating of a run's champion: its Elo on the ladder, from games that chose nobody.

The champion is whoever won the play-off, which makes its share there a lucky one, and tells nothing
of other runs: their candidates are others. So it plays the ladder afterwards, on openings of its
own. The result is the number by which runs and seeds are compared.
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
from evolve.tables.run import Run

RUNGS: Final = 4
"""Rungs of the ladder that the champion plays."""
PANELS: Final = 4
"""Games of the rating, in those of one generation's panel: half as wide an interval."""
PLIES: Final = 8
"""Random moves in its openings."""


@dataclass(frozen=True)
class Rating:
    """Elo on the ladder with its 95 % interval, from so many games."""

    elo: float
    low: float
    high: float
    games: int

    @property
    def facts(self) -> dict[str, Any]:
        """As the champion's file keeps it."""
        return {
            "elo": self.elo,
            "elo_low": self.low,
            "elo_high": self.high,
            "elo_games": self.games,
        }


def first_guess(run: Run) -> float | None:
    """Near which Elo a run's champion is looked for: where its last generations' bests were."""
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
    """Let the champion play the rungs nearest to it; None under rules without a ladder.

    Which rungs these are is found by the games of one panel, from the guess or the middle of the
    ladder on; the rating comes from PANELS times as many others. Openings come from a generator of
    the run's seed that nothing else draws from, and from the part that a run never plays on.
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
