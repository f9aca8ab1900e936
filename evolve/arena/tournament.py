"""Play a round robin of any agents, pair after pair; it can be saved in a folder and resumed."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import KW_ONLY, asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from evolve.agents.agent import Agent
from evolve.arena.match import Match, MatchResult, PlayMatch, fresh_pairs
from evolve.arena.match_files import MatchFolder
from evolve.engine.board.rules import Rules
from evolve.errors import RunError
from evolve.files.atomic import TEMPORARY_PREFIX, write_text
from evolve.files.changes import make_folder
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.fitness.games import GamesDone
from evolve.fitness.openings import Openings
from evolve.fitness.statistics import Estimate, Meeting, bradley_terry, comparable, rate_one, stated
from evolve.fitness.strengths import unexplained_by_ratings
from evolve.parsing import parse_json, read_document
from evolve.runs.run_folder import locked, sweep_orphans
from evolve.runs.run_types import check_links
from evolve.tables.games import CrossTable
from evolve.tables.paths import GAMES, LOCK_FILE, RATING_FILE


@dataclass(frozen=True)
class Row:
    """One agent's results.

    If it won or lost all games, its Elo is infinite, and so is one end of the interval.
    """

    agent: str
    elo: Estimate
    score: float
    games: int
    wins: int
    draws: int
    losses: int
    failures: int
    """Losses because the program failed."""

    @property
    def document(self) -> dict[str, Any]:
        """The row as in documents and tables: None for infinite values."""
        others = asdict(self)
        del others["elo"]
        return {"agent": self.agent, **self.elo.columns("elo"), **others}


@dataclass(frozen=True)
class Anchors:
    """The first `count` agents of a gauntlet: all others play them alone, and their Elo is fixed.

    elos: their Elo, where it is known; otherwise they play one another for it, with mean 0.
    """

    count: int = 0
    elos: tuple[float, ...] = ()

    def pairs(self, players: int) -> list[tuple[int, int]]:
        """The pairs that play, in their order: every two players where there is no anchor."""
        every = [*combinations(range(players), 2)]
        if not self.count:
            return every
        among = [] if self.elos else [(i, j) for i, j in every if j < self.count]
        return among + [(i, j) for i, j in every if i < self.count <= j]

    def rated(self, players: int, meetings: Sequence[Meeting]) -> list[Estimate]:
        """The ratings of all players, those of anchors without an interval."""
        fixed = list(self.elos)
        if not fixed:
            among = self._among(meetings)
            fixed = [r.value for r in bradley_terry(self.count, among)] if among else [0.0]
        ratings = [Estimate(elo, math.nan, math.nan, 0) for elo in fixed]
        for number in range(self.count, players):
            games = [(i, 1.0 - scores) for i, j, scores in meetings if j == number]
            opponents = np.array([fixed[i] for i, _ in games])
            ratings.append(rate_one(opponents, [scores for _, scores in games]))
        return ratings

    def comparable(self, meetings: Sequence[Meeting]) -> bool:
        """Whether the distances between the anchors are finite: all ratings depend on them."""
        return bool(self.elos) or comparable(self.count, self._among(meetings))

    def _among(self, meetings: Sequence[Meeting]) -> list[Meeting]:
        return [(i, j, scores) for i, j, scores in meetings if j < self.count]


@dataclass
class Tournament:
    """Play every pair of agents on `openings(i, j)`, both colours on each.

    Agents with the same name get a number; `seed` is of all their games. With `anchors` it is a
    gauntlet: the others play these alone, and their ratings are fixed.

    With a `folder`, each pair's games are saved to a file there as they are played, and the same
    call plays only the missing ones; agents may be added at the end. `settings` are those that its
    file of settings also has. `failed` is called with the game, the name and the reason when a
    program fails, `warn` if games cannot be saved for now; `play_match` replaces the default way to
    play a match, without a folder. Raises RunError if the folder holds something else, EngineError
    if a program cannot be used or a pair has only failures.
    """

    agents: Sequence[Agent]
    names: Sequence[str]
    rules: Rules
    openings: Callable[[int, int], Openings]
    _: KW_ONLY
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    executor: Executor = ONE_THREAD
    folder: Path | None = None
    failed: Callable[[int, str, str], None] = lambda game, name, why: None
    play_match: PlayMatch = Match.play
    warn: Callable[[str], None] = warnings.warn
    anchors: Anchors = Anchors()

    def __post_init__(self) -> None:
        seen = Counter[str]()
        names, self.names = self.names, []
        for name in names:
            seen[name] += 1
            self.names.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
        self._results: dict[tuple[int, int], MatchResult] = {}
        self._meetings: list[Meeting] = []
        if self.folder is not None:
            self._claim(Path(self.folder))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs, in the order in which they play."""
        return self.anchors.pairs(len(self.names))

    @property
    def games(self) -> int:
        """Number of games of all pairs, where the settings have that of a pair."""
        return int(self.settings["games"]) * len(self.pairs)

    @property
    def finished(self) -> int:
        """Number of pairs that have played."""
        return len(self._results)

    def play(self, progress: GamesDone | None = None) -> None:
        """Play the missing pairs."""
        with ExitStack() as stack:
            matches = None
            if self.folder is not None:
                folder = Path(self.folder)
                stack.enter_context(locked(folder))
                sweep_orphans(folder, (GAMES,))
                # Only under the lock: before, another process may be running with fewer agents.
                config = folder / RATING_FILE
                if config.exists():
                    self._check(config)
                write_text(config, json.dumps(self._config, indent=1) + "\n")
                matches = MatchFolder(folder / GAMES, self.warn)
            for i, j in self.pairs:
                match = self._match(i, j)
                if matches is None:
                    self.play_match(match, progress)
                else:
                    matches.play(match, progress, f"pair-{i:03d}-{j:03d}")
                self._results[i, j] = match.result
                self._meetings.append((i, j, fresh_pairs(match.games, match.repeatable)))

    def _match(self, i: int, j: int) -> Match:
        names = self.names[i], self.names[j]
        # Every pair has its own seed, independent of the pairs played before.
        seed = int(np.random.SeedSequence([self.seed, i, j]).generate_state(1)[0])
        return Match(
            self.agents[i],
            self.agents[j],
            self.openings(i, j),
            self.rules,
            names=names,
            seed=seed,
            executor=self.executor,
            failed=lambda game, name, why: self.failed(
                game, name, f"against {names[name == names[0]]} {why}"
            ),
        )

    def cross(self) -> CrossTable:
        points, games = np.zeros((2, len(self.names), len(self.names)))
        for (i, j), result in self._results.items():
            points[i, j] = result.wins + result.draws / 2
            points[j, i] = result.losses + result.draws / 2
            games[i, j] = games[j, i] = result.games
        return CrossTable(points, games)

    def ratings(self) -> list[Estimate]:
        """Return the ratings from all games so far, of the agents that have played."""
        played = 1 + max(j for _, j in self._results)
        if self.anchors.count:
            return self.anchors.rated(played, self._meetings)
        return bradley_terry(played, self._meetings)

    @property
    def comparable(self) -> bool:
        """Whether the distances between all ratings are finite."""
        if self.anchors.count:
            scores = self.cross().totals[self.anchors.count :]
            fixed = self.anchors.comparable(self._meetings)
            return fixed and bool(((scores > 0.0) & (scores < 1.0)).all())
        return comparable(len(self.names), self._meetings)

    @property
    def scale(self) -> str:
        """Where the Elo of anchors is from, in words; empty without them."""
        fixed = ", ".join(self.names[: self.anchors.count])
        where = "stays" if self.anchors.elos else "is of games among them, with mean 0"
        return f"the Elo of {fixed} {where}" if fixed else ""

    def rows(self) -> list[Row]:
        """Return a row for each agent that has played, the strongest first."""
        ratings, scores = self.ratings(), self.cross().totals.tolist()
        pairs, rows = self._results.items(), []
        for index, (name, elo, score) in enumerate(zip(self.names, ratings, scores, strict=False)):
            own = [(r.wins, r.draws, r.losses, r.failures_a) for (i, _), r in pairs if i == index]
            own += [(r.losses, r.draws, r.wins, r.failures_b) for (_, j), r in pairs if j == index]
            wins, draws, losses, failures = np.array(own, int).reshape(-1, 4).sum(axis=0).tolist()
            anchored = index < self.anchors.count
            if score == 0.0 and not anchored:
                elo = elo._replace(value=-math.inf, low=-math.inf)
            elif score == 1.0 and not anchored:
                elo = elo._replace(value=math.inf, high=math.inf)
            elo = stated(elo, elo.n // 2)
            games = wins + draws + losses
            rows.append(Row(name, elo, score, games, wins, draws, losses, failures))
        order = np.argsort([-elo.value for elo in ratings], kind="stable")
        return [rows[index] for index in order]

    @property
    def document(self) -> dict[str, Any]:
        """The rating as in documents: with what it leaves unexplained, and `words` on that."""
        scores, games = self.cross().scores, self.cross().games
        left = unexplained_by_ratings(self.names, self._meetings)
        return {
            "agents": [row.document for row in self.rows()],
            "cross": {
                name: {other: scores[i, j] for j, other in enumerate(self.names) if games[i, j]}
                for i, name in enumerate(self.names)
            },
            "comparable": self.comparable,
            "unexplained": left and left.document,
            "words": left.words if left else [],
        }

    @property
    def _config(self) -> dict[str, Any]:
        anchors = self.anchors
        return {
            "agents": [
                {"name": name, "is": agent.identity}
                for name, agent in zip(self.names, self.agents, strict=True)
            ],
            **self.settings,
            "seed": self.seed,
            "rules": self.rules,
            **({"anchors": anchors.count, "elos": list(anchors.elos)} if anchors.count else {}),
        }

    def _claim(self, folder: Path) -> None:
        check_links(folder)
        config = folder / RATING_FILE
        if config.exists():
            self._check(config)
        elif folder.exists() and any(
            # A rating that was killed before it wrote its settings may leave these.
            path.name not in (GAMES, LOCK_FILE) and not path.name.startswith(TEMPORARY_PREFIX)
            for path in folder.iterdir()
        ):
            raise RunError(f"{folder} is taken: it holds something that is not a rating")
        make_folder(folder / GAMES, parents=True, exist_ok=True)

    def _check(self, config: Path) -> None:
        try:
            stored = parse_json(read_document(config))
            before = stored.pop("agents")
            names = ", ".join(agent["name"] for agent in before)
        except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
            raise RunError(f"{config} is damaged: {error}") from error
        now = self._config
        agents = now.pop("agents")
        if before != agents[: len(before)]:
            raise RunError(f"{config.parent} rates other agents, or they have changed: {names}")
        for key in {**now, **stored}:
            if stored.get(key) == now.get(key):
                continue
            if key in ("anchors", "elos"):
                raise RunError(f"{config.parent} rates against other anchors, or their Elo differs")
            raise RunError(f"{config.parent} has {key} {stored.get(key)!r}, not {now.get(key)!r}")
