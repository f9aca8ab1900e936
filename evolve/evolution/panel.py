"""The panel: fixed opponents, which separate progress from drift.

`ladder` has rungs from the weakest agents to ones that no champion passes. The best of each
generation plays the rungs nearest to it; its rating and the rating curve come from these games.
`fixed` has three opponents that champions soon beat.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.arena.judges import RUNGS, Ladder, meet
from evolve.config.evolution import EvolutionSettings
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

_PANEL_DEPTH: Final = 5
"""Search depth of the fixed panel's reference agents: at depth 3 champions soon scored 0.98."""
_PAST: Final = 3  # past champions that the best of a generation plays, once there are that many
_PAST_SHARE: Final = 3
"""With the ladder, the past champions share the openings of one rung, so that its 240 games take
about as long as the 288 of the fixed panel."""
_FIRST_ELO: Final = 0.0
"""Elo near which generation 0 picks its rungs: the reference table at depth 1."""


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


@dataclass(frozen=True)
class RunContext:
    """What the parts of a run share: its folder, its genome with the settings, its executor."""

    folder: Path
    genome: Genome
    executor: Executor

    @property
    def settings(self) -> EvolutionSettings:
        return self.genome.settings


class _PanelGames(NamedTuple):
    opponents: Sequence[StoredAgent]
    openings: Openings
    games: Games


class RunPanel(ABC):
    """The panel of one run.

    opponents: how many agents, including past champions, the best of a generation plays on the
    settings' number of openings; rise: how the rating rises, if the panel keeps a rating curve and
    it is long enough.
    """

    opponents: ClassVar[int]
    rise: Mapping[str, float | None] = {}

    def __init__(self, context: RunContext) -> None:
        self.context, self.settings = context, context.settings

    def judge(self, candidate: Candidate) -> tuple[dict[str, Any], pa.Table]:
        """Play the champion's games, without a node budget.

        Returns columns of the generation's row, and the games.
        """
        metrics, panel, openings = self._judged(candidate)
        scores, games = self._meet(candidate, candidate.past, openings)
        past = _PanelGames(candidate.past, openings, games)
        tables, first_game, rules = [], candidate.first_game, self.settings.rules
        for kind, met in (("panel", panel), ("match", past)):
            names = [agent.name for agent in (candidate.champion, *met.opponents)]
            table = met.games.table
            tables.append(table(candidate.generation, kind, names, rules, met.openings, first_game))
            first_game += len(met.games)
        metrics["past_score"] = float(scores.mean()) if scores.size else None
        return metrics, pa.concat_tables(tables)

    @abstractmethod
    def _judged(self, candidate: Candidate) -> tuple[dict[str, Any], _PanelGames, Openings]:
        """Play the panel; return its columns, its games, and openings for past champions."""

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
            largest_endgame=self.context.genome.largest_endgame,
            executor=self.context.executor,
        )


class _FixedPanel(RunPanel):
    opponents = 3 + _PAST

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        rules = self.settings.rules
        depth, names = f"?depth={_PANEL_DEPTH}", ("zero", rule_set(rules).reference)
        self._agents = [load_alphabeta(name + depth).with_rules(rules) for name in names]
        self._fixed_openings = self._openings(self.settings.panel_openings, 0)

    def _judged(self, candidate: Candidate) -> tuple[dict[str, Any], _PanelGames, Openings]:
        openings, opponents = self._fixed_openings, [*self._agents, candidate.first]
        scores, games = self._meet(candidate, opponents, openings)
        score = score_of_pairs(scores.ravel())
        metrics = {"panel_score": score.value, **in_elo(score).columns("panel_elo")}
        return metrics, _PanelGames(opponents, openings, games), openings


class LadderPanel(RunPanel):
    """Play the rungs of the ladder nearest to the run's rating so far.

    Every rung gets its own openings, new in every generation: on the same openings an unchanged
    best would add no information, and luck with them would look like strength.
    """

    opponents = RUNGS + 1

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        self._ladder = Ladder(self.settings.rules)
        self._curve = Curve()

    def _judged(self, candidate: Candidate) -> tuple[dict[str, Any], _PanelGames, Openings]:
        level = self._curve.level
        each = self.settings.panel_openings
        openings = self._openings(self._ladder.opponents * each, candidate.generation)
        elo, rungs, games = self._ladder.rate(
            candidate.champion,
            level.value if level else _FIRST_ELO,
            openings,
            largest_endgame=self.context.genome.largest_endgame,
            executor=self.context.executor,
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
        panel = _PanelGames([rung.agent for rung in rungs], openings, games)
        return metrics, panel, openings.first(-(-each // _PAST_SHARE))

    def restore(self, run: Run) -> None:
        self._curve = curve_of(run.metadata(number)[0] for number in range(run.generation_count))
        self.rise = self._curve.rise


PANELS: Final[Mapping[str, type[RunPanel]]] = {"ladder": LadderPanel, "fixed": _FixedPanel}
"""The panel of every name in the settings."""
