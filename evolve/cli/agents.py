"""`evolve agents`."""

from __future__ import annotations

import click

from evolve.agents.calibration.ratings import RATINGS
from evolve.cli.options import json_option
from evolve.cli.terminal import print_json, print_rows, print_text
from evolve.config.toml import default_rules
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules, rule_set


@click.command(name="agents")
@click.option(
    "--rules",
    type=click.Choice([*RULE_SETS]),
    help="Rules to play by; those of the project by default, or standard.",
)
@json_option
def agents_command(rules: Rules | None, as_json: bool) -> None:
    """List the agents that are known by name, the weakest first.

    Elo is on the ladder's scale, ± half of its 95 % interval; `s a move` is the time of a move on
    one core. `level-1` to `level-12` are for playing against, by any rules: the last column has the
    agent that a level is, and its step is by how much it beats the level below, in Elo.

    \b
    Examples:
      evolve agents
      evolve agents --rules reversed
      evolve play level-3
    """
    rules = rules or default_rules() or DEFAULT_RULES
    rated = sorted(RATINGS.get(rules, {}).items(), key=lambda item: item[1].elo)
    if as_json:
        rows = [
            {
                "agent": name,
                "elo": rating.elo,
                "elo_error": rating.error or None,
                "seconds": rating.seconds,
                "about": rating.about,
                "plays": rating.plays or name,
                "step": rating.step or None,
                "step_error": rating.step_error or None,
            }
            for name, rating in rated
        ]
        print_json({"rules": rules, "agents": rows})
        return
    print_text(f"{rules} ({rule_set(rules).goal}), Elo 0 is {rule_set(rules).reference}")
    print_rows(
        ("agent", "Elo", "step", "s a move", "what it is", "as"),
        [
            (
                name,
                _figure(f"{rating.elo}", rating.error),
                _figure(f"{rating.step:+}", rating.step_error) if rating.step else "",
                f"{rating.seconds:.6f}".rstrip("0").rstrip("."),
                rating.about,
                rating.plays,
            )
            for name, rating in rated
        ],
    )


def _figure(value: str, error: int) -> str:
    return f"{value} ±{error}" if error else f"about {value}"
