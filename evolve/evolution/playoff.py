"""The play-off and the rating: find the best agent of a run, and how strong it is.

The play-off is on openings that the run has not used before. Its winner's score there is biased
upwards, and cannot be compared with other runs, which have other candidates. So the winner plays
the ladder afterwards, on separate openings: its Elo compares runs and seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.agents.agent_file import read_header
from evolve.agents.reference import read_agent
from evolve.arena.judges import Ladder, Rung
from evolve.config.evolution import EvolutionSettings
from evolve.engine.board.rules import rule_set
from evolve.evolution.champions import Champions
from evolve.files.folder import FolderPath
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, schedule, score_against, standings
from evolve.fitness.statistics import Estimate
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.population.islands import on_islands, on_turn
from evolve.population.randomness import Use, generator
from evolve.runs import run_folder as store
from evolve.runs.progress import Observer
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.tables.games import with_island
from evolve.tables.paths import CHAMPION_FILE, LEARNED_FILE, playoff_file
from evolve.version import __version__


@dataclass(frozen=True)
class Candidate:
    """An agent that may be the best, and its provenance."""

    agent: StoredAgent
    provenance: Mapping[str, object]


@dataclass(frozen=True)
class PlayoffResult:
    """The winner, its score against the other candidates, and all games.

    score: None if there were no others, and so no games.
    """

    winner: Candidate
    score: Estimate | None
    candidates: int
    table: pa.Table


def play_of(agent: StoredAgent) -> str:
    """Return a key for how an agent of a run plays: agents with the same key play the same."""
    return repr(agent.parameters)


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Drop candidates that play like an earlier one, because their parameters are the same."""
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
    """Play a round robin of the candidates, each pair with both colours on every opening.

    The best score wins; ties go to the better disc difference, then to the earlier candidate.
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


LAST_BEST: Final = 3
"""Individuals of the last generation that join the play-off, in addition to the hall of fame."""
PLAYOFF_PLIES: Final = 8
"""Random moves in the play-off's openings."""
RATING_PLIES: Final = 8
"""Random moves in the rating's openings."""
RATING_PANELS: Final = 4
"""Games of the rating, in units of one generation's panel: 4 times as many games halve the width
of the interval."""


