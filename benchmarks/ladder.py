"""The ladder: how its rungs stand to each other, and what it says of runs.

    python -m benchmarks.ladder rungs [--pairs 200]      the numbers of evolve/arena/judges.py
    python -m benchmarks.ladder players AGENT ...        where agents that are no rungs stand on it
    python -m benchmarks.ladder curve RUN [--csv FILE]   what the ladder says of any run's bests

`rungs` lets every rung play its four neighbours on either side, on random balanced openings that
no training uses, both colours on each, and rates all by Bradley-Terry, with one more player that
is no rung; 0 is the reference table at depth 1. `players` lets an agent play the four rungs nearest
to it, on the same openings, and rates it with their numbers held fixed. `curve` plays the panel of
a run again, of one that had another panel as well, and compares its generations 55 to 65 with 155
to 165.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
import pandas as pd

import evolve
from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.judges import Ladder
from evolve.arena.match import Match
from evolve.engine.board.rules import DEFAULT_RULES, Rules, rule_set
from evolve.evolution.panel import Candidate, LadderPanel
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.roundrobin import pair_scores
from evolve.fitness.statistics import Z95, Floats, bradley_terry, rate_one
from evolve.population.genome import Genome
from evolve.runs.life_cycle import stored_settings
from evolve.runs.loading import load_agent
from evolve.tables.individuals import row_genes

NEIGHBOURS = 4
# One more player, which ties the two families of champions to each other. As a rung it would be
# dear: 3.4 to 4.6 ms a game, where those next to it take 0.6 to 1.0.
TIE = "published-{}?depth=6&endgame=8"
EARLY, LATE = (55, 65), (155, 165)
SEED = 2026


def rungs(rules: Rules, pairs: int, jobs: int) -> None:
    names = list(rule_set(rules).ladder)
    names.insert(names.index(f"champion-{rules}?depth=4&endgame=8"), TIE.format(rules))
    agents = [alphabeta(name).with_rules(rules) for name in names]
    openings = balanced_openings(pairs, Part.MATCH, rules, np.random.default_rng(SEED))
    meetings: list[tuple[int, int, Floats]] = []
    for i, one in enumerate(agents):
        for j in range(i + 1, min(i + 1 + NEIGHBOURS, len(agents))):
            scores = meet(one, agents[j], openings, rules, jobs)
            meetings.append((i, j, scores))
            print(f"  {names[i]:36} {names[j]:38} {scores.mean():.3f}", flush=True)
    found = bradley_terry(len(agents), meetings)
    zero = found[names.index(rule_set(rules).reference)].value
    for name, elo in zip(names, found, strict=True):
        print(f'        "{name}": {elo.value - zero:.0f},  # ± {elo.high - elo.value:.0f}')


def meet(a: Agent, b: Agent, openings: Openings, rules: Rules, jobs: int) -> Floats:
    """A's score in each pair of games."""
    match = Match(a, b, openings, rules, executor=Threads(jobs))
    match.play()
    return pair_scores(match.games)


def player(name: str, pairs: int, jobs: int) -> None:
    agent = load_agent(name)
    rules = agent.rules or DEFAULT_RULES
    ladder = Ladder(rules)
    openings = balanced_openings(pairs, Part.MATCH, rules, np.random.default_rng(SEED))
    met: dict[float, Floats] = {}
    near = ladder.rungs[-NEIGHBOURS:]
    for _ in ladder.rungs:  # twice as a rule: the nearest are not known before it is rated
        for rung in near:
            if rung.elo not in met:
                met[rung.elo] = meet(agent, rung.agent, openings, rules, jobs)
                print(f"  {name:36} {rung.agent.name:38} {met[rung.elo].mean():.3f}", flush=True)
        scores = np.array([met[rung.elo] for rung in near])
        elo = rate_one(np.array([rung.elo for rung in near]), scores)
        played, near = near, ladder.nearest(elo.value)
        if near == played:
            break
    print(f"{name}: {elo.value:.0f} ± {elo.high - elo.value:.0f}", flush=True)


def alphabeta(name: str) -> AlphaBetaAgent:
    agent = load_agent(name)
    assert isinstance(agent, AlphaBetaAgent)
    return agent


def curve(folder: str, csv: str | None, jobs: int) -> None:
    run = evolve.Run(folder)
    settings = stored_settings(run.kind, run.command, run.path / "config.toml")
    settings = settings.model_copy(update={"panel": "ladder"})
    genome = Genome.of(settings)
    panel = LadderPanel(genome, Threads(jobs))
    rows = []
    for generation in range(0, run.generation_count, settings.panel_every):
        best = run.metadata(generation)[0]["best"]
        individuals = run.individuals_table(generation).to_pylist()
        row = next(row for row in individuals if row["individual"] == best)
        champion = genome.agent(genome.vector(row_genes(row, settings.genes)), best)
        begin = time.process_time()
        metrics, _ = panel.judge(Candidate(generation, champion, champion, [], 0))
        seconds = time.process_time() - begin
        rows.append({"generation": generation, **metrics, "cpu_seconds": seconds})
    frame = pd.DataFrame(rows).drop(columns="past_score").astype(float)
    if csv:
        frame.to_csv(csv, index=False, float_format="%.4f")
    told = frame[frame["generation"] % 10 == 9]
    columns = ["generation", "rating", "rating_low", "rating_high", "rise", "rise_low", "rise_high"]
    print(told[columns].to_string(index=False, float_format="%.0f"))
    resting = frame.loc[frame["rise_high"] < 20.0, "generation"]
    print(f"at rest in generations: {resting.astype(int).to_list()}")
    print(f"{frame['cpu_seconds'].mean():.3f} CPU s a generation")
    if run.generation_count > LATE[1]:
        compare(frame)


def compare(frame: pd.DataFrame) -> None:
    """The mean rating of late bests less that of early ones, by the scatter within both."""
    parts = [
        frame.loc[frame["generation"].between(*span), "panel_elo"].to_numpy()
        for span in (EARLY, LATE)
    ]
    error = np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts))
    early, late = (part.mean() for part in parts)
    print(
        f"generations {EARLY[0]} to {EARLY[1]}: {early:.0f} Elo, {LATE[0]} to {LATE[1]}: "
        f"{late:.0f}; difference {late - early:+.0f} [{late - early - Z95 * error:+.0f}, "
        f"{late - early + Z95 * error:+.0f}]"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    of_rungs = steps.add_parser("rungs")
    of_rungs.add_argument("--pairs", type=int, default=200)
    of_players = steps.add_parser("players")
    of_players.add_argument("agents", nargs="+")
    of_players.add_argument("--pairs", type=int, default=200)
    of_curve = steps.add_parser("curve")
    of_curve.add_argument("run")
    of_curve.add_argument("--csv")
    for step in (of_rungs, of_players, of_curve):
        step.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    if arguments.step == "curve":
        curve(arguments.run, arguments.csv, arguments.jobs)
        return
    if arguments.step == "players":
        for name in arguments.agents:
            player(name, arguments.pairs, arguments.jobs)
        return
    all_rules: tuple[Rules, ...] = ("standard", "reversed")
    for rules in all_rules:
        rungs(rules, arguments.pairs, arguments.jobs)


if __name__ == "__main__":
    main()
