"""`evolve match`."""

from __future__ import annotations

import json
from typing import Any, cast

import click
import numpy as np

from evolve.agents.loading import load_agent
from evolve.cli.options import jobs_option, json_option, rules_option
from evolve.cli.terminal import counting, out, print_facts
from evolve.engine.board import Rules
from evolve.fitness.match import MatchResult, common_rules, play_match
from evolve.fitness.openings import START_POSITION, Openings, Part, balanced_openings


@click.command(name="match")
@click.argument("a")
@click.argument("b")
@click.option(
    "--games",
    type=click.IntRange(min=2),
    default=100,
    show_default=True,
    help="Games, two on every opening; an odd number is rounded up.",
)
@click.option(
    "--openings",
    type=click.Choice(["random", "start"]),
    default="random",
    show_default=True,
    help="Random balanced openings that no training uses, or the start position.",
)
@click.option(
    "--opening-plies",
    type=click.IntRange(3, 20),
    default=8,
    show_default=True,
    help="Random moves in an opening.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the openings and of random agents.",
)
@rules_option
@jobs_option
@json_option
def match_command(
    a: str,
    b: str,
    games: int,
    openings: str,
    opening_plies: int,
    seed: int,
    rules: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Play A against B, both colours on every opening.

    The score is A's, with a 95 % interval that takes the two games on an opening as one sample.

    \b
    Examples:
      evolve match runs/reversed-001 random --games 400
      evolve match 'best.json?depth=3&endgame=0' 'swh?depth=3' --seed 2 --json
    """
    agents = [load_agent(a), load_agent(b)]
    agreed = common_rules(agents, cast("Rules | None", rules))
    pairs = (games + 1) // 2
    if openings == "start":
        chosen = Openings(np.repeat(START_POSITION.moves, pairs, axis=0))
    else:
        rng = np.random.default_rng(seed)
        chosen = balanced_openings(pairs, Part.MATCH, agreed, rng, opening_plies)
    with counting("games", 2 * pairs, quiet=as_json) as advance:
        result, _ = play_match(
            agents[0], agents[1], chosen, agreed, seed=seed, jobs=jobs, progress=advance
        )
    if as_json:
        click.echo(json.dumps(_document(a, b, agreed, result)))
        return
    _print(a, b, agreed, result)


def _document(a: str, b: str, rules: Rules, result: MatchResult) -> dict[str, Any]:
    score = result.score
    return {
        "a": a,
        "b": b,
        "rules": rules,
        "games": result.games,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": score.score,
        "score_low": score.low,
        "score_high": score.high,
        "score_black": result.score_black,
        "score_white": result.score_white,
        "mean_discs": result.mean_discs,
        "elo": score.elo,
        "elo_low": score.elo_low,
        "elo_high": score.elo_high,
    }


def _print(a: str, b: str, rules: Rules, result: MatchResult) -> None:
    score = result.score
    elo, low, high = (_elo(value) for value in (score.elo, score.elo_low, score.elo_high))
    out().print(f"{a} against {b}, {rules}", soft_wrap=True, markup=False)
    print_facts(
        {
            "games": f"{result.games}: {result.wins} won, {result.draws} drawn, "
            f"{result.losses} lost",
            "score": f"{score.score:.3f} [{score.low:.3f}, {score.high:.3f}]",
            "as black": f"{result.score_black:.3f}",
            "as white": f"{result.score_white:.3f}",
            "discs": f"{result.mean_discs:+.1f} a game",
            "Elo": f"{elo} [{low}, {high}]",
        }
    )


def _elo(value: float | None) -> str:
    return "–" if value is None else f"{round(value):+d}"
