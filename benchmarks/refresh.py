"""Make everything again that depends on the shipped weights, after these have changed.

    python -m benchmarks.refresh [--jobs N]         what is older than the weights, in order
    python -m benchmarks.refresh --list             only say what is older
    python -m benchmarks.refresh --only STEP        one step, also if nothing in it is older

`discs` makes the positions with known values, `ratings` measures levels and agents with patterns,
`pictures` and `notebooks` are those of the documentation, whose printed outputs it renews at last
(`benchmarks.outputs`). It takes about an hour on two cores.
Files carry the hash of the weights that they were made with. A call that was stopped goes on where
it was: `runs/refresh` keeps which commands are done for the present weights, and what pictures are
drawn from.

It takes champions and the ladder as they are. When these change, `benchmarks.ladder rungs` comes
first, and `benchmarks.levels ratings --write` for all other agents.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from benchmarks import discs, figures, notebooks, pictures
from benchmarks.weights import shipped_weights
from evolve.agents.calibration.ratings import RATINGS
from evolve.agents.registry import LEVELS

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "runs/refresh"
BOOKS = [ROOT / "docs/tutorials/python.ipynb", *sorted(ROOT.glob("docs/gallery/*.ipynb"))]
SLOW = 3
"""Levels at the end whose games are so long that few must do."""
LEFT = """Left for people:
  git diff evolve/agents/calibration/ratings.toml     what is new
  pytest tests/agents/calibration tests/docs          levels rise by 60 to 200, or get new settings
  git diff docs                                       sentences about numbers that are renewed
  python -m benchmarks.outputs --runs                 outputs of whole runs, without patterns
  docs/evidence/{arena,evolution,patterns}.md, README.md and CHANGELOG.md, by hand"""


class Step(NamedTuple):
    """A step: the weights that its files were made with, and how they are made again.

    made_with: a hash by the name of a file; commands: words after `python -m benchmarks.` that make
    some of these files again; whole: whether all commands are needed before a file is new, so that
    those that are done are remembered, and `figures.mark` marks it.
    """

    made_with: Callable[[], dict[str, str]]
    commands: Callable[[list[str]], list[list[str]]]
    whole: bool = False

    def old(self) -> list[str]:
        """The files that are older than the shipped weights."""
        return [name for name, made in self.made_with().items() if made != shipped_weights()]


def _rate(rules: str) -> list[list[str]]:
    """The commands that measure what depends on the patterns of some rules.

    Their limits in CPU seconds let all take about 35 minutes on two cores.
    """
    measured = [name for name in LEVELS if RATINGS[rules][name].error]
    estimates = [name for name in LEVELS if name not in measured]
    agent = f"patterns-{rules}"
    end = ["--rules", rules, "--write"]
    ratings, distances = ["levels", "ratings", "--seed", "44"], ["levels", "distances"]
    distances += ["--seed", "45", "--games", "2000"]
    return [
        [*ratings, "--games", "400", "--cpu", "30", *end, *measured],
        [*ratings, "--games", "1600", "--cpu", "150", *end, agent],
        [*distances, "--cpu", "150", *end, *LEVELS[: -SLOW + 1]],
        [*distances, "--cpu", "450", *end, *LEVELS[-SLOW:]],
        ["levels", "seconds", *end, *estimates],
    ]


STEPS = {
    "discs": Step(
        lambda: {rules: discs.weights_of(rules) for rules in RATINGS},
        lambda old: [["discs", "make", rules] for rules in old],
    ),
    "ratings": Step(
        lambda: {figures.FILE.name: figures.read()["weights"]},
        lambda old: [*chain.from_iterable(map(_rate, RATINGS)), ["levels", "page"]],
        whole=True,
    ),
    "pictures": Step(
        lambda: {
            name: pictures.weights_of(name) for work in pictures.WORKS for name in work.pictures
        },
        lambda old: [["pictures", "--runs", str(FOLDER / shipped_weights()), *old]],
    ),
    "notebooks": Step(
        lambda: {str(path.relative_to(ROOT)): notebooks.weights_of(path) for path in BOOKS},
        lambda old: [["notebooks", name] for name in old],
    ),
}


def done() -> list[str]:
    """The commands that are done for the shipped weights, of a step that is not yet."""
    path = FOLDER / "state.json"
    state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return list(state["done"]) if state.get("weights") == shipped_weights() else []


def keep(commands: list[str]) -> None:
    """Keep which commands are done."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    part = FOLDER / "state.part"
    state = {"weights": shipped_weights(), "done": commands}
    part.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    os.replace(part, FOLDER / "state.json")


def carry_out(name: str, files: list[str], jobs: int) -> None:
    """Make some files of a step again; a command that fails ends it."""
    step, begin, weights = STEPS[name], time.monotonic(), shipped_weights()
    for words in step.commands(files):
        text = shlex.join(words)
        if step.whole and text in done():
            continue
        print(f"{name}: python -m benchmarks.{text}", flush=True)
        module, *rest = words
        if module == "levels" and "--games" in words:
            rest += ["--jobs", str(jobs)]
        started = time.monotonic()
        words = [sys.executable, "-m", f"benchmarks.{module}", *rest]
        if subprocess.run(words, cwd=ROOT, check=False).returncode:
            raise SystemExit(f"error: {name} failed; call this again to go on from there")
        if shipped_weights() != weights:
            raise SystemExit(f"error: the weights changed during {name}; call this again")
        print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
        if step.whole:
            keep([*done(), text])
    if step.whole:
        figures.mark()
        keep([])
    print(f"{name}: all in {time.monotonic() - begin:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", choices=STEPS, metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    before = [step.old() for step in STEPS.values()]
    for (name, step), old in zip(STEPS.items(), before, strict=True):
        if given.list:
            print(f"{name:10} {'older: ' + ', '.join(old) if old else 'as new as the weights'}")
        elif given.only == name:
            carry_out(name, old or [*step.made_with()], given.jobs)
        elif old and not given.only:
            carry_out(name, old, given.jobs)
    if given.list:
        return
    if any(before) and not any(step.old() for step in STEPS.values()):
        subprocess.run([sys.executable, "-m", "benchmarks.outputs"], cwd=ROOT, check=True)
    print(LEFT)


if __name__ == "__main__":
    main()
