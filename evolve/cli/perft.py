"""`evolve perft`: count the positions after a number of plies."""

from __future__ import annotations

import time

import click

from evolve.cli.options import json_option
from evolve.cli.terminal import interruptible, print_facts, print_json


@click.command(name="perft")
@click.argument("depth", type=click.IntRange(0, 20))
@json_option
def perft_command(depth: int, as_json: bool) -> None:
    """Count the positions after DEPTH plies from the start.

    A pass is a ply, a finished game one position; one thread, no table, no symmetry. Seconds are
    without compilation.

    \b
    Example:
      evolve perft 9
    """
    from evolve.engine.board import bits
    from evolve.engine.board.bits import perft

    perft(bits.START_OWN, bits.START_OPP, 1)
    started = time.perf_counter()
    nodes = int(interruptible(lambda: perft(bits.START_OWN, bits.START_OPP, depth)))
    seconds = time.perf_counter() - started
    (print_json if as_json else print_facts)({"depth": depth, "nodes": nodes, "seconds": seconds})
