"""Each command as a program that is really started: all other tests may fork theirs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

import evolve
from evolve.cli.main import COMMANDS
from tests.cli import QUICK, QUICK_SWEEP, program
from tests.cli.test_train import TRAIN

RUN: Final = (*QUICK, "--generations=1", "--population=4")
DESIGN: Final = """command = "run"
seeds = 1
[settings]
generations = 1
population = 4
openings = "start"
panel_openings = 2
playoff_openings = 2
"""
SLOW: Final = pytest.mark.slow
"""For those that take seconds and whose modules another command loads as well. Of `run` and `match`
test_signals always really starts some, and of `serve` those tests that share a service."""
STARTS: Final[tuple[tuple[tuple[object, ...], str, tuple[pytest.MarkDecorator, ...]], ...]] = (
    (("run", *RUN, "--out=new"), "1 of 1 generations: all generations are done", (SLOW,)),
    ((*TRAIN["patterns"], "--games=100", "--jobs=1", "--out=new"), "100 games", (SLOW,)),
    (
        ("sweep", "alphabeta", *QUICK_SWEEP, "--trials=1", "--jobs=1", "--out=new"),
        "1 of 1 trial",
        (SLOW,),
    ),
    (("study", "design.toml", "--jobs=1", "--out=new"), "1 of 1 run: all runs are done", (SLOW,)),
    (("resume", "quick"), "quick is finished, 3 generations", (SLOW,)),
    (("runs", "."), "quick", (SLOW,)),
    (("show", "quick"), "generation", ()),
    (("compare", "quick"), "quick", (SLOW,)),
    (("check", "agent.py", "--games=1"), "ok", (SLOW,)),
    (("lineage", "quick"), "ancestors", (SLOW,)),
    (("replay", "game.txt", "1"), "to move", (SLOW,)),
    (("plot", "quick", "-o", "new.svg"), "new.svg", (SLOW,)),
    (("export", "swh", "--to=python", "-o", "new.py"), "new.py", (SLOW,)),
    (("hand-in", "swh", "-o", "new.py", "--seconds=2", "--json"), '"good": true', (SLOW,)),
    (("agents",), "level-12", (SLOW,)),
    (("match", "swh", "zero", "--games=2", "--openings=start"), "score", (SLOW,)),
    (("rate", "swh", "zero", "--games=2", "--jobs=1"), "swh", (SLOW,)),
    (("cluster", "check", "--help"), "--scheduler", ()),
    (("serve", "--help"), "REST API", ()),
    (("engine", "swh", "--protocol=gtp", "--rules=standard"), "", (SLOW,)),
    (("play", "swh"), "end of input", (SLOW,)),
    (("bench", "--part=perft"), "Perft from the start", (SLOW,)),
    (("convert", "game.txt", "-o", "new.csv"), "1 game → new.csv", (SLOW,)),
    (("perft", "3"), "56", ()),
    (("solve", "end.obf"), "", (SLOW,)),
)


@pytest.fixture
def folder(quick: Path, tmp_path: Path) -> Path:
    """What the commands work on."""
    shutil.copytree(quick, tmp_path / "quick")
    (tmp_path / "design.toml").write_text(DESIGN)
    (tmp_path / "game.txt").write_text("f5d6c3d3c4\n")
    agent = evolve.load_agent("swh")
    assert isinstance(agent, evolve.AlphaBetaAgent)
    (tmp_path / "agent.py").write_text(agent.python_source(), encoding="utf-8")
    (tmp_path / "end.obf").write_text("X" * 63 + "- O\n")
    return tmp_path


def test_each_command_is_started_here() -> None:
    assert [words[0] for words, _, _ in STARTS] == list(COMMANDS)


@pytest.mark.parametrize(
    ("words", "said"),
    [pytest.param(words, said, id=str(words[0]), marks=marks) for words, said, marks in STARTS],
)
def test_a_command_is_started(words: tuple[object, ...], said: str, folder: Path) -> None:
    ended = program(folder, *words, real=True)
    told = f"{words[1]}, standard: 1 g" if words[0] == "check" else ""  # how long it takes
    assert (ended.code, ended.err[: len(told) or None]) == (0, told)
    assert said in ended.out
