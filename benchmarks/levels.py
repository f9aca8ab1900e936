"""Levels: how far each is from the next one, and the Elo of all agents that are known by name.

    python -m benchmarks.levels [distances] [--rules R] [--games 2000] [--cpu 60] [AGENT …]
    python -m benchmarks.levels ratings [--rules R] [--games 800] [--cpu 60] [AGENT …]
                                [--seed N] [--jobs N] [--write]
    python -m benchmarks.levels seconds [--rules R] [--write] [AGENT …]
    python -m benchmarks.levels page                         tables of docs/reference/agents.md

`distances` lets neighbouring levels, or neighbours among the AGENTs, play each other on openings as
`evolve match` draws them, both colours on each, and prints Elo differences with their 95 %
intervals. `ratings` rates agents on the scale of the ladder, by games with the four rungs nearest
to each, as `benchmarks.ladder players` does. `seconds` measures the CPU seconds of a move in games
of each agent with itself; `ratings` does so too. `--write` puts what was measured into
evolve/agents/calibration/ratings.toml, and there gives levels that are estimates the Elo of the
level below plus their step. Every pair of agents plays so many games, or fewer
where these take more CPU seconds than `--cpu`, in `--jobs` processes. Levels have limits of plies
and nodes, so games do not depend on the speed or the load of a machine, only their number may.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import joblib
import numpy as np
from numpy.random import Generator

from benchmarks import figures
from benchmarks.ladder import NEIGHBOURS, SEED
from evolve.agents.agent import Agent
from evolve.agents.calibration.ratings import RATINGS
from evolve.agents.registry import LEVELS
from evolve.arena.judges import Ladder
from evolve.arena.match import Match
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules
from evolve.fitness.openings import Openings, Part, balanced_openings, listed_openings
from evolve.fitness.roundrobin import pair_scores
from evolve.fitness.statistics import Estimate, Floats, in_elo, rate_one, score_of_pairs
from evolve.runs.loading import load_agent

_MOVES = 52
"""Moves of a game after its opening, about."""
_ENOUGH, _MOST = 1.0, 500
"""CPU seconds that say what a move takes, and openings that will do where it takes nothing."""


@dataclass(frozen=True)
class Meetings:
    """How pairs of agents meet: the games of each pair and their CPU seconds are limits.

    write: whether the file of ratings gets what is measured.
    """

    rules: Rules
    games: int
    cpu: float
    seed: int
    jobs: int
    write: bool = False

    def openings(self, draw: Callable[[int, Part, Rules, Generator], Openings]) -> Openings:
        """The openings of each pair, drawn by the seed."""
        return draw(self.games // 2, Part.MATCH, self.rules, np.random.default_rng(self.seed))

    def meet(self, a: str, b: str, openings: Openings, share: float = 1.0) -> tuple[Floats, float]:
        """A's score in pairs of games, and the CPU seconds of a move, the mean of both agents."""
        rows = [part for part in np.array_split(np.arange(len(openings)), self.jobs) if len(part)]
        cpu = share * self.cpu / len(rows)
        parts = joblib.Parallel(n_jobs=self.jobs)(
            joblib.delayed(_meet)(
                a, b, openings.select(part), self.rules, cpu, self.seed + int(part[0])
            )
            for part in rows
        )
        scores = np.concatenate([found for found, _ in parts])
        return scores, sum(seconds for _, seconds in parts) / (2 * len(scores) * _MOVES)


def _meet(
    a: str, b: str, openings: Openings, rules: Rules, cpu: float, seed: int
) -> tuple[Floats, float]:
    """A's score in pairs of games while CPU seconds are left, and the seconds that they took."""
    one, other = load_agent(a), load_agent(b)
    for agent in (one, other):
        agent.with_rules(rules).prepare()
    begin, scores = time.process_time(), []
    for row in range(len(openings)):
        match = Match(one, other, openings.select(np.array([row])), rules, seed=seed + row)
        match.play()
        games = match.games
        scores.append(pair_scores(games).reshape(-1))
        if time.process_time() - begin >= cpu:
            break
    return np.concatenate(scores), time.process_time() - begin


