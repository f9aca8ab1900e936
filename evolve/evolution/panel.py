"""The panel: fixed opponents, which separate progress from drift.

`ladder` has rungs from the weakest agents to ones that no champion passes. The best of each
generation plays the rungs nearest to it; its rating and the rating curve come from these games.
`fixed` has three opponents that champions soon beat.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.arena.judges import RUNGS, Ladder, meet
from evolve.engine.board.rules import rule_set
from evolve.fitness.executor import Executor
from evolve.fitness.games import Games
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import UNKNOWN, Floats, in_elo, score_of_pairs
from evolve.fitness.trend import Curve, curve_of
from evolve.population.genome import Genome
from evolve.population.randomness import Use, generator
from evolve.runs.loading import load_alphabeta
from evolve.runs.run import Run

_PAST: Final = 3  # past champions that the best of a generation plays, once there are that many


@dataclass(frozen=True)
class Candidate:
    """The best individual of a generation, for the panel to judge, and its possible opponents.

    first: the best of generation 0; past: those of generations spread over the run; first_game: the
    number of the generation's next game.
    """

    generation: int
    champion: StoredAgent
    first: StoredAgent
    past: Sequence[StoredAgent]
    first_game: int


_Judged = tuple[dict[str, Any], Sequence[StoredAgent], Openings, Games]
"""Columns of a generation's row, the panel's agents, their openings, and the games."""


class RunPanel(ABC):
    """The panel of one run.

    opponents: how many agents, including past champions, the best of a generation plays on the
    settings' number of openings; shared_by: how many past champions share that many openings; rise:
    how the rating rises, if the panel keeps a rating curve and it is long enough.
    """

    opponents: ClassVar[int]
    shared_by: ClassVar[int] = 1
    rise: Mapping[str, float | None] = {}

    def __init__(self, genome: Genome, executor: Executor) -> None:
        self.genome, self.settings, self.executor = genome, genome.settings, executor

    def judge(self, candidate: Candidate) -> tuple[dict[str, Any], pa.Table]:
        """Play the champion's games, without a node budget.

        Returns columns of the generation's row, and the games.
        """
        metrics, opponents, openings, games = self._judged(candidate)
        fewer = openings.first(-(-self.settings.panel_openings // self.shared_by))
        scores, past_games = self._meet(candidate, candidate.past, fewer)
        metrics["past_score"] = float(scores.mean()) if scores.size else None
        tables, generation, first_game = [], candidate.generation, candidate.first_game
        for kind, others, begun, played in (
            ("panel", opponents, openings, games),
            ("match", candidate.past, fewer, past_games),
        ):
            names = [agent.name for agent in (candidate.champion, *others)]
            table = played.table(generation, kind, names, self.settings.rules, begun, first_game)
            first_game += len(played)
            tables.append(table)
        return metrics, pa.concat_tables(tables)

    @abstractmethod
    def _judged(self, candidate: Candidate) -> _Judged:
        """Play the panel."""

    def restore(self, run: Run) -> None:  # noqa: B027 - a fixed panel has no state
        """Restore the state after the generations of a run."""

    def _openings(self, count: int, generation: int) -> Openings:
        rng = generator(self.settings.seed, Use.PANEL_OPENINGS, generation)
        # Random moves in the panel's openings.
        return balanced_openings(count, Part.PANEL, self.settings.rules, rng, 8)

    def _meet(
        self, candidate: Candidate, opponents: Sequence[StoredAgent], openings: Openings
    ) -> tuple[Floats, Games]:
        """Return the champion's score in every pair of games, [opponents, openings], and these."""
        return meet(
            candidate.champion,
            opponents,
            openings,
            np.tile(np.arange(len(openings)), (len(opponents), 1)),
            self.settings.rules,
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
        )


class _FixedPanel(RunPanel):
    opponents = 3 + _PAST

    def __init__(self, genome: Genome, executor: Executor) -> None:
        super().__init__(genome, executor)
        rules = self.settings.rules
        names = "zero?depth=5", f"{rule_set(rules).reference}?depth=5"  # at 3, 0.98 was soon scored
        self._agents = [load_alphabeta(name).with_rules(rules) for name in names]
        self._fixed_openings = self._openings(self.settings.panel_openings, 0)

    def _judged(self, candidate: Candidate) -> _Judged:
        openings, opponents = self._fixed_openings, [*self._agents, candidate.first]
        scores, games = self._meet(candidate, opponents, openings)
        score = score_of_pairs(scores.ravel())
        metrics = {"panel_score": score.value, **in_elo(score).columns("panel_elo")}
        return metrics, opponents, openings, games


class LadderPanel(RunPanel):
    """Play the rungs of the ladder nearest to the run's rating so far.

    Every rung gets its own openings, new in every generation: on the same openings an unchanged
    best would add no information, and luck with them would look like strength.
    """

    opponents = RUNGS + 1
    shared_by = _PAST  # so that its 240 games take about as long as the 288 of the fixed panel

    def __init__(self, genome: Genome, executor: Executor) -> None:
        super().__init__(genome, executor)
        self._ladder = Ladder(self.settings.rules)
        self._curve = Curve()

    def _judged(self, candidate: Candidate) -> _Judged:
        level = self._curve.level
        count = self._ladder.opponents * self.settings.panel_openings
        openings = self._openings(count, candidate.generation)
        elo, rungs, games = self._ladder.rate(
            candidate.champion,
            level.value if level else 0.0,  # at first near the reference table at depth 1
            openings,
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
        )
        self._curve.add(candidate.generation, elo.value, elo.error)
        self.rise = self._curve.rise
        metrics = {
            # Comparable across generations, for any choice of rungs.
            "panel_score": self._ladder.score(elo.value),
            **elo.columns("panel_elo"),
            **(self._curve.level or UNKNOWN).columns("rating"),
            **self.rise,
        }
        return metrics, [rung.agent for rung in rungs], openings, games

    def restore(self, run: Run) -> None:
        self._curve = curve_of(run.metadata(number)[0] for number in range(run.generation_count))
        self.rise = self._curve.rise


PANELS: Final[Mapping[str, type[RunPanel]]] = {"ladder": LadderPanel, "fixed": _FixedPanel}
"""The panel of every name in the settings."""
