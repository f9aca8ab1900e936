"""`evolve solve`: exact scores of positions."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

import evolve
from evolve.cli.options import json_option, strict_option
from evolve.cli.terminal import complain, counting, interruptible, print_rows, say
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.board.squares import square_name
from evolve.errors import RulesError

if TYPE_CHECKING:
    from evolve.engine.board.board import Side


@click.command(name="solve")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--rules",
    type=click.Choice([*RULE_SETS]),
    help="What a score is, where the file does not say its rules: "
    + "; ".join(f"{name}, {rules.score}" for name, rules in RULE_SETS.items())
    + ".",
)
@click.option(
    "--side",
    type=click.Choice(["black", "white"]),
    help="To move in positions that do not say.",
)
@strict_option
@json_option
def solve_command(
    file: Path, rules: Rules | None, side: Side | None, strict: bool, as_json: bool
) -> None:
    """Solve every position of a file to the end: exact score and a best move.

    A position is 64 cells a1 to h8 (X black, O white, - empty), in a line or in rows, then the side
    to move; of a file of games, in any format that evolve convert reads, it is the last one of
    each. Scores are for the side to move. Time grows about threefold with every empty square; 20
    take seconds.

    \b
    Examples:
      evolve solve ffo.obf
      evolve solve ends.obf --rules reversed --json
    """
    from evolve.agents.agent import solve
    from evolve.records.formats import positions_of, read_games

    reading = read_games(file, rules, strict=strict, side=side)
    for line in reading.messages(file):
        complain(line)
    boards = positions_of(reading)
    rules = _one_of({record.rules for record in reading.records}, file)
    # Before the clock starts: seconds are without compilation.
    solve(evolve.Board(own=1 << 9, opp=1 << 18), rules)
    answers = []
    with counting("solving", len(boards), quiet=as_json) as advance:
        for number, board in zip(reading.numbers, boards, strict=True):
            started = time.perf_counter()
            move, score, nodes = interruptible(partial(solve, board, rules))
            answers.append(
                {
                    "position": number,
                    "side": board.side,
                    "empties": board.empties,
                    "move": None if move is None else square_name(move),
                    "score": score,
                    "nodes": nodes,
                    "seconds": time.perf_counter() - started,
                }
            )
            advance(1)
    if as_json:
        click.echo(json.dumps({"rules": rules, "positions": answers}, indent=1))
        return
    say(f"rules {rules}")
    print_rows(list(answers[0]), [list(answer.values()) for answer in answers])


def _one_of(found: set[Rules], file: Path) -> Rules:
    """The rules of all positions; RulesError where they differ."""
    if len(found) > 1:
        raise RulesError(f"{file} has positions of {' and '.join(sorted(found))} rules; split it")
    (rules,) = found
    return rules
