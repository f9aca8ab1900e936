"""`evolve bench` and `evolve perft`: the speed of the engine, and counts that check it."""

from __future__ import annotations

import time
from typing import Any, Final

import click

from evolve.cli.options import json_option
from evolve.cli.terminal import (
    err,
    interruptible,
    out,
    print_facts,
    print_json,
    print_rows,
)

_PARTS: Final = {
    "perft": ("Perft from the start position, one thread", "perft_rows"),
    "search": ("A move in the middle game, 16 to 40 discs", "search_rows"),
    "solver": ("The end solved, half-random games", "solver_rows"),
    "games": ("Whole games at depths 5, 3, 6", "game_rows"),
}
"""By name: the title, and the function of evolve.cli.speed that measures it."""


@click.command(name="bench")
@click.option(
    "--part",
    "parts",
    type=click.Choice(list(_PARTS)),
    multiple=True,
    help="Measure this alone; may be given more than once.",
)
@json_option
def bench_command(parts: tuple[str, ...], as_json: bool) -> None:
    """Measure the speed of the engine on this machine, in one run of some minutes.

    Times are medians: of CPU seconds where one thread works, of wall seconds for whole games.
    Nothing is compiled while a clock runs.

    \b
    Examples:
      evolve bench
      evolve bench --part games --part search
      evolve bench --json > bench.json
    """
    from evolve.cli import speed

    machine = speed.machine()
    document: dict[str, Any] = {"machine": machine}
    if not as_json:
        print_facts(machine)
    for part in parts or _PARTS:
        title, rows_of = _PARTS[part]
        measure = getattr(speed, rows_of)
        if as_json:
            err().print(f"{part} …")
        begin = time.perf_counter()
        rows: list[dict[str, Any]] = interruptible(measure)
        document[part] = rows
        if not as_json:
            seconds = time.perf_counter() - begin
            out().print(f"\n{title} (measured in {seconds:.0f} s)")
            print_rows(list(rows[0]), [list(row.values()) for row in rows])
    if as_json:
        print_json(document)


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

    bits.perft(bits.START_OWN, bits.START_OPP, 1)
    started = time.perf_counter()
    nodes = int(interruptible(lambda: bits.perft(bits.START_OWN, bits.START_OPP, depth)))
    seconds = time.perf_counter() - started
    (print_json if as_json else print_facts)({"depth": depth, "nodes": nodes, "seconds": seconds})
