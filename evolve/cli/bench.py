"""`evolve bench`: the speed of the engine on this machine."""

from __future__ import annotations

import os
import platform
import time
from importlib import import_module
from typing import Any, Final

import click

from evolve import __version__
from evolve.cli.options import json_option
from evolve.cli.terminal import err, interruptible, json_text, out, print_facts, print_rows

_PARTS: Final = {
    "perft": ("Perft from the start position, one thread", "speed.perft_rows"),
    "search": ("A move in the middle game, 16 to 40 discs", "speed.search_rows"),
    "solver": ("The end solved, half-random games", "speed.solver_rows"),
    "games": ("Whole games at depths 5, 3, 6", "speed.game_rows"),
    "patterns": ("A move over patterns, 12 to 44 discs", "patterns.pattern_rows"),
    "mcts": ("Tree search by random games and by networks of random weights", "trees.mcts_rows"),
    "selfplay": ("Games to learn from, one thread", "trees.selfplay_rows"),
    "start": ("Whole processes", "start.start_rows"),
    "plain": ("Whole games against plain Python, same moves and nodes", "speed.plain_rows"),
}
"""By name: what is measured, and by which function of evolve.bench."""


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
    Nothing is compiled while a clock runs, but in the part "start", which measures that.

    \b
    Examples:
      evolve bench
      evolve bench --part games --part plain
      evolve bench --json > bench.json
    """
    machine = _machine()
    document: dict[str, Any] = {"machine": machine}
    if not as_json:
        print_facts(machine)
    for part in parts or _PARTS:
        title, function = _PARTS[part]
        module, _, name = function.partition(".")
        measure = getattr(import_module(f"evolve.bench.{module}"), name)
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
        click.echo(json_text(document))


def _machine() -> dict[str, Any]:
    import numba
    from numba.core import config

    from evolve.engine.vector import LANES

    return {
        "evolve": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "cpu": getattr(config, "CPU_NAME", None) or _cpu_name(),
        "cores": os.cpu_count(),
        "lanes": LANES,
    }


def _cpu_name() -> str:
    import llvmlite.binding as llvm

    return str(llvm.get_host_cpu_name())