class ChampionSelection:
    """Choose and save the champion of the run in `folder`."""

    def __init__(
        self,
        folder: FolderPath,
        settings: EvolutionSettings,
        genome: Genome,
        executor: Executor,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.genome = genome
        self.executor = executor

    @property
    def held(self) -> bool:
        """Whether the play-off is over and its champion is saved."""
        return playoff_file(self.folder).exists() and champion_of(self.folder) is not None

    @property
    def rated(self) -> bool:
        """Whether the champion's file has its Elo, or the rules have no ladder.

        Files of runs before 0.2 have no Elo.
        """
        path = champion_of(self.folder)
        known = path is not None and "elo" in read_header(path).provenance
        return known or not rule_set(self.settings.rules).ladder

    def save_best_so_far(self, champions: Champions) -> None:
        """Save the best agent of the hall of fame as the champion."""
        best = champions.hall[0]
        candidate = self._candidate(best)
        score = float(best.fitness.values[0])
        provenance = {**candidate.provenance, "score": score, "against": "panel"}
        self._save(candidate.agent.with_provenance(**provenance))

    def hold(
        self,
        run: Run,
        generation: int,
        population: Sequence[Individual],
        champions: Champions,
        algorithm: Algorithm,
        observer: Observer,
    ) -> None:
        """Hold the play-off after the last `generation`; rate the winner, save it as champion."""
        settings = self.settings
        result = play_off(
            distinct(self._candidates(generation, population, champions, algorithm)),
            balanced_openings(
                settings.playoff_openings,
                Part.PLAYOFF,
                settings.rules,
                generator(settings.seed, Use.PLAYOFF_OPENINGS),
                PLAYOFF_PLIES,
            ),
            settings,
            generation=generation,
            first_game=run.games_table(generation).num_rows,
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
            progress=lambda done, total: observer.stage("play-off", done, total),
        )
        self._save(self._rated(_crowned(result), run, observer))
        # Write the play-off's file last: it marks champion.json as the play-off's, and rated.
        several = settings.islands > 1
        table = with_island(result.table, None) if several else result.table
        store.commit_playoff(self.folder, table)

    def rate(self, run: Run, observer: Observer) -> None:
        """Rate the champion of a play-off from before champions were rated."""
        path = champion_of(self.folder)
        assert path is not None, "the play-off was held"
        self._save(self._rated(read_agent(path), run, observer))

    def _rated(self, champion: StoredAgent, run: Run, observer: Observer) -> StoredAgent:
        elo = rate(
            champion,
            self.settings,
            first_guess(run),
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
            progress=lambda done, total: observer.stage("ladder", done, total),
        )
        if elo is None:
            return champion
        return champion.with_provenance(**elo.columns("elo"), elo_games=elo.n)

    def _save(self, agent: StoredAgent) -> None:
        agent.save(self.folder / (LEARNED_FILE if agent.arrays else CHAMPION_FILE))

    def _candidates(
        self,
        generation: int,
        population: Sequence[Individual],
        champions: Champions,
        algorithm: Algorithm,
    ) -> list[Candidate]:
        islands = on_islands(population, self.settings.islands)
        ranked = [
            sorted(island, key=lambda one: one.fitness.values, reverse=True) for island in islands
        ]
        # With several islands: the best of each, then the second of each.
        last = [one for rank in zip(*ranked, strict=True) for one in rank]
        last = last[: max(LAST_BEST, len(islands))]
        candidates = [self._candidate(one) for one in (*champions.hall, *last)]
        turn = on_turn(generation, len(islands))
        survivors = [one.name for one in ranked[turn][: self.settings.survivor_count]]
        average = Individual(
            algorithm.mean(islands[turn]),
            name=f"mean-{generation}",
            born=generation,
            origin="mean",
            parents=tuple(survivors),
        )
        return [*candidates, self._candidate(average)]

    def _candidate(self, individual: Individual) -> Candidate:
        provenance = {
            "run": self.folder.resolve().name,
            "generation": individual.born,
            "individual": individual.name,
            "origin": individual.origin,
            "parents": list(individual.parents),
            "seed": self.settings.seed,
            "evolve": __version__,
        }
        return Candidate(self.genome.agent(individual, individual.name), provenance)


def _crowned(result: PlayoffResult) -> StoredAgent:
    score = result.score
    if score is None:
        told = {"games": 0, "against": "nobody: all candidates of the play-off were one agent"}
        return result.winner.agent.with_provenance(**result.winner.provenance, **told)
    provenance = {
        **result.winner.provenance,
        "score": score.value,
        "score_error": score.error,
        "score_low": score.low,
        "score_high": score.high,
        "games": score.n,
        "against": f"play-off of {result.candidates} candidates on fresh openings",
    }
    return result.winner.agent.with_provenance(**provenance)


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
) -> Estimate | None:
    """Rate the champion against the rungs nearest to it; None under rules without a ladder.

    Rounds with the games of one panel find these rungs, starting at the guess or at the middle of
    the ladder; the rating comes from RATING_PANELS times as many separate games. Openings come from
    a generator of the run's seed that nothing else uses, and from a part that a run never plays on.
    """
    ladder = Ladder(settings.rules)
    if not ladder.rungs:
        return None
    each, rounds, done = settings.panel_openings, 0, 0

    def count(games: int) -> None:
        nonlocal done
        done += games
        progress(done, total)

    def rated(near: float, each: int) -> Estimate:
        nonlocal rounds
        rng = generator(settings.seed, Use.RATING_OPENINGS, rounds)
        rounds += 1
        openings = balanced_openings(
            ladder.played * each, Part.MATCH, settings.rules, rng, RATING_PLIES
        )
        return ladder.rate(
            champion,
            near,
            openings,
            largest_endgame=largest_endgame,
            executor=executor,
            progress=count,
        ).elo

    games = 2 * RATING_PANELS * each * ladder.played
    total = games + games // RATING_PANELS
    near = ladder.rungs[len(ladder.rungs) // 2].elo if guess is None else guess
    known: list[list[Rung]] = []
    while (rungs := ladder.nearest(near)) not in known:
        known.append(rungs)
        total = max(total, done + games // RATING_PANELS + games)
        near = rated(near, each).value
    return rated(near, RATING_PANELS * each)
