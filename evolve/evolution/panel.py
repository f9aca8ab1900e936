"""The panel: fixed opponents, which separate progress from drift.

`ladder` has rungs from the weakest agents to ones that no champion passes. The best of each
generation plays the rungs nearest to it; its rating and the rating curve come from these games.
`fixed` has three opponents that champions soon beat.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.agents.patterns import PatternAgent
from evolve.arena.judges import ladder, ladder_score, nearest
from evolve.config.evolution import EvolutionSettings
from evolve.engine.rules import Rules, rule_set
from evolve.evolution.seeds import Use, generator
from evolve.evolution.trend import Curve, Rise
from evolve.fitness.executor import Executor
from evolve.fitness.games import Games, GamesDone, play_games
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import UNKNOWN, Estimate, in_elo, rate_one, score_of_pairs
from evolve.runs.loading import load_alphabeta
from evolve.runs.run import Run

PANEL_DEPTH: Final = 5
"""Search depth of the fixed panel's reference agents: at depth 3 champions soon scored 0.98."""
RUNGS_PLAYED: Final = 4
"""Rungs of the ladder that the best of a generation plays."""
PANEL_PLIES: Final = 8
"""Random moves in the panel's openings."""
_PAST: Final = 3
"""Past champions that the best of a generation plays, once there are that many."""
_PAST_SHARE: Final = 3
"""With the ladder, the past champions share the openings of one rung, so that its 240 games take
about as long as the 288 of the fixed panel."""
_GIVEN_NODES: Final = 20_000
"""Nodes of the second agent over a given evaluation, if the run has no node budget."""
_FIRST_ELO: Final = 0.0
"""Elo near which generation 0 picks its rungs: the reference table at depth 1."""


def panel_agents(settings: EvolutionSettings, given: PatternAgent | None) -> list[StoredAgent]:
    """Return the agents of the fixed panel; the champion of generation 0 joins them.

    With a given evaluation, they are its agent twice: with its own search, and as deep as the
    run's node budget allows. Evolution has to beat both.
    """
    rules = settings.rules
    if given is not None:
        nodes = settings.move_budget or _GIVEN_NODES
        own: StoredAgent = replace(given, rules=rules, name="given")
        return [own, own.with_settings({"nodes": nodes}, f"given?nodes={nodes}")]
    names = ("zero", rule_set(rules).reference)
    return [load_alphabeta(f"{name}?depth={PANEL_DEPTH}").with_rules(rules) for name in names]


