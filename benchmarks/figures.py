"""The figures of `evolve/agents/calibration/ratings.toml`: how they are changed, and their page.

A row is written again when one of its figures changes; all else in the file stays as it is.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.weights import shipped_weights
from evolve.agents.calibration.ratings import RATINGS
from evolve.agents.registry import LEVELS
from evolve.fitness.statistics import Estimate

ROOT = Path(__file__).parents[1]
FILE = ROOT / "evolve/agents/calibration/ratings.toml"
PAGE = ROOT / "docs/reference/agents.md"
_MARK = "weights = "


def read() -> dict[str, Any]:
    """What the file holds now."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def rounded(elo: Estimate) -> tuple[int, int]:
    """Elo and half of its interval, as the file has them."""
    if not math.isfinite(elo.low + elo.high):
        raise SystemExit("error: all games went one way, which says no Elo: play more")
    return round(elo.value), round((elo.high - elo.low) / 2.0)


def put(rules: str, name: str, **figures: float) -> None:
    """Change figures of an agent: Elo are whole numbers, seconds have one digit, 1e-5 at least."""
    if "seconds" in figures:
        figures["seconds"] = max(figures["seconds"], 1e-5)
    lines = FILE.read_text(encoding="utf-8").splitlines()
    begin = lines.index(f"[{rules}]")
    at = next(n for n in range(begin, len(lines)) if lines[n].startswith(f"{name} = "))
    row = read()[rules][name] | figures
    lines[at] = f"{name} = {{ {', '.join(f'{key} = {_text(row[key])}' for key in row)} }}"
    _write(lines)


def _text(value: Any) -> str:
    """A value of TOML: floats with one digit, without an exponent."""
    if isinstance(value, float):
        return str(np.format_float_positional(float(f"{value:.1g}"), trim="0"))
    return json.dumps(value, ensure_ascii=False)


def estimate(rules: str) -> None:
    """Give levels with an error of 0 the Elo of the level below plus their step, in tens."""
    for below, name in pairwise(LEVELS):
        rated = read()[rules]
        if rated[name]["error"] == 0:
            put(rules, name, elo=round(rated[below]["elo"] + rated[name]["step"], -1))


def mark() -> None:
    """Say that all figures of the file are of the shipped weights."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(_MARK))
    lines[at] = f'{_MARK}"{shipped_weights()}"'
    _write(lines)


def _write(lines: list[str]) -> None:
    part = FILE.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(part, FILE)


def tables() -> str:
    """The tables at the end of the page of agents, the weakest first."""
    lines = []
    for rules, rated in RATINGS.items():
        lines += ["", f"### {rules.capitalize()} rules", ""]
        lines += ["| agent | Elo | s a move | what it is |", "|---|---|---|---|"]
        for name, one in sorted(rated.items(), key=lambda item: item[1].elo):
            elo = f"{one.elo} ± {one.error}" if one.error else f"about {one.elo}"
            seconds = f"{one.seconds:.6f}".rstrip("0").rstrip(".")
            plays = f"; `{one.plays}`" if one.plays else ""
            lines.append(f"| `{name}` | {elo.replace('-', '−')} | {seconds} | {one.about}{plays} |")
    return "\n".join(lines[1:]) + "\n"


def write_page() -> None:
    """Write the tables of the page of agents again."""
    found = tables()
    text, heading, _ = PAGE.read_text(encoding="utf-8").partition(found.partition("\n")[0] + "\n")
    assert heading
    PAGE.write_text(text + found, encoding="utf-8")