def distances(meetings: Meetings, names: list[str]) -> None:
    """Print how much stronger every agent is than the one before it."""
    openings = meetings.openings(listed_openings)
    for weaker, stronger in pairwise(names):
        scores, seconds = meetings.meet(stronger, weaker, openings)
        elo = in_elo(score_of_pairs(scores))
        print(_row(stronger, weaker, elo, seconds), flush=True)
        if meetings.write:
            step, error = figures.rounded(elo)
            figures.put(meetings.rules, stronger, step=step, step_error=error)
            figures.estimate(meetings.rules)


def ratings(meetings: Meetings, names: list[str]) -> None:
    """Print the Elo of agents on the ladder."""
    rules, openings = meetings.rules, meetings.openings(balanced_openings)
    ladder = Ladder(rules)
    for name in names:
        met: dict[float, Floats] = {}
        known = RATINGS[rules].get(name)
        near = ladder.nearest(ladder.rungs[-1].elo if known is None else known.elo)
        while True:
            for rung in near:
                if rung.elo not in met:
                    met[rung.elo], _ = meetings.meet(
                        name, rung.agent.name, openings, 1 / NEIGHBOURS
                    )
            fewest = min(len(met[rung.elo]) for rung in near)
            scores = np.array([met[rung.elo][:fewest] for rung in near])
            elo = rate_one(np.array([rung.elo for rung in near]), scores)
            before, near = near, ladder.nearest(elo.value)
            if near == before or all(rung.elo in met for rung in near):
                break
        seconds = move_seconds(load_agent(name), rules)
        print(_row(name, "the ladder", elo, seconds), flush=True)
        if meetings.write:
            value, error = figures.rounded(elo)
            figures.put(rules, name, elo=value, error=error, seconds=seconds)
            figures.estimate(rules)


def seconds(meetings: Meetings, names: list[str]) -> None:
    """Print the CPU seconds of a move of agents."""
    for name in names:
        found = move_seconds(load_agent(name), meetings.rules)
        print(f"{name:42} {found:.2g} s a move", flush=True)
        if meetings.write:
            figures.put(meetings.rules, name, seconds=found)


def move_seconds(agent: Agent, rules: Rules) -> float:
    """CPU seconds of an agent's move in games with itself, in as many as take a second or more.

    Fewer would measure how a match begins.
    """
    agent.with_rules(rules).prepare()
    openings = 1
    while True:
        rng = np.random.default_rng(SEED)
        begin = time.process_time()
        match = Match(agent, agent, listed_openings(openings, Part.MATCH, rules, rng), rules)
        match.play()
        seconds = time.process_time() - begin
        if seconds >= _ENOUGH or openings >= _MOST:
            return seconds / (len(match.games.results) * _MOVES)
        openings *= 8


def _row(a: str, b: str, elo: Estimate, seconds: float) -> str:
    interval = f"[{elo.low:+.0f}, {elo.high:+.0f}]"
    return f"{a:42} {b:42} {elo.value:+6.0f} {interval:16} n {elo.n:5} {seconds:.2g} s a move"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = {"distances": distances, "ratings": ratings, "seconds": seconds}
    parser.add_argument("step", nargs="?", choices=(*steps, "page"), default="distances")
    parser.add_argument("agents", nargs="*", metavar="AGENT")
    parser.add_argument("--rules", choices=RULE_SETS, default=DEFAULT_RULES)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--cpu", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_intermixed_args()
    if given.step == "page":
        figures.write_page()
        return
    names = given.agents or [*LEVELS]
    if not given.agents and given.step != "distances":
        rated = RATINGS[given.rules]
        # What is an estimate stays one unless it is named.
        names = [name for name in rated if rated[name].error or given.step == "seconds"]
    if given.write and (unknown := {*names} - {*RATINGS[given.rules]}):
        parser.error(f"{figures.FILE.name} has no row for {', '.join(sorted(unknown))}")
    if given.write and given.step == "distances" and not {*pairwise(names)} <= {*pairwise(LEVELS)}:
        parser.error("--write takes levels that follow each other")
    meetings = Meetings(
        given.rules, given.games, given.cpu, given.seed, given.jobs, write=given.write
    )
    steps[given.step](meetings, names)


if __name__ == "__main__":
    main()