def past_generations(generation: int) -> list[int]:
    """Return generations spread over the run so far; the champion also plays their champions."""
    spread = {generation // 4, generation // 2, 3 * generation // 4}
    return sorted(spread - {0, generation})


@dataclass(frozen=True)
class Candidate:
    """The best individual of a generation, for the panel to judge, and its possible opponents.

    first: the best of generation 0; past: the best of each of `past_generations`; first_game: the
    number of the generation's next game.
    """

    generation: int
    champion: StoredAgent
    first: StoredAgent
    past: Sequence[StoredAgent]
    first_game: int


@dataclass(frozen=True)
class Judged:
    """Result of a panel: columns of the generation's row, and the games."""

    figures: Mapping[str, Any]
    table: pa.Table


def meet(
    player: StoredAgent,
    opponents: Sequence[StoredAgent],
    openings: Openings,
    numbers: npt.NDArray[np.int64],
    rules: Rules,
    *,
    largest_endgame: int,
    executor: Executor,
    progress: GamesDone | None = None,
) -> tuple[npt.NDArray[np.float64], Games]:
    """Play both colours against each of R opponents on its openings, without a node budget.

    numbers: opening numbers, [R, N]. Returns the player's score in every pair of games, [R, N],
    and the games, in which the player is number 0.
    """
    pairings = np.zeros((2 * numbers.size, 3), np.int32)
    met = np.repeat(np.arange(1, len(opponents) + 1), numbers.shape[1])
    pairings[0::2, 1] = pairings[1::2, 0] = met
    pairings[0::2, 2] = pairings[1::2, 2] = numbers.ravel()
    games = play_games(
        [player, *opponents],
        pairings,
        openings,
        rules,
        largest_endgame=largest_endgame,
        executor=executor,
        progress=progress,
    )
    points = (games.winner.astype(np.float64) + 1.0) / 2.0
    points[1::2] = 1.0 - points[1::2]
    return points.reshape(-1, 2).mean(axis=1).reshape(numbers.shape), games


class RunPanel(ABC):
    """The panel of one run.

    opponents: how many agents, including past champions, the best of a generation plays on the
    settings' number of openings; rise: how the rating rises, if the panel keeps a rating curve and
    it is long enough.
    """

    opponents: ClassVar[int]
    rise: Rise | None = None

    def __init__(
        self, settings: EvolutionSettings, largest_endgame: int, executor: Executor
    ) -> None:
        self.settings = settings
        self.largest_endgame = largest_endgame
        self.executor = executor

    @abstractmethod
    def judge(self, candidate: Candidate) -> Judged:
        """Play the champion's games, without a node budget."""

    @abstractmethod
    def restore(self, run: Run) -> None:
        """Restore the state after the generations of a run."""

    def _openings(self, count: int, generation: int) -> Openings:
        rng = generator(self.settings.seed, Use.PANEL_OPENINGS, generation)
        return balanced_openings(count, Part.PANEL, self.settings.rules, rng, PANEL_PLIES)

    def _play(
        self,
        kind: str,
        candidate: Candidate,
        opponents: Sequence[StoredAgent],
        openings: Openings,
        numbers: npt.NDArray[np.int64],
        first_game: int,
    ) -> tuple[npt.NDArray[np.float64], pa.Table]:
        """Play both colours against each of R opponents on its openings, numbers [R, N].

        Returns the champion's score in every pair of games, [R, N], and the games.
        """
        scores, games = meet(
            candidate.champion,
            opponents,
            openings,
            numbers,
            self.settings.rules,
            largest_endgame=self.largest_endgame,
            executor=self.executor,
        )
        names = [agent.name for agent in (candidate.champion, *opponents)]
        table = games.table(
            candidate.generation, kind, names, self.settings.rules, openings, first_game
        )
        return scores, table

    def _meet_past(
        self, candidate: Candidate, openings: Openings, first_game: int
    ) -> tuple[float | None, pa.Table]:
        """Return the mean score against the run's past champions on `openings`, and the games."""
        numbers = np.tile(np.arange(len(openings)), (len(candidate.past), 1))
        scores, table = self._play(
            "match", candidate, candidate.past, openings, numbers, first_game
        )
        return float(scores.mean()) if scores.size else None, table


class FixedPanel(RunPanel):
    """Play two fixed agents and the best of generation 0."""

    opponents = 3 + _PAST

    def __init__(
        self,
        settings: EvolutionSettings,
        agents: Sequence[StoredAgent],
        largest_endgame: int,
        executor: Executor,
    ) -> None:
        super().__init__(settings, largest_endgame, executor)
        self._agents = agents
        self._fixed_openings = self._openings(settings.panel_openings, 0)

    def judge(self, candidate: Candidate) -> Judged:
        openings, opponents = self._fixed_openings, [*self._agents, candidate.first]
        numbers = np.tile(np.arange(len(openings)), (len(opponents), 1))
        scores, table = self._play(
            "panel", candidate, opponents, openings, numbers, candidate.first_game
        )
        score = score_of_pairs(scores.ravel())
        past, past_table = self._meet_past(candidate, openings, candidate.first_game + len(table))
        figures = {
            "panel_score": score.value,
            **in_elo(score).columns("panel_elo"),
            "past_score": past,
        }
        return Judged(figures, pa.concat_tables([table, past_table]))

    def restore(self, run: Run) -> None:
        """Nothing to restore."""


class LadderPanel(RunPanel):
    """Play the rungs of the ladder nearest to the run's rating so far.

    Every rung gets its own openings, new in every generation: on the same openings an unchanged
    best would add no information, and luck with them would look like strength.
    """

    opponents = RUNGS_PLAYED + 1

    def __init__(
        self, settings: EvolutionSettings, largest_endgame: int, executor: Executor
    ) -> None:
        super().__init__(settings, largest_endgame, executor)
        self._rungs = ladder(settings.rules)
        self._curve = Curve()

    def judge(self, candidate: Candidate) -> Judged:
        level = self._curve.level
        rungs = nearest(self._rungs, level.value if level else _FIRST_ELO, RUNGS_PLAYED)
        each = self.settings.panel_openings
        openings = self._openings(len(rungs) * each, candidate.generation)
        numbers = np.arange(len(openings)).reshape(len(rungs), each)
        scores, table = self._play(
            "panel",
            candidate,
            [rung.agent for rung in rungs],
            openings,
            numbers,
            candidate.first_game,
        )
        elo = rate_one(np.array([rung.elo for rung in rungs]), scores)
        shared = openings.first(-(-each // _PAST_SHARE))
        past, past_table = self._meet_past(candidate, shared, candidate.first_game + len(table))
        self._curve.add(candidate.generation, elo.value, elo.error)
        self.rise = self._curve.rise
        figures = {
            # Comparable across generations, for any choice of rungs.
            "panel_score": ladder_score(self._rungs, elo.value),
            **elo.columns("panel_elo"),
            **(self._curve.level or UNKNOWN).columns("rating"),
            **(self.rise.elo if self.rise else UNKNOWN).columns("rise"),
            "rise_since": self.rise.since if self.rise else None,
            "past_score": past,
        }
        return Judged(figures, pa.concat_tables([table, past_table]))

    def restore(self, run: Run) -> None:
        self._curve = Curve()
        for row in run.generation_rows:
            if row.get("panel_elo") is not None:
                value, low, high = (float(row[f"panel_elo{end}"]) for end in ("", "_low", "_high"))
                error = Estimate(value, low, high, 0).error
                self._curve.add(row["generation"], value, error)
        self.rise = self._curve.rise


def panel_of(
    settings: EvolutionSettings,
    given: PatternAgent | None,
    largest_endgame: int,
    executor: Executor,
) -> RunPanel:
    """Return the panel of the settings; given: the agent with the evaluation that all share."""
    if settings.panel == "ladder":
        return LadderPanel(settings, largest_endgame, executor)
    return FixedPanel(settings, panel_agents(settings, given), largest_endgame, executor)
